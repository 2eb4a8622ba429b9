internal import HalcyonSQLite

extension EntryStore {
    /// What is in the cache now, notes of this process included.
    package func summary() throws -> StorageSummary {
        recorder.flushAccessLog()
        var summary = StorageSummary()
        summary.totals = try evictor.totals()
        try index.read { session in
            summary.expired = try session.expiredTotals(at: now)
            (summary.oldestAccess, summary.newestAccess) = try session.accessRange()
            summary.adoption = try session.state().adoption
        }
        summary.ledger = try index.ledger().map {
            .init(version: $0.version, name: $0.name, appliedAt: Timestamp(milliseconds: $0.appliedAt))
        }
        return summary
    }

    /// Whether there is a row or a file under a name, expired or not.
    package func hasRowOrFile(of name: BlobName) throws -> Bool {
        try index.read { try $0.entry(named: name) } != nil || blobs.status(of: name) != nil
    }
}
