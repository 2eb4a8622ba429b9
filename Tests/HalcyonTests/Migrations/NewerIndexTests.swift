import Foundation
import HalcyonMigrations
import HalcyonSQLite
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// An app that is downgraded finds an index that a newer version has migrated.
@Suite struct NewerIndexTests {
    private static let newest = MigrationFiles.all.count

    /// Makes the index one that a newer version has changed.
    private func migrateFurther(_ cache: CacheFixture, oldestReader: Int) throws {
        let version = Self.newest + 1
        let connection = try Connection(path: cache.index.path)
        try connection.execute(
            """
            ALTER TABLE entries ADD COLUMN mood TEXT;
            INSERT INTO schema_migrations VALUES (\(version), 'V9999__future.sql', 'x', \(oldestReader), 0);
            PRAGMA user_version = \(version)
            """)
    }

    private func cacheWithNewerIndex(oldestReader: Int) throws -> CacheFixture {
        let cache = try CacheFixture()
        try cache.storage.store(value: .blob(1), forKey: "a")
        cache.storage.store.close()
        try migrateFurther(cache, oldestReader: oldestReader)
        return cache
    }

    private func userVersion(_ cache: CacheFixture) throws -> Int64? {
        try Connection(path: cache.index.path).integer("PRAGMA user_version")
    }

    @Test func `one that admits this version is used as it is`() throws {
        let cache = try cacheWithNewerIndex(oldestReader: Self.newest)
        cache.reopen()
        #expect(try cache.storage.value(forKey: "a") == .blob(1))
        try cache.storage.store(value: .blob(2), forKey: "b")
        #expect(try cache.storage.totalSize() == 200)
        #expect(try userVersion(cache) == Int64(Self.newest + 1))
        #expect(cache.warnings.withLock { $0 }.isEmpty)
        try cache.requireClean()
    }

    @Test func `one that does not is refused by the throwing initialiser and left alone`() throws {
        let cache = try cacheWithNewerIndex(oldestReader: Self.newest + 1)
        let error = #expect(throws: KingfisherError.self) {
            try DiskStorage.Backend<Data>(config: cache.config, environment: cache.environment)
        }
        guard case .cacheError(.cannotCreateDirectory(_, let cause as CacheStorageError)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(cause.code == .newerSchema && cause.remedy.contains("newer version"))
        #expect(try userVersion(cache) == Int64(Self.newest + 1))
    }

    @Test func `where nothing may be thrown it is set aside, and no blob is lost`() throws {
        let cache = try cacheWithNewerIndex(oldestReader: Self.newest + 1)
        cache.reopen()
        #expect(try cache.storage.value(forKey: "a") == .blob(1))
        try cache.storage.store(value: .blob(2), forKey: "b")
        #expect(try cache.storage.totalSize() == 200)
        #expect(FileManager.default.fileExists(atPath: cache.index.path + ".newer"))
        #expect(cache.warnings.withLock { $0.count } == 1)
        #expect(try userVersion(cache) == Int64(Self.newest))
        try cache.requireClean()
    }

    @Test func `while somebody uses it there are misses, and nothing is touched`() throws {
        let cache = try cacheWithNewerIndex(oldestReader: Self.newest + 1)
        var newer: Connection? = try Connection(path: cache.index.path)
        _ = try newer?.integer("SELECT count(*) FROM entries")
        cache.reopen()
        #expect(try cache.storage.value(forKey: "a") == nil)
        #expect(throws: KingfisherError.self) { try cache.storage.store(value: .blob(2), forKey: "b") }
        #expect(try newer?.integer("PRAGMA user_version") == Int64(Self.newest + 1))
        newer = nil
        cache.reopen()
        #expect(try cache.storage.value(forKey: "a") == .blob(1))
    }

    @Test func `an older version that has it open goes on reading, and can store nothing`() throws {
        let cache = try CacheFixture()
        try cache.storage.store(value: .blob(1), forKey: "a")
        cache.storage.store.close()
        try OlderIndex.make(version: 6, at: cache.index.path)
        let old = InterruptedMigrationTests.migrator(upTo: 6)
        let connection = try Connection(path: cache.index.path)
        #expect(try old.migrate(connection) == 0)
        // Prepared before, as those of a process are.
        let read = { try connection.with(IndexSQL.formerLookup) { _ in } }
        try read()
        cache.reopen()
        try cache.storage.store(value: .blob(2), forKey: "b")
        cache.settle()
        try read()
        #expect(try connection.integer("SELECT count(*) FROM entries") == 2)
        #expect(throws: MigrationError.newerSchema(found: 7, newestKnown: 6)) { try old.migrate(connection) }
        #expect(try cache.storage.value(forKey: "a") == .blob(1))
        try cache.requireClean()
    }

    @Test(arguments: [
        "CREATE VIEW mine AS SELECT site, bytes FROM cache_sites", "CREATE VIEW mine AS SELECT bytes FROM totals",
        "CREATE VIEW mine AS SELECT key, accessed_at FROM entries", "CREATE VIEW cache_hosts AS SELECT 1",
        "DROP VIEW cache_entries", "DROP TRIGGER entries_changed_unlisted",
        "CREATE TRIGGER mine AFTER DELETE ON entries BEGIN UPDATE statistics SET removals = removals; END",
    ])
    func `what somebody has made of an index of version 6 does not keep it from being upgraded`(edit: String) throws {
        let cache = try CacheFixture()
        try cache.storage.store(value: .blob(1), forKey: "a")
        cache.storage.store.close()
        try OlderIndex.make(version: 6, at: cache.index.path)
        try Connection(path: cache.index.path).execute(edit)
        cache.reopen()
        #expect(try cache.storage.value(forKey: "a") == .blob(1))
        try cache.storage.store(value: .blob(2), forKey: "b")
        cache.settle()
        #expect(try Connection(path: cache.index.path).integer("SELECT upgrading FROM state") == 0)
        #expect(cache.warnings.withLock { $0 } == [])
    }
}
