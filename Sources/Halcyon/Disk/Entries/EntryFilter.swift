public import Foundation

extension DiskStorage {
    /// Selects the entries that match all conditions that are set; without any, all entries.
    ///
    /// Texts are compared byte by byte. Quotes, `%`, `_` and `*` have no special meaning. An entry whose key is unknown matches no
    /// condition on keys.
    ///
    /// ```swift
    /// try storage.totals(matching: .init(host: "img.example.com", accessedBefore: .now - 30 * 86_400))
    /// ```
    public struct EntryFilter: Sendable, Hashable {
        /// What keys begin with. An empty text matches all entries, and removals refuse it.
        public var keyPrefix: String?
        /// What keys contain, ignoring the case of the letters A to Z. An empty text matches all entries, as in a search field, and
        /// removals refuse it.
        public var text: String?
        /// The images with these keys, and all their variants. An entry whose image is unknown is a variant if its key is one of
        /// these, or begins with one and an "@". An empty array matches nothing.
        public var baseKeys: [String]?
        /// The host of keys that are URLs, ignoring case, without the port. An empty one matches nothing.
        public var host: String?
        /// The identifier of the processor that made the variant; empty for images as they were stored.
        public var processorIdentifier: String?
        /// A tag. An empty one matches nothing.
        public var tag: String?
        /// The smallest size, in bytes.
        public var minimumSize: Int64?
        /// The largest size, in bytes.
        public var maximumSize: Int64?
        /// Stored after this moment.
        public var createdAfter: Date?
        /// Stored before this moment.
        public var createdBefore: Date?
        /// Last read or stored after this moment.
        public var accessedAfter: Date?
        /// Last read or stored before this moment.
        public var accessedBefore: Date?
        /// Expires before this moment, or has expired already. Never matches pinned entries.
        public var expiresBefore: Date?
        /// Whether it has expired and waits for the next clean. Pinned entries are never expired.
        public var isExpired: Bool?
        /// Whether it is pinned.
        public var isPinned: Bool?

        /// All entries.
        public static let all = EntryFilter()

        /// Creates a filter for entries that match all given conditions. `baseKey` stands for `baseKeys` with one key.
        public init(
            keyPrefix: String? = nil, text: String? = nil, baseKey: String? = nil, host: String? = nil,
            processorIdentifier: String? = nil, tag: String? = nil, minimumSize: Int64? = nil,
            maximumSize: Int64? = nil, createdAfter: Date? = nil, createdBefore: Date? = nil,
            accessedAfter: Date? = nil, accessedBefore: Date? = nil, expiresBefore: Date? = nil,
            isExpired: Bool? = nil, isPinned: Bool? = nil, baseKeys: [String]? = nil
        ) {
            self.keyPrefix = keyPrefix
            self.text = text
            self.baseKeys = baseKey.map { [$0] } ?? baseKeys
            self.host = host
            self.processorIdentifier = processorIdentifier
            self.tag = tag
            self.minimumSize = minimumSize
            self.maximumSize = maximumSize
            self.createdAfter = createdAfter
            self.createdBefore = createdBefore
            self.accessedAfter = accessedAfter
            self.accessedBefore = accessedBefore
            self.expiresBefore = expiresBefore
            self.isExpired = isExpired
            self.isPinned = isPinned
        }
    }
}

extension DiskStorage.EntryFilter {
    /// Throws if a text is empty, because every entry matches it. A search field shows all entries then, but a removal must not take them.
    func validateForRemoval() throws {
        guard keyPrefix?.isEmpty == true || text?.isEmpty == true else { return }
        throw CacheStorageError(
            .invalidFilter, "The filter of a removal has an empty text, which every entry matches.",
            remedy: "Leave that condition out, or use EntryFilter.all to remove everything.")
    }

    /// Whether a later use, and the lifetime after it, still meet the conditions that a use can end.
    func admits(accessedAt: Timestamp, _ lifetime: Lifetime, at now: Timestamp) -> Bool {
        if let accessedBefore, accessedAt >= .first(notBefore: accessedBefore) { return false }
        if isExpired == true, !lifetime.isExpired(at: now) { return false }
        guard let expiresBefore else { return true }
        return lifetime.expiresAt.map { $0 < .first(notBefore: expiresBefore) } ?? false
    }

    /// Whether every entry matches.
    var isUnconditional: Bool { self == .all }

    /// Whether all its conditions are about keys, so that it also applies to images in memory.
    var isAboutKeysAlone: Bool {
        !isUnconditional && self == Self(keyPrefix: keyPrefix, text: text, host: host, baseKeys: baseKeys)
    }
}

extension DiskStorage.EntryFilter {
    /// ``baseKeys`` with one key: the image with this key, and all its variants. nil if there are none, or several.
    public var baseKey: String? {
        get { baseKeys?.count == 1 ? baseKeys?.first : nil }
        set { baseKeys = newValue.map { [$0] } }
    }
}

extension Timestamp {
    /// Compares like `Date`, with the date that ``EntryInfo`` shows. That date may differ in the last bit from the original one.
    static func first(after date: Date) -> Timestamp {
        // Nothing is after a date that is not a number.
        guard date == date else { return .latest }
        let near = Timestamp(date)
        return near.date > date ? near : Timestamp(milliseconds: near.milliseconds + 1)
    }

    static func first(notBefore date: Date) -> Timestamp {
        let near = Timestamp(date)
        return near.date < date ? Timestamp(milliseconds: near.milliseconds + 1) : near
    }
}
