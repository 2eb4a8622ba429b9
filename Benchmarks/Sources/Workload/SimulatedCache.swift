/// A cache of equally large values, simulated in memory with the exact rules of each eviction order.
package struct SimulatedCache {
    private struct Entry {
        var rank: Int
        var reads = 0
    }

    private let limit: Int
    private let lowWater: Int
    private let countsReads: Bool
    private var entries: [Int: Entry] = [:]
    private var clock = 0

    /// - Parameters:
    ///   - limit: values beyond which it evicts.
    ///   - countsReads: whether a read moves the rank ahead by min(reads, 3) × the time since the lowest rank.
    package init(limit: Int, lowWaterRatio: Double, countsReads: Bool) {
        self.limit = limit
        lowWater = Int(Double(limit) * lowWaterRatio)
        self.countsReads = countsReads
    }

    /// Requests a value, and stores it if it is missing.
    ///
    /// - Parameter time: later than that of the previous request.
    /// - Returns: whether it was cached.
    package mutating func request(_ key: Int, at time: Int) -> Bool {
        clock = time
        guard var entry = entries[key] else {
            entries[key] = Entry(rank: clock)
            if entries.count > limit { evict() }
            return false
        }
        entry.reads += 1
        entry.rank = max(entry.rank, clock + (countsReads ? min(entry.reads, 3) * span : 0))
        entries[key] = entry
        return true
    }

    /// The lowest rank and its entry; searched again after the rank of that entry changes or it is evicted.
    private var lowest = (rank: 0, key: -1)

    private var span: Int {
        mutating get {
            if entries[lowest.key]?.rank != lowest.rank {
                let first = entries.min { $0.value.rank < $1.value.rank }
                lowest = first.map { ($0.value.rank, $0.key) } ?? (clock, -1)
            }
            return max(0, clock - lowest.rank)
        }
    }

    private mutating func evict() {
        let ranked = entries.sorted { $0.value.rank < $1.value.rank }
        for (key, _) in ranked.prefix(entries.count - lowWater) { entries[key] = nil }
    }
}
