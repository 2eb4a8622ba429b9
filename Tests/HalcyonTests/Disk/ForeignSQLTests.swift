import Foundation
import HalcyonSQLite
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// Someone changes the schema of the index with the `sqlite3` command.
@Suite struct ForeignSQLTests {
    private func edit(_ cache: CacheFixture, _ sql: String) throws {
        try Connection(path: cache.index.path).execute(sql)
    }

    /// Two entries, one of them pinned and with a tag.
    private func storeTwo(in cache: CacheFixture) throws {
        try cache.storage.store(
            value: .blob(1), forKey: "a", attributes: .init(isPinned: true, tags: ["t"]))
        try cache.storage.store(value: .blob(2), forKey: "b")
        cache.settle()
    }

    private func expectTwo(in cache: CacheFixture) throws {
        let entry = try #require(try cache.storage.entry(forKey: "a"))
        #expect(entry.isPinned && entry.tags == ["t"] && entry.key == "a")
        #expect(try cache.storage.value(forKey: "a") == .blob(1))
        #expect(try cache.storage.value(forKey: "b") == .blob(2))
    }

    private static let objects: [String] = {
        let cache = try? CacheFixture()
        _ = try? cache?.storage.totalSize()
        let schema = try? cache?.storage.store.index.read { try $0.schema() }
        return schema?.keys.filter { !$0.hasPrefix("table ") }.sorted() ?? []
    }()

    private func present(in cache: CacheFixture) throws -> Set<String> {
        try Set(cache.storage.store.index.read { try $0.schema() }.keys)
    }

    @Test func `the schema has indexes, triggers and views`() {
        for kind in ["index", "trigger", "view"] { #expect(Self.objects.contains { $0.hasPrefix(kind) }) }
    }

    @Test(arguments: objects)
    func `a check finds what was dropped, and a repair makes it again and loses nothing`(object: String) throws {
        try withCache { cache in
            try storeTwo(in: cache)
            try edit(cache, "DROP \(object)")
            #expect(try cache.storage.check().integrityFindings == ["\(object) is missing"])
            let repair = try cache.storage.check(repair: true)
            #expect(repair.integrityFindings == ["\(object) is missing"] && repair.isRepaired)
            #expect(try present(in: cache).contains(object))
            #expect(try cache.storage.check().isSound)
            try expectTwo(in: cache)
        }
    }

    @Test func `the statistics of ANALYZE are deleted`() throws {
        try withCache { cache in
            try storeTwo(in: cache)
            try edit(cache, "ANALYZE")
            cache.reopen()
            try expectTwo(in: cache)
            cache.settle()
            // Also from the memory of the connection that deleted them.
            let plan = try cache.storage.store.index.write { session in
                _ = try session.totals()
                return try session.connection.queryPlan(of: IndexSQL.victims)
            }
            #expect(!plan.contains { $0.hasPrefix("SCAN entries") }, "\(plan)")
            let tables = try Connection(path: cache.index.path).texts("SELECT name FROM sqlite_schema")
            #expect(tables.contains("entries") && !tables.contains { $0.hasPrefix("sqlite_stat") })
        }
    }

    @Test func `a trigger that keeps rows ends no removal in a loop, and deletes no blob`() throws {
        try withCache(configure: { $0.sizeLimit = 1_000 }) { cache in
            for seed in 0..<20 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            cache.settle()
            try edit(
                cache, "CREATE TRIGGER mine BEFORE DELETE ON entries WHEN OLD.key < '5' BEGIN SELECT RAISE(IGNORE); END"
            )
            let error = #expect(throws: KingfisherError.self) { try cache.storage.remove(forKey: "0") }
            #expect(error?.errorDescription?.contains("sqlite_schema") == true, "\(String(describing: error))")
            _ = try? cache.storage.removeSizeExceededValues()
            _ = try? cache.storage.removeEntries(matching: .init(keyPrefix: "1"))
            for seed in 0..<20 where "\(seed)" < "5" {
                #expect(try cache.storage.value(forKey: "\(seed)") == .blob(seed))
            }
            try edit(cache, "DROP TRIGGER mine")
            try cache.storage.remove(forKey: "0")
            #expect(try cache.storage.removeSizeExceededValues().count >= 10)
        }
    }

    @Test(arguments: ["INSERT", "UPDATE"]) func `a store whose row a trigger ignores fails, and the former bytes stay`(
        event: String
    ) throws {
        try withCache { cache in
            try storeTwo(in: cache)
            try edit(
                cache,
                "CREATE TRIGGER mine BEFORE \(event) ON entries WHEN NEW.size > 100 BEGIN SELECT RAISE(IGNORE); END")
            for key in event == "UPDATE" ? ["a"] : ["c", "d"] {
                let error = #expect(throws: KingfisherError.self) {
                    try cache.storage.store(value: .blob(3, count: 200), forKey: key)
                }
                #expect(error?.errorDescription?.contains("sqlite_schema") == true, "\(String(describing: error))")
            }
            try expectTwo(in: cache)
            try cache.requireClean()
        }
    }

