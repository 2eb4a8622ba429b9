import Foundation
import HalcyonSQLite
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// A page of the table that turns out to be damaged during a query.
@Suite(.endsEvenIfItHangs) struct DamagedQueryTests {
    private static let count = 1_000
    private static let pageSize = 4_096

    /// - Parameter damage: receives the file's bytes and the offset of the table's root page.
    private func damaged(_ damage: (inout Data, _ root: Int) -> Void) throws -> CacheFixture {
        let cache = try CacheFixture()
        for seed in 0..<Self.count { try cache.storage.store(value: .blob(seed), forKey: "key \(seed)") }
        cache.settle()
        cache.storage.store.flushAccessLogNow()
        cache.storage.store.close()
        let index = try Connection(path: cache.index.path)
        _ = try index.checkpoint(.truncate)
        let root = try #require(try index.integer("SELECT rootpage FROM sqlite_master WHERE name = 'entries'"))
        var data = try Data(contentsOf: cache.index)
        damage(&data, Int(root - 1) * Self.pageSize)
        let file = try FileHandle(forWritingTo: cache.index)
        try file.write(contentsOf: data)
        try file.close()
        cache.reopen()
        return cache
    }

    /// The last leaf is no longer a page.
    private func withoutLastLeaf() throws -> CacheFixture {
        try damaged { data, root in
            let leaf = data[root + 8..<root + 12].reduce(0) { $0 << 8 | Int($1) } - 1
            let range = leaf * Self.pageSize..<(leaf + 1) * Self.pageSize
            data.replaceSubrange(range, with: Data(repeating: 0xEE, count: Self.pageSize))
        }
    }

    /// The second leaf is a copy of the first.
    private func withOneLeafTwice() throws -> CacheFixture {
        try damaged { data, root in
            func cell(_ number: Int) -> Int {
                let pointer = root + 12 + 2 * number
                return root + Int(data[pointer]) << 8 + Int(data[pointer + 1])
            }
            data.replaceSubrange(cell(1)..<cell(1) + 4, with: data[cell(0)..<cell(0) + 4])
        }
    }

    /// The last leaf lacks all rows but three.
    private func withShortLeaf() throws -> CacheFixture {
        try damaged { data, root in
            let leaf = data[root + 8..<root + 12].reduce(0) { $0 << 8 | Int($1) } - 1
            data.replaceSubrange(leaf * Self.pageSize + 3..<leaf * Self.pageSize + 5, with: [0, 3])
        }
    }

    @Test func `a repair of an index that lacks rows keeps their blobs`() throws {
        let cache = try withShortLeaf()
        let report = try cache.storage.check(repair: true)
        #expect(!report.integrityFindings.isEmpty && report.orphans.isEmpty)
        for seed in 0..<Self.count { #expect(try cache.storage.value(forKey: "key \(seed)") == .blob(seed)) }
        try cache.requireClean()
    }

    @Test(arguments: [false, true]) func `a check that meets damage examines the new index`(repairs: Bool) throws {
        let cache = try withoutLastLeaf()
        _ = try cache.storage.check(repair: repairs)
        let report = try cache.storage.check(repair: repairs)
        #expect(report.counted.entries == Self.count && !report.isAdopting)
        let other = try withoutLastLeaf()
        #expect(try other.storage.check(repair: repairs).counted.entries == Self.count)
    }

    @Test func `a clean that meets damage keeps the limits`() throws {
        let cache = try withoutLastLeaf()
        cache.storage.config.countLimit = 100
        let evicted = try cache.storage.removeSizeExceededValues()
        #expect(evicted.count == Self.count - 50)
        #expect(try cache.storage.totals().entries == 50)
        try cache.requireClean()
    }

    @Test(arguments: EntryOrder.allCases) func `a query on a damaged index answers with the files that exist`(
        order: EntryOrder
    ) throws {
        let cache = try withoutLastLeaf()
        #expect(try cache.storage.entries(sortedBy: order, limit: 10_000).entries.count == Self.count)
        #expect(cache.warnings.withLock { $0.count } == 1)
    }

    @Test func `a removal on a damaged index removes the files that exist`() throws {
        let cache = try withoutLastLeaf()
        #expect(try cache.storage.removeEntries(matching: .init(minimumSize: 0)).count == Self.count)
        #expect(try cache.storage.totals().entries == 0)
        try cache.requireClean()
    }

    @Test func `a duplicate entry in a damaged index crashes nothing`() throws {
        let cache = try withOneLeafTwice()
        _ = try cache.storage.entries(sortedBy: .size, limit: 10_000)
        _ = try cache.storage.removeEntries(matching: .init(minimumSize: 0))
        for seed in 0..<Self.count { _ = try cache.storage.value(forKey: "key \(seed)") }
        try cache.storage.store(value: .blob(1), forKey: "new")
        #expect(try cache.storage.value(forKey: "new") == .blob(1))
    }

    @Test func `a removal of all entries that meets a row twice heals the index`() throws {
        let cache = try withOneLeafTwice()
        try cache.storage.removeAll()
        cache.settle()
        #expect(try cache.storage.entries().entries.isEmpty)
        try cache.storage.store(value: .blob(1), forKey: "new")
        #expect(try cache.storage.value(forKey: "new") == .blob(1))
    }

    @Test func `entries that are being cleared match no filter`() throws {
        try withCache { cache in
            for seed in 0..<20 { try cache.storage.store(value: .blob(seed), forKey: "k\(seed)") }
            let clearing = try Clearing(of: cache.storage.store)
            cache.clock.advance(by: 1)
            try cache.storage.store(value: .blob(1), forKey: "later")
            for order in EntryOrder.allCases {
                #expect(try cache.storage.entries(sortedBy: order).entries.map(\.key) == ["later"])
            }
            #expect(try cache.storage.totals(matching: .init(minimumSize: 0)).entries == 1)
            try clearing.remove { _ in true }
            #expect(try cache.storage.entries().entries.map(\.key) == ["later"])
        }
    }
}
