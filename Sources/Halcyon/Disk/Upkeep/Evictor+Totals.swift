extension Evictor {
    /// Bytes and number of entries, including files not adopted yet. O(1) once adoption is done.
    ///
    /// - Parameter adopting: false leaves those files out instead of adopting them first.
    func totals(adopting: Bool = true) throws -> Totals {
        // Forced: a removed directory is empty, even if a check a moment ago still found it.
        _ = index.refreshIfMoved(force: true)
        if adopting { try adopter.finish() }
        if let noted = try index.lookUp(briefly: false, { try $0.plausibleTotals() }) { return noted }
        // Otherwise each question would count all rows. If this cannot be written now, the next question tries again.
        try? LockTimeout.briefly { try index.write { try $0.repairTotals() } }
        return try index.read { try $0.totals() }
    }

    /// O(1) if nothing has expired. Otherwise counts, on a connection of its own.
    func expiredTotals() throws -> Totals {
        let now = now
        guard try !index.read({ try $0.nothingHasExpired(at: now) }) else { return Totals(entries: 0, bytes: 0) }
        return try index.readAtLength { try $0.expiredTotals(at: now) }
    }

    /// Returns what an eviction should leave; nil if no limit is reached.
    ///
    /// Another program may have edited the totals. So they are recounted before an eviction of more than a sixteenth of the cache:
    /// evicting an entry takes about a hundred times as long as counting one.
    ///
    /// - Parameter extra: bytes tolerated beyond the limits.
    func target(of limits: StorageLimits, adopting: Bool = true, tolerating extra: Int64 = 0) throws -> Totals? {
        // An eviction does not wait for room in a full log.
        if adopting {
            // An index that was deleted since lacks entries until all files are adopted.
            _ = index.refreshIfMoved(force: true)
            try LockTimeout.briefly(adoptUnlessLogIsFull)
        }
        func noted() throws -> (target: Totals, isLarge: Bool)? {
            var totals = try totals(adopting: false)
            totals.bytes -= extra
            return try target(of: limits, totals).map { ($0, isLarge(from: totals, to: $0)) }
        }
        guard let first = try noted() else { return nil }
        // A pin that an earlier version has set aside must be back. After stores, the sweep is not waited for.
        let reclaimer = Reclaimer(folder: folder)
        guard adopting || !reclaimer.isAwaited else { return nil }
        reclaimer.finishBeforeChange(adopter)
        return try first.isLarge && remover.settler.recountTotals() ? noted()?.target : first.target
    }

    /// What an eviction of entries with these totals should leave; nil if no limit is reached.
    func target(of limits: StorageLimits, _ totals: Totals) throws -> Totals? {
        guard let free = freeBytes(for: limits) else { return limits.target(totals, freeBytes: nil) }
        return try limits.target(totals, slack: index.read { try $0.slack() }, freeBytes: free)
    }

    private func isLarge(from totals: Totals, to target: Totals) -> Bool {
        totals.bytes - target.bytes > totals.bytes / 16 || totals.entries - target.entries > totals.entries / 16
    }
}
