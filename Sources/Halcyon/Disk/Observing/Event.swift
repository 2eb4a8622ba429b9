extension DiskStorage {
    /// Something that a storage has done or encountered, for logs and metrics: see ``Config/observer``.
    public struct Event: Sendable {
        /// The kind of an event. Later versions may add kinds, so a switch needs a default.
        public struct Kind: RawRepresentable, Hashable, Sendable {
            /// A word for logs and labels.
            public let rawValue: String
            /// Creates a kind from its word.
            public init(rawValue: String) { self.rawValue = rawValue }

            /// A value was read.
            public static let hit = Kind(rawValue: "hit")
            /// A value was looked for and not found.
            public static let miss = Kind(rawValue: "miss")
            /// A value was stored.
            public static let store = Kind(rawValue: "store")
            /// A caller removed entries.
            public static let removal = Kind(rawValue: "removal")
            /// Entries were removed because the cache was over a limit.
            public static let eviction = Kind(rawValue: "eviction")
            /// Entries were removed because they had expired.
            public static let expiration = Kind(rawValue: "expiration")
            /// A damaged index was set aside, and is being rebuilt from the files.
            public static let repair = Kind(rawValue: "repair")
            /// A call has waited for the index's write lock, which was held elsewhere. Calls that wait together share an event.
            public static let wait = Kind(rawValue: "wait")
            /// A call has thrown ``error``.
            public static let failure = Kind(rawValue: "failure")
        }

        /// What happened.
        public let kind: Kind
        /// The number of entries concerned; 0 if there are none.
        public internal(set) var count = 1
        /// The bytes of their blobs.
        public internal(set) var bytes: Int64 = 0
        /// Seconds: the duration of a ``Kind/wait``; for an ``Kind/eviction``, the time since the last use of each entry, added up.
        public internal(set) var seconds: Double = 0
        /// The key of a lookup, a store or a call of `remove(forKey:)`; nil for all other events, or if ``Config/observesKeys`` is
        /// false.
        public internal(set) var key: String?
        /// Why a call has failed. Contains no key.
        public internal(set) var error: CacheStorageError?
    }
}

extension DiskStorage.Event {
    init(_ removal: Removal, as count: WritableKeyPath<Counts, Int64>) {
        let kind: Kind = count == \.evictions ? .eviction : count == \.expirations ? .expiration : .removal
        self.init(kind: kind, count: removal.entries, bytes: removal.bytes)
        if kind == .eviction { seconds = Double(removal.unused) / 1000 }
    }
}
