public import Foundation

#if canImport(UIKit)
    public import UIKit
#elseif canImport(AppKit)
    public import AppKit
#endif

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// Returns a PNG of the image, for an animation of its first picture; nil if encoding fails.
    public func pngRepresentation() -> Data? { base.still.pngData() }

    /// Returns a JPEG of the image, for an animation of its first picture; nil if encoding fails.
    ///
    /// - Parameter compressionQuality: 0 to 1; 1 is the best and largest.
    public func jpegRepresentation(compressionQuality: CGFloat) -> Data? {
        base.still.jpegData(compressionQuality: compressionQuality)
    }

    /// Returns the file of an image that was made from a GIF, and a GIF with all pictures of another animation; nil for any other
    /// image, as in Kingfisher, or if encoding fails. To encode a still image as GIF, use ``data(format:compressionQuality:)``.
    public func gifRepresentation() -> Data? { base.gifFile ?? (base.isAnimation ? base.gifData() : nil) }

    /// Returns a WebP with all pictures on Linux; nil on Apple platforms, which have no WebP encoder.
    ///
    /// - Parameter compressionQuality: 0 to 1; 1 is lossless.
    public func webpRepresentation(compressionQuality: CGFloat) -> Data? {
        base.webpData(compressionQuality: compressionQuality)
    }

    /// Returns the image encoded in a format; nil if encoding fails.
    ///
    /// - Parameters:
    ///   - format: `unknown` returns the original file of a GIF, and on Linux of a WebP; a GIF for other animations, and otherwise a PNG.
    ///   - compressionQuality: for JPEG, 0 to 1; 1 is the best and largest.
    public func data(format: ImageFormat, compressionQuality: CGFloat = 1.0) -> Data? {
        switch format {
        case .PNG: pngRepresentation()
        case .JPEG: jpegRepresentation(compressionQuality: compressionQuality)
        case .GIF: base.gifData()
        case .unknown: base.webpFile ?? base.gifFile ?? base.animationData ?? normalized.kf.pngRepresentation()
        }
    }
}
