import Foundation
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// An expiration that reads do not extend.
@Suite struct KeptExpirationTests {
    @Test(arguments: [true, false])
    func `an entry with keepsExpiration expires although it is read every second`(isKept: Bool) throws {
        try withCache { cache in
            let storage = cache.storage
            try storage.store(
                value: .blob(1), forKey: "a", expiration: .seconds(60), attributes: .init(keepsExpiration: isKept))
            #expect(try storage.entry(forKey: "a")?.keepsExpiration == isKept)
            for second in 0..<100 {
                let isThere = try storage.value(forKey: "a", extendingExpiration: .cacheTime) != nil
                #expect(isThere == (!isKept || second < 60), "after \(second) s")
                cache.clock.advance(by: 1)
                if second % 10 == 0 { storage.store.flushAccessLogNow() }
            }
            #expect(storage.isCached(forKey: "a") == !isKept)
        }
    }

    @Test func `a read cannot extend a kept expiration, and a new store can set another one`() throws {
        try withCache { cache in
            let storage = cache.storage
            try storage.store(
                value: .blob(1), forKey: "a", expiration: .seconds(60), attributes: .init(keepsExpiration: true))
            let end = try storage.entry(forKey: "a")?.expiration
            _ = try storage.value(forKey: "a", extendingExpiration: .expirationTime(.days(9)))
            cache.reopen()
            #expect(try cache.storage.entry(forKey: "a")?.expiration == end)
            try cache.storage.store(value: .blob(2), forKey: "a", expiration: .seconds(60))
            #expect(try cache.storage.entry(forKey: "a")?.keepsExpiration == false)
        }
    }

    @Test func `keepsExpiration can be changed for an existing entry`() throws {
        try withCache { cache in
            let storage = cache.storage
            try storage.store(value: .blob(1), forKey: "a", expiration: .seconds(60))
            cache.clock.advance(by: 30)
            _ = try storage.value(forKey: "a")
            try storage.update(.init(keepsExpiration: true), forKey: "a")
            cache.clock.advance(by: 59)
            #expect(try storage.value(forKey: "a") == .blob(1))
            cache.clock.advance(by: 2)
            #expect(try storage.value(forKey: "a") == nil)

            try storage.store(
                value: .blob(1), forKey: "b", expiration: .seconds(60), attributes: .init(keepsExpiration: true))
            try storage.update(.init(keepsExpiration: false), forKey: "b")
            cache.clock.advance(by: 59)
            _ = try storage.value(forKey: "b")
            cache.clock.advance(by: 59)
            #expect(try storage.value(forKey: "b") == .blob(1))
        }
    }

    @Test func `a time to live that is known stays`() throws {
        try withCache { cache in
            let storage = cache.storage
            try storage.store(value: .blob(1), forKey: "a", expiration: .seconds(60))
            cache.clock.advance(by: 30)
            _ = try storage.value(forKey: "a")
            try storage.flush()
            try storage.update(.init(keepsExpiration: false), forKey: "a")
            #expect(try storage.row(forKey: "a")?.lifetime.timeToLive == 60_000)
            // After the clock is set back, a store counts as later than its expiration is computed from.
            cache.clock.advance(by: -90)
            try storage.store(
                value: .blob(2), forKey: "a", expiration: .seconds(30), attributes: .init(keepsExpiration: false))
            #expect(try storage.row(forKey: "a")?.lifetime.timeToLive == 30_000)
        }
    }

    @Test func `a time to live is not shortened by a store whose time is ahead of the clock`() throws {
        try withCache { cache in
            let storage = cache.storage
            try storage.store(value: .blob(1), forKey: "a")
            cache.clock.advance(by: -100)
            try storage.store(
                value: .blob(2), forKey: "b", expiration: .seconds(60), attributes: .init(keepsExpiration: true))
            try storage.update(.init(keepsExpiration: false), forKey: "b")
            #expect(try storage.row(forKey: "b")?.lifetime.timeToLive == 60_000)
            #expect(storage.isCached(forKey: "b"))
        }
    }

    @Test(arguments: [true, false])
    func `after a clean, an entry from a time ahead of the clock lives its duration`(isKept: Bool) throws {
        try withCache { cache in
            cache.clock.advance(by: 86_400)
            try cache.storage.store(
                value: .blob(1), forKey: "a", expiration: .seconds(60), attributes: .init(keepsExpiration: isKept))
            cache.clock.advance(by: -86_400)
            #expect(try cache.storage.removeExpiredValues().isEmpty)
            cache.clock.advance(by: 59)
            #expect(cache.storage.isCached(forKey: "a"))
            cache.clock.advance(by: 2)
            #expect(!cache.storage.isCached(forKey: "a"))
        }
    }

    @Test(arguments: [0, 20])
    func `a clean expires no entry whose time is ahead of the clock by less than the tolerance`(read: Double) throws {
        try withCache { cache in
            let storage = cache.storage
            try storage.store(value: .blob(1), forKey: "x")
            cache.clock.advance(by: -100)
            try storage.store(
                value: .blob(2), forKey: "b", expiration: .seconds(60), attributes: .init(keepsExpiration: true))
            cache.clock.advance(by: read)
            if read > 0 { _ = try storage.value(forKey: "b") }
            cache.clock.advance(by: -30)
            #expect(try storage.removeExpiredValues().isEmpty && storage.isCached(forKey: "b"))
        }
    }

    @Test func `a time to live is that of the store, however far the clock was ahead`() throws {
        try withCache { cache in
            cache.clock.advance(by: 86_400)
            try cache.storage.store(
                value: .blob(2), forKey: "b", expiration: .seconds(60), attributes: .init(keepsExpiration: true))
            cache.clock.advance(by: -86_400)
            try cache.storage.update(.init(keepsExpiration: false), forKey: "b")
            #expect(try cache.storage.row(forKey: "b")?.lifetime.timeToLive == 60_000)
        }
    }

    @Test func `an entry that never expires is not affected by keepsExpiration`() throws {
        try withCache { cache in
            let storage = cache.storage
            try storage.store(
                value: .blob(1), forKey: "a", expiration: .never, attributes: .init(keepsExpiration: true))
            try storage.update(.init(keepsExpiration: false), forKey: "a")
            cache.clock.advance(by: 1e9)
            #expect(try storage.entry(forKey: "a")?.expiration == nil && storage.isCached(forKey: "a"))
        }
    }

    @Test func `a storage can keep the expirations of all entries, except where an entry says otherwise`() throws {
        try withCache(configure: { config in
            config.keepsExpiration = true
            config.expiration = .seconds(60)
        }) { cache in
            let storage = cache.storage
            try storage.store(value: .blob(1), forKey: "kept")
            try storage.store(value: .blob(1), forKey: "tagged", attributes: .init(tags: ["t"]))
            try storage.store(value: .blob(1), forKey: "extended", attributes: .init(keepsExpiration: false))
            for _ in 0..<2 {
                cache.clock.advance(by: 40)
                for key in ["kept", "tagged", "extended"] { _ = try storage.value(forKey: key) }
            }
            #expect(try storage.value(forKey: "kept") == nil && storage.value(forKey: "tagged") == nil)
            #expect(try storage.value(forKey: "extended") == .blob(1))
        }
    }
}
