import Foundation
import HalcyonSQLite
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// A page costs as much as its own entries, wherever it is.
@Suite(.serialized, .endsEvenIfItHangs) struct PagingTests {
    @Test(arguments: [false, true])
    func `the last page of 200 000 entries by access reads no more than the first`(allEqual: Bool) throws {
        let vfs = FaultyVFS()
        defer { withExtendedLifetime(vfs) {} }
        let cache = try CacheFixture()
        cache.environment.vfs = vfs.name
        try fill(cache, 200_000, allEqual: allEqual)
        for descending in [false, true] {
            // In the opposite order, the end of the first page is the beginning of the last one.
            let opposite = try cache.storage.entries(descending: !descending).next
            let start = DiskStorage.EntryCursor(
                order: .access, isDescending: descending, position: try #require(opposite).position)
            let first = try reads(vfs) { try cache.storage.entries(descending: descending) }
            let last = try reads(vfs) { try cache.storage.entries(after: start) }
            // Rows that were stored in sequence may share a page; other rows are on different pages.
            #expect(first.page.entries.count == 100 && last.page.entries.count == 99 && last.page.next == nil)
            #expect(last.count <= 2 * first.count + 100, "descending \(descending)")
            // Each entry may be on its own page, and so may its place in the index, its tags and its metadata.
            #expect(first.count < 450, "descending \(descending)")
        }
        cache.storage.store.close()
    }

    @Test(arguments: EntryOrder.allCases)
    func `a page in any other order reads each page of the table once`(order: EntryOrder) throws {
        let vfs = FaultyVFS()
        defer { withExtendedLifetime(vfs) {} }
        let cache = try CacheFixture()
        cache.environment.vfs = vfs.name
        try fill(cache, 20_000)
        let pages = try cache.storage.store.index.read { try $0.connection.integer("PRAGMA page_count") ?? 0 }
        for filter in [EntryFilter(text: "com/777"), .init(host: "img7.example.com"), .init(tag: "none")] {
            let found = try reads(vfs) { try cache.storage.entries(matching: filter, sortedBy: order) }
            #expect(found.count <= Int(pages) + 450, "\(filter)")
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

    /// Rows like those of stores.
    private func fill(_ cache: CacheFixture, _ count: Int, allEqual: Bool = false) throws {
        _ = try cache.storage.totalSize()
        cache.settle()
        cache.storage.store.close()
        let index = try Connection(path: cache.index.path, access: .readWriteCreate)
        try index.execute("PRAGMA synchronous = OFF; PRAGMA cache_size = -65536")
        try index.execute(Self.entries(count, allEqual: allEqual, from: cache.clock.now.milliseconds - 10_000_000))
        _ = try index.checkpoint(.truncate)
        // The reads of the sweep after an opening do not count.
        _ = try cache.storage.totalSize()
        cache.settle()
    }

    private static func entries(_ count: Int, allEqual: Bool, from begin: Int64) -> String {
        // As after the clock was put back: all rows have the same access, and one of a few hundred sizes.
        let (size, time) =
            allEqual ? ("n % 500", "\(begin)") : ("1 + n * 7919 % 1000003", "\(begin) + n * 31 % 9999991")
        return """
            BEGIN;
            WITH RECURSIVE numbers (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < \(count))
            INSERT INTO entries (id, name, key, token, size, created_at, rank, expires_at, time_to_live)
            SELECT n * 48271 % 1000000007 * 1000, randomblob(32),
                'https://img' || (n % 100) || '.example.com/' || (n * 7907 % 1000003), n, \(size), \(time), \(time),
                CASE WHEN n % 2 THEN \(time) + 999999999 END, CASE WHEN n % 2 THEN 999999999 END
            FROM numbers;
            COMMIT
            """
    }

    // MARK: From page to page

    @Test(arguments: EntryOrder.allCases, [false, true])
    func `a cursor continues with another filter, in every order`(order: EntryOrder, descending: Bool)
        throws
    {
        try withCache { cache in
            for seed in 0..<20 {
                // All rows have the same time and size, so that only ids distinguish them in orders other than by key or access.
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

    /// A cursor that an app has saved.
    @Test func `a cursor from version 0.1.0 continues`() throws {
        try withCache { cache in
            for seed in 0..<5 { try cache.storage.store(value: .blob(1), forKey: "k\(seed)") }
            let id = BlobName(key: "k1", isHashed: true, pathExtension: nil).rowID
            let text = #"{"order":"key","isDescending":false,"position":{"second":0,"id":\#(id),"key":"k1","value":0}}"#
            let cursor = try JSONDecoder().decode(DiskStorage.EntryCursor.self, from: Data(text.utf8))
            #expect(try cache.storage.entries(after: cursor).entries.map(\.key) == ["k2", "k3", "k4"])
            let page = try cache.storage.entries(sortedBy: .size, limit: 2)
            let last = try #require(page.next).position
            let size =
                #"{"order":"size","isDescending":false,"position":{"second":0,"id":\#(last.id),"key":"","value":\#(last.value)}}"#
            let next = try JSONDecoder().decode(DiskStorage.EntryCursor.self, from: Data(size.utf8))
            #expect(next == page.next)
            #expect(try cache.storage.entries(after: next).entries.count == 3)
        }
    }

    @Test func `any page limit is accepted`() throws {
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
}
