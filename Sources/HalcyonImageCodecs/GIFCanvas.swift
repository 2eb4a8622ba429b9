#if ImageCodecs && os(Linux)
    /// What the screen shows while a GIF is played. It begins transparent: the background colour is not used, as in browsers.
    struct GIFCanvas {
        private(set) var bitmap: Bitmap
        /// Before the frame that was drawn last, if it will be taken back.
        private var saved: Bitmap?

        init(size: PixelSize) { bitmap = Bitmap(transparent: size) }

        mutating func draw(_ frame: GIFFrame, from reader: GIFReader) throws {
            saved = frame.disposal == .restore ? bitmap : nil
            let colours = frame.colours
            let columns = visibleColumns(of: frame)
            var row = [UInt8](repeating: 0, count: frame.size.width)
            for y in frame.rowOrder {
                try reader.readRow(into: &row)
                let place = frame.top + y
                if place < bitmap.height { draw(row, columns: columns, at: place, left: frame.left, colours: colours) }
            }
        }

        /// Of the frame's columns, those on the canvas.
        private func visibleColumns(of frame: GIFFrame) -> Range<Int> {
            0..<max(0, min(frame.size.width, bitmap.width - frame.left))
        }

        private mutating func draw(_ row: [UInt8], columns: Range<Int>, at y: Int, left: Int, colours: [UInt32]) {
            let start = y * bitmap.width + left
            bitmap.withMutableWholePixels { pixels in
                for x in columns {
                    let colour = colours[Int(row[x])]
                    if colour != 0 { pixels[start + x] = colour }
                }
            }
        }

        mutating func dispose(_ frame: GIFFrame) {
            switch frame.disposal {
            case .unspecified, .keep: break
            case .clear: clear(frame)
            case .restore: if let saved { bitmap = saved }
            }
            saved = nil
        }

        private mutating func clear(_ frame: GIFFrame) {
            let columns = visibleColumns(of: frame)
            let (width, rows) = (
                bitmap.width, frame.top..<max(frame.top, min(frame.top + frame.size.height, bitmap.height))
            )
            bitmap.withMutableWholePixels { pixels in
                for y in rows {
                    for x in columns { pixels[y * width + frame.left + x] = 0 }
                }
            }
        }
    }
#endif
