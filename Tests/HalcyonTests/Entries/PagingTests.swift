import Foundation
import HalcyonSQLite
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// A page costs what is on it, whichever page it is.
@Suite(.serialized, .endsEvenIfItHangs) struct PagingTests {
    @Test(arguments: [false, true]) func `the last page of 200 000 entries reads no more than the first`(allEqual: Bool)
        throws
    {
        let vfs = FaultyVFS()
        defer { withExtendedLifetime(vfs) {} }
        let cache = try CacheFixture()
        cache.environment.vfs = vfs.name
        try fill(cache, 200_000, allEqual: allEqual)
        for order in EntryOrder.allCases {
            for descending in [false, true] {
                // The opposite way, the end of the first page is where the last one begins.
                let opposite = try cache.storage.entries(sortedBy: order, descending: !descending).next
                let start = DiskStorage.EntryCursor(
                    order: order, isDescending: descending, position: try #require(opposite).position)
                let first = try reads(vfs) { try cache.storage.entries(sortedBy: order, descending: descending) }
                let last = try reads(vfs) { try cache.storage.entries(after: start) }
                // Rows that were made one after the other may be on one page; others are on a page each.
                #expect(first.page.entries.count == 100 && last.page.entries.count == 99 && last.page.next == nil)
                #expect(last.count <= 2 * first.count + 100, "\(order), descending \(descending)")
                // Each entry may be on a page of its own, and so may its place, its tags and its metadata.
                #expect(first.count < 450, "\(order), descending \(descending)")
            }
        }
        cache.storage.store.close()
    }

    @Test func `what few of many meet is found without looking at each of them where it lies`() throws {
        let vfs = FaultyVFS()
        defer { withExtendedLifetime(vfs) {} }
        let cache = try CacheFixture()
        cache.environment.vfs = vfs.name
        try fill(cache, 100_000, allEqual: false)
        let all = try cache.storage.entries(matching: .init(text: ".example.com/77"), sortedBy: .key, limit: 10_000)
            .entries
        #expect(all.count > 100 && all.allSatisfy { $0.key?.contains(".example.com/77") == true })
        for (order, descending) in [(EntryOrder.size, true), (.created, false), (.access, true)] {
            let found = try reads(vfs) {
                try cache.storage.entries(
                    matching: .init(text: "com/777"), sortedBy: order, descending: descending, limit: 10_000)
            }
            #expect(
                Set(found.page.entries.compactMap(\.key))
                    == Set(all.compactMap(\.key).filter { $0.contains("com/777") }))
            let places = found.page.entries.map {
                order == .size ? $0.size : Int64($0.created.timeIntervalSince1970 * 1000)
            }
            #expect(places == (descending ? places.sorted(by: >) : places.sorted()))
            // 16 384 all over the file, and then each page of the table once.
            #expect(found.count < 60_000, "\(order)")
        }
        cache.storage.store.close()
    }

    private func reads(
        _ vfs: FaultyVFS, _ body: () throws -> DiskStorage.EntryPage
    ) rethrows -> (page: DiskStorage.EntryPage, count: Int) {
        let before = vfs.calls(of: .read)
        let page = try body()
        return (page, vfs.calls(of: .read) - before)
    }

    /// Rows as stores would make them, and their listing.
    private func fill(_ cache: CacheFixture, _ count: Int, allEqual: Bool) throws {
        _ = try cache.storage.totalSize()
        cache.settle()
        cache.storage.store.close()
        let index = try Connection(path: cache.index.path, access: .readWriteCreate)
        try index.execute("PRAGMA synchronous = OFF; PRAGMA cache_size = -65536")
        try index.execute(Self.entries(count, allEqual: allEqual, from: cache.clock.now.milliseconds - 10_000_000))
        try index.execute(Self.listing)
        _ = try index.checkpoint(.truncate)
    }

    private static func entries(_ count: Int, allEqual: Bool, from begin: Int64) -> String {
        let (size, time) = allEqual ? ("10", "\(begin)") : ("1 + n * 7919 % 1000003", "\(begin) + n * 31 % 9999991")
        return """
            BEGIN;
            WITH RECURSIVE numbers (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < \(count))
            INSERT INTO entries (id, name, key, token, size, created_at, accessed_at, expires_at, time_to_live)
            SELECT n * 48271 % 1000000007 * 1000, randomblob(32),
                'https://img' || (n % 100) || '.example.com/' || (n * 7907 % 1000003), n, \(size), \(time), \(time),
                CASE WHEN n % 2 THEN \(time) + 999999999 END, CASE WHEN n % 2 THEN 999999999 END
            FROM numbers;
            COMMIT
            """
    }

