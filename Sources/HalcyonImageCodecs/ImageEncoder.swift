#if ImageCodecs && os(Linux)
    package import Foundation

    /// Encodes images. Call it from any thread; it has no shared state.
    package enum ImageEncoder {
        /// Encodes a lossless PNG with straight alpha, or without an alpha channel if every pixel is opaque.
        ///
        /// - Throws: ``ImageCodecError/encodingFailed(_:reason:)``, for example for rows that the decoder refuses: they have more than
        ///   1,000,000 pixels.
        package static func png(_ bitmap: Bitmap) throws -> Data {
            _ = try size(of: [bitmap], format: .png, most: 0x7FFF_FFFF, width: PNGLayout.widthLimit)
            return try PNGCodec.encode(bitmap)
        }

        /// Encodes a JPEG. JPEG has no alpha: transparent pixels are composed over white.
        ///
        /// - Parameter quality: 0 to 1; clamped to this range.
        /// - Throws: ``ImageCodecError/encodingFailed(_:reason:)``, for example if the width or height exceeds 65,500 pixels.
        package static func jpeg(_ bitmap: Bitmap, quality: Double = 1) throws -> Data {
            _ = try size(of: [bitmap], format: .jpeg, most: 65_500)
            return try JPEGCodec.encode(bitmap, quality: quality)
        }

        /// Encodes a GIF. Each frame has its own palette: exact up to 256 colors (255 with transparency), otherwise by median cut,
        /// without dithering. Pixels less than half opaque become transparent. Durations are rounded to hundredths of a second.
        ///
        /// - Parameter loopCount: how often the animation plays; 0 means forever. Not written for a single frame.
        /// - Throws: ``ImageCodecError/encodingFailed(_:reason:)`` if there are no frames, if they differ in size, or if the
        ///   width or height exceeds 65,535 pixels.
        package static func gif(_ frames: [DecodedImage.Frame], loopCount: Int = 0) throws -> Data {
            let size = try size(of: frames.map(\.bitmap), format: .gif, most: 65_535)
            return try GIFEncoder.encode(frames, size: size, loopCount: min(max(loopCount, 0), 65_535))
        }

        /// Encodes a WebP with straight alpha.
        ///
        /// - Parameters:
        ///   - quality: 0 to 1; clamped to this range. 1 is lossless.
        ///   - loopCount: how often the animation plays; 0 means forever. Not written for a single frame.
        /// - Throws: ``ImageCodecError/encodingFailed(_:reason:)`` if there are no frames, if they differ in size, or if the
        ///   width or height exceeds 16,383 pixels.
        package static func webp(_ frames: [DecodedImage.Frame], quality: Double, loopCount: Int = 0) throws -> Data {
            let size = try size(of: frames.map(\.bitmap), format: .webp, most: 16_383)
            let data = try WebPEncoder.encode(
                frames, size: size, quality: quality, loopCount: min(max(loopCount, 0), 65_535))
            guard try ImageHeader(data: data).shortFrame == nil else {
                throw ImageCodecError.encodingFailed(
                    .webp, reason: "so few bytes for \(size) that it could not be told from a truncated file")
            }
            return data
        }

        /// The size of all pictures.
        private static func size(
            of pictures: [Bitmap], format: ImageFileFormat, most: Int, width mostInRow: Int = .max
        ) throws -> PixelSize {
            guard let size = pictures.first?.size, pictures.allSatisfy({ $0.size == size }) else {
                throw ImageCodecError.encodingFailed(format, reason: "frames of different sizes, or none")
            }
            guard size.width > 0, size.height > 0, size.width <= min(most, mostInRow), size.height <= most else {
                throw ImageCodecError.encodingFailed(format, reason: "a size of \(size)")
            }
            return size
        }
    }
#endif
