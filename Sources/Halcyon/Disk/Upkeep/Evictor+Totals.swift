internal import HalcyonSQLite

extension Evictor {
    /// Bytes and number of entries, files that are still to be adopted included. O(1) once adoption is done.
    ///
    /// - Parameter adopting: false leaves those files out, instead of adopting them first.
    func totals(adopting: Bool = true) throws -> Totals {
        if adopting { try LockPatience.briefly { try adopter.finish() } }
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
        return try noted.isFar && repairer.recountTotals() ? target()?.0 : noted.0
    }

    private func isFar(from target: Totals, _ totals: Totals) -> Bool {
        totals.bytes - target.bytes > totals.bytes / 16 || totals.entries - target.entries > totals.entries / 16
    }
}
