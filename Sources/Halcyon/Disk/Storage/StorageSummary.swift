internal import HalcyonSQLite

/// The figures that `halcyon stats` prints about a cache.
@_spi(HalcyonTool) public struct StorageSummary: Sendable {
    public var totals = Totals(entries: 0, bytes: 0)
    /// Part of ``totals``.
    public var expired = Totals(entries: 0, bytes: 0)
    /// nil in an empty cache.
    public var oldestAccess: Timestamp?
    public var newestAccess: Timestamp?
    public var adoption = Adoption.done
    /// The applied migrations, oldest first.
    public var ledger: [(version: Int, name: String, appliedAt: Timestamp)] = []
}
