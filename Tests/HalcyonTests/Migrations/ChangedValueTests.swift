import Foundation
import HalcyonSQLite
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// Damage that leaves a valid database: one byte of SQL in the schema, or one value of a row. No statement fails at once.
@Suite struct ChangedValueTests {
    /// Twenty entries, the first of them pinned and with a tag. The daily sweep is due.
    private func withDueCache(_ body: (CacheFixture) throws -> Void) throws {
        try withCache { cache in
            for seed in 0..<20 {
                try cache.storage.store(
                    value: .blob(seed), forKey: "\(seed)",
                    attributes: seed == 0 ? .init(isPinned: true, tags: ["t"], metadata: ["a": "b"]) : .init())
            }
            cache.settle()
            cache.storage.store.close()
            try edit(cache, "UPDATE state SET reconciled_at = 1")
            try body(cache)
        }
    }

    private func edit(_ cache: CacheFixture, _ sql: String) throws {
        try Connection(path: cache.index.path).execute(sql)
    }

    private func changeSchema(of cache: CacheFixture, _ former: String, _ changed: String, in name: String) throws {
        try edit(
            cache,
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(sql, '\(former)', '\(changed)') WHERE name = '\(name)'
            """)
    }

    /// Changes values that the schema does not allow.
    private func violate(_ cache: CacheFixture, _ table: String, _ change: String) throws {
        try changeSchema(of: cache, "NOT NULL", "/* any*/", in: table)
        try edit(cache, "UPDATE \(table) SET \(change)")
        try changeSchema(of: cache, "/* any*/", "NOT NULL", in: table)
    }

    private func expectAll(in cache: CacheFixture) throws {
        for seed in 0..<20 { #expect(try cache.storage.value(forKey: "\(seed)") == .blob(seed), "\(seed)") }
        let entry = try #require(try cache.storage.entry(forKey: "0"))
        #expect(entry.isPinned && entry.tags == ["t"] && entry.metadata == ["a": "b"] && entry.key == "0")
    }

    private func isReplaced(_ cache: CacheFixture) -> Bool {
        FileManager.default.fileExists(atPath: cache.index.path + ".damaged")
    }

    private static let changes = [
        ("entries", "PRIMARY", "PSIMARY"), ("entries", "pinned >= 0", "pinned <= 0"), ("entries", "key ", "kei "),
        ("state", "done", "lone"), ("totals", "slack", "slabk"), ("entries_forgotten", "id = OLD.id", "id < OLD.id"),
        ("entries_inserted", "bytes + NEW", "bytes * NEW"), ("entries_by_rank", "size", "slze"),
        // SQL that cannot be parsed.
        ("entries", "PRIMARY KEY", "PRIMARY K(Y"), ("cache_entries", "SELECT", "SELEC("), ("state", "NULL,", "NULL("),
    ]

    /// The cache reads no view.
    private static let changesOfViews = [
        ("cache_entries", "size", "rank"), ("cache_summary", "1000000.0", "1000001.0"),
    ]

    @Test(arguments: changes)
    func `the daily sweep restores SQL in place, and loses nothing`(name: String, former: String, changed: String)
        throws
    {
        try withDueCache { cache in
            try changeSchema(of: cache, former, changed, in: name)
            cache.reopen()
            _ = try? cache.storage.value(forKey: "0")
            cache.settle()
            try expectAll(in: cache)
            #expect(!isReplaced(cache))
            #expect(cache.warnings.withLock { $0.count } == 1)
        }
    }

    @Test(arguments: changes + changesOfViews)
    func `a repair restores SQL in place, and loses nothing`(name: String, former: String, changed: String) throws {
        try withDueCache { cache in
            try edit(cache, "UPDATE state SET reconciled_at = \(cache.clock.now.milliseconds)")
            try changeSchema(of: cache, former, changed, in: name)
            cache.reopen()
            #expect(try cache.storage.check(repair: true).isRepaired)
            try expectAll(in: cache)
            #expect(!isReplaced(cache))
        }
    }

    @Test func `beside a column of another program, the daily sweep finds changed SQL too`() throws {
        try withDueCache { cache in
            try edit(cache, "ALTER TABLE entries ADD COLUMN mine DECIMAL(10,2) DEFAULT 3")
            try changeSchema(of: cache, "PRIMARY", "PSIMARY", in: "entries")
            cache.reopen()
            _ = try? cache.storage.value(forKey: "0")
            cache.settle()
            for seed in 0..<20 { #expect(try cache.storage.value(forKey: "\(seed)") == .blob(seed)) }
        }
    }

    @Test(arguments: ["entries", "tags", "metadata"]) func `columns of another program stay`(table: String) throws {
        try withDueCache { cache in
            try edit(cache, "ALTER TABLE \(table) ADD COLUMN mine TEXT; UPDATE \(table) SET mine = 'x'")
            cache.reopen()
            cache.settle()
            try expectAll(in: cache)
            try edit(cache, "UPDATE \(table) SET mine = 'y'")
            #expect(try cache.storage.check().isSound)
            #expect(!isReplaced(cache))
        }
    }

    @Test(arguments: 1...7)
    func `an upgraded index has the schema of a new one, besides columns of another program`(version: Int) throws {
        try withDueCache { cache in
            try OlderIndex.make(version: version, at: cache.index.path)
            try edit(cache, "ALTER TABLE entries ADD COLUMN mine TEXT")
            cache.reopen()
            try cache.storage.finishUpgrade { _ in }
            #expect(try cache.storage.store.index.read { try $0.upgradeStep() } == nil)
            #expect(try cache.storage.check().integrityFindings == [])
        }
    }

    @Test(arguments: [
        ("entries", "pinned = NULL WHERE id IN (SELECT id FROM entries WHERE pinned = 0)"), ("entries", "hits = NULL"),
        ("statistics", "removals = NULL"),
    ])
    func `a value that became NULL fails no store and no flush`(table: String, change: String) throws {
        try withDueCache { cache in
            try violate(cache, table, change)
            try edit(cache, "UPDATE state SET reconciled_at = \(cache.clock.now.milliseconds)")
            cache.reopen()
            for seed in 0..<20 { #expect(try cache.storage.value(forKey: "\(seed)") == .blob(seed)) }
            try cache.storage.store(value: .blob(1), forKey: "1")
            try cache.storage.flush()
            cache.settle()
            try expectAll(in: cache)
            #expect(try cache.storage.entry(forKey: "1")?.isPinned == false)
        }
    }

    @Test func `the daily sweep corrects the slack`() throws {
        try withDueCache { cache in
            let connection = try Connection(path: cache.index.path)
            let slack = try connection.integer("SELECT slack FROM totals")
            try connection.execute("UPDATE totals SET slack = slack + 1000")
            cache.reopen()
            _ = try cache.storage.totalSize()
            cache.settle()
            #expect(try connection.integer("SELECT slack FROM totals") == slack)
        }
    }

    /// The tree leads to the wrong page, and its rows seem to be missing.
    @Test func `the daily sweep deletes no blob of an index whose pages are out of order`() throws {
        try withCache { cache in
            for seed in 0..<300 { try cache.storage.store(value: .blob(seed, count: 10), forKey: "\(seed)") }
            cache.settle()
            cache.storage.store.close()
            try edit(cache, "UPDATE state SET reconciled_at = 1")
            var data = try Data(contentsOf: cache.index)
            let root = try #require(
                try Connection(path: cache.index.path).integer(
                    "SELECT rootpage FROM sqlite_schema WHERE name = 'entries'"))
            let page = (Int(root) - 1) * 4096
            #expect(data[page] == 5, "an interior page")
            let cell = page + Int(data[page + 12]) << 8 + Int(data[page + 13])
            // The highest bits of the first key.
            data[cell + 4] ^= 0x20
            let file = try FileHandle(forWritingTo: cache.index)
            try file.write(contentsOf: data)
            try file.close()
            cache.reopen()
            _ = try cache.storage.value(forKey: "0")
            cache.settle()
            for seed in 0..<300 { #expect(try cache.storage.value(forKey: "\(seed)") == .blob(seed, count: 10)) }
        }
    }
}
