#if !canImport(UIKit) && !canImport(AppKit)
    internal import Foundation
    internal import HalcyonImageCodecs

    /// The only place that checks whether this build has the codecs.
    ///
    /// Without codecs, formats and sizes are still read, but nothing is encoded, and decoding throws an error that names the trait.
    enum ImageCodecs {
        static func header(of file: Data, options: DecodingOptions) throws -> ImageHeader {
            let header = try ImageHeader(data: file)
            try header.check(options)
            return header
        }

        // The encoders return nil if the format cannot hold the image, or memory runs out.
        #if ImageCodecs && os(Linux)
            static let areAvailable = true

            static func decode(_ file: Data, options: DecodingOptions) throws -> DecodedImage {
                try DecodingSlots.shared.withSlot { try ImageDecoder.decode(file, options: options) }
            }

            static func png(_ bitmap: Bitmap) -> Data? { try? ImageEncoder.png(bitmap) }

            static func jpeg(_ bitmap: Bitmap, quality: Double) -> Data? {
                try? ImageEncoder.jpeg(bitmap, quality: quality)
            }

            static func gif(_ image: DecodedImage) -> Data? {
                try? ImageEncoder.gif(image.frames, loopCount: image.loopCount)
            }

            static func webp(_ image: DecodedImage, quality: Double) -> Data? {
                try? ImageEncoder.webp(image.frames, quality: quality, loopCount: image.loopCount)
            }
        #else
            static let areAvailable = false

            static func decode(_ file: Data, options: DecodingOptions) throws -> DecodedImage {
                throw ImageCodecError.unsupported(
                    try header(of: file, options: options).format,
                    reason: "this build has no image codecs; enable the package trait ImageCodecs")
            }

            static func png(_ bitmap: Bitmap) -> Data? { nil }
            static func jpeg(_ bitmap: Bitmap, quality: Double) -> Data? { nil }
            static func gif(_ image: DecodedImage) -> Data? { nil }
            static func webp(_ image: DecodedImage, quality: Double) -> Data? { nil }
        #endif
    }
#endif
