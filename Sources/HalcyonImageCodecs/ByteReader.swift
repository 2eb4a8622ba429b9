/// Reads numbers from bytes in either byte order. Returns `nil` past the end and never crashes.
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

    /// Reads a number of two to four bytes.
    mutating func number(ofBytes count: Int, isBigEndian: Bool) -> Int? {
        guard left >= count else { return nil }
        let part = bytes[position..<position + count]
        position += count
        let shift = { (sum: Int, byte: UInt8) in sum << 8 | Int(byte) }
        return isBigEndian ? part.reduce(0, shift) : part.reversed().reduce(0, shift)
    }

    /// Returns a reader of the next `count` bytes and skips them; `nil` if fewer are left.
    mutating func part(ofBytes count: Int) -> ByteReader? {
        guard count >= 0, left >= count else { return nil }
        defer { position += count }
        return ByteReader(UnsafeRawBufferPointer(rebasing: bytes[position..<position + count]))
    }

    /// Calls `body` with all bytes, including those already read.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result { try body(bytes) }

    mutating func expect(_ expected: some Sequence<UInt8>) -> Bool {
        for byte in expected where self.byte() != byte { return false }
        return true
    }
}
