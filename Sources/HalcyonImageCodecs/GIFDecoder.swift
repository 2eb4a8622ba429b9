#if ImageCodecs && os(Linux)
    internal import CHalcyonImageShims

    /// Decodes GIFs with giflib, frame by frame, each composed with the frames under it.
    enum GIFDecoder {
        static func decode(
            _ bytes: UnsafeRawBufferPointer, header: ImageHeader, options: DecodingOptions
        ) throws -> DecodedImage {
            let reader = try GIFReader(bytes, pixelLimit: options.pixelLimit)
            var budget = FrameBudget(header, options)
            var canvas = try GIFCanvas(size: header.storedSize)
            var frames: [DecodedImage.Frame] = []
            let count = options.firstFrameOnly ? 1 : header.frameCount
            try PixelMemory.expect(byteCount: count * MemoryLayout<DecodedImage.Frame>.stride)
            frames.reserveCapacity(count)
            while let frame = try reader.nextFrame() {
                try budget.spend(frame.size)
                try canvas.draw(frame, from: reader)
                frames.append(.init(bitmap: canvas.bitmap, durationInSeconds: frame.durationInSeconds))
                if options.firstFrameOnly { break }
                try canvas.dispose(frame)
            }
            guard !frames.isEmpty else { throw ImageCodecError.malformed(.gif, reason: "it has no picture") }
            return DecodedImage(frames: frames, loopCount: loopCount(repeats: reader.loopCount))
        }

        /// The file states how often the animation is repeated after it has played once; 0 for forever. Without that, it plays once.
        private static func loopCount(repeats: Int?) -> Int {
            guard let repeats else { return 1 }
            return repeats == 0 ? 0 : min(repeats + 1, 65_535)
        }
    }
#endif
