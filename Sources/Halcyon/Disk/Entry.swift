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
    /// What the volume has allocated beyond the size. Written, and not read with the rest.
    var slack: Int64 = 0
    /// Which image it is. Written, and not read with the rest.
    var origin: KeyOrigin?

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

/// What the index remembers of the folder it is in.
package struct IndexState: Equatable, Sendable {
    /// The boot of the machine in which the index was last opened; nil in a new index.
    package var boot: String?
    /// Blobs stored up to here had been written when the cache was closed.
    package var settledAt: Timestamp
    /// `created_at` of the latest store.
    package var storedAt: Timestamp
    package var indexInode: UInt64?
    /// Inode numbers are being learned anew: until that is done a length is enough.
    package var isRelearning: Bool
    package var adoption: Adoption
    package var adoptsUntil: Timestamp
    /// What was stored in this span is not trusted.
    package var distrusted: ClosedRange<Timestamp>?
    /// When the folder was last searched for files without a row.
    package var reconciledAt: Timestamp
    /// A folder of schema 1, which was never searched for the names of Kingfisher 7: such files are to become entries.
    package var awaitsLegacyNames = true
}

extension IndexState {
    /// What was stored in the last minute before the machine stopped, unless the cache was closed later than that. What is
    /// stored from now on has a later time than the latest store.
    func distrustedAfterReboot(writeBackTime: Int64) -> ClosedRange<Timestamp>? {
        let earlier = distrusted?.lowerBound
        // Stamps may run ahead of the clock.
        let from = storedAt.advanced(by: -(writeBackTime + StampSource.tolerance))
        let until = storedAt
        let isSettled = settledAt >= storedAt.advanced(by: writeBackTime)
        guard !isSettled else { return earlier.map { $0...max($0, until) } }
        let start = min(earlier ?? from, from)
        return start...max(start, until)
    }
}

/// What becomes of files without a row.
@_spi(HalcyonTool) public enum Adoption: String, Sendable {
    /// They are entries that no index knows yet: the folder had none.
    case pending
    /// They are entries whose index was damaged.
    case rebuilding
    /// They are orphans of crashed stores.
    case done
}
