import Foundation
import HalcyonSQLite
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@testable import Halcyon

/// Rows edited by hand. Each query ends, and returns the rows that exist.
@Suite(.endsEvenIfItHangs) struct EditedRowTests {
    private static let edits = [
        "UPDATE entries SET size = size + 0.5, created_at = created_at + 0.5, rank = rank + 0.5, expires_at = expires_at + 0.5",
        "UPDATE entries SET size = 'x', created_at = 'x', rank = 'x', expires_at = 'x'",
        "UPDATE entries SET size = -size, created_at = -1, rank = 9223372036854775807, expires_at = -9223372036854775808",
        "UPDATE entries SET key = CAST(key AS BLOB)",
        "UPDATE entries SET key = CAST(x'C3' || CAST(key AS BLOB) AS TEXT)",
        "UPDATE entries SET key = CAST(x'FF' || CAST(key AS BLOB) AS TEXT)",
        "UPDATE entries SET key = NULL, base_length = 99",
        "UPDATE entries SET pinned = -2 WHERE key = 'k3'",
        "UPDATE entries SET pinned = 7 WHERE key = 'k3'",
        "UPDATE entries SET pinned = 0.5 WHERE key = 'k3'",
    ]

    private func edited(_ sql: String) throws -> CacheFixture {
        let cache = try CacheFixture()
        for seed in 0..<6 {
            cache.clock.advance(by: 10)
            try cache.storage.store(
                value: .blob(seed, count: 10 + seed), forKey: "k\(seed)", expiration: .seconds(100 + Double(seed)))
        }
        cache.settle()
        cache.storage.store.flushAccessLogNow()
        cache.storage.store.close()
        let index = try Connection(path: cache.index.path)
        try index.execute("PRAGMA ignore_check_constraints = ON")
        try index.execute(sql)
        cache.reopen()
        return cache
    }

    @Test(arguments: edits, [1, 2, 5]) func `pages end, and each entry is on one of them`(edit: String, limit: Int)
        throws
    {
        let cache = try edited(edit)
        for order in EntryOrder.allCases {
            for descending in [false, true] {
                var names: [String] = []
                var page = try cache.storage.entries(sortedBy: order, descending: descending, limit: limit)
                names += page.entries.map(\.fileName)
                while let next = page.next, names.count < 20 {
                    page = try cache.storage.entries(after: next, limit: limit)
                    names += page.entries.map(\.fileName)
                }
                #expect(names.count == 6 && Set(names).count == 6, "\(order), descending \(descending)")
            }
        }
        cache.storage.store.close()
    }

    @Test(arguments: ["size || ' bytes'", "CAST(size AS BLOB)", "'x'", "1e300"])
    func `a size that is not a number evicts no other entry`(size: String) throws {
        let cache = try edited("UPDATE entries SET size = \(size) WHERE key = 'k3'")
        cache.storage.config.sizeLimit = 100_000
        try cache.storage.store.index.write { try $0.repairTotals() }
        try cache.storage.store(value: .blob(7), forKey: "k7")
        try #expect(cache.storage.removeSizeExceededValues().isEmpty)
        for seed in [0, 1, 2, 4, 5] { #expect(cache.storage.isCached(forKey: "k\(seed)")) }
        try #expect(cache.storage.totalSize() < 10_000)
    }

    @Test func `an odd pin is a pin to a filter too`() throws {
        for pin in [-2, 0.5, 7] {
            let cache = try edited("UPDATE entries SET pinned = \(pin) WHERE key = 'k3'")
            #expect(try cache.storage.entries(matching: .init(isPinned: false)).entries.count == 5)
            #expect(try cache.storage.totals(matching: .init(isPinned: true)).entries == 1)
            #expect(try cache.storage.removeEntries(matching: .init(isPinned: false)).count == 5)
            #expect(try cache.storage.usage().pinned.entries == 1)
        }
    }
}
