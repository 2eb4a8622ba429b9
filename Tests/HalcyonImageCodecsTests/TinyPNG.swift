import Foundation
import HalcyonImageCodecs

/// Writes PNGs of every kind byte by byte, without a library: the reference for the decoder.
struct TinyPNG {
    var width: Int
    var height: Int
    var depth = 8
    var colourType = 2
    var isInterlaced = false
    var palette: [[UInt8]] = []
    var transparency: [UInt8] = []
    /// The samples of a pixel, `depth` bits each.
    var samples: (_ x: Int, _ y: Int) -> [Int]
    /// Between the header and the pixels.
    var extraChunks: [(type: String, content: [UInt8])] = []

    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    var data: Data { data(withPixels: Self.zlib(packedRows)) }

    func data(withPixels packed: [UInt8]) -> Data {
        var bytes = Self.signature + Self.chunk("IHDR", header)
        for extra in extraChunks { bytes += Self.chunk(extra.type, extra.content) }
        if !palette.isEmpty { bytes += Self.chunk("PLTE", palette.flatMap { $0 }) }
        if !transparency.isEmpty { bytes += Self.chunk("tRNS", transparency) }
        return Data(bytes + Self.chunk("IDAT", packed) + Self.chunk("IEND", []))
    }

    private var header: [UInt8] {
        width.bytes(4) + height.bytes(4) + [UInt8(depth), UInt8(colourType), 0, 0, isInterlaced ? 1 : 0]
    }

    /// First column, first row, step of columns, step of rows.
    private var passes: [(Int, Int, Int, Int)] {
        guard isInterlaced else { return [(0, 0, 1, 1)] }
        return [
            (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2),
        ]
    }

    private var packedRows: [UInt8] {
        passes.flatMap { left, top, across, down in
            stride(from: top, to: height, by: down).flatMap { y in
                let row = stride(from: left, to: width, by: across).flatMap { x in samples(x, y) }
                return row.isEmpty ? [] : [0] + pack(row)
            }
        }
    }

    private func pack(_ row: [Int]) -> [UInt8] {
        if depth == 16 { return row.flatMap { $0.bytes(2) } }
        let perByte = 8 / depth
        return stride(from: 0, to: row.count, by: perByte).map { start in
            (0..<perByte).reduce(0) { byte, index in
                let sample = start + index < row.count ? row[start + index] : 0
                return byte << depth | UInt8(sample)
            }
        }
    }

    static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        content.count.bytes(4) + type.utf8 + content + Int(crc(Array(type.utf8) + content)).bytes(4)
    }

    /// Stored blocks only: nothing is compressed.
    static func zlib(_ bytes: [UInt8]) -> [UInt8] {
        var packed: [UInt8] = [0x78, 0x01]
        let starts = bytes.isEmpty ? [0] : Array(stride(from: 0, to: bytes.count, by: 65_535))
        for start in starts {
            let block = bytes[start..<min(start + 65_535, bytes.count)]
            let length = block.count
            packed += [start == starts.last ? 1 : 0, UInt8(length & 0xFF), UInt8(length >> 8)]
            packed += [UInt8(~length & 0xFF), UInt8(~length >> 8 & 0xFF)] + block
        }
        return packed + adler(bytes).bytes(4)
    }

    static func crc(_ bytes: some Sequence<UInt8>) -> UInt32 {
        var sum = ~UInt32(0)
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? (sum >> 1) ^ 0xEDB8_8320 : sum >> 1 }
        }
        return ~sum
    }

    private static func adler(_ bytes: [UInt8]) -> Int {
        let sums = bytes.reduce((1, 0)) { sums, byte in
            let low = (sums.0 + Int(byte)) % 65_521
            return (low, (sums.1 + low) % 65_521)
        }
        return sums.1 << 16 | sums.0
    }
}

extension Int {
    /// The lowest bytes of the number, the highest of them first.
    func bytes(_ count: Int) -> [UInt8] { (0..<count).reversed().map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) } }

    /// The lowest bytes of the number, the lowest first.
    func littleBytes(_ count: Int) -> [UInt8] { bytes(count).reversed() }
}
