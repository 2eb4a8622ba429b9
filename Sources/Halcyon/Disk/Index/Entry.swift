/// One row of the index, which describes one blob.
@_spi(HalcyonTool) public struct Entry: Equatable, Sendable {
    /// The row's id. It differs from the name's only if the index was edited by hand.
    package var id: Int64
    public var name: BlobName
    /// nil if keys are not kept, or if the entry was adopted from a file and no call has used its key yet.
    public var key: String?
    /// Random; each store makes a new one.
    package var token: Int64
    /// nil on volumes whose inode numbers do not last.
    package var inode: UInt64?
    /// In bytes, within ``sizes``.
    public var size: Int64
    public var createdAt: Timestamp
    public var accessedAt: Timestamp
    public var lifetime: Lifetime
    public var isPinned = false
    /// The length of the image's key within the key, in Unicode scalars; nil if unknown. Read only: see ``origin``.
    var baseLength: Int?
    /// nil if an earlier version stored the entry, or if it was adopted.
    var bootTime: BootTime?
    /// Bytes that the volume has allocated beyond the size. Written, but not read with the row.
    var slack: Int64 = 0
    /// Which image it is a variant of. Written, but not read with the row.
    var origin: KeyOrigin?

    /// See ``KeyOrigin/host(ofKey:baseLength:)``; nil if unknown.
    var host: String? {
        guard let key else { return nil }
        // Restored from an index that had the key without an origin.
        guard let origin else { return KeyOrigin.host(ofKey: key) ?? "" }
        return KeyOrigin.host(ofKey: key, baseLength: origin.baseLength)
    }

    /// At most 1 TiB, in SQL too, so that the sum of millions of corrupt sizes does not overflow.
    static let sizes: ClosedRange<Int64> = 0...1_099_511_627_776

    /// Whether lookups can find the row. False only if the index was edited by hand.
    package var isReadable: Bool { id == name.rowID }

    /// Whether a file can be this entry's blob. Compares length, inode number and tag.
    ///
    /// Two stores under one key may have the same length, and a file system may give the inode number of an unlinked file to
    /// the next new file.
    package func matches(
        _ file: FileStatus, ignoringInode: Bool = false, ignoringTag: Bool = false, isCopied: Bool = false
    ) -> Bool {
        file.kind == .regular && file.size == size
            && (ignoringInode || inode == nil || inode == file.inode)
            && (ignoringTag || BlobTag(token: token).admits(file, isCopied: isCopied))
    }

    /// Whether the entry has expired at `now`. Pinned entries do not expire.
    package func isExpired(at now: Timestamp) -> Bool { !isPinned && lifetime(at: now).isExpired(at: now) }

    /// The lifetime at `now`, which does not apply while the entry is pinned. If the clock has jumped back, the entry expires
    /// at most its time to live from now.
    public func lifetime(at now: Timestamp) -> Lifetime {
        guard let expiresAt = lifetime.expiresAt, let timeToLive = lifetime.timeToLive else { return lifetime }
        return Lifetime(expiresAt: min(expiresAt, now.advanced(by: timeToLive)), timeToLive: timeToLive)
    }
}

/// An entry and its blob's path in one object, because copying an entry retains each of its strings, and making a path takes as
/// long as finding its row in memory.
final class SharedEntry: Sendable {
    let value: Entry
    let path: String

    init(_ value: Entry, path: String) { (self.value, self.path) = (value, path) }
}
