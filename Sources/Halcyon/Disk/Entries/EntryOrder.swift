extension DiskStorage {
    /// How entries are sorted.
    public enum EntryOrder: String, Sendable, Hashable, Codable, CaseIterable {
        /// Least recently used first.
        case access
        /// In the order of evictions: like ``access``, except with ``EvictionOrder/frequencyBonus``.
        case eviction
        /// Smallest first.
        case size
        /// Stored longest ago first.
        case created
        /// Next to expire first. Pinned entries, and those that never expire, come last.
        case expiration
        /// By the bytes of their keys. Entries whose keys are unknown come first.
        case key
    }

    /// The end of a page. You can keep it, even across launches: entries added or removed meanwhile do not move it.
    ///
    /// In an order that changes (``EntryOrder/access``, ``EntryOrder/eviction``, ``EntryOrder/expiration``), an entry that is used
    /// between two pages may be on both of them, or on neither.
    public struct EntryCursor: Sendable, Hashable, Codable {
        let order: EntryOrder
        let isDescending: Bool
        let position: EntryPosition
    }

    /// A page of entries.
    public struct EntryPage: Sendable, Hashable {
        /// The entries, in the order of the request.
        public let entries: [EntryInfo]
        /// The position from which to read the next page; nil if there is none.
        public let next: EntryCursor?
    }
}

package typealias EntryFilter = DiskStorage.EntryFilter
package typealias EntryOrder = DiskStorage.EntryOrder
