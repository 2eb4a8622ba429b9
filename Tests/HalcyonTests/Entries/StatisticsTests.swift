import Foundation
import HalcyonSQLite
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

@Suite struct StatisticsTests {
    @Test func `counts that are taken over keep the date at which their counting began`() throws {
        try withCache { cache in
            func since(adding time: Int64) throws -> Int64? {
                try cache.storage.store.index.write { session in
                    try session.add(Counts(), at: Timestamp(milliseconds: time))
                    return try session.statistics().since?.milliseconds
                }
            }
            try #expect(since(adding: 2_000) == 2_000)
            try #expect(since(adding: 3_000) == 2_000)
            try #expect(since(adding: 1_000) == 1_000)
        }
    }

    @Test func `every event is counted once and under its kind`() throws {
        try withCache(configure: { $0.sizeLimit = 500 }) { cache in
            for seed in 0..<6 {
                try cache.storage.store(value: .blob(seed), forKey: "\(seed)", expiration: .seconds(seed < 1 ? 5 : 100))
            }
            for key in ["0", "1", "1"] { _ = try cache.storage.value(forKey: key) }
            #expect(try cache.storage.value(forKey: "none") == nil && !cache.storage.isCached(forKey: "none"))
            cache.clock.advance(by: 10)
            #expect(try cache.storage.value(forKey: "0") == nil)
            #expect(try cache.storage.removeExpiredValues().count == 1)
            #expect(try cache.storage.removeSizeExceededValues().count == 3)
            try cache.storage.remove(forKey: "1")
            try cache.storage.remove(forKey: "1")
            var expected = counts(
                hits: 3, misses: 2, stores: 6, removals: 1, evictions: 3, expirations: 1, read: 300, written: 600)
            // Each ten seconds after its store; stamps run some milliseconds ahead.
            expected.bytesEvicted = 300
            let unused = try cache.storage.statistics.total.millisecondsUnusedBeforeEviction
            #expect((29_700...30_000).contains(unused))
            expected.millisecondsUnusedBeforeEviction = unused
            var statistics = try cache.storage.statistics
            #expect(statistics.sinceOpening == expected && statistics.total == expected)
            let since = try #require(statistics.since)
            #expect(since <= cache.clock.now.date && expected.hitRate == 0.6)
            try cache.storage.removeAll()
            statistics = try cache.storage.statistics
            #expect(statistics.total.removals == 2)
        }
    }

    private func counts(
        hits: Int64 = 0, misses: Int64 = 0, stores: Int64 = 0, removals: Int64 = 0, evictions: Int64 = 0,
        expirations: Int64 = 0, read: Int64 = 0, written: Int64 = 0
    ) -> Counts {
        var counts = Counts()
        (counts.hits, counts.misses, counts.stores, counts.removals) = (hits, misses, stores, removals)
        (counts.evictions, counts.expirations) = (evictions, expirations)
        (counts.bytesRead, counts.bytesWritten) = (read, written)
        return counts
    }

