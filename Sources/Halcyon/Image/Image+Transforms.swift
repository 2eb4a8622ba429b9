public import Foundation

#if canImport(UIKit)
    public import UIKit
#elseif canImport(AppKit)
    public import AppKit
#endif

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// The image redrawn upright, whatever its orientation. Animations and upright images are returned unchanged.
    public var normalized: KFCrossPlatformImage { base.upright }

    /// The image with its pixels in memory, so that displaying it needs no decoding. Decodes now, on this thread.
    ///
    /// Returns the image itself if there is nothing to decode or decoding fails.
    public var decoded: KFCrossPlatformImage { base.decodedForDisplay() ?? base }

    /// Like ``decoded``, with a number of pixels per point.
    public func decoded(scale: CGFloat) -> KFCrossPlatformImage { scaled(to: scale).kf.decoded }

    /// Returns the same pixels at another scale, which changes the size in points. An `NSImage` has no scale and is returned
    /// unchanged.
    public func scaled(to scale: CGFloat) -> KFCrossPlatformImage { base.withScale(scale) }

    /// Copies the state beside the pixels: the frame count that was set, and on Apple's systems the file of a
    /// GIF.
    public func copyKingfisherState(to image: KFCrossPlatformImage) { base.copyState(to: image) }

    /// The number of pictures of a GIF, even if only the first is shown, or of another animation; nil for other still images.
    /// Setting it does not change the image; nil restores the image's own count.
    public var imageFrameCount: Int? {
        get { base.frameCount }
        nonmutating set { base.frameCount = newValue }
    }

    /// Bytes of the decoded bitmaps of all pictures.
    var cost: Int { base.bitmapCost }

    /// In points.
    var size: CGSize { base.size }
}

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// Makes an image from a file's bytes. A GIF with several pictures becomes an animation.
    ///
    /// - Returns: nil if the bytes are not an image. Damaged pixels may be noticed only when they are decoded.
    public static func image(data: Data, options: ImageCreatingOptions) -> KFCrossPlatformImage? {
        KFCrossPlatformImage.make(data: data, options: options)
    }

    /// Makes an animation from a GIF, or a still image if it has one picture or ``ImageCreatingOptions/onlyFirstFrame`` is set.
    /// Returns nil if the bytes are not a GIF.
    public static func animatedImage(data: Data, options: ImageCreatingOptions) -> KFCrossPlatformImage? {
        ImageFormat(data) == .GIF ? KFCrossPlatformImage.make(data: data, options: options) : nil
    }

    /// Makes a small image from a large file, without a full-size bitmap if the format allows it.
    ///
    /// Its longer side has `max(pointSize.width, pointSize.height) * scale` pixels, but never more than in the file.
    ///
    /// - Parameters:
    ///   - data: an image file.
    ///   - pointSize: its longer side limits the longer side of the result.
    ///   - scale: pixels per point of the result.
    /// - Returns: nil if the bytes are not an image, or the result would have no pixels.
    public static func downsampledImage(data: Data, to pointSize: CGSize, scale: CGFloat) -> KFCrossPlatformImage? {
        let mostPixels = max(pointSize.width, pointSize.height) * scale
        return KFCrossPlatformImage.thumbnail(of: data, mostPixels: mostPixels, scale: scale)
    }
}

#if canImport(UIKit) || canImport(AppKit)
    extension KFCrossPlatformImage {
        /// The first picture, scaled down so that neither side exceeds `mostPixels`.
        func thumbnail(mostPixels: CGFloat, scale: CGFloat) -> KFCrossPlatformImage? {
            kf.data(format: .unknown).flatMap { Self.thumbnail(of: $0, mostPixels: mostPixels, scale: scale) }
        }
    }
#endif
