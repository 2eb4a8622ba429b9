@_spi(HalcyonTool) internal import Halcyon

extension Totals {
    /// `2 entries, 4.4 MB`.
    var text: String { "\(Count.entries(Int(entries))), \(ByteSize(bytes))" }

    var object: JSON { .object(["entries": .integer(entries), "bytes": .integer(bytes)]) }

    init(_ removal: Removal) { self.init(entries: Int64(removal.entries), bytes: removal.bytes) }
}