    private static let listing = """
        BEGIN;
        INSERT INTO listing (id, size, created_at, lasting)
        SELECT id, size, created_at, CASE WHEN expires_at IS NULL THEN 1 END FROM entries ORDER BY id;
        INSERT INTO listing_by_size SELECT size, id FROM entries ORDER BY size, id;
        INSERT INTO listing_by_creation SELECT created_at, id FROM entries ORDER BY created_at, id;
        INSERT INTO listing_by_key SELECT key, id FROM entries ORDER BY key, id;
        UPDATE totals SET listed_to = 9223372036854775807, sorted_to = 9223372036854775807;
        COMMIT
        """

    // MARK: From page to page

    @Test(arguments: EntryOrder.allCases, [false, true])
    func `a cursor goes on with another filter, whichever way that is answered`(order: EntryOrder, descending: Bool)
        throws
    {
        try withCache { cache in
            for seed in 0..<20 {
                // All at one moment, of one size: ids alone tell them apart, where the order is not by keys or accesses.
                try cache.storage.store(
                    value: .blob(1), forKey: "\(seed)", expiration: .seconds(100), attributes: .init(tags: ["t"]))
            }
            let all = try cache.storage.entries(sortedBy: order, descending: descending).entries.map(\.key)
            let filters: [EntryFilter] = [.all, .init(tag: "t"), .init(minimumSize: 1), .init(keyPrefix: "")]
            for first in filters {
                for second in filters {
                    let page = try cache.storage.entries(
                        matching: first, sortedBy: order, descending: descending, limit: 9)
                    let rest = try cache.storage.entries(after: try #require(page.next), matching: second)
                    #expect((page.entries + rest.entries).map(\.key) == all, "\(first), then \(second)")
                }
            }
        }
    }

    @Test func `no limit is too large or too small`() throws {
        try withCache { cache in
            for key in ["a", "b"] {
                try cache.storage.store(value: .blob(1), forKey: key, attributes: .init(tags: ["t"]))
            }
            for filter in [EntryFilter.all, .init(tag: "t")] {
                for limit in [Int.min, -1, 0, 1] {
                    #expect(try cache.storage.entries(matching: filter, limit: limit).entries.count == 1)
                }
                #expect(try cache.storage.entries(matching: filter, limit: .max).entries.count == 2)
                #expect(try cache.storage.entries(matching: filter, sortedBy: .size, limit: .max - 1).next == nil)
            }
        }
    }

    @Test(arguments: EntryOrder.allCases, [false, true])
    func `what changes after the listing was brought up to date is where it is now, once`(
        order: EntryOrder, descending: Bool
    ) throws {
        try withCache { cache in
            // The clock is asked when the listing is up to date, and before anything is read.
            let meanwhile: Locked<(@Sendable () -> Void)?> = Locked(nil)
            cache.environment.now = { [clock = cache.clock] in
                meanwhile.withLock { $0.take() }?()
                return clock.now
            }
            for seed in 0..<10 {
                cache.clock.advance(by: 1)
                try cache.storage.store(
                    value: .blob(seed, count: 10 + seed), forKey: "\(seed)", expiration: .seconds(100 + Double(seed)))
            }
            _ = try cache.storage.entries(sortedBy: .size)
            let other = cache.makeStorage()
            _ = try other.totalSize()
            cache.settle()
            cache.storage.store.flushAccessLogNow()
            meanwhile.withLock {
                $0 = {
                    _ = Result {
                        try other.update(.init(isPinned: true), forKey: "3")
                        try other.store(value: .blob(1, count: 500), forKey: "4", expiration: .never)
                        try other.store(value: .blob(1, count: 1), forKey: "5", expiration: .seconds(1_000))
                    }
                }
            }
            let entries = try cache.storage.entries(sortedBy: order, descending: descending).entries
            #expect(Set(entries.map(\.fileName)).count == 10 && entries.count == 10)
            let sorted = entries.sorted { order.areInOrder($0, $1, descending: descending) }
            #expect(entries.map(\.key) == sorted.map(\.key))
            #expect(entries.first { $0.key == "4" }?.size == 500)
        }
    }
}

extension Optional {
    /// What is there, once.
    fileprivate mutating func take() -> Wrapped? {
        defer { self = nil }
        return self
    }
}
