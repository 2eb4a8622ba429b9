import Foundation
import HalcyonSQLite
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// The index records the time before which nothing expires, so that cleans can skip the search.
@Suite struct EarliestExpiryTests {
    private func noted(_ cache: CacheFixture) throws -> [String] {
        try Connection(path: cache.index.path, access: .queryOnly).texts(
            "SELECT earliest_expiry || ' ' || (expiry_scan IS NULL) FROM totals")
    }

    private func earliest(_ cache: CacheFixture) throws -> Int64 {
        try #require(try Int64(noted(cache)[0].split(separator: " ")[0]))
    }

    /// The number of removed entries, and of commits that the clean took.
    private func removeExpired(_ cache: CacheFixture) throws -> (removed: Int, commits: Int) {
        cache.settle()
        let before = cache.commitCount
        return (try cache.storage.removeExpiredValues().count, cache.commitCount - before)
    }

    @Test func `while nothing can have expired, a clean reads and writes nothing`() throws {
        try withCache { cache in
            #expect(try noted(cache) == ["\(Int64.max) 1"])
            try cache.storage.store(value: .blob(1), forKey: "never", expiration: .never)
            #expect(try earliest(cache) == .max)
            try cache.storage.store(value: .blob(1), forKey: "a", expiration: .seconds(100))
            #expect(try earliest(cache) == cache.clock.now.milliseconds + 100_000)
            cache.clock.advance(by: 99)
            let (removed, commits) = try removeExpired(cache)
            #expect(removed == 0 && commits == 0)
            #expect(try cache.storage.usage().expired.entries == 0)
        }
    }

    @Test func `a scan moves the earliest expiry to the next expiration`() throws {
        try withCache { cache in
            for seconds in [10, 20, 1_000] {
                try cache.storage.store(value: .blob(1), forKey: "\(seconds)", expiration: .seconds(Double(seconds)))
            }
            let next = cache.clock.now.milliseconds + 1_000_000
            cache.clock.advance(by: 30)
            #expect(try removeExpired(cache).removed == 2)
            #expect(try noted(cache) == ["\(next) 1"])
            #expect(try removeExpired(cache) == (0, 0))
        }
    }

    /// Finding expired entries among a million takes longer than removing a batch of them.
    @Test func `a clean in batches looks for expired entries again only once it has removed those that it has found`()
        throws
    {
        try withCache { cache in
            cache.environment.tuning.batchSize = 4
            cache.reopen()
            for number in 0..<10 {
                try cache.storage.store(value: .blob(number), forKey: "\(number)", expiration: .seconds(10))
            }
            try cache.storage.store(value: .blob(1), forKey: "later", expiration: .seconds(20))
            cache.clock.advance(by: 15)
            var found: [Int64] = []
            func removeBatch() throws -> Int {
                let evictor = cache.storage.store.evictor
                return try evictor.removeExpired(at: evictor.now, found: &found) { $0.entries == 0 }.entries
            }
            #expect(try removeBatch() == 4)
            #expect(found.count == 6)
            cache.clock.advance(by: 10)
            #expect(try removeBatch() == 4)
            #expect(found.count == 2)
            // What has changed since stays, and the others are found nevertheless.
            for number in 0..<10 where cache.storage.isCached(forKey: "\(number)", referenceDate: .distantPast) {
                try cache.storage.store(value: .blob(number), forKey: "\(number)", expiration: .seconds(10))
            }
            #expect(try removeBatch() == 1)
            #expect(!cache.storage.isCached(forKey: "later", referenceDate: .distantPast))
            #expect(try removeBatch() == 0)
            #expect(try cache.storage.totals().entries == 2)
            cache.clock.advance(by: 11)
            #expect(try removeBatch() == 2)
            #expect(try cache.storage.totals().entries == 0)
        }
    }

