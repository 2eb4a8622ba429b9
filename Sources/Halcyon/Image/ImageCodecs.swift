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

        #if ImageCodecs && os(Linux)
            static let areAvailable = true

            static func decode(_ file: Data, options: DecodingOptions) throws -> DecodedImage {
                try DecodingSlots.shared.withSlot { try ImageDecoder.decode(file, options: options) }
            }

            /// Returns nil if the format cannot hold the image, or memory runs out.
            static func encode(_ image: DecodedImage, as format: ImageFileFormat, quality: Double) -> Data? {
                switch format {
                case .png: try? ImageEncoder.png(image.frames[0].bitmap)
                case .jpeg: try? ImageEncoder.jpeg(image.frames[0].bitmap, quality: quality)
                case .gif: try? ImageEncoder.gif(image.frames, loopCount: image.loopCount)
                case .webp: try? ImageEncoder.webp(image.frames, quality: quality, loopCount: image.loopCount)
                }
            }
        #else
            static let areAvailable = false

            static func decode(_ file: Data, options: DecodingOptions) throws -> DecodedImage {
                throw ImageCodecError.unsupported(
                    try header(of: file, options: options).format,
                    reason: "this build has no image codecs; enable the package trait ImageCodecs")
            }

            static func encode(_ image: DecodedImage, as format: ImageFileFormat, quality: Double) -> Data? { nil }
        #endif
    }
#endif
