package import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// A small copy of a picture, to embed in a page. It is made from pixels, so it has none of the metadata of the original file.
package struct Thumbnail: Equatable, Sendable {
    /// The PNG or JPEG as a `data:` URL.
    package let url: String
    /// In CSS pixels.
    package let width: Int
    package let height: Int

    /// The longest side in CSS pixels.
    package static let longestSide = 48
    /// The size limit of the PNG or JPEG. Four bytes for each pixel of the smaller version always fit.
    package static let byteLimit = 12_000

    /// Decodes the first picture of a file, on this thread, at no more than the size that is needed. Returns nil if the bytes are
    /// no picture, exceed the decoding limits or are damaged.
    package init?(ofPictureIn file: Data) {
        // Screens with a high resolution show two pixels per CSS pixel.
        guard let image = Self.scaled(file, to: 2 * Self.longestSide),
            let encoded = Self.encoded(image)
                ?? image.kf.pngRepresentation().flatMap({ Self.scaled($0, to: Self.longestSide) })
                .flatMap(Self.encoded)
        else { return nil }
        url = "data:\(encoded.type);base64,\(encoded.file.base64EncodedString())"
        (width, height) = Self.shownSize(of: image.pixelSize)
    }

    private static func scaled(_ file: Data, to pixels: Int) -> KFCrossPlatformImage? {
        KingfisherWrapper.downsampledImage(data: file, to: CGSize(width: pixels, height: pixels), scale: 1)
    }

    /// The smaller one of PNG and JPEG; nil if it is larger than the limit. A JPEG cannot be transparent.
    private static func encoded(_ image: KFCrossPlatformImage) -> (type: String, file: Data)? {
        let png = image.kf.pngRepresentation().map { (type: "image/png", file: $0) }
        let jpeg =
            isOpaque(image)
            ? image.kf.jpegRepresentation(compressionQuality: 0.8).map { (type: "image/jpeg", file: $0) } : nil
        return [png, jpeg].compactMap { $0 }.filter { $0.file.count <= byteLimit }.min { $0.file.count < $1.file.count }
    }

    /// False if that is not known.
    private static func isOpaque(_ image: KFCrossPlatformImage) -> Bool {
        #if os(Linux)
            guard let pixels = image.rgba else { return false }
            return stride(from: 3, to: pixels.count, by: 4).allSatisfy { pixels[$0] == 255 }
        #else
            return false
        #endif
    }

    /// Small pictures keep their size.
    private static func shownSize(of pixels: CGSize) -> (width: Int, height: Int) {
        let ratio = min(1, Double(longestSide) / Double(max(1, pixels.width, pixels.height)))
        func shown(_ length: CGFloat) -> Int { max(1, Int((Double(length) * ratio).rounded())) }
        return (shown(pixels.width), shown(pixels.height))
    }

    /// The entry's name is beside it, so it needs no alternative text.
    var html: HTML { "<img src=\"\(url)\" width=\"\(width)\" height=\"\(height)\" alt=\"\">" }
}