    @Test func `a shortened expiration lowers the earliest expiry`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a", expiration: .seconds(1_000))
            _ = try cache.storage.value(forKey: "a", extendingExpiration: .expirationTime(.seconds(10)))
            cache.storage.store.flushAccessLogNow()
            #expect(try earliest(cache) <= cache.clock.now.milliseconds + 10_000)
            cache.clock.advance(by: 11)
            #expect(try removeExpired(cache).removed == 1)
        }
    }

    @Test func `an unpinned entry expires again`() throws {
        try withCache { cache in
            try cache.storage.store(
                value: .blob(1), forKey: "a", expiration: .seconds(10), attributes: .init(isPinned: true))
            cache.clock.advance(by: 20)
            #expect(try removeExpired(cache).removed == 0)
            #expect(try earliest(cache) == .max)
            #expect(try cache.storage.update(.init(isPinned: false), forKey: "a"))
            #expect(try removeExpired(cache).removed == 1)
        }
    }

    /// A store after the scan has read the entries and before it records its result.
    @Test func `a store during a scan is not overlooked`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a", expiration: .seconds(10))
            cache.clock.advance(by: 20)
            let other = cache.makeStorage()
            var isFirst = true
            _ = try cache.storage.removeExpired { _ in
                if isFirst { try? other.store(value: .blob(2), forKey: "b", expiration: .seconds(5)) }
                isFirst = false
                return true
            }
            #expect(try noted(cache) == ["\(cache.clock.now.milliseconds + 5_000) 1"])
            cache.clock.advance(by: 6)
            #expect(try removeExpired(cache).removed == 1)
        }
    }

    @Test func `the result of an interrupted scan is not trusted`() throws {
        try withCache { cache in
            for key in ["a", "b"] { try cache.storage.store(value: .blob(1), forKey: key, expiration: .seconds(10)) }
            cache.clock.advance(by: 20)
            try cache.storage.store.index.write { try $0.beginExpiryScan(5) }
            #expect(try noted(cache)[0].hasSuffix(" 0"))
            #expect(try cache.storage.usage().expired.entries == 2)
            #expect(try removeExpired(cache).removed == 2)
        }
    }

    /// Another process begins a scan while the first one reads, so the result of the first one may be out of date.
    @Test func `the result of an overtaken scan is not recorded`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a", expiration: .seconds(100))
            try cache.storage.store.index.write { session in
                try session.beginExpiryScan(1)
                try session.beginExpiryScan(2)
                try session.endExpiryScan(1, next: .max)
            }
            #expect(try noted(cache)[0].hasSuffix(" 0"))
            try cache.storage.store(value: .blob(1), forKey: "b", expiration: .seconds(10))
            try cache.storage.store.index.write { try $0.endExpiryScan(2, next: $0.nextExpiry()) }
            #expect(try noted(cache) == ["\(cache.clock.now.milliseconds + 10_000) 1"])
        }
    }

    /// As a clean does that pauses after each batch.
    @Test func `a removal that was stopped continues where it stopped`() throws {
        try withCache { cache in
            for seed in 0..<300 {
                try cache.storage.store(value: .blob(1), forKey: "\(seed)", expiration: .seconds(10))
            }
            cache.clock.advance(by: 20)
            var removed = 0
            var calls = 0
            while removed < 300, calls < 100 {
                removed += try cache.storage.removeExpired { $0.entries == 0 }.entries
                calls += 1
            }
            #expect(removed == 300 && calls > 1)
            #expect(try cache.storage.removeExpired { _ in true }.entries == 0)
            #expect(try noted(cache) == ["\(Int64.max) 1"])
        }
    }

    @Test(arguments: [
        "UPDATE totals SET earliest_expiry = 9223372036854775807", "UPDATE totals SET earliest_expiry = NULL",
        "UPDATE totals SET earliest_expiry = 'x'", "DROP TRIGGER entries_expire_earlier",
    ])
    func `a wrong earliest expiry delays expirations by a day at most`(edit: String) throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a", expiration: .seconds(10))
            cache.settle()
            try cache.storage.store.index.write { try $0.execute(edit) }
            cache.clock.advance(by: 2 * 86_400)
            cache.reopen()
            _ = try cache.storage.totalSize()
            cache.settle()
            #expect(try removeExpired(cache).removed == 1)
            _ = try cache.storage.check(repair: true)
        }
    }

    @Test func `no read extends an expiration without a time to live`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a", expiration: .seconds(100))
            try cache.storage.store.index.write { try $0.execute("UPDATE entries SET time_to_live = NULL") }
            for extending: ExpirationExtending in [.cacheTime, .expirationTime(.days(9)), .none] {
                #expect(try cache.storage.value(forKey: "a", extendingExpiration: extending) == .blob(1))
            }
            cache.storage.store.flushAccessLogNow()
            cache.clock.advance(by: 101)
            #expect(try cache.storage.value(forKey: "a") == nil)
            #expect(try removeExpired(cache).removed == 1)
        }
    }

    @Test func `an expiration without a time to live stays when the clock is put back`() throws {
        try withCache(configure: { $0.sizeLimit = 50 }) { cache in
            cache.clock.set(by: 1_000)
            try cache.storage.store(value: .blob(1), forKey: "a", expiration: .seconds(100))
            try cache.storage.store.index.write { try $0.execute("UPDATE entries SET time_to_live = NULL, pinned = 1") }
            try cache.storage.store.index.write { try $0.execute("UPDATE entries SET pinned = 0") }
            cache.clock.set(by: -1_000)
            _ = try cache.storage.removeExpiredValues()
            let index = try Connection(path: cache.index.path, access: .queryOnly)
            #expect(try index.integer("SELECT count(expires_at) FROM entries") == 1)
        }
    }
}
