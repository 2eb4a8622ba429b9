import Foundation
import HalcyonSQLite
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

@Suite struct PinTests {
    private func pinned(_ isPinned: Bool = true) -> DiskStorage.EntryAttributes { .init(isPinned: isPinned) }

    @Test func `pinned entries count for the limits, and are neither evicted nor expired`() throws {
        try withCache(configure: { $0.sizeLimit = 1_000 }) { cache in
            for seed in 0..<10 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            for key in ["0", "3"] { #expect(try cache.storage.update(pinned(), forKey: key)) }
            #expect(try cache.storage.removeSizeExceededValues().count == 5)
            #expect(cache.storage.isCached(forKey: "0") && cache.storage.isCached(forKey: "3"))
            #expect(try cache.storage.totalSize() == 500)
            #expect(try cache.storage.totals(matching: .init(isPinned: true)) == Totals(entries: 2, bytes: 200))
            cache.clock.advance(by: 30 * 86_400)
            #expect(try cache.storage.removeExpiredValues().count == 3)
            #expect(try cache.storage.value(forKey: "0") == .blob(0))
            #expect(cache.storage.isCached(forKey: "3") && !cache.storage.isCached(forKey: "9"))
            #expect(try cache.storage.entry(forKey: "0")?.isExpired(at: cache.clock.now.date) == false)
        }
    }

    @Test func `a pin survives a relaunch and an overwrite, and other processes see it`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            try cache.storage.update(pinned(), forKey: "a")
            cache.reopen()
            try cache.storage.store(value: .blob(2), forKey: "a", expiration: .seconds(1))
            #expect(try cache.storage.entry(forKey: "a")?.isPinned == true)
            cache.clock.advance(by: 10)
            #expect(try cache.makeStorage().value(forKey: "a") == .blob(2))
        }
    }

    @Test func `a store can pin and unpin`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a", attributes: pinned())
            #expect(try cache.storage.entry(forKey: "a")?.isPinned == true)
            try cache.storage.store(value: .blob(2), forKey: "a", attributes: pinned(false))
            #expect(try cache.storage.entry(forKey: "a")?.isPinned == false)
        }
    }

    @Test func `after an unpin the entry's own expiration counts again, from the last read on`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a", expiration: .seconds(100))
            try cache.storage.update(pinned(), forKey: "a")
            cache.clock.advance(by: 1_000)
            #expect(try cache.storage.value(forKey: "a") == .blob(1))
            try cache.storage.update(pinned(false), forKey: "a")
            cache.clock.advance(by: 99)
            #expect(cache.storage.isCached(forKey: "a"))
            cache.clock.advance(by: 2)
            #expect(!cache.storage.isCached(forKey: "a"))
            cache.storage.store.flushAccessLogNow()
            #expect(try cache.storage.removeExpiredValues().count == 1)
        }
    }

    @Test func `removals by key, by filter and of everything include pinned entries`() throws {
        try withCache { cache in
            for key in ["a", "b", "c"] { try cache.storage.store(value: .blob(1), forKey: key, attributes: pinned()) }
            try cache.storage.remove(forKey: "a")
            #expect(try cache.storage.removeEntries(matching: .init(keyPrefix: "b")).map(\.key) == ["b"])
            #expect(try cache.storage.removeEntries(matching: .init(isPinned: false)) == [])
            try cache.storage.removeAll()
            #expect(try cache.storage.totals() == Totals(entries: 0, bytes: 0))
        }
    }

    @Test func `pinned entries beyond the limits are reported, and a clean ends`() async throws {
        try await withImageCache(configure: { $0.sizeLimit = 1_000 }) { subject in
            try subject.fill((0..<12).map { "pinned \($0)" })
            for number in 0..<12 { try subject.storage.update(pinned(), forKey: "pinned \(number)") }
            try subject.fill(["other"])
            #expect(try subject.storage.usage().pinnedExcess == Totals(entries: 0, bytes: 201))
            await subject.cache.cleanExpiredDiskCache()
            #expect(try subject.storage.usage().total == Totals(entries: 12, bytes: 1_200))
            subject.storage.config.sizeLimit = 2_000
            #expect(try subject.storage.usage().pinnedExcess == nil)
            subject.storage.config.countLimit = 10
            #expect(try subject.storage.usage().pinnedExcess == Totals(entries: 2, bytes: 0))
        }
    }

    @Test func `any nonzero number in the index is a pin`() throws {
        try withCache { cache in
            for key in ["a", "b"] { try cache.storage.store(value: .blob(1), forKey: key) }
            try Connection(path: cache.index.path).execute("UPDATE entries SET pinned = 7 WHERE key = 'a'")
            let page = try cache.storage.entries()
            #expect(page.entries.map(\.key) == ["a", "b"] && page.entries.map(\.isPinned) == [true, false])
        }
    }

    @Test func `pinning a missing entry does nothing`() throws {
        try withCache { cache in
            let isThere = try cache.storage.update(pinned(), forKey: "a")
            let entry = try cache.storage.entry(forKey: "a")
            #expect(!isThere && entry == nil)
        }
    }

    @Test func `a pin through the image cache comes after earlier stores`() async throws {
        try await withImageCache { subject in
            subject.cache.storeToDisk(.blob(1), forKey: "k", processorIdentifier: "p", completionHandler: nil)
            let isPinned = try await subject.cache.update(pinned(), forKey: "k", processorIdentifier: "p")
            #expect(isPinned)
            let isThere = try await subject.cache.update(pinned(), forKey: "k")
            #expect(!isThere)
            #expect(try subject.storage.entry(forKey: "k@p")?.isPinned == true)
            let call = await subject.once { subject.cache.update(pinned(false), forKey: "k@p", completionHandler: $0) }
            let isDone = try call.value.get()
            #expect(isDone)
        }
    }
}
