public import Foundation

extension DiskStorage {
    /// What is known of an entry without reading its blob.
    public struct EntryInfo: Sendable, Hashable {
        /// The key it was stored under. nil while nobody has asked for it by its key since its file was taken over, and where
        /// ``Config/storesKeys`` is false.
        public let key: String?
        /// The key of the image that it is a variant of, or that it is itself. nil where nobody has said: an entry that was
        /// stored with no word of a processor, or by version 0.1 of the index.
        public let baseKey: String?
        /// Of the processor that has made the variant; empty for the image itself, nil where nobody has said.
        public let processorIdentifier: String?
        /// The blob's.
        public let fileName: String
        /// Where the blob is.
        public let fileURL: URL
        /// Bytes of the blob.
        public let size: Int64
        /// Bytes that the volume has set aside for the blob: whole blocks. ``size`` where that was never asked, for entries
        /// of older versions.
        public let allocatedSize: Int64
        /// When it was stored, or its file was made.
        public let created: Date
        /// When it was read or stored last.
        public let lastAccess: Date
        /// nil for never. While an entry is pinned this does not count.
        public let expiration: Date?
        /// Whether no read moves ``expiration``: see ``EntryAttributes/keepsExpiration``.
        public let keepsExpiration: Bool
        /// Reads since it was stored. Those of the last ten seconds before a crash are missing.
        public let hits: Int
        /// Whether it is neither evicted nor expires.
        public let isPinned: Bool
        /// In order.
        public let tags: [String]
        /// What the HTTP response said that its bytes came with; nil where nobody has noted anything.
        public let validators: HTTPValidators?
        /// What somebody has noted of it.
        public let metadata: [String: String]

        /// Whether it is a miss by now. Pinned entries do not expire.
        public func isExpired(at date: Date = Date()) -> Bool {
            !isPinned && expiration.map { $0 <= date } ?? false
        }
    }
}

extension DiskStorage.EntryInfo {
    /// - Parameter directory: the cache's folder.
    init(_ row: EntryRecord, in directory: URL, at now: Timestamp) {
        let entry = row.entry
        let parts = row.keyParts
        self.init(
            key: entry.key, baseKey: parts?.base, processorIdentifier: parts?.processor, fileName: entry.name.text,
            fileURL: directory.appendingPathComponent(entry.name.text, isDirectory: false), size: entry.size,
            allocatedSize: entry.size &+ row.slack, created: entry.createdAt.date, lastAccess: entry.accessedAt.date,
            expiration: entry.lifetime(at: now).expiresAt?.date, keepsExpiration: entry.lifetime.isFixed,
            hits: Int(clamping: row.hits),
            isPinned: entry.isPinned, tags: row.tags, validators: row.validators, metadata: row.metadata)
    }
}
