/// What becomes of files without a row.
@_spi(HalcyonTool) public enum Adoption: String, Sendable {
    /// They are entries that no index knows yet: the folder had none.
    case pending
    /// They are entries whose index was damaged.
    case rebuilding
    /// They are orphans of crashed stores.
    case done
}
