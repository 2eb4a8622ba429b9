internal import HalcyonSQLite

/// Puts right what somebody has edited in the index, or what a bug has left there.
struct Repairer: FolderWork {
    let folder: CacheFolder
    let settler: Settler

    /// Counts anew when an eviction finds nothing that could go (the rest is pinned, or the totals are wrong), or when the totals
    /// have not followed it: somebody has dropped a trigger.
    func repairTotals(in session: IndexSession, if before: Totals, without evicted: [Entry]) throws {
        let after = try session.totals()
        let isFollowed =
            before.entries - after.entries == evicted.count
            && before.bytes - after.bytes == evicted.reduce(0) { $0 + $1.size }
        if evicted.isEmpty || !isFollowed { try session.repairTotals() }
    }

    /// Counts entries and bytes, and notes them where something else is noted. Rows with a size that no file has are settled
    /// first.
    ///
    /// - Complexity: O(entries), some 0.2 µs each, on a connection of its own and without a lock.
    /// - Returns: whether anything was wrong.
    @discardableResult
    func recountTotals() throws -> Bool {
        let (isRight, impossible) = try index.readAtLength { session in
            try session.connection.reading {
                (
                    try session.notedTotals() == session.countedTotals(),
                    try session.entriesOfImpossibleSize(limit: 1_024)
                )
            }
        }
        for entry in impossible { try settler.settleInTransaction(entry.name) }
        guard !isRight || !impossible.isEmpty else { return false }
        try index.write { try $0.repairTotals() }
        return true
    }

    /// The order by access knows of pinned and not pinned alone; somebody may have pinned entries in a way of his own.
    func normalizePins() throws {
        if try index.read({ try $0.hasInvalidPins() }) { try index.write { try $0.normalizePins() } }
    }
}
