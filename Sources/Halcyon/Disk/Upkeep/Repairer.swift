internal import HalcyonSQLite

/// Corrects what another program has edited in the index, or what a bug has left there.
struct Repairer: FolderWork {
    let folder: CacheFolder
    let settler: Settler

    /// Recounts the totals if an eviction found nothing to remove (the rest is pinned, or the totals are wrong), or if they do not
    /// reflect it because a trigger was dropped.
    func repairTotals(in session: IndexSession, if before: Totals, without evicted: [Entry]) throws {
        let after = try session.totals()
        let isFollowed =
            before.entries - after.entries == evicted.count
            && before.bytes - after.bytes == evicted.reduce(0) { $0 + $1.size }
        if evicted.isEmpty || !isFollowed { try session.repairTotals() }
    }

    /// Counts entries and bytes, and corrects the totals if they differ. Settles rows of impossible sizes first.
    ///
    /// - Complexity: O(entries), about 0.2 µs each, on its own connection and without a lock.
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

    /// Sets pins other than 0 and 1, which another program may have written, to 1: the order by access has only those two.
    func normalizePins() throws {
        if try index.read({ try $0.hasInvalidPins() }) { try index.write { try $0.normalizePins() } }
    }
}
