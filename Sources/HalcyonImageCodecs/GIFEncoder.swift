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
            // Over opaque pixels, a frame can be drawn in part, and the rest of them stays.
            let isOpaque = frames.allSatisfy(\.bitmap.isOpaque)
            let written = Result {
                for (number, frame) in frames.enumerated() {
                    let last = isOpaque && number > 0 ? frames[number - 1].bitmap : nil
                    try add(frame, after: last, disposal: isOpaque ? .keep : .clear, to: writer)
                }
            }
            // Also called after a failure, because it frees the writer.
            let data = Result { try ShimCall.encode(.gif) { halcyon_gif_finish(writer, &$0, &$1) } }
            try written.get()
            return try data.get()
        }

        /// - Parameters:
        ///   - last: the frame before, whose pixels remain where they do not differ; nil to write all pixels.
        ///   - disposal: unless all pixels are opaque, `.clear`: the frame before would show through transparent ones.
        private static func add(
            _ frame: DecodedImage.Frame, after last: Bitmap?, disposal: GIFDisposal, to writer: OpaquePointer
        ) throws {
            let part = try last.map { try frame.bitmap.changedPart(since: $0) } ?? frame.bitmap.whole
            let new = try frame.bitmap.cropped(to: part)
            let bitmap = try last.map { try new.withoutUnchanged(since: $0.cropped(to: part)) } ?? new
            let palette = try GIFPalette(of: bitmap)
            var description = halcyon_gif_frame()
            (description.left, description.top) = (Int32(part.columns.lowerBound), Int32(part.rows.lowerBound))
            (description.width, description.height) = (Int32(part.size.width), Int32(part.size.height))
            description.delay_hundredths = hundredths(frame.durationInSeconds)
            description.transparent_index = palette.transparentIndex.map(Int32.init) ?? -1
            description.disposal = disposal.rawValue
            description.colour_count = Int32(palette.fileColours.count)
            withUnsafeMutableBytes(of: &description.colours) { $0.copyBytes(from: palette.fileColours.flatMap { $0 }) }
            try ShimCall.check(.gif) { halcyon_gif_add_frame(writer, &description, &$0) }
            var indexes = [UInt8](repeating: 0, count: part.size.width)
            try bitmap.forEachRow { _, row in
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

    extension Bitmap {
        /// Transparent where it equals the old one. All of it if it mostly differs, because the transparent color takes one from the palette.
        fileprivate func withoutUnchanged(since old: Bitmap) throws -> Bitmap {
            var unchanged = 0
            let oldRow = try PixelMemory(count: width)
            let rest = try Bitmap(size: size) { pixels in
                for y in 0..<height {
                    let row = pixels + y * width
                    copyRow(y, to: row)
                    old.copyRow(y, to: oldRow.start)
                    for x in 0..<width where row[x] == oldRow[x] {
                        row[x] = 0
                        unchanged += 1
                    }
                }
            }
            return unchanged * 2 >= size.pixelCount ? rest : self
        }
    }
#endif
