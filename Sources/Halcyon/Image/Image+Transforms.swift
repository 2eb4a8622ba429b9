public import Foundation

#if canImport(UIKit)
    public import UIKit
#elseif canImport(AppKit)
    public import AppKit
#endif

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// The image upright, whatever orientation it carries beside its pixels. Animations and upright images come back as they
    /// are.
    public var normalized: KFCrossPlatformImage { base.upright }

    /// The image with its pixels in memory, so that showing it takes no time. Takes the time now, on this thread.
    ///
    /// The image itself if there is nothing to decode, or if its pixels cannot be decoded.
    public var decoded: KFCrossPlatformImage { base.decodedForDisplay() ?? base }

    /// As ``decoded``, at a number of pixels per point.
    public func decoded(scale: CGFloat) -> KFCrossPlatformImage { scaled(to: scale).kf.decoded }

    /// The same pixels at another number of them per point; the size in points changes. An `NSImage` has no scale and stays as
    /// it is.
    public func scaled(to scale: CGFloat) -> KFCrossPlatformImage { base.withScale(scale) }

    /// Hands on what an image carries beside its pixels: the number of frames that was set, and an animation's file.
    public func copyKingfisherState(to image: KFCrossPlatformImage) { base.copyState(to: image) }

    /// How many pictures a GIF has, also where only the first of them is shown; nil for other still images. Setting it changes what is told, not the image; nil goes back
    /// to what the image says.
    public var imageFrameCount: Int? {
        get { base.frameCount }
        nonmutating set { base.frameCount = newValue }
    }

    /// Bytes of the decoded bitmap, of all pictures of an animation together.
    var cost: Int { base.bitmapCost }

    /// In points.
    var size: CGSize { base.size }
}

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// An image of a file's bytes; a GIF with more than one picture becomes an animation.
    ///
    /// - Returns: nil if they are no image. Damage among the pixels may show only when these are decoded.
    public static func image(data: Data, options: ImageCreatingOptions) -> KFCrossPlatformImage? {
        KFCrossPlatformImage.make(data: data, options: options)
    }

    /// An animation of a GIF's bytes, or a still image if it has one picture or ``ImageCreatingOptions/onlyFirstFrame`` is
    /// set; nil if they are no GIF.
    public static func animatedImage(data: Data, options: ImageCreatingOptions) -> KFCrossPlatformImage? {
        ImageFormat(data) == .GIF ? KFCrossPlatformImage.make(data: data, options: options) : nil
    }

    /// A small image of a large file, without a bitmap of the large one where its format allows that.
    ///
    /// Its longer side has `max(pointSize.width, pointSize.height) * scale` pixels; it is never made larger than the file's.
    ///
    /// - Parameters:
    ///   - data: an image file.
    ///   - pointSize: what it should fit into, by its longer side.
    ///   - scale: pixels per point of the result.
    /// - Returns: nil if the bytes are no image, or no size is left.
    public static func downsampledImage(data: Data, to pointSize: CGSize, scale: CGFloat) -> KFCrossPlatformImage? {
        let mostPixels = max(pointSize.width, pointSize.height) * scale
        return KFCrossPlatformImage.thumbnail(of: data, mostPixels: mostPixels, scale: scale)
    }
}
