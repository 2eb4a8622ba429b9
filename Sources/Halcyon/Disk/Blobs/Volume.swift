/// The kind of volume that a directory is on.
@_spi(HalcyonTool) public struct Volume: Equatable, Sendable {
    /// The file system's name, for warnings.
    public var name: String
    /// Whether the volume may be shared with other machines, or its locks or its shared memory are unreliable. It then gets no
    /// write-ahead log.
    public var isNetworked = false
    /// Whether a file keeps its inode number while it exists. If not, inode numbers do not distinguish blobs.
    package var hasStableInodes = true
}

extension Volume {
    /// The volume that an Apple system reports under this name.
    ///
    /// Only what is known to be on this machine alone is trusted with a write-ahead log: FUSE is local where a mount option says so, and
    /// what a virtual machine shares with its host is too. FAT and exFAT are not: on exFAT, SQLite has crashed in the log's shared
    /// memory (https://github.com/mattn/go-sqlite3/issues/1355), and an empty file gets another inode number when it grows.
    package init(appleName name: String, isLocal: Bool) {
        let isTrusted = isLocal && Self.appleNames.contains(name)
        self.init(name: name, isNetworked: !isTrusted, hasStableInodes: isTrusted)
    }

    private static let appleNames: Set = ["apfs", "hfs", "ufs", "tmpfs"]
}
