internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// The part of `stats` about disk usage and activity.
struct UsageFacts {
    let usage: DiskStorage.Usage
    let statistics: DiskStorage.Statistics

    init(_ storage: Storage) throws {
        usage = try storage.usage()
        statistics = try storage.statistics
    }

    private var counts: DiskStorage.Statistics.Counts { statistics.total }

    // MARK: Text

    var lines: [(String, String)] {
        [
            ("Allocated", "\(ByteSize(usage.allocatedBytes)), in whole blocks of the volume"),
            ("Pinned", "\(usage.pinned.entries), \(ByteSize(usage.pinned.bytes))"),
            ("Lookups", "\(counts.hits) hits, \(counts.misses) misses\(rate); \(ByteSize(counts.bytesRead)) read"),
            ("Stores", "\(counts.stores), \(ByteSize(counts.bytesWritten)) written"),
            ("Removals", "\(counts.removals) removed, \(counts.evictions) evicted, \(counts.expirations) expired"),
            ("Counted", statistics.since.map { "since \(DateText.local(Timestamp($0)))" } ?? "no activity yet"),
        ]
    }

    private var rate: String {
        counts.hitRate.map { " (\(Figure.rate($0)) hits)" } ?? ""
    }

    var free: String { usage.freeBytes.map { "\(ByteSize($0)) free" } ?? "free space unknown" }

    // MARK: JSON

    var members: [(name: String, value: JSON)] {
        [
            ("allocated_bytes", .integer(usage.allocatedBytes)), ("pinned", usage.pinned.object),
            ("free_bytes", usage.freeBytes.map { .integer($0) } ?? .null), ("statistics", object),
        ]
    }

    private var object: JSON {
        .object([
            "hits": .integer(counts.hits), "misses": .integer(counts.misses),
            "hit_rate": counts.hitRate.map { .decimal($0) } ?? .null, "stores": .integer(counts.stores),
            "removals": .integer(counts.removals), "evictions": .integer(counts.evictions),
            "expirations": .integer(counts.expirations), "bytes_read": .integer(counts.bytesRead),
            "bytes_written": .integer(counts.bytesWritten), "bytes_evicted": .integer(counts.bytesEvicted),
            "milliseconds_unused_before_eviction": .integer(counts.millisecondsUnusedBeforeEviction),
            "since": .string(statistics.since.map { DateText.iso8601(Timestamp($0)) }),
        ])
    }
}
