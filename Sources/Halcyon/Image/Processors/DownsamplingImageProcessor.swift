public import Foundation

/// Makes a small image from a large file, without a full-size bitmap if the format allows it.
///
/// Use it for thumbnails: a JPEG is decoded at the smallest eighth of its size that is exactly or at least twice as large.
///
/// ```swift
/// let thumbnails = DownsamplingImageProcessor(size: CGSize(width: 96, height: 96))
/// let image = thumbnails.process(item: .data(data), options: .init(nil))
/// ```
public struct DownsamplingImageProcessor: ImageProcessor {
    /// A size in points. Its longer side limits the longer side of the result.
    public let size: CGSize

    /// Kingfisher's identifier for this size, so that each finds the thumbnails of the other.
    public let identifier: String

    /// - Parameter size: in points; the option `scaleFactor` sets the pixels per point.
    public init(size: CGSize) {
        self.size = size
        identifier = "com.onevcat.Kingfisher.DownsamplingImageProcessor(\(size.asTuple))"
    }

    /// Returns the small image, of an animation its first picture; nil if the item is not an image. On Apple's systems, an image is
    /// encoded first, so pass the file if you have it.
    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        let scale = options.scaleFactor
        return switch item {
        case .data(let data): KingfisherWrapper.downsampledImage(data: data, to: size, scale: scale)
        case .image(let image): image.thumbnail(mostPixels: max(size.width, size.height) * scale, scale: scale)
        }
    }
}

extension CGSize {
    /// How Apple's systems print a size, and so how Kingfisher's identifiers contain it: `(96.0, 96.0)`.
    var asTuple: String { "(\(Double(width)), \(Double(height)))" }
}
