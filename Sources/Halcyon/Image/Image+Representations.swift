public import Foundation

#if canImport(UIKit)
    public import UIKit
#elseif canImport(AppKit)
    public import AppKit
#endif

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// A PNG of the image, of an animation's first picture; nil if it cannot be made.
    public func pngRepresentation() -> Data? { base.still.pngData() }

    /// A JPEG of the image, of an animation's first picture; nil if it cannot be made.
    ///
    /// - Parameter compressionQuality: 0 to 1, the best and largest.
    public func jpegRepresentation(compressionQuality: CGFloat) -> Data? {
        base.still.jpegData(compressionQuality: compressionQuality)
    }

    /// A GIF of the image with all its pictures; nil if it cannot be made. An image that was made of a GIF gives that file.
    public func gifRepresentation() -> Data? { base.gifData() }

    /// A file of the image in a format; nil if it cannot be made.
    ///
    /// - Parameters:
    ///   - format: `unknown` gives the GIF of an animation, and a PNG of anything else.
    ///   - compressionQuality: for JPEG; 0 to 1, the best and largest.
    public func data(format: ImageFormat, compressionQuality: CGFloat = 1.0) -> Data? {
        switch format {
        case .PNG: pngRepresentation()
        case .JPEG: jpegRepresentation(compressionQuality: compressionQuality)
        case .GIF: gifRepresentation()
        case .unknown: base.animationData ?? normalized.kf.pngRepresentation()
        }
    }
}
