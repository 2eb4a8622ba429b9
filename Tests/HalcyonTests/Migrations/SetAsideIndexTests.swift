import Foundation
import HalcyonSQLite
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// An index has to be set aside. The cache recovers what is still readable, together with the blobs.
@Suite struct SetAsideIndexTests {
    private static let entries = 400

    private func filledCache() throws -> CacheFixture {
        let cache = try CacheFixture()
        for seed in 0..<Self.entries {
            try cache.storage.store(
                value: .blob(seed), forKey: "key \(seed)", expiration: seed % 5 == 0 ? .never : .seconds(3_600),
                attributes: .init(
                    isPinned: seed % 7 == 0, tags: ["tag \(seed % 3)"],
                    validators: .init(etag: "\"\(seed)\"", maxAge: 60), metadata: ["seed": "\(seed)"]))
            cache.clock.advance(by: 0.01)
        }
        for seed in 0..<10 { _ = try cache.storage.value(forKey: "key \(seed)") }
        cache.settle()
        cache.storage.store.close()
        return cache
    }

    /// Everything except the file system's properties.
    private func entries(of cache: CacheFixture) throws -> [String: DiskStorage.EntryInfo] {
        try (0..<Self.entries).reduce(into: [:]) { entries, seed in
            entries["key \(seed)"] = try cache.storage.entry(forKey: "key \(seed)")
        }
    }

    @Test func `all information of a readable set-aside index is recovered`() throws {
        let cache = try filledCache()
        let before = try entries(of: cache)
        let statistics = try cache.storage.statistics.total
        cache.storage.store.close()
        try Connection(path: cache.index.path).execute("PRAGMA user_version = -1")
        cache.reopen()
        cache.settle()
        #expect(FileManager.default.fileExists(atPath: cache.index.path + ".damaged"))
        #expect(try entries(of: cache) == before)
        #expect(try cache.storage.statistics.total == statistics)
        cache.clock.advance(by: 3_700)
        for seed in 0..<Self.entries {
            #expect(cache.storage.isCached(forKey: "key \(seed)") == (seed % 5 == 0 || seed % 7 == 0), "\(seed)")
        }
        try cache.requireClean()
    }

    /// Damages the index and opens it, without adopting files.
    private func beginRebuilding(_ cache: CacheFixture) throws {
        cache.storage.store.close()
        try Connection(path: cache.index.path).execute("PRAGMA user_version = -1")
        // Keeps the sweep from adopting.
        cache.fileSystem.fail(.list, EIO, times: nil)
        cache.reopen()
        cache.settle()
        #expect(cache.storage.store.condition.adoption == .rebuilding)
        cache.fileSystem.heal()
    }

    @Test func `two processes that rebuild an index at once recover its statistics once`() throws {
        let cache = try filledCache()
        let stores = try cache.storage.statistics.total.stores
        cache.storage.store.close()
        try Connection(path: cache.index.path).execute("PRAGMA user_version = -1")
        // Keeps the sweeps from adopting.
        cache.fileSystem.fail(.list, EIO, times: nil)
        cache.reopen()
        let other = cache.makeStorage()
        for storage in [cache.storage, other] { try storage.store.open() }
        cache.settle()
        #expect([cache.storage, other].allSatisfy { $0.store.condition.adoption == .rebuilding })
        cache.fileSystem.heal()
        for storage in [cache.storage, other] { try storage.store.adopter.finish() }
        #expect(try cache.storage.statistics.total.stores == stores)
    }

    @Test(arguments: [true, false]) func `a clear during the recovery keeps the statistics`(isOpen: Bool) throws {
        let cache = try filledCache()
        let stores = try cache.storage.statistics.total.stores
        try beginRebuilding(cache)
        if !isOpen { cache.storage.close() }
        try cache.storage.removeAll()
        #expect(try cache.storage.statistics.total.stores == stores)
    }

