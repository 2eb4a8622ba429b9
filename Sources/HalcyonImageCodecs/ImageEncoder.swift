#if ImageCodecs && os(Linux)
    package import Foundation

    /// Turns pixels into files. Any thread; nothing is shared.
    package enum ImageEncoder {
        /// Lossless, with straight alpha; without an alpha channel if every pixel is opaque.
        ///
        /// - Throws: ``ImageCodecError/encodingFailed(_:reason:)``.
        package static func png(_ bitmap: Bitmap) throws -> Data {
            try check(bitmap, format: .png, most: 0x7FFF_FFFF)
            return try PNGCodec.encode(bitmap)
        }

        /// Transparent pixels are laid on white, since JPEG has no alpha.
        ///
        /// - Parameter quality: 0 to 1; others count as the nearer of the two.
        /// - Throws: ``ImageCodecError/encodingFailed(_:reason:)``; at most 65 500 pixels fit in either direction.
        package static func jpeg(_ bitmap: Bitmap, quality: Double = 1) throws -> Data {
            try check(bitmap, format: .jpeg, most: 65_500)
            return try JPEGCodec.encode(bitmap, quality: quality)
        }

        /// Each frame has a palette of its own: exact for up to 255 colours, else by median cut, without dithering. A pixel
        /// less than half opaque becomes transparent. Durations are rounded to hundredths of a second.
        ///
        /// - Parameter loopCount: how often it is played, 0 for ever; not written for a single frame.
        /// - Throws: ``ImageCodecError/encodingFailed(_:reason:)`` if frames differ in size, there is none, or one is larger
        ///   than 65 535 pixels in either direction.
        package static func gif(_ frames: [DecodedImage.Frame], loopCount: Int = 0) throws -> Data {
            guard let size = frames.first?.bitmap.size, frames.allSatisfy({ $0.bitmap.size == size }) else {
                throw ImageCodecError.encodingFailed(.gif, reason: "frames of different sizes, or none")
            }
            try frames.first.map { try check($0.bitmap, format: .gif, most: 65_535) }
            return try GIFEncoder.encode(frames, size: size, loopCount: min(max(loopCount, 0), 65_535))
        }

        private static func check(_ bitmap: Bitmap, format: ImageFileFormat, most: Int) throws {
            guard bitmap.width > 0, bitmap.height > 0, bitmap.width <= most, bitmap.height <= most else {
                throw ImageCodecError.encodingFailed(format, reason: "a size of \(bitmap.size)")
            }
        }
    }
#endif