    @Test func `counts of earlier launches and of other processes are part of the total`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.reopen()
            _ = try cache.storage.value(forKey: "a")
            let other = cache.makeStorage()
            _ = try other.value(forKey: "b")
            other.store.close()
            let statistics = try cache.storage.statistics
            #expect(statistics.sinceOpening == counts(hits: 1, read: 100))
            #expect(statistics.total == counts(hits: 1, misses: 1, stores: 1, read: 100, written: 100))
        }
    }

    @Test func `a reset clears all counts, and pending ones are not added afterwards`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.clock.advance(by: 1)
            try cache.storage.resetStatistics()
            let statistics = try cache.storage.statistics
            #expect(statistics.total == Counts() && statistics.sinceOpening == Counts())
            #expect(statistics.since == cache.clock.now.date && statistics.total.hitRate == nil)
            _ = try cache.storage.value(forKey: "a")
            #expect(try cache.storage.statistics.total == counts(hits: 1, read: 100))
        }
    }

    @Test func `an entry's hits are counted and merged, and a store resets them`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            for _ in 0..<3 { _ = try cache.storage.value(forKey: "a") }
            _ = cache.storage.isCached(forKey: "a")
            #expect(try cache.storage.entry(forKey: "a")?.hits == 3)
            for _ in 0..<2 { _ = try cache.makeStorage().value(forKey: "a") }
            cache.storage.store.flushAccessLogNow()
            _ = try cache.storage.value(forKey: "a")
            cache.reopen()
            cache.settle()
            #expect(try cache.storage.entry(forKey: "a")?.hits ?? 0 >= 4)
            try cache.storage.store(value: .blob(2), forKey: "a")
            #expect(try cache.storage.entry(forKey: "a")?.hits == 0)
        }
    }

    @Test func `a refused write loses no count`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            _ = try cache.storage.value(forKey: "a")
            cache.settle()
            cache.refuseCommits(times: 2)
            _ = try cache.storage.value(forKey: "a")
            cache.storage.store.flushAccessLogNow()
            cache.storage.store.flushAccessLogNow()
            #expect(try cache.storage.statistics.total.hits == 2)
            #expect(try cache.storage.entry(forKey: "a")?.hits == 2)
            #expect(try Connection(path: cache.index.path).integer("SELECT hits FROM statistics") == 2)
        }
    }

    @Test func `concurrent threads count correctly`() throws {
        try withCache { cache in
            for seed in 0..<8 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            DispatchQueue.concurrentPerform(iterations: 8) { thread in
                for turn in 0..<100 {
                    _ = try? cache.storage.value(forKey: turn % 4 == 0 ? "none" : "\(thread)")
                    if turn % 10 == 0 { cache.storage.store.flushAccessLogNow() }
                }
            }
            let total = try cache.storage.statistics.total
            #expect(total.hits == 600 && total.misses == 200 && total.bytesRead == 60_000)
            let entries = try cache.storage.entries().entries
            #expect(entries.map(\.hits).reduce(0, +) == 600)
        }
    }

    @Test func `the usage has logical and allocated bytes`() throws {
        try withCache { cache in
            for seed in 0..<3 { try cache.storage.store(value: .blob(seed, count: 5_000), forKey: "\(seed)") }
            cache.fileSystem.pretend(freeBytes: 12_345)
            var usage = try cache.storage.usage()
            #expect(usage.total == Totals(entries: 3, bytes: 15_000) && usage.freeBytes == 12_345)
            #expect(usage.allocatedBytes >= 15_000)
            let index = try cache.index.resourceValues(forKeys: [.fileSizeKey]).fileSize
            #expect(usage.indexBytes == Int64(index ?? 0) && usage.indexBytes > 0 && usage.logBytes > 0)
            let allocated = try (0..<3).map { seed in
                try cache.fileSystem.status(at: cache.storage.cacheFileURL(forKey: "\(seed)").path).allocatedSize
            }
            #expect(usage.allocatedBytes == allocated.reduce(0, +))
            #expect(try cache.storage.entry(forKey: "0")?.allocatedSize == allocated[0])
            try cache.storage.store(value: .blob(1, count: 1), forKey: "0")
            try cache.storage.remove(forKey: "1")
            usage = try cache.storage.usage()
            let left = try ["0", "2"].map { key in
                try cache.fileSystem.status(at: cache.storage.cacheFileURL(forKey: key).path).allocatedSize
            }
            #expect(usage.allocatedBytes == left.reduce(0, +))
            cache.fileSystem.fail(.freeBytes, EIO, times: nil)
            #expect(try cache.storage.usage().freeBytes == nil)
        }
    }

    @Test func `reads are counted once even if only some could be written`() throws {
        var tuning = Tuning.patient
        tuning.flushBatchSize = 4
        tuning.flushCount = 1_000
        try withCache(tuning: tuning) { cache in
            for seed in 0..<12 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            cache.storage.store.flushAccessLogNow()
            let keys = try cache.storage.entries().entries.compactMap(\.key)
            for key in keys { _ = try cache.storage.value(forKey: key) }
            // The statistics and the first batch are written.
            cache.refuseCommits(after: 2, ofAccessLog: true)
            cache.storage.store.flushAccessLogNow()
            cache.storage.store.flushAccessLogNow()
            #expect(try cache.storage.entries().entries.map(\.hits) == Array(repeating: 1, count: 12))
        }
    }

    @Test func `counts survive a removal of everything`() throws {
        try withCache { cache in
            for seed in 0..<3 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            _ = try cache.storage.value(forKey: "nothing")
            try cache.storage.removeAll()
            let counts = try cache.storage.statistics
            #expect(
                counts.sinceOpening.stores == 3 && counts.sinceOpening.misses == 1 && counts.sinceOpening.removals == 3)
            #expect(counts.total.stores == 3 && counts.total.misses == 1)
        }
    }
}
