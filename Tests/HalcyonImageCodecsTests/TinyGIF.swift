import Foundation

/// Writes GIFs block by block, without a library and without compression: the reference for the decoder.
struct TinyGIF {
    struct Frame {
        var left = 0
        var top = 0
        var width: Int
        var height: Int
        /// In the order of the file.
        var indexes: [UInt8]
        var palette: [[UInt8]] = []
        var isInterlaced = false
        var delay: Int? = 10
        var disposal = 0
        var transparent: UInt8?

        /// The pixels inside a canvas: their places there, and their indexes.
        func forEachPixel(width canvasWidth: Int, height canvasHeight: Int, _ body: (Int, UInt8) -> Void) {
            for y in 0..<min(height, canvasHeight - top) {
                for x in 0..<min(width, canvasWidth - left) {
                    body((top + y) * canvasWidth + left + x, indexes[y * width + x])
                }
            }
        }
    }

    var width: Int
    var height: Int
    var palette: [[UInt8]] = TinyGIF.fourColours
    var loopCount: Int?
    var frames: [Frame] = []
    var hasTrailer = true

    /// Black, red, green, blue.
    static let fourColours: [[UInt8]] = [[0, 0, 0], [255, 0, 0], [0, 255, 0], [0, 0, 255]]

    var data: Data {
        var bytes = Array("GIF89a".utf8) + width.littleBytes(2) + height.littleBytes(2)
        bytes += [Self.paletteFlags(palette), 0, 0] + Self.paletteBytes(palette)
        if let loopCount {
            bytes += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1] + loopCount.littleBytes(2) + [0]
        }
        return Data(bytes + frames.flatMap(Self.bytes) + (hasTrailer ? [0x3B] : []))
    }

    private static func bytes(of frame: Frame) -> [UInt8] {
        var bytes: [UInt8] = []
        if let delay = frame.delay {
            let flags = UInt8(frame.disposal << 2 | (frame.transparent == nil ? 0 : 1))
            bytes += [0x21, 0xF9, 4, flags] + delay.littleBytes(2) + [frame.transparent ?? 0, 0]
        }
        bytes += [0x2C] + [frame.left, frame.top, frame.width, frame.height].flatMap { $0.littleBytes(2) }
        bytes += [paletteFlags(frame.palette) | (frame.isInterlaced ? 0x40 : 0)] + paletteBytes(frame.palette)
        return bytes + [8] + subBlocks(codes(for: frame.indexes))
    }

    /// Codes of nine bits; the table is cleared so often that their width never grows.
    private static func codes(for indexes: [UInt8]) -> [UInt8] {
        var codes: [Int] = []
        for (position, index) in indexes.enumerated() {
            if position % 200 == 0 { codes.append(256) }
            codes.append(Int(index))
        }
        var bytes: [UInt8] = []
        var (buffer, bits) = (0, 0)
        for code in codes + [257] {
            buffer |= code << bits
            bits += 9
            while bits >= 8 {
                bytes.append(UInt8(buffer & 0xFF))
                buffer >>= 8
                bits -= 8
            }
        }
        return bits > 0 ? bytes + [UInt8(buffer)] : bytes
    }

    private static func subBlocks(_ bytes: [UInt8]) -> [UInt8] {
        let blocks = stride(from: 0, to: bytes.count, by: 255).map { bytes[$0..<min($0 + 255, bytes.count)] }
        return blocks.flatMap { [UInt8($0.count)] + $0 } + [0]
    }

    private static func paletteFlags(_ palette: [[UInt8]]) -> UInt8 {
        palette.isEmpty ? 0 : 0x80 | UInt8(paletteSize(palette) - 1)
    }

    private static func paletteSize(_ palette: [[UInt8]]) -> Int {
        max(1, (palette.count - 1).bitWidth - (palette.count - 1).leadingZeroBitCount)
    }

    private static func paletteBytes(_ palette: [[UInt8]]) -> [UInt8] {
        guard !palette.isEmpty else { return [] }
        let missing = (1 << paletteSize(palette)) - palette.count
        return palette.flatMap { $0 } + [UInt8](repeating: 0, count: missing * 3)
    }
}
