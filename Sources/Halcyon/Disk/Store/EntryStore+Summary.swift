internal import HalcyonSQLite

extension EntryStore {
    /// The contents of the cache now, including what this process has noted.
    package func summary() throws -> StorageSummary {
        recorder.flushAccessLog()
        var summary = StorageSummary()
        try index.readAtLength { session in
            (summary.oldestAccess, summary.newestAccess) = try session.accessRange()
            summary.adoption = try session.state().adoption
        }
        summary.ledger = try index.ledger().map { ($0.version, $0.name, Timestamp(milliseconds: $0.appliedAt)) }
        return summary
    }

    func usage(limits: StorageLimits) throws -> DiskStorage.Usage {
        let total = try evictor.totals()
        let free = try? environment.fileSystem.freeBytes(at: blobs.directory)
        let (files, expired) = (index.sizes(), try evictor.expiredTotals())
        return try index.read { session in
            let pinned = try session.pinnedTotals()
            return DiskStorage.Usage(
                total: total, allocatedBytes: total.bytes + (try session.slack()),
                indexBytes: files.database, logBytes: files.log, pinned: pinned,
                expired: expired, freeBytes: free,
                pinnedExcess: limits.excess(of: pinned))
        }
    }
}

extension StorageLimits {
    /// How far pinned entries alone exceed the limits; nil if they do not. A cache that is full to the last byte exceeds its limit.
    fileprivate func excess(of pinned: Totals) -> Totals? {
        let excess = Totals(
            entries: entries > 0 ? max(0, pinned.entries - entries) : 0,
            bytes: bytes > 0 ? max(0, pinned.bytes - bytes + 1) : 0)
        return excess == Totals(entries: 0, bytes: 0) ? nil : excess
    }
}
