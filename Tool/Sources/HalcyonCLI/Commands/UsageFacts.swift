internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// The part of `stats` that says what a cache takes up and what it has done.
struct UsageFacts {
    let usage: DiskStorage.Usage
    let statistics: DiskStorage.Statistics

    init(_ storage: Storage) throws {
        usage = try storage.usage()
        statistics = try storage.statistics
    }

    private var counts: DiskStorage.Statistics.Counts { statistics.total }

    // MARK: Words

    var lines: [(String, String)] {
        [
            ("Allocated", "\(ByteSize(usage.allocatedBytes)), in whole blocks of the volume"),
            ("Pinned", "\(usage.pinned.entries), \(ByteSize(usage.pinned.bytes))"),
            ("Lookups", "\(counts.hits) hits, \(counts.misses) misses\(rate); \(ByteSize(counts.bytesRead)) read"),
            ("Stores", "\(counts.stores), \(ByteSize(counts.bytesWritten)) written"),
            ("Gone", "\(counts.removals) removed, \(counts.evictions) evicted, \(counts.expirations) expired"),
            ("Counted", statistics.since.map { "since \(DateText.local(Timestamp($0)))" } ?? "nothing yet"),
        ]
    }

    private var rate: String {
        counts.hitRate.map { " (\(Int(($0 * 100).rounded())) % hits)" } ?? ""
    }

    var free: String { usage.freeBytes.map { "\(ByteSize($0)) free" } ?? "free space unknown" }

    // MARK: JSON

    var members: [(name: String, value: JSON)] {
        [
            ("allocatedBytes", .integer(usage.allocatedBytes)), ("pinned", usage.pinned.object),
            ("freeBytes", usage.freeBytes.map { .integer($0) } ?? .null), ("statistics", object),
        ]
    }

    private var object: JSON {
        .object([
            "hits": .integer(counts.hits), "misses": .integer(counts.misses),
            "hitRate": counts.hitRate.map { .decimal($0) } ?? .null, "stores": .integer(counts.stores),
            "removals": .integer(counts.removals), "evictions": .integer(counts.evictions),
            "expirations": .integer(counts.expirations), "bytesRead": .integer(counts.bytesRead),
            "bytesWritten": .integer(counts.bytesWritten), "bytesEvicted": .integer(counts.bytesEvicted),
            "millisecondsUnusedBeforeEviction": .integer(counts.millisecondsUnusedBeforeEviction),
            "since": .string(statistics.since.map { DateText.iso8601(Timestamp($0)) }),
        ])
    }
}
