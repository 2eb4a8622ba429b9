/// What `halcyon stats` prints about a cache beside its usage.
@_spi(HalcyonTool) public struct StorageSummary: Sendable {
    /// nil in an empty cache.
    public var oldestAccess: Timestamp?
    public var newestAccess: Timestamp?
    public var adoption = Adoption.done
    /// The applied migrations, oldest first.
    public var ledger: [(version: Int, name: String, appliedAt: Timestamp)] = []
}
