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
        /// The image itself and all its variants. An entry of which nobody has said which image it is from is a variant if its
        /// key is this one, or begins with it and an "@".
        public var baseKey: String?
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

        /// The conditions that are given, all of which an entry has to meet.
        public init(
            keyPrefix: String? = nil, text: String? = nil, baseKey: String? = nil, host: String? = nil,
            processorIdentifier: String? = nil, tag: String? = nil, minimumSize: Int64? = nil,
            maximumSize: Int64? = nil, createdAfter: Date? = nil, createdBefore: Date? = nil,
            accessedAfter: Date? = nil, accessedBefore: Date? = nil, expiresBefore: Date? = nil,
            isExpired: Bool? = nil, isPinned: Bool? = nil
        ) {
            self.keyPrefix = keyPrefix
            self.text = text
            self.baseKey = baseKey
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
        rest.baseKey = nil
        rest.host = nil
        return rest.isUnconditional && !isUnconditional
    }

    /// Whether a key meets the conditions on keys.
    func admits(key: String) -> Bool {
        if let keyPrefix, !key.utf8.starts(with: keyPrefix.utf8) { return false }
        if let text, !KeyOrigin.lowercased(key).utf8Contains(KeyOrigin.lowercased(text)) { return false }
        if let host, KeyOrigin.host(ofKey: key) != KeyOrigin.lowercased(host) { return false }
        guard let baseKey else { return true }
        return key.utf8.elementsEqual(baseKey.utf8) || key.utf8.starts(with: "\(baseKey)@".utf8)
    }

    /// Times after which and before which, in milliseconds; both ends belong to the range.
    static func range(after start: Date?, before end: Date?) -> ClosedRange<Int64> {
        let lower = start.map { Timestamp.first(after: $0).milliseconds } ?? .min
        let upper = end.map { Timestamp.first(notBefore: $0).milliseconds - 1 } ?? .max
        return lower <= upper ? lower...upper : .max ... .max
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

extension String {
    /// Byte by byte: letters that are written in two ways are two.
    fileprivate func utf8Contains(_ other: String) -> Bool {
        other.isEmpty || Data(utf8).range(of: Data(other.utf8)) != nil
    }
}
