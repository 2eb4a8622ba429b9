import Foundation
import HalcyonSQLite
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

@Suite(.endsEvenIfItHangs) struct EvictionTests {
    @Test func `nothing is evicted below the limit, and at the limit half of it is kept`() throws {
        try withCache(configure: { $0.sizeLimit = 1_000 }) { cache in
            for seed in 0..<9 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            #expect(try cache.storage.removeSizeExceededValues() == [])
            try cache.storage.store(value: .blob(9), forKey: "9")
            #expect(try cache.storage.removeSizeExceededValues().count == 5)
            #expect(try cache.storage.totalSize() == 500)
        }
    }

    @Test func `the order of uses decides, even within one millisecond`() throws {
        try withCache(configure: { $0.sizeLimit = 2_000 }) { cache in
            // The injected clock stands still.
            for seed in 0..<20 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            var generator = SeededGenerator.ofThisRun
            let used = (0..<20).shuffled(using: &generator)
            for seed in used { _ = try cache.storage.value(forKey: "\(seed)") }
            let removed = try cache.storage.removeSizeExceededValues()
            #expect(removed == used.prefix(10).map { cache.storage.cacheFileURL(forKey: "\($0)") })
        }
    }

    @Test func `an eviction adds up sizes until enough is freed`() throws {
        try withCache(configure: { $0.sizeLimit = 1_000 }) { cache in
            for (key, size) in [("a", 10), ("b", 700), ("c", 20), ("d", 280)] {
                try cache.storage.store(value: .blob(1, count: size), forKey: key)
            }
            let removed = try cache.storage.removeSizeExceededValues()
            #expect(removed == ["a", "b"].map { cache.storage.cacheFileURL(forKey: $0) })
            #expect(try cache.storage.totalSize() == 300)
        }
    }

    @Test func `large evictions run in batches`() throws {
        var tuning = Tuning.patient
        tuning.batchSize = 8
        try withCache(tuning: tuning, configure: { $0.sizeLimit = 5_000 }) { cache in
            for seed in 0..<50 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            #expect(try cache.storage.removeSizeExceededValues().count == 25)
            for seed in 0..<50 { #expect(cache.storage.isCached(forKey: "\(seed)") == (seed >= 25)) }
        }
    }

    @Test func `a missing blob does not stop an eviction`() throws {
        try withCache(configure: { $0.sizeLimit = 1_000 }) { cache in
            for seed in 0..<10 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            try FileManager.default.removeItem(at: cache.storage.cacheFileURL(forKey: "0"))
            #expect(try cache.storage.removeSizeExceededValues().count == 5)
            #expect(try cache.storage.totalSize() == 500)
        }
    }

    @Test func `a blob that cannot be removed stays an entry, and the others are removed`() throws {
        try withCache { cache in
            for seed in 0..<10 {
                try cache.storage.store(value: .blob(seed), forKey: "\(seed)", expiration: .seconds(1))
            }
            cache.clock.advance(by: 2)
            let stuck = cache.storage.cacheFileURL(forKey: "4")
            let trash = "/trash/\(BlobName(text: stuck.lastPathComponent).rowID)."
            cache.fileSystem.fail(.rename, EPERM, times: nil, path: trash)
            #expect(try cache.storage.removeExpiredValues().count == 9)
            #expect(try cache.storage.totalSize() == 100)
            #expect(throws: KingfisherError.self) { try cache.storage.removeExpiredValues() }
            #expect(FileManager.default.fileExists(atPath: stuck.path))
            cache.fileSystem.heal()
            #expect(try cache.storage.removeExpiredValues() == [stuck])
        }
    }

    @Test func `a blob that cannot be removed costs the others of its batch nothing`() throws {
        try withCache(configure: { $0.sizeLimit = 5_000 }) { cache in
            for seed in 0..<100 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            cache.settle()
            let stuck = BlobName(text: cache.storage.cacheFileName(forKey: "0"))
            cache.fileSystem.fail(.rename, EPERM, times: nil, path: "/trash/\(stuck.rowID).")
            let lists = cache.fileSystem.calls(of: .list)
            #expect(try cache.storage.removeSizeExceededValues().count == 75)
            #expect(cache.fileSystem.calls(of: .list) == lists)
            cache.fileSystem.heal()
            #expect(cache.storage.isCached(forKey: "0"))
        }
    }

    @Test func `expired rows that only an index has end a clean`() throws {
        let cache = try CacheFixture()
        try cache.storage.open()
        cache.settle()
        cache.storage.store.close()
        let other = try Connection(path: cache.index.path)
        try other.execute(
            """
            WITH RECURSIVE numbers (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM numbers WHERE id < 10000)
            INSERT INTO entries (id, name, token, size, created_at, rank, expires_at)
            SELECT id, 'a' || id, id, 1, 1, 1, 1 FROM numbers;
            PRAGMA writable_schema = ON;
            CREATE TEMP TABLE hidden AS SELECT * FROM sqlite_master WHERE name LIKE 'entries_by_%';
            DELETE FROM sqlite_master WHERE name LIKE 'entries_by_%';
            PRAGMA writable_schema = RESET;
            DELETE FROM entries;
            PRAGMA writable_schema = ON;
            INSERT INTO sqlite_master SELECT * FROM hidden;
            PRAGMA writable_schema = RESET;
            """)
        let damaged = try other.integer("SELECT count(*) FROM entries INDEXED BY entries_by_rank WHERE pinned = 0")
        #expect(damaged == 10_000)
        cache.reopen()
        _ = try cache.storage.removeExpiredValues()
    }

    @Test func `reads by another process count for evictions`() throws {
        try withCache(configure: { $0.sizeLimit = 200 }) { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            try cache.storage.store(value: .blob(2), forKey: "b")
            cache.clock.advance(by: 1)
            let other = cache.makeStorage()
            _ = try other.value(forKey: "a")
            other.store.close()
            #expect(try cache.storage.removeSizeExceededValues() == [cache.storage.cacheFileURL(forKey: "b")])
        }
    }
}
