#if ImageCodecs && os(Linux)
    internal import CHalcyonImageShims
    internal import Foundation

    /// Encodes WebP with libwebp. Animations are assembled here, from the part of each frame that changes.
    enum WebPEncoder {
        static func encode(
            _ frames: [DecodedImage.Frame], size: PixelSize, quality: Double, loopCount: Int
        ) throws -> Data {
            guard frames.count > 1 else { return try encode(frames[0].bitmap, quality: quality) }
            var body = Data("WEBP".utf8)
            // The flags for animation and alpha.
            body.append(chunk: "VP8X", .numbers((0x12, 4), (size.width - 1, 3), (size.height - 1, 3)))
            body.append(chunk: "ANIM", .numbers((0, 4), (loopCount, 2)))
            for (number, frame) in frames.enumerated() {
                let last = number > 0 ? frames[number - 1].bitmap : nil
                body.append(chunk: "ANMF", try content(of: frame, after: last, quality: quality))
            }
            guard body.count <= UInt32.max - 8 else {
                throw ImageCodecError.encodingFailed(.webp, reason: "more than 4 GiB")
            }
            return Data("RIFF".utf8) + Data.numbers((body.count, 4)) + body
        }

        private static func content(
            of frame: DecodedImage.Frame, after last: Bitmap?, quality: Double
        ) throws -> Data {
            let part = try last.map { try frame.bitmap.changedPart(since: $0) } ?? frame.bitmap.whole
            let milliseconds = frame.durationInSeconds.isFinite ? frame.durationInSeconds * 1000 : 0
            let time = Int(min(max(milliseconds, 0), 0xFF_FFFF).rounded())
            // Offsets are stored halved. The flags say that the frame replaces the pixels under it and is not disposed.
            let header = Data.numbers(
                (part.columns.lowerBound / 2, 3), (part.rows.lowerBound / 2, 3), (part.size.width - 1, 3),
                (part.size.height - 1, 3), (time, 3), (2, 1))
            return header + parts(of: try encode(try frame.bitmap.cropped(to: part), quality: quality))
        }

        /// The chunks that a frame may contain, without the file's headers.
        private static func parts(of still: Data) -> Data {
            still.withUnsafeBytes { bytes in
                var reader = ByteReader(bytes)
                reader.skip(12)
                var parts = Data()
                while let chunk = WebPChunk(&reader) {
                    guard [WebPChunk.alpha, WebPChunk.still, WebPChunk.losslessStill].contains(chunk.type) else {
                        continue
                    }
                    parts.append(.numbers((chunk.type.byteSwapped >> 32, 4), (chunk.content.count, 4)))
                    chunk.content.withBytes { parts.append(contentsOf: $0) }
                    if chunk.content.count & 1 == 1 { parts.append(0) }
                }
                return parts
            }
        }

        private static func encode(_ bitmap: Bitmap, quality: Double) throws -> Data {
            let isLossless = quality.isNaN || quality >= 1
            return try ShimCall.withPicture(of: bitmap) { picture in
                var source = halcyon_webp_source(
                    picture: picture, quality: isLossless ? 70 : Float(max(quality, 0) * 100),
                    is_lossless: isLossless ? 1 : 0)
                return try ShimCall.encode(.webp) { halcyon_webp_encode(&source, &$0, &$1) }
            }
        }
    }

    extension Data {
        fileprivate mutating func append(chunk type: String, _ content: Data) {
            append(contentsOf: type.utf8)
            append(.numbers((content.count, 4)))
            append(content)
            if content.count & 1 == 1 { append(0) }
        }

        /// Each number in the given number of bytes, little-endian.
        fileprivate static func numbers(_ numbers: (value: Int, byteCount: Int)...) -> Data {
            numbers.reduce(into: Data()) { data, number in
                for place in 0..<number.byteCount {
                    data.append(UInt8(truncatingIfNeeded: number.value >> (8 * place)))
                }
            }
        }
    }
#endif
