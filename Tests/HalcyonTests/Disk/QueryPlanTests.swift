import Foundation
import HalcyonSQLite
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// No statement may read or sort the whole table if an index can serve it.
@Suite struct QueryPlanTests {
    /// The lines of `EXPLAIN QUERY PLAN`. They change with the statement, an index or SQLite's version.
    static let expected: [String: [String]] = [
        "row": ["SEARCH entries USING INTEGER PRIMARY KEY (rowid=?)"],
        "insert": ["SCALAR SUBQUERY 1", "SEARCH state USING INTEGER PRIMARY KEY (rowid=?)"],
        "replace": [
            "SEARCH entries USING INTEGER PRIMARY KEY (rowid=?)", "SCALAR SUBQUERY 1",
            "SEARCH state USING INTEGER PRIMARY KEY (rowid=?)",
        ],
        "delete": ["SEARCH entries USING INTEGER PRIMARY KEY (rowid=?)"],
        "uses": ["SEARCH entries USING INTEGER PRIMARY KEY (rowid=?)"],
        "setHits": ["SEARCH entries USING INTEGER PRIMARY KEY (rowid=?)"],
        "relearn": ["SEARCH entries USING INTEGER PRIMARY KEY (rowid=?)"],
        "touch": ["SEARCH entries USING INTEGER PRIMARY KEY (rowid=?)"],
        "extend": ["SEARCH entries USING INTEGER PRIMARY KEY (rowid=?)"],
        "beginExpiryScan": ["SEARCH totals USING INTEGER PRIMARY KEY (rowid=?)"],
        "invalidateEarliestExpiry": ["SEARCH totals USING INTEGER PRIMARY KEY (rowid=?)"],
        "endExpiryScan": ["SEARCH totals USING INTEGER PRIMARY KEY (rowid=?)"],
        "setLatestStore": ["SEARCH totals USING INTEGER PRIMARY KEY (rowid=?)"],
        "nothingHasExpired": ["SCAN CONSTANT ROW", "SCALAR SUBQUERY 1", "SCAN totals"],
        // From the index only, on a separate connection.
        "expired": ["SEARCH entries USING COVERING INDEX entries_by_rank (pinned=?)"],
        "nextExpiry": ["SEARCH entries USING COVERING INDEX entries_by_rank (pinned=?)"],
        "page": ["SEARCH entries USING INTEGER PRIMARY KEY (rowid>?)"],
        "stored": ["SEARCH entries USING INTEGER PRIMARY KEY (rowid>?)"],
        "clampFuture": [
            "SEARCH entries USING INTEGER PRIMARY KEY (rowid=?)", "LIST SUBQUERY 1",
            "SEARCH entries USING INDEX entries_by_rank (pinned=? AND rank>?)",
        ],
        "hasFuture": [
            "SCAN CONSTANT ROW", "SCALAR SUBQUERY 1",
            "SEARCH entries USING INDEX entries_by_rank (pinned=? AND rank>?)",
        ],
        // Runs only while ranks are ahead of accesses.
        "accessRange": ["SCAN entries"],
        "hasRanksAhead": [
            "SCAN CONSTANT ROW", "SCALAR SUBQUERY 1", "SCAN sqlite_master", "SCALAR SUBQUERY 2", "SCAN entries",
        ],
        "totals": ["SEARCH totals USING INTEGER PRIMARY KEY (rowid=?)"],
        "storedAt": ["SEARCH totals USING INTEGER PRIMARY KEY (rowid=?)"],
        "setStoredAt": ["SEARCH totals USING INTEGER PRIMARY KEY (rowid=?)"],
        "state": [
            "SEARCH totals USING INTEGER PRIMARY KEY (rowid=?)", "SEARCH state USING INTEGER PRIMARY KEY (rowid=?)",
        ],
        "setState": ["SEARCH state USING INTEGER PRIMARY KEY (rowid=?)"],
        "lowestRank": ["SEARCH entries USING COVERING INDEX entries_by_rank (pinned=?)"],
        "expiredTotals": [
            "SEARCH entries USING COVERING INDEX entries_by_rank (pinned=?)", "SCALAR SUBQUERY 1", "SCAN totals",
        ],
        "hasOddAccesses": [
            "SCAN CONSTANT ROW", "SCALAR SUBQUERY 1",
            "SEARCH entries USING COVERING INDEX entries_by_rank (pinned=? AND rank>?)", "SCALAR SUBQUERY 2",
            "MULTI-INDEX OR", "INDEX 1", "SEARCH entries USING COVERING INDEX entries_by_rank (pinned<?)", "INDEX 2",
            "SEARCH entries USING COVERING INDEX entries_by_rank (pinned>? AND pinned<?)", "INDEX 3",
            "SEARCH entries USING COVERING INDEX entries_by_rank (pinned>?)",
        ],
        "pinnedTotals": [
            "MULTI-INDEX OR", "INDEX 1", "SEARCH entries USING COVERING INDEX entries_by_rank (pinned>?)", "INDEX 2",
            "SEARCH entries USING COVERING INDEX entries_by_rank (pinned<?)",
        ],
        "pin": ["SEARCH entries USING INTEGER PRIMARY KEY (rowid=?)"],
        "normalizePins": [
            "MULTI-INDEX OR", "INDEX 1", "SEARCH entries USING COVERING INDEX entries_by_rank (pinned<?)", "INDEX 2",
            "SEARCH entries USING COVERING INDEX entries_by_rank (pinned>? AND pinned<?)", "INDEX 3",
            "SEARCH entries USING COVERING INDEX entries_by_rank (pinned>?)",
        ],
        "tags": ["SEARCH tags USING COVERING INDEX tags_by_entry (id=?)"],
        "addTag": [],
        "dropTags": ["SEARCH tags USING COVERING INDEX tags_by_entry (id=?)"],
        "moveTags": ["SEARCH tags USING COVERING INDEX tags_by_entry (id=?)"],
        "metadata": ["SEARCH metadata USING INTEGER PRIMARY KEY (rowid=?)"],
        "setMetadata": [],
        "dropMetadata": ["SEARCH metadata USING INTEGER PRIMARY KEY (rowid=?)"],
        "moveMetadata": ["SEARCH metadata USING INTEGER PRIMARY KEY (rowid=?)"],
        "forgetKey": ["SEARCH entries USING INTEGER PRIMARY KEY (rowid=?)"],
        "statistics": ["SEARCH statistics USING INTEGER PRIMARY KEY (rowid=?)"],
        "addStatistics": ["SEARCH statistics USING INTEGER PRIMARY KEY (rowid=?)"],
        "resetStatistics": ["SEARCH statistics USING INTEGER PRIMARY KEY (rowid=?)"],
        "rename": ["SEARCH entries USING INTEGER PRIMARY KEY (rowid=?)"],
        "slack": ["SEARCH totals USING INTEGER PRIMARY KEY (rowid=?)"],
    ]

