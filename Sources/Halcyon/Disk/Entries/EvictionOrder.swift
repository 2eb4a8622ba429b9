extension DiskStorage {
    /// Which entries an eviction takes first.
    ///
    /// Each entry has a rank, and evictions take the lowest ranks first. A store sets the rank to the time of the store. A read
    /// raises it to the time of the read, plus a bonus that depends on the order. No read lowers a rank.
    ///
    /// Processes with different orders can share a directory: each read raises the rank by the rule of its own process, and every
    /// eviction uses the ranks that it finds. If you change the order, reads follow the new rule at once, and an entry keeps the
    /// bonus that it has.
    public enum EvictionOrder: Sendable, Hashable, CaseIterable {
        /// Least recently used first (LRU). The default.
        case leastRecentlyUsed
        /// LRU with a capped frequency bonus, aged by time. It keeps entries that are read often through a scan of others.
        ///
        /// The bonus is min(reads, 3) × the cache's present age span: the time from the lowest rank until now, at most 30 days. Reads are
        /// those since the entry was stored. The access date that you see stays the time of the last read.
        ///
        /// The first read under this order makes a partial index of the entries that have a bonus, `entries_ahead`. While there are any,
        /// a page of entries by access reads the whole table.
        case frequencyBonus
    }
}

package typealias EvictionOrder = DiskStorage.EvictionOrder

extension EvictionOrder {
    /// The number of reads up to which each read adds a bonus.
    static let countedReads: Int64 = 3
    /// Milliseconds. An entry from a time when the clock was wrong would otherwise make the span, and with it each bonus, decades long.
    static let longestSpan: Int64 = 30 * 86_400_000
}

/// A larger bonus can only come from a wrong clock or an edited row.
struct FutureBounds {
    let access: Timestamp
    let rank: Timestamp

    init(at now: Timestamp) {
        access = now.advanced(by: StampSource.tolerance)
        rank = access.advanced(by: EvictionOrder.countedReads * EvictionOrder.longestSpan)
    }
}
