import Foundation
import HalcyonSQLite
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

@Suite struct RelistingTests {
    private func key(_ seed: Int) -> String { "https://host\(seed % 5).example.com/\(seed)" }

    private func state(of cache: CacheFixture) throws -> IndexSession.ListingState {
        try cache.storage.store.index.read { try $0.listingState() }
    }

    @Test func `whoever never asks has no listing, and no queue`() throws {
        try withCache { cache in
            for seed in 0..<20 { try cache.storage.store(value: .blob(seed), forKey: key(seed)) }
            for seed in 0..<10 { try cache.storage.store(value: .blob(seed, count: 7), forKey: key(seed)) }
            _ = try cache.storage.entries(sortedBy: .access)
            _ = try cache.storage.totals(matching: .init(minimumSize: 8, isPinned: false))
            #expect(try state(of: cache) == .unlisted(after: nil))
            let index = try Connection(path: cache.index.path)
            #expect(try index.integer("SELECT (SELECT count(*) FROM listing) + (SELECT count(*) FROM unlisted)") == 0)
        }
    }

    @Test func `few changes are written one by one, many make it anew`() throws {
        var tuning = Tuning.patient
        tuning.relistingLimit = 10
        try withCache(tuning: tuning) { cache in
            for seed in 0..<100 { try cache.storage.store(value: .blob(seed), forKey: key(seed)) }
            #expect(try cache.storage.totals(matching: .init(host: "host1.example.com")).entries == 20)
            for seed in 0..<12 { try cache.storage.store(value: .blob(seed, count: 1_000 + seed), forKey: key(seed)) }
            #expect(try state(of: cache) == .behind)
            #expect(try !cache.storage.store.index.read { try $0.isFarBehind(beyond: 10) })
            let large = try cache.storage.entries(sortedBy: .size, descending: true, limit: 12).entries
            #expect(large.map(\.key) == (0..<12).reversed().map(key))
            #expect(try state(of: cache) == .current)
            for seed in 50..<70 { try cache.storage.remove(forKey: key(seed)) }
            #expect(try cache.storage.store.index.read { try $0.isFarBehind(beyond: 10) })
            #expect(try cache.storage.totals(matching: .init(host: "host1.example.com")).entries == 16)
            #expect(try cache.storage.entries(sortedBy: .key).entries.map(\.key) == expectedKeys())
            #expect(try state(of: cache) == .current)
        }
    }

    @Test func `while others change more than is written one by one, it is made anew once and no more`() throws {
        struct NoEnd: Error {}
        var tuning = Tuning.patient
        tuning.listingBatchSize = 8
        tuning.relistingBatchSize = 64
        tuning.relistingLimit = 10
        try withCache(tuning: tuning) { cache in
            for seed in 0..<100 { try cache.storage.store(value: .blob(seed), forKey: key(seed)) }
            _ = try cache.storage.entries(sortedBy: .size)
            for seed in 0..<50 { try cache.storage.store(value: .blob(seed, count: 7), forKey: key(seed)) }
            #expect(try cache.storage.store.index.read { try $0.isFarBehind(beyond: 10) })
            var calls = 0
            try cache.storage.updateListing { _, _ in
                calls += 1
                guard calls < 200 else { throw NoEnd() }
                for seed in 0..<30 { try cache.storage.store(value: .blob(seed, count: calls), forKey: key(seed)) }
            }
            #expect(try cache.storage.entries(sortedBy: .size).entries.count == 100)
        }
    }

    private func expectedKeys() -> [String] { (0..<100).filter { !(50..<70).contains($0) }.map(key).sorted() }

    @Test func `housekeeping follows the changes, and makes none that nobody has asked for`() throws {
        var tuning = Tuning.patient
        tuning.listingDelay = 0
        try withCache(tuning: tuning) { cache in
            try cache.storage.store(value: .blob(1), forKey: key(1))
            cache.settle()
            #expect(try state(of: cache) == .unlisted(after: nil))
            _ = try cache.storage.entries(sortedBy: .size)
            try cache.storage.store(value: .blob(2), forKey: key(2))
            cache.settle()
            #expect(try state(of: cache) == .current)
            cache.reopen()
            try cache.storage.remove(forKey: key(1))
            cache.settle()
            #expect(try state(of: cache) == .current)
            try cache.storage.removeAll()
            cache.settle()
            #expect(try state(of: cache) == .unlisted(after: nil))
        }
    }
}