    /// Statements that have to read everything: the check, and the queries of users.
    static let scans: Set<String> = [
        // Does not run without the index of ranks ahead.
        "hasFutureBesideRanksAhead",
        "countedTotals", "indexedIDs", "largest", "areTotalsRight", "repairTotals", "idWithKey", "mendStatistics",
        "largestHosts",
    ]

    private func plans() throws -> [String: [String]] {
        let cache = try CacheFixture()
        _ = try cache.storage.totalSize()
        let connection = try Connection(path: cache.index.path)
        return try Dictionary(
            uniqueKeysWithValues: IndexSQL.planned.map { ($0.name, try connection.queryPlan(of: $0.sql)) })
    }

    @Test func `every statement has its expected plan`() throws {
        for (name, plan) in try plans() where !Self.scans.contains(name) && name != "victims" {
            #expect(plan == Self.expected[name], "\(name)")
        }
    }

    @Test func `with ranks ahead of accesses, a search for future dates uses two indexes`() throws {
        let cache = try CacheFixture()
        _ = try cache.storage.totalSize()
        try cache.storage.store.index.write { try $0.allowRanksAhead() }
        let plan = try Connection(path: cache.index.path).queryPlan(of: IndexSQL.hasFutureBesideRanksAhead)
        let (byRank, ahead) = (
            "SEARCH entries USING COVERING INDEX entries_by_rank (pinned=? AND rank>?)",
            "SEARCH entries USING COVERING INDEX entries_ahead (accessed_at>?)"
        )
        #expect(plan.filter { !$0.hasPrefix("SCALAR") } == ["SCAN CONSTANT ROW", byRank, ahead, byRank, ahead])
    }

