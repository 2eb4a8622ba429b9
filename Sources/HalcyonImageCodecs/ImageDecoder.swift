#if ImageCodecs && os(Linux)
    package import Foundation

    /// Decodes PNG, JPEG, GIF and WebP. Call it from any thread; it has no shared state.
    ///
    /// The bytes are untrusted. Memory is allocated only after checking that the size in the file is within the limits and
    /// possible for its compressed bytes. An image with missing pixels is an error: a partial download must not be cached as a
    /// whole image. Only the end marker of a file may be missing, and of a JPEG only if it has one scan.
    package enum ImageDecoder {
        /// - Throws: ``ImageCodecError``.
        package static func decode(
            _ data: Data, options: DecodingOptions = DecodingOptions()
        ) throws -> DecodedImage {
            try data.withUnsafeBytes { bytes in
                let header = try ImageHeader(bytes: bytes)
                try header.check(options)
                switch header.format {
                case .png: return try PNGCodec.decode(bytes, header: header)
                case .jpeg: return try JPEGCodec.decode(bytes, header: header, options: options)
                case .gif: return try GIFDecoder.decode(bytes, header: header, options: options)
                case .webp: return try WebPDecoder.decode(bytes, header: header, options: options)
                }
            }
        }
    }
#endif
