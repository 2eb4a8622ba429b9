#if ImageCodecs && os(Linux)
    package import Foundation

    /// Turns the bytes of a PNG, JPEG or GIF into pixels. Any thread; nothing is shared.
    ///
    /// The bytes may be anybody's. Nothing is allocated before the size that the file states is within the limits, and
    /// possible for its compressed bytes. A picture whose pixels are not all there is an error, not a picture with a grey
    /// half: half a download must not be cached as the whole. Only the mark that ends a file may be missing.
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
                }
            }
        }
    }
#endif
