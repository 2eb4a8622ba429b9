import Foundation
import HalcyonMigrations
import HalcyonSQLite
import HalcyonTestSupport
import Testing

@testable import Halcyon

/// A hundred thousand rows of each released version survive the upgrade to the newest one, step by step and in one run.
@Suite struct LargeUpgradeTests {
    private static let count = 100_000
    private static let versions = Array(1...MigrationFiles.all.count)

    /// Typical rows: hashed names, most with a key, some that never expire, one in a hundred pinned.
    private static func fill(_ connection: Connection, _ version: Int) throws {
        let access = version < 7 ? "accessed_at" : "rank"
        try connection.execute(
            """
            DELETE FROM entries;
            WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < \(count))
            INSERT INTO entries
                (id, name, key, token, inode, size, created_at, \(access), expires_at, time_to_live, pinned)
            SELECT n * 92233720368547, randomblob(32), CASE n % 5 WHEN 0 THEN NULL ELSE 'https://example.com/' || n END,
                n, n, n % 50000, 1760000000000 + n, 1760000000000 + n * 7919 % 1000000,
                CASE n % 3 WHEN 0 THEN NULL ELSE 1760000000000 + n END, CASE n % 3 WHEN 0 THEN NULL ELSE 604800000 END,
                n % 100 = 0
            FROM numbers
            """)
    }

    private static let digest: StaticString = """
        SELECT count(*) || ' ' || sum(size) || ' ' || sum(token) || ' ' || sum(created_at) || ' ' || count(key) || ' '
            || count(expires_at) || ' ' || sum(pinned) || ' ' || sum(length(name)) FROM entries
        """

    private func makeIndex(_ version: Int) throws -> (folder: TemporaryFolder, connection: Connection) {
        let folder = try TemporaryFolder()
        let path = folder.url.appendingPathComponent("index.sqlite").path
        try InterruptedMigrationTests.makeIndex(before: version + 1, at: path)
        let connection = try Connection(path: path)
        try Self.fill(connection, version)
        return (folder, connection)
    }

    private func expectSound(_ connection: Connection, _ digest: [String], version: Int) throws {
        #expect(try connection.texts(Self.digest) == digest)
        #expect(try connection.integer("PRAGMA user_version") == Int64(version))
        #expect(try connection.texts("PRAGMA integrity_check") == ["ok"])
        #expect(
            try connection.texts("SELECT entries || ' ' || bytes FROM totals")
                == connection.texts("SELECT count(*) || ' ' || sum(size) FROM entries"))
    }

    @Test(arguments: versions)
    func `an upgrade step by step and one in a single run give the same index`(from version: Int) throws {
        let stepped = try makeIndex(version)
        let digest = try stepped.connection.texts(Self.digest)
        for next in Self.versions where next > version {
            #expect(try InterruptedMigrationTests.migrator(upTo: next).migrate(stepped.connection) == 1)
            try expectSound(stepped.connection, digest, version: next)
        }
        let newest = MigrationFiles.all.count
        let atOnce = try makeIndex(version)
        let digestAtOnce = try atOnce.connection.texts(Self.digest)
        #expect(
            try InterruptedMigrationTests.migrator(upTo: newest).migrate(atOnce.connection) == newest - version)
        try expectSound(atOnce.connection, digestAtOnce, version: newest)
        // The query plans are the same as in a new index.
        for (name, sql) in IndexSQL.planned {
            #expect(
                try atOnce.connection.queryPlan(of: sql) == stepped.connection.queryPlan(of: sql), "\(name)")
        }
    }
}

/// A whole cache of an older version, rows with their blobs.
@Suite struct `Upgrading a cache in use` {
    private func makeVersion1(of cache: CacheFixture) throws {
        cache.storage.store.close()
        try OlderIndex.make(version: 1, at: cache.index.path)
    }

    @Test func `an upgrade keeps entries, blobs and totals, and leaves a sound cache`() throws {
        try withCache { cache in
            for seed in 0..<50 {
                try cache.storage.store(
                    value: .blob(seed), forKey: "\(seed)", expiration: seed % 2 == 0 ? .never : .days(3))
            }
            try makeVersion1(of: cache)
            #expect(try Connection(path: cache.index.path).integer("PRAGMA user_version") == 1)
            cache.reopen()
            #expect(try cache.storage.totalSize() == 5_000)
            for seed in 0..<50 { #expect(try cache.storage.value(forKey: "\(seed)") == .blob(seed)) }
            #expect(cache.warnings.withLock { $0 }.isEmpty)
            #expect(try cache.storage.store.index.ledger().map(\.version) == Array(1...MigrationFiles.all.count))
        }
    }

    @Test func `an upgrade that is interrupted at any commit continues at the next opening`() throws {
        var commits = 0
        while try !isFinished(whenInterruptedAfter: commits) {
            commits += 1
            try #require(commits < 100, "it makes no progress")
        }
        // Each step commits, and steps in batches commit more than once.
        #expect(commits > 8)
    }

    /// Upgrades a cache of version 6 in batches of two, and refuses all commits after a given number, as after a kill.
    ///
    /// - Returns: whether the upgrade was complete by then.
    private func isFinished(whenInterruptedAfter commits: Int) throws -> Bool {
        var tuning = Tuning.patient
        tuning.flushBatchSize = 2
        let cache = try CacheFixture(tuning: tuning)
        for seed in 0..<5 {
            try cache.storage.store(value: .blob(seed), forKey: "https://h\(seed).example/a.png", expiration: .days(3))
        }
        cache.storage.store.close()
        try OlderIndex.make(version: 6, at: cache.index.path)
        try Connection(path: cache.index.path).execute(
            "INSERT INTO listing_by_key (id, key) SELECT id, coalesce(key, '') FROM entries")
        cache.refuseCommits(after: commits, times: .max)
        cache.reopen()
        try cache.storage.store.open()
        cache.settle()
        let isFinished = try upgrading(cache) == 0
        cache.refuseCommits(times: 0)
        cache.reopen()
        for seed in 0..<5 { #expect(try cache.storage.value(forKey: "https://h\(seed).example/a.png") == .blob(seed)) }
        cache.settle()
        #expect(try upgrading(cache) == 0)
        #expect(try cache.storage.entries(matching: .init(host: "h3.example")).entries.count == 1)
        #expect(
            try Connection(path: cache.index.path).texts(
                "SELECT name FROM sqlite_schema WHERE name LIKE 'listing%' OR name = 'entries_by_access'") == [])
        try cache.requireClean()
        return isFinished
    }

    private func upgrading(_ cache: CacheFixture) throws -> Int64? {
        try Connection(path: cache.index.path).integer("SELECT upgrading FROM state")
    }

    @Test func `a newer version's migration of an open index is noticed`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            // Background work may notice the migration before the next store does.
            let generation = cache.storage.store.index.generation
            let next = MigrationFiles.all.count + 1
            try Connection(path: cache.index.path).execute(
                """
                ALTER TABLE entries ADD COLUMN mood TEXT;
                INSERT INTO schema_migrations VALUES (\(next), 'x', 'x', \(next - 1), 0);
                PRAGMA user_version = \(next)
                """)
            try cache.storage.store(value: .blob(2), forKey: "b")
            #expect(cache.storage.store.index.generation == generation + 1)
            #expect(try cache.storage.value(forKey: "a") == .blob(1))
        }
    }
}
