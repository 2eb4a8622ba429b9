import Foundation
@_spi(HalcyonTool) import Halcyon
import HalcyonTestSupport
import Testing

/// Entries expire, are extended, and survive clock changes. No test sleeps: the clock is injected.
@Suite struct ExpirationTests {
    private static let day: Double = 86_400

    @Test func `an entry expires when its time has come and not before`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a", expiration: .seconds(10))
            cache.clock.advance(by: 9.999)
            #expect(cache.storage.isCached(forKey: "a"))
            cache.clock.advance(by: 0.001)
            #expect(!cache.storage.isCached(forKey: "a"))
            #expect(try cache.storage.value(forKey: "a") == nil)
            #expect(try cache.storage.totalSize() == 100)
        }
    }

    @Test func `cleaning removes expired entries and returns their file URLs`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "short", expiration: .seconds(5))
            try cache.storage.store(value: .blob(2), forKey: "long", expiration: .seconds(50))
            try cache.storage.store(value: .blob(3), forKey: "never", expiration: .never)
            cache.clock.advance(by: 10)
            #expect(try cache.storage.removeExpiredValues() == [cache.storage.cacheFileURL(forKey: "short")])
            #expect(try cache.storage.removeExpiredValues() == [])
            #expect(try cache.storage.totalSize() == 200)
        }
    }

    @Test(arguments: [
        StorageExpiration.expired, .seconds(0), .seconds(-1), .seconds(-1e300), .seconds(.nan), .days(0), .days(-3),
        .days(.min), .date(.distantPast), .date(Date(timeIntervalSinceNow: -60)),
    ])
    func `storing an expired value does nothing and succeeds`(expiration: StorageExpiration) throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a", expiration: expiration)
            #expect(!cache.storage.isCached(forKey: "a"))
            #expect(try cache.storage.totalSize() == 0)
        }
    }

    @Test(arguments: [
        StorageExpiration.never, .seconds(.infinity), .seconds(1e300), .days(.max), .date(.distantFuture),
        .days(365 * 100),
    ])
    func `very long expirations survive relaunches`(expiration: StorageExpiration) throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a", expiration: expiration)
            for _ in 0..<3 {
                cache.clock.advance(by: 10 * 365 * Self.day)
                cache.reopen()
                #expect(cache.storage.isCached(forKey: "a"))
                #expect(try cache.storage.removeExpiredValues() == [])
                #expect(try cache.storage.value(forKey: "a") == .blob(1))
            }
        }
    }

    @Test func `by default, a read restarts the time to live`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a", expiration: .seconds(10))
            for _ in 0..<5 {
                cache.clock.advance(by: 9)
                #expect(try cache.storage.value(forKey: "a") == .blob(1))
            }
            cache.clock.advance(by: 10)
            #expect(try cache.storage.value(forKey: "a") == nil)
        }
    }

    @Test func `a thousand reads extend the expiration only once`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a", expiration: .seconds(10))
            for _ in 0..<1_000 { _ = try cache.storage.value(forKey: "a") }
            cache.reopen()
            cache.clock.advance(by: 10)
            #expect(!cache.storage.isCached(forKey: "a"))
        }
    }

    @Test func `a value is valid at any date before its expiration, and not at that`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a", expiration: .seconds(2))
            let end = cache.clock.now.date.addingTimeInterval(2)
            #expect(cache.storage.isCached(forKey: "a", referenceDate: end.addingTimeInterval(-0.0004)))
            #expect(!cache.storage.isCached(forKey: "a", referenceDate: end))
        }
    }

    /// As when the system stops the process in the middle of a call.
    @Test func `a long read does not shorten the life of what another process stores meanwhile`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a", expiration: .seconds(1))
            let other = cache.makeStorage()
            defer { other.close() }
            let (blob, isStopped) = (cache.storage.cacheFileURL(forKey: "a").path, Locked(true))
            cache.fileSystem.observe { call, path in
                guard call == .openForReading, path == blob, isStopped.replace(with: false) else { return }
                cache.clock.advance(by: 5)
                try? other.store(value: .blob(2), forKey: "a", expiration: .seconds(2))
            }
            #expect(try cache.storage.value(forKey: "a") == .blob(2))
            cache.fileSystem.observe(nil)
            cache.clock.advance(by: 1)
            #expect(try cache.storage.value(forKey: "a") == .blob(2))
        }
    }

    @Test func `extending by none leaves the expiration and counts as an access`() throws {
        try withCache(configure: { $0.sizeLimit = 200 }) { cache in
            try cache.storage.store(value: .blob(1), forKey: "old", expiration: .seconds(10))
            try cache.storage.store(value: .blob(2), forKey: "new", expiration: .seconds(10))
            cache.clock.advance(by: 5)
            _ = try cache.storage.value(forKey: "old", extendingExpiration: .none)
            #expect(try cache.storage.removeSizeExceededValues() == [cache.storage.cacheFileURL(forKey: "new")])
            cache.clock.advance(by: 5)
            #expect(!cache.storage.isCached(forKey: "old"))
        }
    }

    @Test func `extending by another expiration replaces the duration`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a", expiration: .seconds(10))
            _ = try cache.storage.value(forKey: "a", extendingExpiration: .expirationTime(.seconds(100)))
            cache.reopen()
            cache.clock.advance(by: 99)
            #expect(cache.storage.isCached(forKey: "a"))
            _ = try cache.storage.value(forKey: "a")
            cache.clock.advance(by: 99)
            #expect(cache.storage.isCached(forKey: "a"))
            _ = try cache.storage.value(forKey: "a", extendingExpiration: .expirationTime(.expired))
            #expect(!cache.storage.isCached(forKey: "a"))
        }
    }

    @Test func `a read extends an expiration date by its original duration`() throws {
        try withCache { cache in
            let end = cache.clock.now.date.addingTimeInterval(20)
            try cache.storage.store(value: .blob(1), forKey: "a", expiration: .date(end))
            cache.clock.advance(by: 15)
            _ = try cache.storage.value(forKey: "a")
            cache.clock.advance(by: 15)
            #expect(cache.storage.isCached(forKey: "a"))
            cache.clock.advance(by: 5)
            #expect(!cache.storage.isCached(forKey: "a"))
        }
    }

    @Test func `isCached does not extend`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a", expiration: .seconds(10))
            cache.clock.advance(by: 9)
            #expect(cache.storage.isCached(forKey: "a"))
            cache.clock.advance(by: 1)
            #expect(!cache.storage.isCached(forKey: "a"))
        }
    }

    @Test func `isCached accepts another reference date`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a", expiration: .seconds(10))
            let now = cache.clock.now.date
            #expect(cache.storage.isCached(forKey: "a", referenceDate: now.addingTimeInterval(9)))
            #expect(!cache.storage.isCached(forKey: "a", referenceDate: now.addingTimeInterval(11)))
        }
    }

    @Test func `another process sees an extension before the old expiration`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a", expiration: .seconds(5))
            let other = cache.makeStorage()
            _ = try cache.storage.value(forKey: "a", extendingExpiration: .expirationTime(.days(1)))
            cache.settle()
            cache.clock.advance(by: 6)
            #expect(other.isCached(forKey: "a"))
        }
    }

    @Test func `when the clock jumps back, entries are neither lost nor kept forever`() throws {
        try withCache(configure: { $0.sizeLimit = 300 }) { cache in
            cache.clock.advance(by: 10 * Self.day)
            try cache.storage.store(value: .blob(1), forKey: "future", expiration: .days(1))
            cache.clock.advance(by: -10 * Self.day)
            #expect(cache.storage.isCached(forKey: "future"))
            try cache.storage.store(value: .blob(2), forKey: "a")
            try cache.storage.store(value: .blob(3), forKey: "b")
            // It counts as used now, and not later than entries that are used now.
            cache.clock.advance(by: 60)
            _ = try cache.storage.value(forKey: "a")
            _ = try cache.storage.value(forKey: "b")
            let removed = try cache.storage.removeSizeExceededValues()
            #expect(removed.first == cache.storage.cacheFileURL(forKey: "future"))
        }
    }

    @Test func `after a jump back an entry lives its time to live from now, not ten days more`() throws {
        try withCache { cache in
            cache.clock.advance(by: 10 * Self.day)
            try cache.storage.store(value: .blob(1), forKey: "future", expiration: .days(1))
            cache.clock.advance(by: -10 * Self.day)
            #expect(try cache.storage.removeExpiredValues() == [])
            cache.clock.advance(by: Self.day + 1)
            #expect(!cache.storage.isCached(forKey: "future"))
            #expect(try cache.storage.removeExpiredValues().count == 1)
        }
    }

    @Test func `when the clock jumps forward, only entries with an expiration expire`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "week")
            try cache.storage.store(value: .blob(2), forKey: "never", expiration: .never)
            cache.clock.advance(by: 1_000 * Self.day)
            #expect(try cache.storage.removeExpiredValues().count == 1)
            cache.clock.advance(by: -1_000 * Self.day)
            #expect(cache.storage.isCached(forKey: "never"))
        }
    }

    @Test func `a removal that fails leaves an extension that was noted before`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a", expiration: .seconds(10))
            _ = try cache.storage.value(forKey: "a", extendingExpiration: .expirationTime(.seconds(100)))
            cache.beforeCommit { false }
            #expect(throws: KingfisherError.self) { try cache.storage.remove(forKey: "a") }
            cache.beforeCommit { true }
            cache.clock.advance(by: 50)
            try #expect(cache.storage.value(forKey: "a") == .blob(1))
        }
    }

    @Test func `the config's expiration is the default, and changes at once`() throws {
        try withCache(configure: { $0.expiration = .seconds(10) }) { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.storage.config.expiration = .seconds(100)
            try cache.storage.store(value: .blob(2), forKey: "b")
            cache.clock.advance(by: 50)
            #expect(!cache.storage.isCached(forKey: "a"))
            #expect(cache.storage.isCached(forKey: "b"))
        }
    }
}
