/// What kind of volume a folder is on.
@_spi(HalcyonTool) public struct Volume: Equatable, Sendable {
    /// The file system's name, for warnings.
    public var name: String
    /// The volume's memory may be shared with other machines, or its locks may not be trusted: no write-ahead log there.
    public var isNetworked: Bool
    /// A file keeps its inode number while it exists. Where it does not, only lengths tell blobs apart.
    package var hasStableInodes: Bool

    package init(name: String, isNetworked: Bool = false, hasStableInodes: Bool = true) {
        self.name = name
        self.isNetworked = isNetworked
        self.hasStableInodes = hasStableInodes
    }
}
