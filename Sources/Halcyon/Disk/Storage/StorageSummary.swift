internal import HalcyonSQLite

/// The figures that `halcyon stats` prints about a cache.
@_spi(HalcyonTool) public struct StorageSummary: Equatable, Sendable {
    /// One applied migration.
    public struct AppliedMigration: Equatable, Sendable {
        public let version: Int
        public let name: String
        public let appliedAt: Timestamp
    }

    public var totals = Totals(entries: 0, bytes: 0)
    /// Part of ``totals``.
    public var expired = Totals(entries: 0, bytes: 0)
    /// nil in an empty cache.
    public var oldestAccess: Timestamp?
    public var newestAccess: Timestamp?
    public var adoption = Adoption.done
    /// Oldest first.
    public var ledger: [AppliedMigration] = []
}
