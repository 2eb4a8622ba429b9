internal import HalcyonSQLite

extension EntryStore {
    /// Bytes and number of entries, files that are still to be adopted included. O(1) once adoption is done.
    ///
    /// - Parameter adopting: false leaves those files out, instead of adopting them first.
    package func totals(adopting: Bool = true) throws -> Totals {
        if adopting { try finishAdoption() }
        // A folder that is gone holds nothing, also if somebody looked a moment ago.
        _ = index.refreshIfMoved(force: true)
        return try index.read { try $0.totals() }
    }

    /// What an eviction is to leave; nil while no limit is reached.
    ///
    /// Anybody may have edited the totals. So they are counted before they cost more than a sixteenth of the cache: to evict an
    /// entry takes some hundred times as long as to count one.
    ///
    /// - Parameter extra: bytes that may be there beyond the limits.
    func target(of limits: StorageLimits, adopting: Bool = true, tolerating extra: Int64 = 0) throws -> Totals? {
        func target() throws -> (Totals, isFar: Bool)? {
            var totals = try totals(adopting: adopting)
            totals.bytes -= extra
            return limits.target(totals, freeBytes: freeBytes(for: limits)).map { ($0, isFar(from: $0, totals)) }
        }
        guard let noted = try target() else { return nil }
        return try noted.isFar && recountTotals() ? target()?.0 : noted.0
    }

    private func isFar(from target: Totals, _ totals: Totals) -> Bool {
        totals.bytes - target.bytes > totals.bytes / 16 || totals.entries - target.entries > totals.entries / 16
    }

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
        for entry in impossible { try settleInTransaction(entry.name) }
        guard !isRight || !impossible.isEmpty else { return false }
        try index.write { try $0.repairTotals() }
        return true
    }
}
