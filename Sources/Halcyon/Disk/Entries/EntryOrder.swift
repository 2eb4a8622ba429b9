extension DiskStorage {
    /// What entries are sorted by.
    public enum EntryOrder: String, Sendable, Hashable, Codable, CaseIterable {
        /// Least recently used first.
        case access
        /// In the order in which evictions take them: as ``access``, unless ``EvictionOrder`` says otherwise.
        case eviction
        /// Smallest first.
        case size
        /// Stored longest ago first.
        case created
        /// What expires next first; what never does, and what is pinned, last.
        case expiration
        /// By the bytes of their keys; those whose keys are not known first.
        case key
    }

    /// Where a page has ended. Can be kept, also across launches: entries that come and go meanwhile move nothing.
    ///
    /// In an order that moves (``EntryOrder/access``, ``EntryOrder/eviction``, ``EntryOrder/expiration``), an entry that is used between two pages may be
    /// on both of them, or on neither.
    public struct EntryCursor: Sendable, Hashable, Codable {
        let order: EntryOrder
        let isDescending: Bool
        let position: EntryPosition
    }

    /// Some entries of many.
    public struct EntryPage: Sendable, Hashable {
        /// In the order that was asked for.
        public let entries: [EntryInfo]
        /// For the next page; nil where there is none.
        public let next: EntryCursor?
    }

    /// A number of entries, and the sum of their sizes.
    public struct Totals: Sendable, Hashable {
        /// How many.
        public var entries: Int64
        /// Bytes of the blobs.
        public var bytes: Int64

        /// A number of entries, and the bytes of their blobs.
        public init(entries: Int64, bytes: Int64) {
            self.entries = entries
            self.bytes = bytes
        }
    }
}

@_spi(HalcyonTool) public typealias Totals = DiskStorage.Totals
package typealias EntryFilter = DiskStorage.EntryFilter
package typealias EntryOrder = DiskStorage.EntryOrder
