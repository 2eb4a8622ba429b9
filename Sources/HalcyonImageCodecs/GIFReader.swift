#if ImageCodecs && os(Linux)
    internal import CHalcyonImageShims

    /// A frame as the file describes it, before its pixels are read.
    struct GIFFrame {
        fileprivate(set) var description = halcyon_gif_frame()

        var left: Int { Int(description.left) }
        var top: Int { Int(description.top) }
        var size: PixelSize { PixelSize(width: Int(description.width), height: Int(description.height)) }
        /// The part of the frame inside the canvas.
        func part(of canvas: PixelSize) -> PixelRect { PixelRect(left: left, top: top, size: size, in: canvas) }

        /// Like browsers, this takes 4 for 3: an early description of the format numbered them differently.
        var disposal: GIFDisposal {
            description.disposal == 4 ? .restore : GIFDisposal(rawValue: description.disposal) ?? .keep
        }

        /// Old programs wrote a delay of at most 0.01 s for "none". Like browsers, this shows such a frame for 0.1 s.
        var durationInSeconds: Double {
            description.delay_hundredths <= 1 ? 0.1 : Double(description.delay_hundredths) / 100
        }

        /// The rows in the order in which the file stores them.
        var rowOrder: [Int] {
            guard description.is_interlaced != 0 else { return Array(0..<size.height) }
            return [(0, 8), (4, 8), (2, 4), (1, 2)].flatMap { Array(stride(from: $0, to: size.height, by: $1)) }
        }

        /// 256 colors, one pixel each; 0 for the transparent color and for those missing from the palette.
        var colours: [UInt32] {
            var colours = withUnsafeBytes(of: description.colours) { bytes in
                stride(from: 0, to: bytes.count, by: 4).map { bytes.loadUnaligned(fromByteOffset: $0, as: UInt32.self) }
            }
            if let transparent = Int(exactly: description.transparent_index), colours.indices.contains(transparent) {
                colours[transparent] = 0
            }
            return colours
        }
    }

    /// What to do with a frame before the next one is drawn.
    enum GIFDisposal: Int32 {
        case unspecified, keep, clear, restore
    }

    /// Reads the frames of a GIF in turn. The bytes must outlive the reader.
    final class GIFReader {
        private let handle: OpaquePointer
        private let pixelLimit: Int
        private(set) var loopCount: Int?

        init(_ bytes: UnsafeRawBufferPointer, pixelLimit: Int) throws {
            var error = halcyon_image_error()
            guard let handle = halcyon_gif_open(bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, &error)
            else {
                throw ImageCodecError(error, format: .gif)
            }
            self.handle = handle
            self.pixelLimit = pixelLimit
        }

        deinit { halcyon_gif_close(handle) }

        /// Returns `nil` after the last frame.
        func nextFrame() throws -> GIFFrame? {
            var frame = GIFFrame()
            var found: Int32 = 0
            try ShimCall.check(.gif) { halcyon_gif_next_frame(handle, &frame.description, &found, &$0) }
            // It may follow the last frame.
            if frame.description.loop_count >= 0 { loopCount = Int(frame.description.loop_count) }
            guard found != 0 else { return nil }
            try check(frame)
            return frame
        }

        private func check(_ frame: GIFFrame) throws {
            guard frame.size.width > 0, frame.size.height > 0 else {
                throw ImageCodecError.malformed(.gif, reason: "a frame has the size \(frame.size)")
            }
            guard frame.size.pixelCount <= pixelLimit else {
                throw ImageCodecError.tooManyPixels(count: frame.size.pixelCount, limit: pixelLimit)
            }
            guard frame.description.colour_count > 0 else {
                throw ImageCodecError.malformed(.gif, reason: "a frame without colors")
            }
        }

        /// Reads the palette indexes of the frame's next row.
        func readRow(into row: inout [UInt8]) throws {
            try ShimCall.check(.gif) { halcyon_gif_read_row(handle, &row, Int32(row.count), &$0) }
        }
    }
#endif
