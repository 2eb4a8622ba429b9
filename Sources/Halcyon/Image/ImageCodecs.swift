#if !canImport(UIKit) && !canImport(AppKit)
    internal import Foundation
    internal import HalcyonImageCodecs

    /// The only place that checks whether this build has the codecs.
    ///
    /// Without codecs, formats and sizes are still read, and everything that needs pixels throws an error that names the trait.
    enum ImageCodecs {
        #if ImageCodecs && os(Linux)
            static let areAvailable = true
        #else
            static let areAvailable = false

            private static func unavailable(_ format: ImageFileFormat?) -> ImageCodecError {
                .unsupported(
                    format ?? .png, reason: "this build has no image codecs; enable the package trait ImageCodecs")
            }
        #endif

        static func header(of file: Data, options: DecodingOptions) throws(ImageCodecError) -> ImageHeader {
            try asCodecError {
                let header = try ImageHeader(data: file)
                try header.check(options)
                return header
            }
        }

        static func decode(_ file: Data, options: DecodingOptions) throws(ImageCodecError) -> DecodedImage {
            #if ImageCodecs && os(Linux)
                return try asCodecError {
                    try DecodingSlots.shared.withSlot { try ImageDecoder.decode(file, options: options) }
                }
            #else
                throw unavailable(try header(of: file, options: options).format)
            #endif
        }

        static func png(_ bitmap: Bitmap) throws(ImageCodecError) -> Data {
            #if ImageCodecs && os(Linux)
                return try asCodecError { try ImageEncoder.png(bitmap) }
            #else
                throw unavailable(.png)
            #endif
        }

        static func jpeg(_ bitmap: Bitmap, quality: Double) throws(ImageCodecError) -> Data {
            #if ImageCodecs && os(Linux)
                return try asCodecError { try ImageEncoder.jpeg(bitmap, quality: quality) }
            #else
                throw unavailable(.jpeg)
            #endif
        }

        static func gif(_ image: DecodedImage) throws(ImageCodecError) -> Data {
            #if ImageCodecs && os(Linux)
                return try asCodecError { try ImageEncoder.gif(image.frames, loopCount: image.loopCount) }
            #else
                throw unavailable(.gif)
            #endif
        }

        static func webp(_ image: DecodedImage, quality: Double) throws(ImageCodecError) -> Data {
            #if ImageCodecs && os(Linux)
                return try asCodecError {
                    try ImageEncoder.webp(image.frames, quality: quality, loopCount: image.loopCount)
                }
            #else
                throw unavailable(.webp)
            #endif
        }

        private static func asCodecError<Result>(_ body: () throws -> Result) throws(ImageCodecError) -> Result {
            do {
                return try body()
            } catch {
                // The codecs throw no other errors.
                throw (error as? ImageCodecError) ?? .unknownFormat
            }
        }
    }
#endif
