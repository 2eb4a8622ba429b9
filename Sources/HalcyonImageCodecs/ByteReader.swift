/// Reads numbers from bytes in either order; beyond the end there is `nil`, never a crash.
struct ByteReader {
    private let bytes: UnsafeRawBufferPointer
    private(set) var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var count: Int { bytes.count }
    var left: Int { bytes.count - position }

    mutating func skip(_ count: Int) { position = min(position + max(count, 0), bytes.count) }

    mutating func byte() -> UInt8? {
        guard position < bytes.count else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    /// Two bytes, or four.
    mutating func number(ofBytes count: Int, isBigEndian: Bool) -> Int? {
        guard left >= count else { return nil }
        let part = bytes[position..<position + count]
        position += count
        let shift = { (sum: Int, byte: UInt8) in sum << 8 | Int(byte) }
        return isBigEndian ? part.reduce(0, shift) : part.reversed().reduce(0, shift)
    }

    /// A reader of the next bytes alone, which are passed over; `nil` if they are not all there.
    mutating func part(ofBytes count: Int) -> ByteReader? {
        guard count >= 0, left >= count else { return nil }
        defer { position += count }
        return ByteReader(UnsafeRawBufferPointer(rebasing: bytes[position..<position + count]))
    }

    mutating func expect(_ expected: some Sequence<UInt8>) -> Bool {
        for byte in expected where self.byte() != byte { return false }
        return true
    }
}
