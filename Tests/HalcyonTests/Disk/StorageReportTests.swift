import Foundation
import HalcyonSQLite
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

@Suite struct `A report's figures` {
    private static let hour: Int64 = 3_600_000
    private static let day = 24 * hour

    private func question(_ cache: CacheFixture, groups: Int = 2, limits: StorageLimits = .init())
        -> StorageReport.Question
    {
        let now = cache.clock.now
        return StorageReport.Question(
            now: now, groups: groups, ages: [Self.hour, Self.day], sizes: [100, 1000],
            days: (1...7).map { now.advanced(by: $0 * Self.day) }, limits: limits)
    }

    private func fill(_ cache: CacheFixture) throws {
        let storage = cache.storage
        try storage.store(value: .blob(1, count: 2000), forKey: "https://a.example/1", expiration: .never)
        cache.clock.advance(by: 2 * 86_400)
        try storage.store(value: .blob(2, count: 500), forKey: "https://b.example/2", expiration: .days(30))
        try storage.store(value: .blob(3, count: 50), forKey: "https://b.example/3", expiration: .seconds(60))
        cache.clock.advance(by: 2 * 3600)
        try storage.store(value: .blob(4, count: 99), forKey: "plain", expiration: .days(2))
        try storage.store(value: .blob(5, count: 7), forKey: "https://c.example/5", expiration: .seconds(3600))
        try storage.update(.init(isPinned: true), forKey: "https://c.example/5")
    }

    @Test func `add up, by host and processor`() throws {
        try withCache { cache in
            try fill(cache)
            let report = try cache.storage.report(question(cache))
            #expect(report.totals == Totals(entries: 5, bytes: 2656))
            #expect(report.pinned == Totals(entries: 1, bytes: 7))
            #expect(report.hosts.largest.map(\.name) == ["a.example", "b.example"])
            #expect(report.hosts.largest.map(\.totals.bytes) == [2000, 550])
            #expect(report.hosts.otherGroups == 2 && report.hosts.others == Totals(entries: 2, bytes: 106))
            #expect(report.processors.largest == [.init(name: nil, totals: report.totals)])
            #expect(report.processors.otherGroups == 0 && report.processors.others == Totals(entries: 0, bytes: 0))
            let whole = try cache.storage.report(question(cache, groups: 12))
            #expect(whole.hosts.largest.map(\.name) == ["a.example", "b.example", nil, "c.example"])
            #expect(whole.hosts.otherGroups == 0)
        }
    }

    @Test func `add up, by age, size and expiration`() throws {
        try withCache { cache in
            try fill(cache)
            let report = try cache.storage.report(question(cache))
            #expect(report.ages.map(\.entries) == [2, 2, 1] && report.ages.map(\.bytes) == [106, 550, 2000])
            #expect(report.sizes.map(\.entries) == [3, 1, 1] && report.sizes.map(\.bytes) == [156, 500, 2000])
            #expect(report.expirations.expired == Totals(entries: 1, bytes: 50))
            #expect(report.expirations.days.map(\.entries) == [0, 1, 0, 0, 0, 0, 0])
            #expect(report.expirations.later == Totals(entries: 1, bytes: 500))
            // The pinned one too.
            #expect(report.expirations.never == Totals(entries: 2, bytes: 2007))
        }
    }

    @Test func `know what an eviction would take, as it takes it`() throws {
        try withCache { cache in
            try fill(cache)
            #expect(try cache.storage.report(question(cache, limits: .init(bytes: 10_000, entries: 5))).eviction == nil)
            for limits in [
                StorageLimits(bytes: 2656), StorageLimits(bytes: 200), StorageLimits(entries: 4),
                StorageLimits(bytes: 2),
            ] {
                let forecast = try #require(try cache.storage.report(question(cache, limits: limits)).eviction)
                let gone = try cache.storage.evict(limits) { _ in true }
                #expect(forecast.gone == Totals(entries: Int64(gone.entries), bytes: gone.bytes))
                cache.clock.advance(by: 3600)
                try fill(cache)
            }
        }
    }

    @Test func `of nothing are nothing`() throws {
        try withCache { cache in
            let report = try cache.storage.report(question(cache, limits: .init(bytes: 1)))
            #expect(report.totals == Totals(entries: 0, bytes: 0) && report.hosts == .init())
            #expect(report.ages.allSatisfy { $0.entries == 0 } && report.eviction == nil && report.oldestAccess == nil)
        }
    }

    @Test func `see what another storage has stored`() throws {
        try withCache { cache in
            try fill(cache)
            _ = try cache.storage.report(question(cache))
            let other = cache.makeStorage()
            try other.store(value: .blob(9, count: 5000), forKey: "https://d.example/9")
            #expect(try cache.storage.report(question(cache)).hosts.largest.first?.name == "d.example")
            other.store.close()
        }
    }
}

extension QueryPlanTests {
    /// As ``expected``, of the statements of a report. Some are meant to read everything, once.
    static let expectedOfReport: [String: [String]] = [
        "reported": ["SCAN entries"],
        "keys": ["SCAN entries"],
        "evictedNext": ["SEARCH entries USING INDEX entries_by_access (pinned=?)"],
        "evictable": ["SEARCH entries USING COVERING INDEX entries_by_access (pinned=?)"],
    ]

    @Test func `the statements of a report read each row once at most`() throws {
        try withCache { cache in
            _ = try cache.storage.totalSize()
            let connection = try Connection(path: cache.index.path)
            for (name, sql) in IndexSQL.plannedForReport {
                #expect(try connection.queryPlan(of: sql) == Self.expectedOfReport[name], "\(name)")
            }
        }
    }
}