    @Test func `a value that was stored during a clear remains if the index is rebuilt before the clear ends`() throws {
        let cache = try filledCache()
        let clearing = try Clearing(of: cache.storage.store)
        cache.clock.advance(by: 1)
        let other = cache.makeStorage()
        try other.store(value: .blob(1), forKey: "new")
        other.store.close()
        try Connection(path: cache.index.path).execute("PRAGMA user_version = -1")
        let rebuilt = cache.makeStorage()
        try rebuilt.store.adopter.finish()
        try clearing.remove { BlobName.isBlobName($0, isHashed: true) }
        #expect(try rebuilt.value(forKey: "new") == .blob(1))
        #expect(try rebuilt.totals().entries == 1)
        try cache.requireClean()
    }

    @Test(arguments: [true, false], ["second", "first"])
    func `after a power cut that damaged the index, the values of the last minute are gone`(
        hasRows: Bool, boot: String
    ) throws {
        let cache = try CacheFixture()
        cache.environment.boot = { "first" }
        // The change times of files cannot be set.
        cache.fileSystem.pretend { file in
            if file.kind == .regular, file.size == 200 { file.changed = file.changed.advanced(by: -120_000) }
        }
        cache.clock.advance(by: -120)
        try cache.storage.store(value: .blob(1, count: 200), forKey: "earlier")
        cache.clock.advance(by: 120)
        for seed in 2..<5 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
        cache.storage.store.close()
        try Connection(path: cache.index.path).execute(
            "\(hasRows ? "" : "DELETE FROM entries;") PRAGMA user_version = -1")
        cache.fileSystem.fail(.list, EIO, times: nil)
        cache.reopen { $0.boot = { boot } }
        let isLost = boot == "second"
        for isAdopted in [false, true] {
            if isAdopted {
                // The machine restarts again before the files are adopted.
                cache.settle()
                cache.fileSystem.heal()
                cache.reopen { $0.boot = { boot == "second" ? "third" : boot } }
                cache.settle()
            }
            #expect(try cache.storage.value(forKey: "earlier") == .blob(1, count: 200))
            for seed in 2..<5 { #expect(try cache.storage.value(forKey: "\(seed)") == (isLost ? nil : .blob(seed))) }
        }
        #expect(try cache.storage.totals().entries == (isLost ? 1 : 4))
        // With `.halcyon`.
        #expect(cache.names(in: "..").count == (isLost ? 2 : 5))
    }

    /// With `synchronous=NORMAL`, the index may have lost its last commits, so that the newest files have no row at all.
    /// - Parameter modeChanges: whether the mode of all files changes before they become entries.
    @Test(arguments: [false, true])
    func `after a power cut that damaged the index, files without a row in it are gone too`(modeChanges: Bool) throws {
        let cache = try CacheFixture()
        cache.environment.boot = { "first" }
        try cache.storage.store(value: .blob(1), forKey: "old")
        cache.storage.store.close()
        let former = try Data(contentsOf: cache.index)
        cache.reopen()
        cache.clock.advance(by: 30)
        try cache.storage.store(value: .blob(2, count: 200), forKey: "recent")
        cache.storage.store.close()
        try former.write(to: cache.index)
        try Connection(path: cache.index.path).execute("PRAGMA user_version = -1")
        if modeChanges {
            cache.fileSystem.fail(.list, EIO, times: nil)
            cache.reopen { $0.boot = { "second" } }
            cache.settle()
            try cache.changeModes()
            cache.fileSystem.heal()
        }
        cache.reopen { $0.boot = { "second" } }
        #expect(try cache.storage.value(forKey: "recent") == nil)
        cache.settle()
        #expect(try cache.storage.value(forKey: "recent") == nil)
        try cache.storage.store(value: .blob(3), forKey: "recent")
        #expect(try cache.storage.value(forKey: "recent") == .blob(3))
        try cache.requireClean()
    }

    @Test func `after a power cut while the index is rebuilt, the values of the last minute are gone`() throws {
        let cache = try CacheFixture()
        cache.environment.boot = { "first" }
        try cache.storage.store(value: .blob(1), forKey: "a")
        try beginRebuilding(cache)
        cache.reopen { $0.boot = { "second" } }
        #expect(try cache.storage.value(forKey: "a") == nil)
        cache.settle()
        #expect(try cache.storage.totals().entries == 0)
    }

    @Test func `a rebuild that continues after days recovers pins and tags`() throws {
        let cache = try filledCache()
        let before = try entries(of: cache)
        try beginRebuilding(cache)
        cache.storage.store.close()
        cache.fileSystem.lead(by: 2 * 86_400)
        cache.reopen()
        cache.settle()
        #expect(try entries(of: cache) == before)
    }

    @Test func `an index that was set aside long ago distrusts nothing`() throws {
        let cache = try CacheFixture()
        cache.environment.boot = { "first" }
        try cache.storage.store(value: .blob(1), forKey: "a")
        cache.storage.store.close()
        try FileManager.default.moveItem(atPath: cache.index.path, toPath: cache.index.path + ".damaged")
        // Two days later.
        cache.fileSystem.lead(by: 2 * 86_400)
        cache.reopen { $0.boot = { "second" } }
        #expect(try cache.storage.value(forKey: "a") == .blob(1))
        cache.settle()
        #expect(try cache.storage.value(forKey: "a") == .blob(1))
    }

    @Test func `an index that is damaged while a copy is learned is recovered with its pins`() throws {
        let cache = try filledCache()
        let copy = cache.folder.url.appendingPathComponent("copy")
        try FileManager.default.copyItem(at: cache.directory, to: copy)
        try FileManager.default.removeItem(at: cache.directory)
        try FileManager.default.moveItem(at: copy, to: cache.directory)
        try Connection(path: cache.index.path).execute("UPDATE state SET relearning = 1; PRAGMA user_version = -1")
        cache.reopen()
        cache.settle()
        let found = try entries(of: cache)
        #expect(found.values.count(where: \.isPinned) == (0..<Self.entries).count { $0 % 7 == 0 })
    }

    @Test func `metadata that exceeds the limit for new ones is recovered`() throws {
        let cache = try filledCache()
        let index = try Connection(path: cache.index.path)
        try index.execute(
            """
            UPDATE metadata SET fields = json_object('long', printf('%.*c', 20000, 'x'));
            PRAGMA user_version = -1
            """)
        cache.reopen()
        cache.settle()
        #expect(try cache.storage.entry(forKey: "key 3")?.metadata["long"]?.count == 20_000)
        // It stays while something else changes.
        try cache.storage.update(.init(isPinned: true), forKey: "key 3")
        try cache.requireClean()
    }

    @Test func `metadata is recovered if the tags cannot be read`() throws {
        let cache = try filledCache()
        cache.storage.store.close()
        try cache.overwritePage(of: "tags_by_entry")
        cache.reopen()
        _ = try? cache.storage.entry(forKey: "key 3")
        cache.settle()
        #expect(FileManager.default.fileExists(atPath: cache.index.path + ".damaged"))
        let entry = try #require(try cache.storage.entry(forKey: "key 3"))
        #expect(entry.tags.isEmpty && !entry.metadata.isEmpty)
    }

    @Test func `an entry that has expired stays expired, unless only the damaged index says so`() throws {
        let cache = try CacheFixture()
        for key in ["a", "b"] {
            try cache.storage.store(value: .blob(1), forKey: key, expiration: .seconds(key == "a" ? 10 : 3_600))
        }
        cache.clock.advance(by: 20)
        cache.storage.store.close()
        try Connection(path: cache.index.path).execute("UPDATE entries SET expires_at = 5; PRAGMA user_version = -1")
        cache.reopen()
        cache.settle()
        #expect(!cache.storage.isCached(forKey: "a") && cache.storage.isCached(forKey: "b"))
        #expect(try cache.storage.totals().entries == 2)
    }

    @Test func `entries stored before the recovery are not overwritten`() throws {
        let cache = try filledCache()
        try Connection(path: cache.index.path).execute("PRAGMA user_version = -1")
        cache.reopen()
        try cache.storage.store(value: .blob(77), forKey: "key 7", attributes: .init(isPinned: false, tags: []))
        try cache.storage.remove(forKey: "key 14")
        cache.settle()
        #expect(try cache.storage.value(forKey: "key 7") == .blob(77))
        #expect(try cache.storage.entry(forKey: "key 7")?.isPinned == false)
        #expect(try cache.storage.entry(forKey: "key 14") == nil)
        #expect(try cache.storage.entry(forKey: "key 21")?.isPinned == true)
        try cache.requireClean()
    }

    @Test func `a blob that was replaced meanwhile gets no recovered attributes`() throws {
        let cache = try filledCache()
        try Connection(path: cache.index.path).execute("PRAGMA user_version = -1")
        let file = cache.storage.cacheFileURL(forKey: "key 7")
        cache.storage.store.close()
        try FileManager.default.removeItem(at: file)
        try Data.blob(8, count: 99).write(to: file)
        cache.reopen()
        cache.settle()
        #expect(try cache.storage.entry(forKey: "key 7")?.isPinned == false)
        #expect(try cache.storage.entry(forKey: "key 14")?.isPinned == true)
    }

    @Test func `most information is recovered if a page is lost`() throws {
        let cache = try filledCache()
        try cache.overwritePage(of: "entries_by_rank")
        cache.reopen()
        try cache.storage.store(value: .blob(1), forKey: "new")
        cache.settle()
        #expect(FileManager.default.fileExists(atPath: cache.index.path + ".damaged"))
        let found = try entries(of: cache)
        #expect(found.count == Self.entries && found.values.allSatisfy { $0.key != nil })
        #expect(found.values.count(where: \.isPinned) == (0..<Self.entries).count { $0 % 7 == 0 })
        try cache.requireClean()
    }

    /// Calls on the set-aside file, each of which fails that many times.
    private static let refusals: [(call: FaultyVFS.Call, code: Int32)] = [
        (.open, 14), (.read, 10 | 1 << 8), (.lock, 5),
    ]

    private func refusing(_ times: Int, after count: Int = 0, _ refusal: (call: FaultyVFS.Call, code: Int32))
        -> FaultyVFS
    {
        let (vfs, calls) = (FaultyVFS(), Locked(0))
        vfs.observe { event in
            guard event.call == refusal.call, !event.isAfter, event.path?.hasSuffix(".damaged") == true else {
                return 0
            }
            return calls.withLock { calls in
                calls += 1
                return calls > count && calls - count <= times ? refusal.code : 0
            }
        }
        return vfs
    }

    /// SQLite remembers the part of a schema that it has read.
    @Test(arguments: 0..<16)
    func `all information is recovered from an index with unknown SQL if one read is refused`(count: Int) throws {
        let cache = try filledCache()
        let before = try entries(of: cache)
        cache.storage.store.close()
        try Connection(path: cache.index.path).execute(
            """
            CREATE VIEW mine AS SELECT 1; PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = 'CREATE VIEW mine AS SELECT FROM NOWHERE' WHERE name = 'mine'
            """)
        try expect(before, of: cache, through: refusing(1, after: count, Self.refusals[1]))
    }

    private func expect(
        _ before: [String: DiskStorage.EntryInfo], of cache: CacheFixture, through vfs: FaultyVFS
    ) throws {
        defer { withExtendedLifetime(vfs) { cache.storage.store.close() } }
        cache.reopen { $0.vfs = vfs.name }
        #expect(cache.storage.isCached(forKey: "key 3"))
        sweep(cache, atMost: 30)
        #expect(try entries(of: cache) == before)
        try cache.requireClean()
    }

    /// Sweeps until nothing is left to do, as housekeeping does once a second.
    private func sweep(_ cache: CacheFixture, atMost limit: Int) {
        cache.settle()
        let store = cache.storage.store
        #expect((0..<limit).contains { _ in store.housekeeping.sweeps.queue.sync { store.sweeper.sweep() } })
    }

    @Test(arguments: [1, 3, 7], refusals.indices)
    func `all information is recovered if the system refuses the first reads`(times: Int, refusal: Int) throws {
        let cache = try filledCache()
        let before = try entries(of: cache)
        cache.storage.store.close()
        try Connection(path: cache.index.path).execute("PRAGMA user_version = -1")
        try expect(before, of: cache, through: refusing(times, Self.refusals[refusal]))
    }

    @Test(arguments: refusals.indices)
    func `a set-aside index that can never be read delays nothing`(refusal: Int) throws {
        let cache = try filledCache()
        try Connection(path: cache.index.path).execute("PRAGMA user_version = -1")
        let vfs = refusing(.max, Self.refusals[refusal])
        defer { withExtendedLifetime(vfs) { cache.storage.store.close() } }
        cache.reopen { $0.vfs = vfs.name }
        sweep(cache, atMost: 10)
        for seed in 0..<Self.entries { #expect(try cache.storage.value(forKey: "key \(seed)") == .blob(seed)) }
        #expect(try cache.storage.store.evictor.totals().entries == Int64(Self.entries))
        try cache.requireClean()
    }

    @Test func `a set-aside index in a copied folder is recovered too`() throws {
        let cache = try filledCache()
        try Connection(path: cache.index.path).execute("PRAGMA user_version = -1")
        let copy = cache.folder.url.appendingPathComponent("copy")
        try FileManager.default.copyItem(at: cache.directory, to: copy)
        try FileManager.default.removeItem(at: cache.directory)
        try FileManager.default.moveItem(at: copy, to: cache.directory)
        cache.reopen()
        cache.settle()
        let found = try entries(of: cache)
        #expect(found.values.count(where: \.isPinned) == (0..<Self.entries).count { $0 % 7 == 0 })
        #expect(found.values.allSatisfy { !$0.tags.isEmpty && $0.key != nil })
        try cache.requireClean()
    }

    @Test(arguments: ["PRAGMA page_size = 1024", "PRAGMA encoding = 'UTF-16'"])
    func `a foreign database in place of the index is kept unchanged`(_ shape: String) throws {
        let cache = try filledCache()
        try FileManager.default.removeItem(at: cache.index)
        var connection: Connection? = try Connection(path: cache.index.path)
        try connection?.execute("\(shape); CREATE TABLE mine (x); INSERT INTO mine VALUES ('a'), ('b')")
        connection = nil
        cache.reopen()
        cache.settle()
        #expect(try cache.storage.value(forKey: "key 3") == .blob(3))
        let kept = try Connection(path: cache.index.path + ".damaged")
        #expect(try kept.integer("SELECT count(*) FROM mine WHERE x IN ('a', 'b')") == 2)
    }

    @Test func `without stored keys, a recovery brings no keys back`() throws {
        let cache = try filledCache()
        try Connection(path: cache.index.path).execute("PRAGMA user_version = -1")
        let storage = DiskStorage.Backend<Data>(
            noThrowConfig: {
                var config = cache.config
                config.storesKeys = false
                return config
            }(),
            creatingDirectory: true, environment: cache.environment)
        for _ in 0..<2 { storage.store.housekeepingWait() }
        #expect(try Connection(path: cache.index.path).integer("SELECT count(key) FROM entries") == 0)
        #expect(try storage.entry(forKey: "key 7")?.isPinned == true)
    }
}
