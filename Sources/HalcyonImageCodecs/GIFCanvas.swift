#if ImageCodecs && os(Linux)
    /// The displayed image while a GIF plays. It starts transparent: like browsers, it ignores the GIF's background color.
    struct GIFCanvas {
        private(set) var bitmap: Bitmap
        /// The canvas before the last frame, if that frame will be undone.
        private var saved: Bitmap?

        init(size: PixelSize) throws { bitmap = try Bitmap(transparent: size) }

        mutating func draw(_ frame: GIFFrame, from reader: GIFReader) throws {
            saved = frame.disposal == .restore ? bitmap : nil
            let part = frame.part(of: bitmap.size)
            try bitmap.renewTiles(touching: part)
            let colours = frame.colours
            var row = [UInt8](repeating: 0, count: frame.size.width)
            for y in frame.rowOrder {
                try reader.readRow(into: &row)
                guard part.rows.contains(frame.top + y) else { continue }
                bitmap.draw(row: frame.top + y, in: part.columns) { columns, pixels in
                    for x in columns {
                        let colour = colours[Int(row[x - frame.left])]
                        if colour != 0 { pixels[x - columns.lowerBound] = colour }
                    }
                }
            }
        }

        mutating func dispose(_ frame: GIFFrame) throws {
            switch frame.disposal {
            case .unspecified, .keep: break
            case .clear: try bitmap.clear(frame.part(of: bitmap.size))
            case .restore: if let saved { bitmap = saved }
            }
            saved = nil
        }
    }
#endif
