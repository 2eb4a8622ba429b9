/// How the cache treats files without a row.
@_spi(HalcyonTool) public enum Adoption: String, Sendable {
    /// They become entries: the directory had no index.
    case pending
    /// They become entries again: their index was set aside.
    case rebuilding
    /// They are orphans of crashed stores.
    case done
}
