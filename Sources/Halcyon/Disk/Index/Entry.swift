/// One row of the index: what is known of a blob.
@_spi(HalcyonTool) public struct Entry: Equatable, Sendable {
    /// The row's id; another one than the name's only in an index that somebody edited.
    package var id: Int64
    public var name: BlobName
    /// nil: the entry was taken over from a file, and nobody has asked for it by its key yet.
    public var key: String?
    /// Random, new at every store.
    package var token: Int64
    /// nil where inode numbers do not last.
    package var inode: UInt64?
    /// Bytes, within ``sizes``.
    public var size: Int64
    public var createdAt: Timestamp
    public var accessedAt: Timestamp
    public var lifetime: Lifetime
    public var isPinned: Bool
    /// Characters of the key that are the image's; nil where nobody has said. Read only: see ``origin``.
    var baseLength: Int?
    /// nil: stored by an earlier version, or taken over.
    var bootTime: BootTime?
    /// What the volume has allocated beyond the size. Written, and not read with the rest.
    var slack: Int64 = 0
    /// Which image it is. Written, and not read with the rest.
    var origin: KeyOrigin?

    /// See ``KeyOrigin/host(ofKey:baseLength:)``; nil where nothing is known.
    var host: String? {
        guard let key else { return nil }
        // Restored from an index in which a key stood alone.
        guard let origin else { return KeyOrigin.host(ofKey: key) ?? "" }
        return KeyOrigin.host(ofKey: key, baseLength: origin.baseLength)
    }

    public init(
        id: Int64? = nil, name: BlobName, key: String?, token: Int64, inode: UInt64?, size: Int64, createdAt: Timestamp,
        accessedAt: Timestamp, lifetime: Lifetime, isPinned: Bool = false
    ) {
        self.id = id ?? name.rowID
        self.name = name
        self.key = key
        self.token = token
        self.inode = inode
        self.size = size
        self.createdAt = createdAt
        self.accessedAt = accessedAt
        self.lifetime = lifetime
        self.isPinned = isPinned
    }

    /// A TiB at most, in the statements too: the sum of millions of rows that say nonsense is still a number.
    static let sizes: ClosedRange<Int64> = 0...1_099_511_627_776

    /// False in an index that somebody edited: no lookup can find such a row.
    package var isReadable: Bool { id == name.rowID }

    /// Whether a file can be this entry's blob: length, inode number and tag.
    ///
    /// A length alone cannot tell two stores under one key apart, and an inode number is given to the next new file as
    /// soon as its file is unlinked.
    package func matches(_ file: FileStatus, ignoringInode: Bool = false, ignoringTag: Bool = false) -> Bool {
        file.kind == .regular && file.size == size
            && (ignoringInode || inode == nil || inode == file.inode)
            && (ignoringTag || BlobTag(token: token).admits(file))
    }

    /// Whether it is a miss at `now`. Pinned entries do not expire.
    package func isExpired(at now: Timestamp) -> Bool { !isPinned && lifetime(at: now).isExpired(at: now) }

    /// The lifetime at `now`, which does not count while it is pinned. After the clock jumped back it is at most the time to live from now.
    public func lifetime(at now: Timestamp) -> Lifetime {
        guard let expiresAt = lifetime.expiresAt, let timeToLive = lifetime.timeToLive else { return lifetime }
        return Lifetime(expiresAt: min(expiresAt, now.advanced(by: timeToLive)), timeToLive: timeToLive)
    }
}
