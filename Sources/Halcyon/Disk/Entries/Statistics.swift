public import Foundation

extension DiskStorage {
    /// What a cache has done: for this process since it opened the cache, and for all together since the cache was made or its
    /// statistics were reset.
    ///
    /// `isCached` counts nothing. What was counted in the last ten seconds before a crash is missing from the second.
    public struct Statistics: Sendable, Hashable {
        /// What was counted.
        public struct Counts: Sendable, Hashable {
            /// Values found.
            public var hits: Int64 = 0
            /// Values looked for and not found, those that had expired included.
            public var misses: Int64 = 0
            /// Values stored.
            public var stores: Int64 = 0
            /// Entries that somebody has removed.
            public var removals: Int64 = 0
            /// Entries that were removed for want of room.
            public var evictions: Int64 = 0
            /// Entries that were removed for want of time.
            public var expirations: Int64 = 0
            /// Bytes of the values found.
            public var bytesRead: Int64 = 0
            /// Bytes of the values stored.
            public var bytesWritten: Int64 = 0
            /// Bytes of the entries that were removed for want of room.
            public var bytesEvicted: Int64 = 0
            /// Milliseconds for which these had not been used, all together.
            public var millisecondsUnusedBeforeEviction: Int64 = 0

            /// All zero.
            public init() {}

            /// The part of the lookups that were hits, from 0 to 1; nil before the first one.
            public var hitRate: Double? {
                // Anybody may have edited the index: the sum of two numbers may be none.
                let lookups = Double(hits) + Double(misses)
                return lookups > 0 ? Double(hits) / lookups : nil
            }
        }

        /// Of this process.
        public let sinceOpening: Counts
        /// Of all processes.
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
