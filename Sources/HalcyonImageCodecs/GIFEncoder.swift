#if ImageCodecs && os(Linux)
    internal import CHalcyonImageShims
    internal import Foundation

    enum GIFEncoder {
        static func encode(_ frames: [DecodedImage.Frame], size: PixelSize, loopCount: Int) throws -> Data {
            var error = halcyon_image_error()
            // Repeats: see ``GIFDecoder``. -1 writes none, so it plays once.
            let repeats = frames.count == 1 || loopCount == 1 ? -1 : max(0, Int32(loopCount) - 1)
            guard let writer = halcyon_gif_create(Int32(size.width), Int32(size.height), repeats, &error) else {
                throw ImageCodecError(encoding: error, format: .gif)
            }
            let written = Result { try frames.forEach { try add($0, to: writer) } }
            // Also called after a failure, because it frees the writer.
            let data = Result { try ShimCall.encode(.gif) { halcyon_gif_finish(writer, &$0, &$1) } }
            try written.get()
            return try data.get()
        }

        private static func add(_ frame: DecodedImage.Frame, to writer: OpaquePointer) throws {
            let palette = try GIFPalette(of: frame.bitmap)
            var description = halcyon_gif_frame()
            description.delay_hundredths = hundredths(frame.durationInSeconds)
            description.transparent_index = palette.transparentIndex.map(Int32.init) ?? -1
            // Each frame covers the canvas. Without this, the frame before would show through its transparent pixels.
            description.disposal = GIFDisposal.clear.rawValue
            description.colour_count = Int32(palette.fileColours.count)
            withUnsafeMutableBytes(of: &description.colours) { $0.copyBytes(from: palette.fileColours.flatMap { $0 }) }
            try ShimCall.check(.gif) { halcyon_gif_add_frame(writer, &description, &$0) }
            var indexes = [UInt8](repeating: 0, count: frame.bitmap.width)
            try frame.bitmap.forEachRow { _, row in
                palette.write(row, to: &indexes)
                try ShimCall.check(.gif) { halcyon_gif_write_row(writer, &indexes, &$0) }
            }
        }

        private static func hundredths(_ seconds: Double) -> Int32 {
            guard seconds.isFinite, seconds > 0 else { return 0 }
            // Browsers show a delay of one for a tenth of a second.
            return Int32(min(max(seconds * 100, 2), 65_535).rounded())
        }
    }
#endif
