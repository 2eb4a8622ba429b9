public import Foundation

extension DiskStorage {
    /// Information about an entry that is available without reading its blob.
    public struct EntryInfo: Sendable, Hashable {
        /// The key it was stored under. nil if its file was adopted and no caller has used the key since, or if
        /// ``Config/storesKeys`` is false.
        public let key: String?
        /// The key of its image: its own key for an original, the image's key for a variant. nil if unknown, for example for an
        /// entry stored by version 0.1.0.
        public let baseKey: String?
        /// The identifier of the processor that made the variant; empty for the image itself, nil if unknown.
        public let processorIdentifier: String?
        /// The file name of the blob.
        public let fileName: String
        /// The cache directory.
        let directory: URL
        /// The URL of the blob.
        public var fileURL: URL { directory.appendingPathComponent(fileName, isDirectory: false) }
        /// The size of the blob, in bytes.
        public let size: Int64
        /// Bytes that the volume has allocated for the blob, in whole blocks. ``size`` if unknown, for entries of older versions.
        public let allocatedSize: Int64
        /// When it was stored, or its file was created.
        public let created: Date
        /// When it was last read or stored.
        public let lastAccess: Date
        /// When it expires; nil for never. Ignored while the entry is pinned.
        public let expiration: Date?
        /// Whether reads leave ``expiration`` as it is: see ``EntryAttributes/keepsExpiration``.
        public let keepsExpiration: Bool
        /// Reads since it was stored. A crash loses those of the last ten seconds.
        public let hits: Int
        /// Whether it is pinned: it is never evicted and never expires.
        public let isPinned: Bool
        /// The tags, in order.
        public let tags: [String]
        /// The validators of its bytes; nil if none were noted.
        public let validators: HTTPValidators?
        /// The metadata noted for it.
        public let metadata: [String: String]
        /// Random; each store makes a new one.
        let token: Int64

        /// Whether it has expired, so that lookups miss. Pinned entries do not expire.
        public func isExpired(at date: Date = Date()) -> Bool {
            !isPinned && expiration.map { $0 <= date } ?? false
        }
    }
}

extension DiskStorage.EntryInfo {
    /// - Parameter directory: the cache directory.
    init(_ row: EntryRecord, in directory: URL, at now: Timestamp) {
        let entry = row.entry
        let parts = row.keyParts
        self.init(
            key: entry.key, baseKey: parts?.base, processorIdentifier: parts?.processor, fileName: entry.name.text,
            directory: directory, size: entry.size, allocatedSize: entry.size &+ entry.slack,
            created: entry.createdAt.date, lastAccess: entry.accessedAt.date,
            expiration: entry.lifetime(at: now).expiresAt?.date, keepsExpiration: entry.lifetime.isFixed,
            hits: Int(clamping: row.hits),
            isPinned: entry.isPinned, tags: row.tags, validators: row.validators, metadata: row.metadata,
            token: entry.token)
    }
}
