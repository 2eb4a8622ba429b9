import Foundation
import HalcyonMigrations
import HalcyonSQLite
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// An app that is downgraded finds an index that a newer version has migrated.
@Suite(.endsEvenIfItHangs) struct NewerIndexTests {
    private static let newest = MigrationFiles.all.count

    /// Turns the index into one that a newer version has changed.
    private func migrateFurther(
        _ cache: CacheFixture, oldestReader: Int, _ change: String = "ALTER TABLE entries ADD COLUMN mood TEXT"
    ) throws {
        let version = Self.newest + 1
        let connection = try Connection(path: cache.index.path)
        try connection.execute(
            """
            \(change);
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

    /// A newer version that wrongly states that this one can use its index.
    private func cacheWithIndex(thatLacks change: String) throws -> CacheFixture {
        let cache = try CacheFixture()
        try cache.storage.store(value: .blob(1), forKey: "a", attributes: .init(isPinned: true, tags: ["t"]))
        cache.storage.store.close()
        try migrateFurther(cache, oldestReader: Self.newest, change)
        return cache
    }

    private static let losses = [
        "ALTER TABLE entries RENAME COLUMN slack TO waste", "ALTER TABLE entries RENAME COLUMN token TO mark",
        "ALTER TABLE state RENAME COLUMN boots TO starts", "DROP TABLE metadata", "DROP TABLE statistics",
        "DROP TABLE state",
    ]

    @Test(arguments: losses)
    func `a newer index without a required table or column is not damage, and the throwing initializer refuses it`(
        _ change: String
    ) throws {
        let cache = try cacheWithIndex(thatLacks: change)
        let error = #expect(throws: KingfisherError.self) {
            let storage = try DiskStorage.Backend<Data>(config: cache.config, environment: cache.environment)
            defer { storage.close() }
            for seed in 0..<3 {
                try storage.store(value: .blob(seed), forKey: "b", attributes: .init(tags: ["t"], metadata: ["a": "b"]))
            }
            _ = try storage.statistics
        }
        #expect(error?.cause?.code == .newerSchema, "\(String(describing: error))")
        #expect(try userVersion(cache) == Int64(Self.newest + 1))
        let names = try FileManager.default.contentsOfDirectory(atPath: cache.metadata.path)
        #expect(!names.contains { $0.hasSuffix(".damaged") || $0.hasSuffix(".newer") })
    }

    @Test(arguments: losses)
    func `a newer index without a required table or column is set aside by the initializer that cannot throw`(
        _ change: String
    ) throws {
        let cache = try cacheWithIndex(thatLacks: change)
        cache.reopen()
        for _ in 0..<2 {
            try cache.storage.store(value: .blob(2), forKey: "b", attributes: .init(metadata: ["a": "b"]))
        }
        _ = try cache.storage.statistics
        #expect(try cache.storage.value(forKey: "a") == .blob(1))
        cache.settle()
        #expect(FileManager.default.fileExists(atPath: cache.index.path + ".newer"))
        #expect(!FileManager.default.fileExists(atPath: cache.index.path + ".damaged"))
        #expect(try userVersion(cache) == Int64(Self.newest))
        try cache.requireClean()
    }

    @Test func `while a newer index is set aside, no other process can open it`() throws {
        let cache = try cacheWithIndex(thatLacks: Self.losses[0])
        let index = cache.index.path
        let refusals = Locked(0)
        cache.fileSystem.observe { call, path in
            guard call == .rename, path == index + ".newer", let other = try? Connection(path: index, busyTimeout: 0)
            else { return }
            let error = #expect(throws: SQLiteError.self) { try other.begin() }
            if error?.isBusy == true { refusals.withLock { $0 += 1 } }
        }
        cache.reopen()
        try cache.storage.store(value: .blob(2), forKey: "b", attributes: .init(metadata: ["a": "b"]))
        cache.fileSystem.observe(nil)
        #expect(refusals.withLock { $0 } == 1)
        #expect(FileManager.default.fileExists(atPath: cache.index.path + ".newer"))
    }

    @Test(arguments: ["DROP INDEX entries_by_rank", "DROP INDEX tags_by_entry"])
    func `a newer index without one of the SQL indexes is used unchanged`(_ change: String) throws {
        let cache = try cacheWithIndex(thatLacks: change)
        cache.reopen()
        try cache.storage.store(value: .blob(2), forKey: "b", attributes: .init(tags: ["t"]))
        #expect(try cache.storage.value(forKey: "a") == .blob(1))
        #expect(try cache.storage.entries(matching: .init(tag: "t")).entries.count == 2)
        #expect(try cache.storage.removeSizeExceededValues() == [])
        cache.settle()
        #expect(try userVersion(cache) == Int64(Self.newest + 1))
        #expect(cache.warnings.withLock { $0 }.isEmpty)
        try cache.requireClean()
    }

    private func userVersion(_ cache: CacheFixture) throws -> Int64? {
        try Connection(path: cache.index.path).integer("PRAGMA user_version")
    }

    @Test func `a newer index that this version can read is used unchanged`() throws {
        let cache = try cacheWithNewerIndex(oldestReader: Self.newest)
        cache.reopen()
        #expect(try cache.storage.value(forKey: "a") == .blob(1))
        try cache.storage.store(value: .blob(2), forKey: "b")
        #expect(try cache.storage.totalSize() == 200)
        #expect(try userVersion(cache) == Int64(Self.newest + 1))
        #expect(cache.warnings.withLock { $0 }.isEmpty)
        try cache.requireClean()
    }

    @Test func `a store goes on if a newer version has migrated the index beside a reader`() throws {
        var tuning = Tuning.patient
        tuning.writerTimeout = 50
        try withCache(tuning: tuning) { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.settle()
            let reader = try Connection(path: cache.index.path, access: .queryOnly)
            try reader.execute("BEGIN; SELECT count(*) FROM entries")
            try migrateFurther(cache, oldestReader: Self.newest)
            try cache.storage.store(value: .blob(2), forKey: "b")
            reader.rollBack()
            #expect(try cache.storage.value(forKey: "b") == .blob(2))
        }
    }

    @Test func `an open storage stores nothing once a newer version has changed the index beyond its knowledge`() throws
    {
        let cache = try CacheFixture()
        // The storage that cannot throw would set the index aside.
        cache.storage.store.close()
        let storage = try DiskStorage.Backend<Data>(config: cache.config, environment: cache.environment)
        defer { storage.close() }
        try storage.store(value: .blob(1), forKey: "a")
        try migrateFurther(cache, oldestReader: Self.newest + 1)
        let error = #expect(throws: KingfisherError.self) { try storage.store(value: .blob(2), forKey: "b") }
        #expect(error?.cause?.code == .newerSchema, "\(String(describing: error))")
        let count = try Connection(path: cache.index.path).integer("SELECT count(*) FROM entries")
        #expect(count == 1)
    }

    @Test func `an unpin is not undone while the set-aside index cannot be deleted`() throws {
        let cache = try cacheWithSetAsideIndex(isFound: false)
        cache.storage.store.close()
        try FileManager.default.moveItem(at: newer(cache).appendingPathExtension("away"), to: newer(cache))
        cache.fileSystem.fail(.unlink, EACCES, times: nil, path: "index.sqlite.newer")
        cache.reopen()
        #expect(try !isTakenBack(cache))
        #expect(try cache.storage.entry(forKey: "a")?.isPinned == true)
        try cache.storage.update(.init(isPinned: false), forKey: "a")
        cache.fileSystem.heal()
        cache.reopen()
        try cache.storage.store.open()
        #expect(try isTakenBack(cache))
        #expect(try cache.storage.entry(forKey: "a")?.isPinned == false)
    }

    @Test func `a store without a pin before the set-aside index is taken back stays without it`() throws {
        let cache = try cacheWithSetAsideIndex(isFound: false)
        try FileManager.default.moveItem(at: newer(cache).appendingPathExtension("away"), to: newer(cache))
        try cache.storage.store(value: .blob(2), forKey: "d", attributes: .init(isPinned: false))
        cache.storage.store.close()
        cache.reopen()
        try cache.storage.store.open()
        #expect(try isTakenBack(cache))
        #expect(try cache.storage.entry(forKey: "d")?.isPinned == false)
    }

    @Test func `nothing is taken back or counted once another process has finished`() throws {
        let cache = try cacheWithSetAsideIndex(isFound: false)
        let index = cache.storage.store.index
        let counted = try cache.storage.statistics.total.stores
        let place = newer(cache).path
        try FileManager.default.moveItem(at: newer(cache).appendingPathExtension("away"), to: newer(cache))
        cache.fileSystem.observe { call, path in
            // The first look under the write lock.
            guard call == .status, path == place, index.writer.withLockIfFree({ _ in true }) == nil else { return }
            unlink(place)
        }
        try Reclaimer(folder: cache.storage.store.folder).finish()
        cache.fileSystem.observe(nil)
        #expect(!FileManager.default.fileExists(atPath: place))
        #expect(try index.read { try $0.page(after: .min, limit: 9) }.allSatisfy { !$0.isPinned })
        #expect(try cache.storage.statistics.total.stores == counted)
    }

    @Test func `a set-aside index brings back no keys if the app does not store them`() throws {
        let cache = try cacheWithSetAsideIndex(isFound: false)
        cache.storage.config.storesKeys = false
        try FileManager.default.moveItem(at: newer(cache).appendingPathExtension("away"), to: newer(cache))
        try Reclaimer(folder: cache.storage.store.folder).finish()
        #expect(!FileManager.default.fileExists(atPath: newer(cache).path))
        #expect(try cache.storage.store.index.read { try $0.page(after: .min, limit: 9) }.allSatisfy { $0.key == nil })
    }

    @Test func `the throwing initializer refuses a newer index that this version cannot read, and leaves it alone`()
        throws
    {
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

    @Test func `the initializer that cannot throw sets a newer index aside, and no blob is lost`() throws {
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

    /// Two threads find it at the same moment, and the second one arrives when the first is done.
    @Test func `a newer index is set aside only once`() throws {
        let cache = try cacheWithNewerIndex(oldestReader: Self.newest + 1)
        cache.reopen()
        try cache.storage.store(value: .blob(2), forKey: "b")
        #expect(try cache.storage.store.index.setAsideIfUnused())
        #expect(try Connection(path: newer(cache).path).integer("PRAGMA user_version") == Int64(Self.newest + 1))
        #expect(try cache.storage.value(forKey: "b") == .blob(2))
        cache.settle()
        #expect(try userVersion(cache) == Int64(Self.newest))
        #expect(cache.warnings.withLock { $0.count } == 1)
        try cache.requireClean()
    }

    @Test func `while another process uses a newer index lookups miss, and nothing is touched`() throws {
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

    @Test func `an older version that has an upgraded index open keeps reading and cannot store`() throws {
        let cache = try CacheFixture()
        try cache.storage.store(value: .blob(1), forKey: "a")
        cache.storage.store.close()
        try OlderIndex.make(version: 6, at: cache.index.path)
        let old = InterruptedMigrationTests.migrator(upTo: 6)
        let connection = try Connection(path: cache.index.path)
        #expect(try old.migrate(connection) == 0)
        // Prepared before the change, as in a running process.
        let read = { try connection.with(IndexSQL.formerRow) { _ in } }
        try read()
        cache.reopen()
        try cache.storage.store(value: .blob(2), forKey: "b")
        cache.settle()
        try read()
        #expect(try connection.integer("SELECT count(*) FROM entries") == 2)
        #expect(throws: MigrationError.newerSchema(found: MigrationFiles.all.count, newestKnown: 6)) {
            try old.migrate(connection)
        }
        #expect(try cache.storage.value(forKey: "a") == .blob(1))
        try cache.requireClean()
    }

    @Test func `a column added by hand to version 6 causes a new index that keeps all information`() throws {
        let cache = try CacheFixture()
        try cache.storage.store(value: .blob(1), forKey: "a")
        try cache.storage.update(.init(isPinned: true), forKey: "a")
        cache.storage.store.close()
        try OlderIndex.make(version: 6, at: cache.index.path)
        try Connection(path: cache.index.path).execute("ALTER TABLE entries ADD COLUMN host TEXT")
        cache.reopen()
        #expect(try cache.storage.value(forKey: "a") == .blob(1))
        cache.settle()
        #expect(try cache.storage.entry(forKey: "a")?.isPinned == true)
        #expect(try userVersion(cache) == Int64(Self.newest))
        #expect(cache.warnings.withLock { $0.count } == 1)
        try cache.requireClean()
    }

    /// What version 0.1.0 does when it opens a folder of this version: its index has files and no keys.
    private func setAsideByAnEarlierVersion(_ cache: CacheFixture) throws {
        cache.storage.store.close()
        let path = cache.index.path
        try FileManager.default.moveItem(atPath: path, toPath: path + ".newer")
        try FileManager.default.copyItem(atPath: path + ".newer", toPath: path)
        try OlderIndex.make(version: 6, at: path)
        let inode = try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int ?? 0
        // The remainder of a token depends on the file; the rest is random.
        try Connection(path: path).execute(
            """
            UPDATE entries SET key = NULL, pinned = 0, hits = 1, source = NULL, base_length = 0,
                token = token / 2 - token / 2 % 999 + token % 999, created_at = created_at + 5, expires_at = created_at + 5;
            DELETE FROM tags; DELETE FROM metadata;
            UPDATE state SET index_inode = \(inode)
            """)
    }

    /// A cache of four entries with all attributes, set aside by an older version, which has then removed one entry.
    ///
    /// - Parameter isFound: false moves the set-aside index elsewhere until the opening is over.
    private func cacheWithSetAsideIndex(isFound: Bool = true) throws -> CacheFixture {
        let cache = try CacheFixture()
        for key in ["a", "b", "c", "d"] {
            try cache.storage.store(value: .blob(1), forKey: key, expiration: .days(9))
            let attributes = DiskStorage.EntryAttributes(
                isPinned: key != "b", tags: ["tag \(key)"], validators: .init(etag: "etag \(key)"),
                metadata: ["key": key])
            try cache.storage.update(attributes, forKey: key)
        }
        _ = try cache.storage.value(forKey: "a")
        try setAsideByAnEarlierVersion(cache)
        let gone = cache.storage.cacheFileURL(forKey: "c")
        try Connection(path: cache.index.path).execute(
            "DELETE FROM entries WHERE id = \(BlobName(text: gone.lastPathComponent).rowID)")
        try FileManager.default.removeItem(at: gone)
        guard !isFound else {
            cache.reopen()
            return cache
        }
        try FileManager.default.moveItem(at: newer(cache), to: newer(cache).appendingPathExtension("away"))
        cache.reopen()
        try cache.storage.store.open()
        cache.settle()
        return cache
    }

    /// Reopens a cache with that index set aside, after a change that needs all connections closed.
    private func reopen(_ cache: CacheFixture, withSetAsideIndexAt place: URL, _ change: () throws -> Void) throws {
        cache.storage.store.close()
        try FileManager.default.moveItem(at: newer(cache).appendingPathExtension("away"), to: place)
        try change()
        cache.reopen()
        try cache.storage.store.open()
    }

    private func newer(_ cache: CacheFixture) -> URL { cache.metadata.appendingPathComponent("index.sqlite.newer") }

    private func isTakenBack(_ cache: CacheFixture) throws -> Bool {
        cache.settle()
        return !FileManager.default.fileExists(atPath: newer(cache).path)
    }

    private func expectTakenBack(_ cache: CacheFixture) throws {
        #expect(try isTakenBack(cache))
        let all = try cache.storage.entries(sortedBy: .key).entries
        #expect(all.map(\.key) == ["a", "b", "d"])
        #expect(all.map(\.isPinned) == [true, false, true])
        #expect(all.map(\.tags) == [["tag a"], ["tag b"], ["tag d"]])
        #expect(all.map { $0.validators?.etag } == ["etag a", "etag b", "etag d"])
        #expect(all.map(\.metadata) == [["key": "a"], ["key": "b"], ["key": "d"]])
        #expect(try #require(all[0].expiration) > cache.clock.now.advanced(by: 8 * 86_400_000).date)
        let names = try FileManager.default.contentsOfDirectory(atPath: cache.metadata.path)
        #expect(!names.contains { $0.hasPrefix("index.sqlite.newer") })
        try cache.requireClean()
    }

    @Test func `an index that an older version set aside is taken back`() throws {
        let cache = try cacheWithSetAsideIndex()
        try expectTakenBack(cache)
        #expect(try cache.storage.statistics.total.stores == 4)
        // Nothing is counted or taken back twice.
        try cache.storage.update(.init(isPinned: false, tags: []), forKey: "a")
        cache.storage.store.close()
        cache.reopen()
        #expect(try cache.storage.entry(forKey: "a")?.isPinned == false)
        #expect(try cache.storage.statistics.total.stores == 4)
    }

    @Test func `a pin and tags belong to the key, also where an earlier version has stored another blob`() throws {
        let cache = try CacheFixture()
        try cache.storage.store(value: .blob(1), forKey: "a")
        try cache.storage.update(
            .init(isPinned: true, tags: ["logo"], validators: .init(etag: "old")), forKey: "a")
        try setAsideByAnEarlierVersion(cache)
        let moved = newer(cache).appendingPathExtension("away")
        try FileManager.default.moveItem(at: newer(cache), to: moved)
        cache.reopen()
        try cache.storage.store(value: .blob(2), forKey: "a")
        cache.settle()
        cache.storage.store.close()
        try FileManager.default.moveItem(at: moved, to: newer(cache))
        cache.reopen()
        try cache.storage.store.open()
        #expect(try isTakenBack(cache))
        let entry = try #require(try cache.storage.entry(forKey: "a"))
        #expect(entry.isPinned && entry.tags == ["logo"] && entry.validators == nil)
        #expect(entry.allocatedSize >= 4096)
        #expect(try cache.storage.value(forKey: "a") == .blob(2))
        try cache.requireClean()
    }

    @Test func `an unpin before the set-aside index is taken back is not undone`() throws {
        let cache = try cacheWithSetAsideIndex(isFound: false)
        try FileManager.default.moveItem(at: newer(cache).appendingPathExtension("away"), to: newer(cache))
        // Another blob has replaced this one since.
        try cache.storage.store(value: .blob(2), forKey: "d")
        for key in ["a", "d"] { #expect(try cache.storage.update(.init(isPinned: false, tags: []), forKey: key)) }
        cache.storage.store.close()
        cache.reopen()
        try cache.storage.store.open()
        #expect(try isTakenBack(cache))
        let entry = try #require(try cache.storage.entry(forKey: "a"))
        #expect(!entry.isPinned && entry.tags == [] && entry.key == "a" && entry.validators?.etag == "etag a")
        let replaced = try #require(try cache.storage.entry(forKey: "d"))
        #expect(!replaced.isPinned && replaced.tags == [])
        #expect(try cache.storage.entry(forKey: "b")?.tags == ["tag b"])
    }

    @Test(arguments: ["evict", "expire", "remove"])
    func `a removal takes the pins of the set-aside index back first`(what: String) throws {
        let cache = try cacheWithSetAsideIndex(isFound: false)
        try FileManager.default.moveItem(at: newer(cache).appendingPathExtension("away"), to: newer(cache))
        let storage = cache.storage
        switch what {
        case "evict": _ = try storage.store.evictor.evict(StorageLimits(entries: 1, lowWater: 0))
        case "expire":
            cache.clock.advance(by: 20 * 86_400)
            _ = try storage.removeExpiredValues()
        default: try storage.removeEntries(matching: .init(isPinned: false))
        }
        #expect(try storage.entries(sortedBy: .key).entries.map(\.key) == ["a", "d"])
    }

    @Test func `a removed key gets no pin of the set-aside index at its next store`() throws {
        let cache = try cacheWithSetAsideIndex(isFound: false)
        try FileManager.default.moveItem(at: newer(cache).appendingPathExtension("away"), to: newer(cache))
        try cache.storage.remove(forKey: "a")
        try cache.storage.store(value: .blob(2), forKey: "a")
        cache.storage.store.close()
        cache.reopen()
        try cache.storage.store.open()
        #expect(try isTakenBack(cache))
        let entry = try #require(try cache.storage.entry(forKey: "a"))
        #expect(!entry.isPinned && entry.tags == [])
        #expect(try cache.storage.entry(forKey: "d")?.isPinned == true)
    }

    @Test func `the upgrade of the tool takes the set-aside index back`() throws {
        let cache = try cacheWithSetAsideIndex(isFound: false)
        try FileManager.default.moveItem(at: newer(cache).appendingPathExtension("away"), to: newer(cache))
        try cache.storage.finishUpgrade { _ in }
        #expect(!FileManager.default.fileExists(atPath: newer(cache).path))
        #expect(try cache.storage.entry(forKey: "a")?.isPinned == true)
    }

    @Test func `a locked set-aside index is taken back later`() throws {
        let cache = try cacheWithSetAsideIndex(isFound: false)
        var holder: Connection?
        try reopen(cache, withSetAsideIndexAt: newer(cache)) {
            holder = try Connection(path: newer(cache).path)
            try holder?.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
        }
        #expect(try !isTakenBack(cache))
        holder = nil
        cache.storage.store.close()
        cache.reopen()
        try cache.storage.store.open()
        try expectTakenBack(cache)
    }

    @Test(arguments: [true, false])
    func `a set-aside index is taken back even if the current index is damaged or missing`(isGone: Bool) throws {
        let cache = try cacheWithSetAsideIndex(isFound: false)
        try reopen(cache, withSetAsideIndexAt: newer(cache)) {
            if isGone {
                try FileManager.default.removeItem(at: cache.index)
            } else {
                try Data(repeating: 7, count: 3_000).write(to: cache.index)
            }
        }
        cache.settle()
        try expectTakenBack(cache)
        #expect(try cache.storage.statistics.total.stores == 4)
    }

    @Test(arguments: ["-journal", "-wal", "-shm"], ["newer", "damaged"])
    func `an opening does not wait for a named pipe beside a set-aside index`(suffix: String, kind: String) throws {
        let cache = try cacheWithSetAsideIndex(isFound: false)
        let place = cache.metadata.appendingPathComponent("index.sqlite.\(kind)")
        try reopen(cache, withSetAsideIndexAt: place) {
            if kind == "damaged" { try FileManager.default.removeItem(at: cache.index) }
            #expect(mkfifo(place.path + suffix, 0o600) == 0)
        }
        cache.settle()
        #expect(try cache.storage.value(forKey: "a") == .blob(1))
        try cache.storage.update(.init(tags: ["mine"]), forKey: "a")
        #expect(FileManager.default.fileExists(atPath: place.path))
        try FileManager.default.removeItem(atPath: place.path + suffix)
        guard kind == "newer" else { return }
        cache.storage.store.close()
        cache.reopen()
        try cache.storage.store.open()
        #expect(try isTakenBack(cache))
        #expect(try cache.storage.entry(forKey: "a")?.tags == ["mine", "tag a"])
    }

    @Test(arguments: [
        "CREATE VIEW mine AS SELECT site, bytes FROM cache_sites", "CREATE VIEW mine AS SELECT bytes FROM totals",
        "CREATE VIEW mine AS SELECT key, accessed_at FROM entries", "CREATE VIEW cache_hosts AS SELECT 1",
        "DROP VIEW cache_entries", "DROP TRIGGER entries_changed_unlisted",
        "CREATE TRIGGER mine AFTER DELETE ON entries BEGIN UPDATE statistics SET removals = removals; END",
    ])
    func `an index of version 6 that was edited by hand can be upgraded`(edit: String) throws {
        try expectUpgrade(from: 6, edited: edit)
    }

    @Test(arguments: ["DROP TRIGGER entries_inserted", "DROP TRIGGER entries_replaced", "DROP VIEW cache_entries"])
    func `an index of version 7 that was edited by hand can be upgraded`(edit: String) throws {
        try expectUpgrade(from: 7, edited: edit)
    }

    @Test(
        arguments: 1...7,
        [
            "UPDATE state SET adoption = 'dnne'", "UPDATE totals SET id = 3", "UPDATE state SET settled_at = NULL",
        ])
    func `an index with values that no version writes is rebuilt`(version: Int, edit: String) throws {
        let cache = try CacheFixture()
        try cache.storage.store(value: .blob(1), forKey: "a")
        cache.storage.store.close()
        try OlderIndex.make(version: version, at: cache.index.path)
        let edited: Void? = try? Connection(path: cache.index.path).execute(
            """
            PRAGMA ignore_check_constraints = ON; PRAGMA writable_schema = ON;
            UPDATE sqlite_master SET sql = replace(sql, 'NOT NULL', '/*none*/') WHERE name IN ('state', 'totals', 'entries');
            PRAGMA writable_schema = RESET; \(edit);
            PRAGMA writable_schema = ON;
            UPDATE sqlite_master SET sql = replace(sql, '/*none*/', 'NOT NULL') WHERE name IN ('state', 'totals', 'entries');
            PRAGMA writable_schema = RESET
            """)
        // Earlier versions lack some columns.
        guard edited != nil else { return #expect(version < 6) }
        cache.reopen()
        #expect(try cache.storage.value(forKey: "a") == .blob(1))
        cache.settle()
        #expect(try cache.storage.value(forKey: "a") == .blob(1))
        #expect(try userVersion(cache) == Int64(Self.newest))
        try cache.requireClean()
    }

    @Test func `a dry run of an upgrade accepts any version number`() throws {
        let cache = try CacheFixture()
        try cache.storage.store(value: .blob(1), forKey: "a")
        cache.storage.store.close()
        for version in [-5, 99] {
            try Connection(path: cache.index.path).execute("PRAGMA user_version = \(version)")
            let plan = try UpgradePlan(folder: cache.directory.path)
            #expect(plan.schemaVersion == version && plan.migrations.count == (version < 0 ? Self.newest : 0))
        }
    }

    @Test func `an index that no process has open is not read for its version`() throws {
        let cache = try CacheFixture()
        try cache.storage.store(value: .blob(1), forKey: "a")
        cache.storage.store.close()
        try Data("no index".utf8).write(to: cache.index)
        #expect(try !UpgradePlan.wouldMigrateIndexInUse(at: cache.directory.path))
    }

    private func expectUpgrade(from version: Int, edited edit: String) throws {
        let cache = try CacheFixture()
        try cache.storage.store(value: .blob(1), forKey: "a")
        cache.storage.store.close()
        try OlderIndex.make(version: version, at: cache.index.path)
        try Connection(path: cache.index.path).execute(edit)
        cache.reopen()
        #expect(try cache.storage.value(forKey: "a") == .blob(1))
        try cache.storage.store(value: .blob(2), forKey: "b")
        cache.settle()
        #expect(try Connection(path: cache.index.path).integer("SELECT upgrading FROM state") == 0)
        #expect(cache.warnings.withLock { $0 } == [])
    }

    @Test func `rows that are taken back do not move the latest store back`() throws {
        let cache = try cacheWithSetAsideIndex(isFound: false)
        try cache.storage.store(value: .blob(2), forKey: "d")
        cache.clock.advance(by: 100)
        try cache.storage.store(value: .blob(3), forKey: "e")
        let before = try cache.storage.store.index.read { try $0.state() }
        try FileManager.default.moveItem(at: newer(cache).appendingPathExtension("away"), to: newer(cache))
        cache.storage.store.close()
        cache.reopen()
        try cache.storage.store.open()
        #expect(try isTakenBack(cache))
        let after = try cache.storage.store.index.read { try $0.state() }
        #expect(after.storedAt == before.storedAt && after.storedIn == before.storedIn)
    }

    @Test func `pins and tags of an index that was set aside long before do not come back`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a", attributes: .init(isPinned: true, tags: ["t"]))
            cache.settle()
            cache.storage.store.close()
            try FileManager.default.moveItem(atPath: cache.index.path, toPath: cache.index.path + ".damaged")
            cache.fileSystem.lead(by: 2 * 86_400)
            cache.reopen()
            let entry = try #require(try cache.storage.entries(matching: .all).entries.first)
            #expect(entry.key == "a" && !entry.isPinned && entry.tags == [])
        }
    }
}
