internal import HalcyonSQLite

/// What can be said of a cache in a few lines.
package struct StorageSummary: Equatable, Sendable {
    /// One applied change of the schema.
    package struct AppliedMigration: Equatable, Sendable {
        package let version: Int
        package let name: String
        package let appliedAt: Timestamp
    }

    package var totals = Totals(entries: 0, bytes: 0)
    /// Part of ``totals``.
    package var expired = Totals(entries: 0, bytes: 0)
    /// nil in an empty cache.
    package var oldestAccess: Timestamp?
    package var newestAccess: Timestamp?
    package var adoption = Adoption.done
    /// Oldest first.
    package var ledger: [AppliedMigration] = []
}

extension EntryStore {
    /// What is in the cache now, notes of this process included.
    package func summary() throws -> StorageSummary {
        flushAccessLog()
        var summary = StorageSummary()
        summary.totals = try totals()
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
    package func hasTrace(of name: BlobName) throws -> Bool {
        try index.read { try $0.entry(named: name) } != nil || blobs.status(of: name) != nil
    }
}