    @Test func `eviction reads the covering index in order and sorts no more than a batch`() throws {
        let plan = try #require(try plans()["victims"])
        #expect(plan.contains("SEARCH entries USING COVERING INDEX entries_by_rank (pinned=?)"))
        #expect(!plan.contains { $0.hasPrefix("SCAN entries") })
        // The result is sorted. SQLite 3.40 sorts the rows of the inner LIMIT once more; later ones may not. Those of one rank and
        // size are sorted by id.
        #expect(plan.filter { $0 == "USE TEMP B-TREE FOR ORDER BY" }.count <= 2)
    }

    @Test func `full scans read the table once, and counting reads only an index`() throws {
        let plans = try plans()
        for name in ["countedTotals", "indexedIDs"] {
            #expect(plans[name] == ["SCAN entries USING COVERING INDEX entries_by_rank"])
        }
        for name in Self.scans { #expect(plans[name]?.filter { $0.hasPrefix("SCAN") }.isEmpty == false, "\(name)") }
    }

    /// In a statement that fires a trigger, one that can fail makes SQLite copy each page before it changes it.
    @Test func `a store and an extension contain nothing that can fail alone`() throws {
        let cache = try CacheFixture()
        _ = try cache.storage.totalSize()
        let index = try Connection(path: cache.index.path)
        for sql in [IndexSQL.insert, IndexSQL.replace, IndexSQL.extend] {
            let steps = try index.with(joining: ["EXPLAIN ", sql]) { statement in
                var steps: [(name: String, p2: Int64)] = []
                while try statement.step() { steps.append((statement.text(at: 1), statement.integer(at: 3))) }
                return steps
            }
            #expect(steps.contains { $0.name == "Program" }, "fires a trigger")
            #expect(!steps.contains { $0.name.hasSuffix("Func") || $0.name.hasPrefix("Function") }, "\(sql)")
            // A halt with 2 undoes the statement alone.
            #expect(!steps.contains { $0.name == "Halt" && $0.p2 == 2 }, "\(sql)")
        }
    }

    // MARK: Statements that are put together

    /// One filter of each kind.
    private static let filters: [EntryFilter] = [
        .init(minimumSize: 1), .init(maximumSize: 1), .init(createdAfter: .now), .init(createdBefore: .now),
        .init(accessedAfter: .now), .init(accessedBefore: .now), .init(expiresBefore: .now), .init(isExpired: true),
        .init(isExpired: false), .init(isPinned: true), .init(isPinned: false), .init(host: "a"), .init(text: "a"),
        .init(keyPrefix: "a"), .init(baseKeys: ["a", "b"]), .init(processorIdentifier: "a"),
    ]

    @Test func `a filter reads the table once, and one entry by its id`() throws {
        let cache = try CacheFixture()
        _ = try cache.storage.totalSize()
        let index = try Connection(path: cache.index.path)
        for filter in Self.filters {
            let conditions = EntryConditions(filter, at: Timestamp(milliseconds: 0))
            let one = try index.queryPlan(of: IndexSQL.entry(conditions))
            #expect(one == ["SEARCH entries USING INTEGER PRIMARY KEY (rowid=?)"])
            for order in EntryOrder.allCases {
                let sql = IndexSQL.page(conditions, in: order, descending: false, isFirst: false)
                let page = try index.queryPlan(of: sql)
                #expect(page == ["SCAN entries", "USE TEMP B-TREE FOR ORDER BY"], "\(filter), \(order)")
            }
        }
        let tagged = EntryConditions(.init(tag: "a"), at: Timestamp(milliseconds: 0))
        let page = try index.queryPlan(of: IndexSQL.page(tagged, in: .size, descending: true, isFirst: true))
        #expect(
            page == [
                "SEARCH entries USING INTEGER PRIMARY KEY (rowid=?)", "LIST SUBQUERY 1",
                "SEARCH tags USING PRIMARY KEY (tag=?)", "USE TEMP B-TREE FOR ORDER BY",
            ])
        // For one entry, the list of all entries with the tag would be made again each time.
        let one = try index.queryPlan(of: IndexSQL.entry(tagged))
        #expect(
            one == [
                "SEARCH entries USING INTEGER PRIMARY KEY (rowid=?)", "CORRELATED SCALAR SUBQUERY 1",
                "SEARCH tags USING PRIMARY KEY (tag=? AND id=?)",
            ])
    }

    @Test(arguments: [false, true], [false, true])
    func `pages of all entries in order of access come from the index`(descending: Bool, isFirst: Bool) throws {
        let cache = try CacheFixture()
        _ = try cache.storage.totalSize()
        let index = try Connection(path: cache.index.path)
        let lines = try index.queryPlan(of: IndexSQL.walk(descending: descending, isFirst: isFirst))
        // Only entries of equal access and size are sorted by id.
        let others = ["LEFT", "RIGHT", "MERGE (UNION ALL)", "USE TEMP B-TREE FOR RIGHT PART OF ORDER BY"]
        let reads = lines.filter { !others.contains($0) }
        #expect(reads.count == (isFirst ? 2 : 6))
        #expect(reads.allSatisfy { $0.hasPrefix("SEARCH entries USING INDEX entries_by_rank (pinned=?") })
    }

    @Test func `every statement has an expectation`() {
        let names = Set(IndexSQL.planned.map(\.name))
        let pinned = Set(Self.expected.keys)
        #expect(names == pinned.union(Self.scans).union(["victims"]))
    }
}

