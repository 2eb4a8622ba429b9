import Foundation
import HalcyonMigrations
import HalcyonSQLite
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// The index documents itself for a reader who has only the `sqlite3` command.
@Suite struct SelfExplanationTests {
    private static let image = "https://img.example.com/a.png"

    /// Three variants of one image, one of them read; a pinned entry, an expired one, and a large one of another host.
    private func makeCache() throws -> (cache: CacheFixture, index: Connection) {
        let cache = try CacheFixture()
        for (seed, variant) in ["", "@round", "@blur"].enumerated() {
            try cache.storage.store(
                value: .blob(seed, count: 100 + seed), forKey: Self.image + variant,
                origin: KeyOrigin(baseKey: Self.image), expiration: .days(3), writeOptions: [], forcedExtension: nil,
                attributes: .init())
        }
        try cache.storage.store(
            value: .blob(7, count: 10), forKey: "kept", expiration: .seconds(1), attributes: .init(isPinned: true))
        try cache.storage.store(value: .blob(8, count: 20), forKey: "gone", expiration: .seconds(0.001))
        try cache.storage.store(
            value: .blob(9, count: 5_000), forKey: "https://Other.example.com:8080/b", expiration: .never)
        cache.clock.advance(by: 2)
        #expect(try cache.storage.value(forKey: Self.image + "@round") != nil)
        #expect(try cache.storage.value(forKey: "missing") == nil)
        cache.storage.store.recorder.flushAccessLog()
        return (cache, try Connection(path: cache.index.path, access: .queryOnly))
    }

    /// One statement each, with answers that do not depend on the day.
    private static let questions: [(question: String, sql: StaticString, answer: [String])] = [
        ("entries and bytes", "SELECT entries || ' ' || bytes FROM cache_summary", ["6 5333"]),
        (
            "the five largest", "SELECT size FROM cache_entries ORDER BY size DESC LIMIT 5",
            ["5000", "102", "101", "100", "20"]
        ),
        (
            "what goes next", "SELECT key || ' ' || expired FROM cache_eviction_order LIMIT 2",
            ["gone 1", "\(image) 0"]
        ),
        (
            "what has expired, and how many bytes", "SELECT expired_entries || ' ' || expired_bytes FROM cache_summary",
            ["1 20"]
        ),
        (
            "what expires within seven days",
            "SELECT size FROM cache_entries WHERE expires <= datetime('now', '+7 days') || 'Z' AND NOT expired ORDER BY size",
            ["100", "101", "102"]
        ),
        (
            "bytes per host", "SELECT host || ' ' || bytes FROM cache_hosts",
            ["other.example.com 5000", "img.example.com 303", "(no address) 30"]
        ),
        (
            "was this image read today, in any variant",
            "SELECT last_read >= date('now') FROM cache_images WHERE image = 'https://img.example.com/a.png'", ["1"]
        ),
        (
            "which keys were read at all", "SELECT key FROM cache_entries WHERE last_read IS NOT NULL",
            ["https://img.example.com/a.png@round"]
        ),
        (
            "processors with counts", "SELECT processor || ' ' || entries FROM cache_processors ORDER BY 1",
            ["(original) 4", "blur 1", "round 1"]
        ),
        (
            "schema version, and when each was applied",
            "SELECT max(version) || ' ' || (min(applied) LIKE '20__-__-__ __:__:__Z') FROM cache_versions",
            ["\(MigrationFiles.all.count) 1"]
        ),
        ("is the total right", "SELECT is_right FROM cache_check", ["yes"]),
        ("hit rate since when", "SELECT hit_percent || ' ' || (since LIKE '20%Z') FROM cache_statistics", ["50.0 1"]),
        ("what is pinned", "SELECT key FROM cache_entries WHERE pinned", ["kept"]),
        (
            "all variants of one image",
            "SELECT processor || ' ' || size FROM cache_entries WHERE image = 'https://img.example.com/a.png' ORDER BY size",
            [" 100", "round 101", "blur 102"]
        ),
        ("average size", "SELECT average_size FROM cache_summary", ["889.0"]),
        (
            "ages since creation and use",
            "SELECT created_entries || ' ' || used_entries FROM cache_ages WHERE days_from = 0", ["6 6"]
        ),
    ]

    @Test func `one statement answers each of fifteen questions`() throws {
        let (cache, index) = try makeCache()
        for (question, sql, answer) in Self.questions {
            #expect(try index.texts(sql) == answer, "\(question)")
        }
        withExtendedLifetime(cache) {}
    }

    @Test func `each view works even if an SQL index was dropped`() throws {
        let (cache, index) = try makeCache()
        let writer = try Connection(path: cache.index.path)
        let answers = try Self.questions.map { try index.texts($0.sql) }
        for name in try index.texts("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL") {
            try writer.execute("DROP INDEX \(name)")
        }
        #expect(try Self.questions.map { try index.texts($0.sql) } == answers)
        for view in try views(index) { try index.execute("SELECT * FROM \(view)") }
    }

    private func views(_ index: Connection) throws -> [String] {
        try index.texts("SELECT name FROM sqlite_schema WHERE type = 'view'")
    }

    @Test func `there are nine tables, and every column of every table and view is documented`() throws {
        let (cache, index) = try makeCache()
        cache.settle()
        let tables = try index.texts("SELECT name FROM sqlite_schema WHERE type = 'table'")
        #expect(tables.count == 9)
        var columns: [String] = []
        for name in try tables + views(index) {
            try index.with(joining: ["SELECT name FROM pragma_table_info(?1)"]) { statement in
                try statement.bind(name, at: 1)
                while try statement.step() { columns.append(name + "." + statement.text(at: 0)) }
            }
        }
        #expect(
            try index.texts("SELECT table_name || '.' || column_name FROM cache_schema").sorted() == columns.sorted())
        #expect(
            try index.texts(
                "SELECT column_name FROM cache_schema WHERE unit || meaning = '' AND table_name LIKE 'cache%'") == [])
    }

    @Test func `the suggested queries work, and every view is suggested`() throws {
        let (cache, index) = try makeCache()
        for statement in try index.texts("SELECT statement FROM cache_help") { try index.execute(statement) }
        let suggested = try Set(index.texts("SELECT name FROM cache_help WHERE access LIKE 'read only%'"))
        #expect(suggested == Set(try views(index)).union(["cache_schema"]))
        withExtendedLifetime(cache) {}
    }

    @Test func `dates are NULL, or UTC and labelled so`() throws {
        let (cache, _) = try makeCache()
        let index = try Connection(path: cache.index.path)
        try index.execute("CREATE TEMP TABLE dates (text)")
        let columns = try index.texts(
            "SELECT column_name || ' FROM ' || table_name FROM cache_schema WHERE unit = 'UTC'")
        for column in columns { try index.execute("INSERT INTO temp.dates SELECT \(column)") }
        #expect(try index.integer("SELECT count(text) > 20 FROM temp.dates") == 1)
        #expect(try index.texts("SELECT text FROM temp.dates WHERE text NOT LIKE '____-__-__ __:__:__Z'") == [])
    }
}
