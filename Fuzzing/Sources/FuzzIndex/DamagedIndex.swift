import Foundation

/// Damages a sound index as the input says.
///
/// An input that begins like a database is the index itself. Any other input is a list of patches: three bytes for the place, one for the
/// number of bytes, and those bytes. Places with the highest bit set are in the write-ahead log.
struct DamagedIndex {
    private let input: Data

    init(_ input: Data) { self.input = input }

    func apply(to index: inout Data, log: inout Data) {
        guard !input.starts(with: Data("SQLite format 3\0".utf8)) else {
            (index, log) = (input, Data())
            return
        }
        var rest = input[...]
        while rest.count > 4 {
            let place = rest.prefix(3).reduce(0) { $0 << 8 | Int($1) }
            let bytes = rest.dropFirst(4).prefix(Int(rest[rest.startIndex + 3]) % 32 + 1)
            if place & 0x80_0000 == 0 {
                patch(&index, at: place, with: bytes)
            } else {
                patch(&log, at: place & 0x7F_FFFF, with: bytes)
            }
            rest = rest.dropFirst(4 + bytes.count)
        }
    }

    private func patch(_ file: inout Data, at place: Int, with bytes: Data) {
        guard file.count > bytes.count else { return }
        let start = place % (file.count - bytes.count)
        file.replaceSubrange(start..<(start + bytes.count), with: bytes)
    }
}
