public import Foundation

/// Scales an image to another size, smaller or larger.
///
/// To make a small image from a file, ``DownsamplingImageProcessor`` takes less memory and time.
public struct ResizingImageProcessor: ImageProcessor {
    /// The target size in points.
    public let referenceSize: CGSize

    /// How the image fits the target size.
    public let targetContentMode: ContentMode

    /// Kingfisher's identifier for this size and mode.
    public let identifier: String

    /// - Parameters:
    ///   - referenceSize: in points; the option `scaleFactor` sets the pixels per point.
    ///   - mode: how an image of another shape fits the size.
    public init(referenceSize: CGSize, mode: ContentMode = .none) {
        self.referenceSize = referenceSize
        targetContentMode = mode
        let parameters = mode == .none ? referenceSize.asTuple : "\(referenceSize.asTuple), \(mode)"
        identifier = "com.onevcat.Kingfisher.ResizingImageProcessor(\(parameters))"
    }

    /// Returns the image at its new size, with all pictures of an animation; for an `NSImage` only the first.
    ///
    /// - Returns: nil if the item is not an image, or the result would have no pixels, exceed the limits or not fit in memory.
    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        let image = DefaultImageProcessor.default.process(item: item, options: options)
        return image.flatMap { $0.resized(to: $0.kf.size.fitted(to: referenceSize, targetContentMode)) }
    }
}
