extension DiskStorage {
    /// A number of entries, and the sum of their sizes.
    public struct Totals: Sendable, Hashable {
        /// The number of entries.
        public var entries: Int64
        /// The bytes of their blobs.
        public var bytes: Int64

        /// A number of entries, and the bytes of their blobs.
        public init(entries: Int64, bytes: Int64) {
            self.entries = entries
            self.bytes = bytes
        }
    }
}

@_spi(HalcyonTool) public typealias Totals = DiskStorage.Totals

extension Totals {
    /// More than any cache holds, but small enough that a sum of a few does not overflow.
    package static let limit: Int64 = 1 << 60

    static func + (left: Self, right: Self) -> Self {
        Totals(entries: left.entries &+ right.entries, bytes: left.bytes &+ right.bytes)
    }

    func exceeds(_ other: Totals) -> Bool { bytes > other.bytes || entries > other.entries }
}
