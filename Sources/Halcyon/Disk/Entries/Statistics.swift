public import Foundation

extension DiskStorage {
    /// What a cache has done: in this process since it opened the cache, and in all processes since the cache was created or its
    /// statistics were reset.
    ///
    /// `isCached` is not counted. A crash loses the last ten seconds of ``total``.
    public struct Statistics: Sendable, Hashable {
        /// The numbers counted.
        public struct Counts: Sendable, Hashable {
            /// Values found.
            public var hits: Int64 = 0
            /// Values looked for and not found, including expired ones.
            public var misses: Int64 = 0
            /// Values stored.
            public var stores: Int64 = 0
            /// Entries that callers removed.
            public var removals: Int64 = 0
            /// Entries that were evicted because the cache was over a limit.
            public var evictions: Int64 = 0
            /// Entries that were removed because they had expired.
            public var expirations: Int64 = 0
            /// Bytes of the values found.
            public var bytesRead: Int64 = 0
            /// Bytes of the values stored.
            public var bytesWritten: Int64 = 0
            /// Bytes of the evicted entries.
            public var bytesEvicted: Int64 = 0
            /// Milliseconds since the last use of each evicted entry, added up.
            public var millisecondsUnusedBeforeEviction: Int64 = 0

            /// All zero.
            public init() {}

            /// The fraction of the lookups that were hits, from 0 to 1; nil before the first lookup.
            public var hitRate: Double? {
                // Another program may have edited the index, so a sum of integers may overflow.
                let lookups = Double(hits) + Double(misses)
                return lookups > 0 ? Double(hits) / lookups : nil
            }
        }

        /// The counts of this process, since it opened the cache or last reset its statistics.
        public let sinceOpening: Counts
        /// The counts of all processes.
        public let total: Counts
        /// When the counting of ``total`` began; nil before anything was counted.
        public let since: Date?
    }
}

package typealias Counts = DiskStorage.Statistics.Counts

extension Counts {
    /// In the order of the index's columns.
    static var all: [WritableKeyPath<Counts, Int64>] {
        [
            \.hits, \.misses, \.stores, \.removals, \.evictions, \.expirations, \.bytesRead, \.bytesWritten,
            \.bytesEvicted, \.millisecondsUnusedBeforeEviction,
        ]
    }

    static func + (left: Self, right: Self) -> Self { left.combined(with: right, &+) }
    static func - (left: Self, right: Self) -> Self { left.combined(with: right, &-) }

    private func combined(with other: Self, _ operation: (Int64, Int64) -> Int64) -> Self {
        var result = self
        for path in Self.all { result[keyPath: path] = operation(self[keyPath: path], other[keyPath: path]) }
        return result
    }
}