extension IndexSQL {
    /// The statements whose query plans are pinned, by name.
    static let planned: [(name: String, sql: StaticString)] = [
        ("row", row),
        ("insert", insert),
        ("replace", replace),
        ("delete", delete),
        ("uses", uses),
        ("setHits", setHits),
        ("relearn", relearn),
        ("touch", touch),
        ("extend", extend),
        ("victims", victims),
        ("stored", stored),
        ("page", pageByID),
        ("hasFuture", hasFuture),
        ("hasFutureBesideRanksAhead", hasFutureBesideRanksAhead),
        ("clampFuture", clampFuture),
        ("totals", totals),
        ("countedTotals", countedTotals),
        ("indexedIDs", indexedIDs),
        ("largest", largest),
        ("expiredTotals", expiredTotals),
        ("areTotalsRight", areTotalsRight),
        ("repairTotals", repairTotals),
        ("nothingHasExpired", nothingHasExpired),
        ("beginExpiryScan", beginExpiryScan),
        ("invalidateEarliestExpiry", invalidateEarliestExpiry),
        ("expired", expired),
        ("nextExpiry", nextExpiry),
        ("endExpiryScan", endExpiryScan),
        ("setLatestStore", setLatestStore),
        ("storedAt", storedAt),
        ("setStoredAt", setStoredAt),
        ("state", state),
        ("setState", setState),
        ("lowestRank", lowestRank),
        ("accessRange", accessRange),
        ("hasRanksAhead", hasRanksAhead),
        ("largestHosts", largestHosts),
        ("hasOddAccesses", hasOddAccesses),
        ("pinnedTotals", pinnedTotals),
        ("pin", pin),
        ("normalizePins", normalizePins),
        ("tags", tags),
        ("addTag", addTag),
        ("dropTags", dropTags),
        ("moveTags", moveTags),
        ("metadata", metadata),
        ("setMetadata", setMetadata),
        ("dropMetadata", dropMetadata),
        ("moveMetadata", moveMetadata),
        ("idWithKey", idWithKey),
        ("forgetKey", forgetKey),
        ("statistics", statistics),
        ("addStatistics", addStatistics),
        ("resetStatistics", resetStatistics),
        ("mendStatistics", mendStatistics),
        ("rename", rename),
        ("slack", slack),
    ]
}
