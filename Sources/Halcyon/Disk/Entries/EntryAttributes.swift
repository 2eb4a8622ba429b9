extension DiskStorage {
    /// What can be said of an entry beside its bytes. What is nil is left as it is; see each member for what a store that does
    /// not mention it leaves.
    public struct EntryAttributes: Sendable, Hashable {
        /// Whether cleaning passes it over: it is neither evicted nor expires, and counts in totals. The system may still
        /// purge the Caches folder. Belongs to the key: a store leaves it as it is.
        public var isPinned: Bool?
        /// Words under which it can be found, one user's name say. Replaces those that are there. Each has 1 to 1 000 bytes of
        /// UTF-8. Belongs to the key: a store leaves them as they are.
        public var tags: Set<String>?
        /// For asking a server later whether its bytes are still the right ones. Belongs to the bytes: a store without any
        /// leaves none.
        public var validators: HTTPValidators?
        /// A few words of your own: dimensions, a placeholder's colours. Up to 16 KiB as JSON. Replaces what is there. Belongs to
        /// the bytes: a store without any leaves none.
        public var metadata: [String: String]?
        /// Whether it expires when it was going to, however often it is read and whatever the reads ask for. Otherwise a read with
        /// ``ExpirationExtending/cacheTime``, the default, begins its time anew. Belongs to the bytes: a store that does not say so makes
        /// an entry that reads extend.
        public var keepsExpiration: Bool?

        /// Nothing is said of a member that is left out.
        public init(
            isPinned: Bool? = nil, tags: Set<String>? = nil, validators: HTTPValidators? = nil,
            metadata: [String: String]? = nil, keepsExpiration: Bool? = nil
        ) {
            self.isPinned = isPinned
            self.tags = tags
            self.validators = validators
            self.metadata = metadata
            self.keepsExpiration = keepsExpiration
        }
    }
}

extension DiskStorage.EntryAttributes {
    static let metadataLimit = 16 * 1024
    static let tagLimit = 1_000

    var isEmpty: Bool { self == Self() }

    /// - Throws: ``CacheStorageError`` for what is too much for an index.
    @_spi(HalcyonTool) public func validate() throws {
        for tag in tags ?? [] where tag.isEmpty || tag.utf8.count > Self.tagLimit {
            throw CacheStorageError(
                .invalidAttributes, "A tag is empty or has more than \(Self.tagLimit) bytes.",
                remedy: "Use short words as tags.")
        }
        let texts = [validators?.etag, validators?.lastModified].compactMap { $0?.utf8.count }
        guard try texts.reduce(MetadataText.text(of: metadata ?? [:])?.utf8.count ?? 0, +) <= Self.metadataLimit else {
            throw CacheStorageError(
                .invalidAttributes, "The metadata of one entry have more than \(Self.metadataLimit) bytes.",
                remedy: "Store what is large as an entry of its own.")
        }
    }
}
