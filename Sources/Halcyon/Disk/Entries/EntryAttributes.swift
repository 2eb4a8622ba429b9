extension DiskStorage {
    /// Attributes of an entry, besides its bytes. In an update, a nil member changes nothing. In a store, the effect of nil is
    /// described at each member.
    public struct EntryAttributes: Sendable, Hashable {
        /// Whether cleaning passes over the entry: it is not evicted and does not expire, but counts in totals. The system may
        /// still purge the Caches directory. Belongs to the key: a store leaves it as it is.
        public var isPinned: Bool?
        /// Tags: words by which you can find the entry, for example a user's name. They replace the existing tags. Each has 1 to
        /// 1000 bytes of UTF-8. Belongs to the key: a store leaves them as they are. Always use the same Unicode form: to a set,
        /// two forms of a text are equal, but a filter compares bytes.
        public var tags: Set<String>?
        /// HTTP validators, for asking the server later whether the bytes are still current. They belong to the bytes: a store
        /// without validators removes them.
        public var validators: HTTPValidators?
        /// Your own metadata, for example dimensions or the colors of a placeholder. Up to 16 KiB as JSON, including the texts of
        /// the validators. Replaces the existing metadata. Belongs to the bytes: a store without metadata removes them.
        public var metadata: [String: String]?
        /// Whether reads leave the expiration as it is, whatever they ask for. Otherwise a read with
        /// ``ExpirationExtending/cacheTime``, the default, restarts the time to live. Belongs to the bytes: a store without it uses
        /// ``Config/keepsExpiration``. An entry that never expires has no expiration to keep: a read with
        /// ``ExpirationExtending/expirationTime(_:)`` gives it one.
        public var keepsExpiration: Bool?

        /// Leave out the members that you do not want to change.
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

    /// - Throws: ``CacheStorageError`` for an empty tag, or for attributes that are too long.
    @_spi(HalcyonTool) public func validate() throws {
        for tag in tags ?? [] where tag.isEmpty || tag.utf8.count > Self.tagLimit {
            throw CacheStorageError(
                .invalidAttributes, "A tag is empty or has more than \(Self.tagLimit) bytes.",
                remedy: "Use short words as tags.")
        }
        let texts = [validators?.etag, validators?.lastModified].compactMap { $0?.utf8.count }
        guard try texts.reduce(MetadataText.text(of: metadata ?? [:])?.utf8.count ?? 0, +) <= Self.metadataLimit else {
            throw CacheStorageError(
                .invalidAttributes,
                "The metadata and validators of an entry have more than \(Self.metadataLimit) bytes.",
                remedy: "Store large data as a separate entry.")
        }
    }
}