    @Test func `a constraint of another program's table is not taken for damage`() throws {
        try withCache { cache in
            try storeTwo(in: cache)
            try edit(
                cache,
                """
                CREATE TABLE mine (key TEXT NOT NULL);
                CREATE TRIGGER mine_too AFTER INSERT ON entries BEGIN INSERT INTO mine VALUES (NULL); END
                """)
            let error = #expect(throws: KingfisherError.self) { try cache.storage.store(value: .blob(3), forKey: "c") }
            #expect(error?.errorDescription?.contains("sqlite_schema") == true, "\(String(describing: error))")
            #expect(!FileManager.default.fileExists(atPath: cache.index.path + ".damaged"))
            try edit(cache, "DROP TRIGGER mine_too")
            try cache.storage.store(value: .blob(3), forKey: "c")
            try expectTwo(in: cache)
        }
    }

    /// What a later version of SQLite, or the command, accepts and this one does not.
    @Test(arguments: [
        ("VIEW mine AS SELECT 1", "SELECT 1", "SELECT FROM NOWHERE"),
        ("INDEX mine ON entries (size) WHERE size > 1000", "1000", "1:000"),
        ("INDEX mine ON entries (key COLLATE nocase)", "nocase", "of_the_command"),
        ("TRIGGER mine AFTER DELETE ON entries BEGIN SELECT 1; END", "SELECT 1", "SELECT FROM NOWHERE"),
    ])
    func `an index with SQL of another version is rebuilt with its pins and tags`(
        object: String, former: String, later: String
    ) throws {
        try withCache { cache in
            try storeTwo(in: cache)
            cache.storage.store.close()
            try edit(
                cache,
                """
                CREATE \(object); PRAGMA writable_schema = ON;
                UPDATE sqlite_schema SET sql = replace(sql, '\(former)', '\(later)') WHERE name = 'mine'
                """)
            cache.reopen()
            try cache.storage.store(value: .blob(3), forKey: "c")
            try expectTwo(in: cache)
            cache.settle()
            try expectTwo(in: cache)
            #expect(try !present(in: cache).contains { $0.hasSuffix(" mine") })
        }
    }
    /// So also a flipped bit changes it: 'done' becomes 'lone'.
    @Test func `an index whose CHECK refuses every state is rebuilt with its pins and tags`() throws {
        try withCache { cache in
            try storeTwo(in: cache)
            cache.storage.store.close()
            try edit(
                cache,
                """
                PRAGMA writable_schema = ON;
                UPDATE sqlite_schema SET sql = replace(sql, 'done', 'lone') WHERE name = 'state'
                """)
            // A copy has another inode number, which the opening writes to the state.
            let copy = cache.index.path + ".copy"
            try FileManager.default.copyItem(atPath: cache.index.path, toPath: copy)
            try FileManager.default.removeItem(at: cache.index)
            try FileManager.default.moveItem(atPath: copy, toPath: cache.index.path)
            cache.reopen()
            try cache.storage.store(value: .blob(3), forKey: "c")
            try expectTwo(in: cache)
            cache.settle()
            try expectTwo(in: cache)
        }
    }
}
