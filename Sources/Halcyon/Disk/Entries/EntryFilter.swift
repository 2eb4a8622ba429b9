public import Foundation

extension DiskStorage {
    /// Which entries are meant: those that meet every condition that is set. Without any, all.
    ///
    /// Texts are compared as they are, byte by byte: quotes, `%`, `_` and `*` mean themselves. An entry whose key is not known
    /// meets no condition on keys.
    ///
    /// ```swift
    /// try storage.totals(matching: .init(host: "img.example.com", accessedBefore: .now - 30 * 86_400))
    /// ```
    public struct EntryFilter: Sendable, Hashable {
        /// What keys begin with. Empty is no condition, and refused by a removal.
        public var keyPrefix: String?
        /// What keys contain, in upper or lower case (of the letters A to Z). Empty is no condition, as in a search
        /// field, and refused by a removal.
        public var text: String?
        /// The images with these keys, and all their variants. An entry of which nobody has said which image it is from is a variant
        /// if its key is one of these, or begins with one and an "@". Of none there are none.
        public var baseKeys: [String]?
        /// The server of keys that are addresses, in upper or lower case, without port. No key has an empty one.
        public var host: String?
        /// The processor that has made the variant, by its identifier; empty for images as they were stored.
        public var processorIdentifier: String?
        /// A tag. No entry has an empty one.
        public var tag: String?
        /// Bytes, at least.
        public var minimumSize: Int64?
        /// Bytes, at most.
        public var maximumSize: Int64?
        /// Stored after this moment.
        public var createdAfter: Date?
        /// Stored before this moment.
        public var createdBefore: Date?
        /// Read or stored last after this moment.
        public var accessedAfter: Date?
        /// Read or stored last before this moment.
        public var accessedBefore: Date?
        /// Going to expire before this moment, or expired already. Pinned ones are not.
        public var expiresBefore: Date?
        /// Whether it has expired and is only waiting for the next clean. Pinned ones have not.
        public var isExpired: Bool?
        /// Whether it is pinned.
        public var isPinned: Bool?

        /// All entries.
        public static let all = EntryFilter()

        /// The conditions that are given, all of which an entry has to meet. `baseKey` stands for `baseKeys` with one.
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
    /// An empty text is met by everything: what a search field shows then is not what anybody wants removed.
    func validateForRemoval() throws {
        guard keyPrefix?.isEmpty == true || text?.isEmpty == true else { return }
        throw CacheStorageError(
            .invalidFilter, "What is to be removed is named by an empty text, which all entries have.",
            remedy: "Leave the condition out, or use EntryFilter.all for everything.")
    }

    /// Whether every entry meets it.
    var isUnconditional: Bool { self == .all }

    /// Whether keys alone decide, so that it can be asked of memory too.
    var isAboutKeysAlone: Bool {
        var rest = self
        rest.keyPrefix = nil
        rest.text = nil
        rest.baseKeys = nil
        rest.host = nil
        return rest.isUnconditional && !isUnconditional
    }
}

extension DiskStorage.EntryFilter {
    /// As ``baseKeys``, with one: the image with this key, and all its variants. nil where these are none, or several.
    public var baseKey: String? {
        get { baseKeys?.count == 1 ? baseKeys?.first : nil }
        set { baseKeys = newValue.map { [$0] } }
    }
}

extension Timestamp {
    /// As `Date` compares: with what ``EntryInfo`` shows of a moment, which may differ in the last bit from what it was made of.
    static func first(after date: Date) -> Timestamp {
        let near = Timestamp(date)
        return near.date > date ? near : Timestamp(milliseconds: near.milliseconds + 1)
    }

    static func first(notBefore date: Date) -> Timestamp {
        let near = Timestamp(date)
        return near.date < date ? Timestamp(milliseconds: near.milliseconds + 1) : near
    }
}
