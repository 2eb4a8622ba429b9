#if ImageCodecs && os(Linux)
    internal import CHalcyonImageShims

    /// Decodes WebP with libwebp: still images directly, animations frame by frame, each composed with the frames under it.
    enum WebPDecoder {
        static func decode(
            _ bytes: UnsafeRawBufferPointer, header: ImageHeader, options: DecodingOptions
        ) throws -> DecodedImage {
            var animation = WebPAnimation(bytes)
            guard header.isAnimated else { return try decodeStill(bytes, header: header, options: options) }
            var budget = FrameBudget(header, options)
            var canvas = try WebPCanvas(size: header.storedSize)
            var frames: [DecodedImage.Frame] = []
            let count = options.firstFrameOnly ? 1 : header.frameCount
            try PixelMemory.expect(byteCount: count * MemoryLayout<DecodedImage.Frame>.stride)
            frames.reserveCapacity(count)
            while let frame = try animation.nextFrame() {
                try budget.spend(frame.size)
                if let only = try decodeScaled(frame, header: header, options: options) {
                    frames.append(.init(bitmap: only, durationInSeconds: frame.durationInSeconds))
                    break
                }
                try canvas.draw(frame)
                frames.append(.init(bitmap: canvas.bitmap, durationInSeconds: frame.durationInSeconds))
                if options.firstFrameOnly { break }
                try canvas.dispose(frame)
            }
            guard !frames.isEmpty else { throw ImageCodecError.malformed(.webp, reason: "it has no picture") }
            return DecodedImage(frames: frames, loopCount: animation.loopCount)
        }

        private static func decodeStill(
            _ bytes: UnsafeRawBufferPointer, header: ImageHeader, options: DecodingOptions
        ) throws -> DecodedImage {
            var chunks = ByteReader(bytes)
            chunks.skip(12)
            let (stored, scaled) = (header.storedSize, scaledSize(of: header, chunks, options: options))
            let bitmap = try ShimCall.decode(.webp, size: header.orientation.upright(scaled), header.orientation) {
                decode(bytes, size: stored, scaled: scaled, &$0, &$1)
            }
            return DecodedImage(frames: [.init(bitmap: bitmap)])
        }

        /// The first frame at the target size, without the canvas. Returns nil if it does not cover the canvas, or if more frames are requested.
        private static func decodeScaled(
            _ frame: WebPFrame, header: ImageHeader, options: DecodingOptions
        ) throws -> Bitmap? {
            let (stored, scaled) = (header.storedSize, scaledSize(of: header, frame.content, options: options))
            guard options.firstFrameOnly, scaled != stored, frame.left == 0, frame.top == 0, frame.size == stored else {
                return nil
            }
            return try frame.content.withBytes { bytes in
                try ShimCall.decode(.webp, size: scaled, .up) { decode(bytes, size: stored, scaled: scaled, &$0, &$1) }
            }
        }

        /// The target size as the file is stored, a multiple of it, or the stored size if that is smaller.
        ///
        /// If color and alpha are separate bitstreams, libwebp scales each on its own, and the color of transparent pixels would show
        /// at the edges. So it does not scale these. Nor files of one or two pixels in width: it loses the color of these.
        private static func scaledSize(
            of header: ImageHeader, _ chunks: ByteReader, options: DecodingOptions
        ) -> PixelSize {
            let stored = header.storedSize
            let target = options.targetSize.map(header.orientation.upright) ?? stored
            guard stored.width > 2, target.width <= stored.width, target.height <= stored.height else { return stored }
            return WebPChunk.contains(WebPChunk.alpha, chunks) ? stored : summable(target, of: stored)
        }

        /// The target size, or a multiple: libwebp adds up the pixels of each of its rows in 32 bits.
        private static func summable(_ target: PixelSize, of stored: PixelSize) -> PixelSize {
            var size = target
            while stored.pixelCount / size.height > 1 << 24 {
                size = PixelSize(width: min(size.width * 2, stored.width), height: min(size.height * 2, stored.height))
            }
            return size
        }

        static func decode(
            _ bytes: UnsafeRawBufferPointer, size: PixelSize, scaled: PixelSize, _ canvas: inout halcyon_canvas,
            _ error: inout halcyon_image_error
        ) -> Int32 {
            var size = halcyon_webp_size(
                width: UInt32(size.width), height: UInt32(size.height), scaled_width: UInt32(scaled.width),
                scaled_height: UInt32(scaled.height))
            return halcyon_webp_decode(
                bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, &size, &canvas, &error)
        }
    }

    /// Reads the frames of a file in turn.
    private struct WebPAnimation {
        /// 0 means forever.
        private(set) var loopCount = 1
        private var reader: ByteReader

        init(_ bytes: UnsafeRawBufferPointer) {
            reader = ByteReader(bytes)
            reader.skip(12)
        }

        mutating func nextFrame() throws -> WebPFrame? {
            while let chunk = WebPChunk(&reader) {
                if chunk.type == WebPChunk.animation {
                    var content = chunk.content
                    content.skip(4)
                    loopCount = content.number(ofBytes: 2, isBigEndian: false) ?? 0
                }
                guard chunk.type == WebPChunk.frame else { continue }
                guard chunk.isComplete, let frame = WebPFrame(chunk) else { throw ImageCodecError.truncated(.webp) }
                return frame
            }
            return nil
        }
    }

    /// The displayed image while an animation plays. It starts transparent: like browsers, it ignores the background color.
    private struct WebPCanvas {
        private(set) var bitmap: Bitmap

        init(size: PixelSize) throws { bitmap = try Bitmap(transparent: size) }

        mutating func draw(_ frame: WebPFrame) throws {
            let part = frame.part(of: bitmap.size)
            guard part.size == frame.size else {
                throw ImageCodecError.malformed(.webp, reason: "a frame outside of the canvas")
            }
            let picture = try frame.content.withBytes { bytes in
                try ShimCall.decode(.webp, size: frame.size, .up) {
                    WebPDecoder.decode(bytes, size: frame.size, scaled: frame.size, &$0, &$1)
                }
            }
            try bitmap.renewTiles(touching: part)
            try picture.forEachRow { y, row in
                bitmap.draw(row: part.rows.lowerBound + y, in: part.columns) { columns, pixels in
                    for x in columns {
                        let pixel = row[x - part.columns.lowerBound]
                        let place = x - columns.lowerBound
                        pixels[place] = frame.replaces ? pixel : pixel.laid(on: pixels[place])
                    }
                }
            }
        }

        mutating func dispose(_ frame: WebPFrame) throws {
            if frame.isDisposed { try bitmap.clear(frame.part(of: bitmap.size)) }
        }
    }

    extension UInt32 {
        /// Composes a pixel with straight alpha over another one, as the container specification defines it.
        fileprivate func laid(on under: UInt32) -> UInt32 {
            let (over, under) = (UInt32(littleEndian: self), UInt32(littleEndian: under))
            let alpha = over >> 24
            guard alpha > 0 else { return under.littleEndian }
            guard alpha < 255 else { return over.littleEndian }
            let (weight, underWeight) = (alpha * 255, (under >> 24) * (255 - alpha))
            let sum = weight + underWeight
            func channel(_ shift: UInt32) -> UInt32 {
                let total = (over >> shift & 0xFF) * weight + (under >> shift & 0xFF) * underWeight
                return ((total + sum / 2) / sum) << shift
            }
            return (channel(0) | channel(8) | channel(16) | ((sum + 127) / 255) << 24).littleEndian
        }
    }
#endif
