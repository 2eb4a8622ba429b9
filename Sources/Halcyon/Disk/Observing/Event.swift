extension DiskStorage {
    /// Something that a storage has done or met, for logs and metrics: see ``Config/observer``.
    public struct Event: Sendable {
        /// What it was. More may come: a switch needs a default.
        public struct Kind: RawRepresentable, Hashable, Sendable {
            /// A word for logs and labels.
            public let rawValue: String
            /// A kind by its word.
            public init(rawValue: String) { self.rawValue = rawValue }

            /// A value was read.
            public static let hit = Kind(rawValue: "hit")
            /// A value was looked for and not found.
            public static let miss = Kind(rawValue: "miss")
            /// A value was stored.
            public static let store = Kind(rawValue: "store")
            /// You have removed entries.
            public static let removal = Kind(rawValue: "removal")
            /// Entries were removed because the cache was over a limit.
            public static let eviction = Kind(rawValue: "eviction")
            /// Entries were removed because they had expired.
            public static let expiration = Kind(rawValue: "expiration")
            /// A damaged index was set aside, and is built anew from the files.
            public static let repair = Kind(rawValue: "repair")
            /// The index's write lock was held elsewhere, and was waited for.
            public static let wait = Kind(rawValue: "wait")
            /// A call has thrown ``error``.
            public static let failure = Kind(rawValue: "failure")
        }

        /// What it was.
        public let kind: Kind
        /// How many entries it was about; 0 where it was about none.
        public internal(set) var count = 1
        /// Bytes of their blobs.
        public internal(set) var bytes: Int64 = 0
        /// Seconds: of a ``Kind/wait``, how long it took; of an ``Kind/eviction``, how long the entries had been unused, all together.
        public internal(set) var seconds: Double = 0
        /// The key. nil unless ``Config/observesKeys`` is true, and of several entries.
        public internal(set) var key: String?
        /// Why a call has failed, without a key.
        public internal(set) var error: CacheStorageError?
    }
}

extension DiskStorage.Event {
    init(_ kind: Kind, bytes: Int, key: String?) {
        (self.kind, self.bytes, self.key) = (kind, Int64(bytes), key)
    }

    init(_ kind: Kind, _ removal: Removal) {
        (self.kind, count, bytes) = (kind, removal.entries, removal.bytes)
        if kind == .eviction { seconds = Double(removal.unused) / 1000 }
    }

    init(_ kind: Kind, of entries: [Entry]) {
        (self.kind, count, bytes) = (kind, entries.count, entries.reduce(0) { $0 &+ $1.size })
    }

    init(_ kind: Kind, count: Int = 0, seconds: Double = 0, error: CacheStorageError? = nil) {
        (self.kind, self.count, self.seconds, self.error) = (kind, count, seconds, error)
    }
}
