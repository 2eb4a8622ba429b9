import Foundation
import HalcyonSQLite
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// Bugs that a review found, each with the shortest way to reproduce it.
@Suite struct RegressionTests {
    @Test func `everything is removed also after the clock jumped back`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a", expiration: .never)
            cache.clock.advance(by: -3_600)
            try cache.storage.removeAll()
            #expect(try cache.storage.value(forKey: "a") == nil)
            #expect(try cache.storage.totalSize() == 0)
        }
    }

    @Test(arguments: [-1.5, -9.5, -11.5, -15.5, -19.5, -20.5, -60.5, -3_600.5], [false, true])
    func `everything is removed however far the clock jumped back`(seconds: Double, byFilter: Bool) throws {
        try withCache { cache in
            for seed in 0..<30 {
                try cache.storage.store(value: .blob(seed), forKey: "\(seed)", expiration: .never)
                cache.clock.advance(by: 1)
            }
            cache.clock.advance(by: seconds)
            if byFilter { _ = try cache.storage.removeEntries(matching: .all) } else { try cache.storage.removeAll() }
            #expect(try cache.storage.totalSize() == 0)
            try cache.storage.store(value: .blob(1), forKey: "a")
            #expect(try cache.storage.value(forKey: "a") == .blob(1))
        }
    }

    @Test(arguments: [0, -15, -3_600], [false, true])
    func `entries stored during a long removal survive`(jump: Double, byFilter: Bool) throws {
        var tuning = Tuning.patient
        tuning.batchSize = 4
        try withCache(tuning: tuning) { cache in
            for seed in 0..<200 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)", expiration: .never) }
            cache.clock.advance(by: jump)
            let other = cache.makeStorage()
            let (keys, numbers): (Locked<[String]>, Locked<Int>) = (Locked([]), Locked(0))
            cache.fileSystem.observe { call, path in
                guard call == .unlink, path.contains("/trash/") else { return }
                cache.clock.advance(by: 1)
                // A store by this storage would wait for the batch.
                let number = numbers.withLock { numbers in
                    numbers += 1
                    return numbers
                }
                let key = "meanwhile \(number)"
                guard (try? other.store(value: .blob(7), forKey: key, expiration: .never)) != nil else { return }
                keys.withLock { $0.append(key) }
            }
            if byFilter { _ = try cache.storage.removeEntries(matching: .all) } else { try cache.storage.removeAll() }
            cache.fileSystem.observe(nil)
            let stored = keys.withLock { $0 }
            #expect(stored.count > (jump == 0 ? 100 : 0))
            for key in stored { #expect(try other.value(forKey: key) == .blob(7)) }
            // After a jump, some entries may look as if they were stored during the removal; these stay.
            if jump == 0 { #expect(Int(try cache.storage.totals().entries) == stored.count) }
        }
    }

    @Test(arguments: ["delete", "cut"])
    func `a store over a damaged blob keeps its staged file if the volume's clock is behind`(damage: String) throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a", expiration: .never)
            cache.settle()
            cache.fileSystem.age(by: 3_600)
            let blob = cache.storage.cacheFileURL(forKey: "a")
            if damage == "cut" {
                try Data("x".utf8).write(to: blob)
            } else {
                try FileManager.default.removeItem(at: blob)
            }
            try cache.storage.store(value: .blob(2), forKey: "a")
            #expect(try cache.storage.value(forKey: "a") == .blob(2))
            cache.fileSystem.age(by: 0)
        }
    }

    @Test func `removing everything includes entries of a busy process whose stamps run ahead`() throws {
        try withCache { cache in
            let other = cache.makeStorage()
            try other.store(value: .blob(0), forKey: "hot")
            for _ in 0..<2_000 { _ = try other.value(forKey: "hot") }
            try other.store(value: .blob(1), forKey: "a")
            cache.clock.advance(by: 1)
            try cache.storage.removeAll()
            #expect(try cache.storage.value(forKey: "a") == nil)
        }
    }

    @Test
    func `entries that another process stores during a removal of everything survive, even if our stamps run ahead`()
        throws
    {
        try withCache { cache in
            let other = cache.makeStorage()
            for seed in 0..<300 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            for _ in 0..<5_000 { _ = try cache.storage.value(forKey: "1") }
            cache.settle()
            let isFirst = Locked(true)
            cache.fileSystem.observe { call, path in
                guard call == .unlink, path.contains("/trash/"),
                    isFirst.withLock({ first in
                        defer { first = false }
                        return first
                    })
                else { return }
                for seed in 0..<20 { try? other.store(value: .blob(7), forKey: "meanwhile \(seed)") }
            }
            try cache.storage.removeAll()
            cache.fileSystem.observe(nil)
            for seed in 0..<20 { #expect(try other.value(forKey: "meanwhile \(seed)") == .blob(7)) }
        }
    }

    @Test(arguments: [false, true])
    func `if more blobs than fit a batch cannot be removed, the others still are`(areExpired: Bool) throws {
        try withCache { cache in
            // The oldest 150 cannot be removed: a directory is in the way of their place in the trash.
            for seed in 0..<400 {
                try cache.storage.store(value: .blob(seed), forKey: "\(seed)", expiration: .days(1))
                cache.clock.advance(by: 1)
            }
            cache.settle()
            let entries = try cache.storage.store.index.read { try $0.page(after: .min, limit: 1_000) }
            let oldest = entries.sorted { $0.accessedAt < $1.accessedAt }.prefix(150)
            for entry in oldest {
                let place = cache.metadata.appendingPathComponent("trash/\(entry.id).\(entry.token)/full")
                try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            }
            if areExpired {
                cache.clock.advance(by: 2 * 86_400)
                #expect(try cache.storage.removeExpiredValues().count == 250)
            } else {
                cache.storage.config.sizeLimit = 40_000
                #expect(try cache.storage.removeSizeExceededValues().count == 200)
            }
            for entry in oldest {
                try FileManager.default.removeItem(
                    at: cache.metadata.appendingPathComponent("trash/\(entry.id).\(entry.token)"))
            }
        }
    }

    @Test func `one expired blob that cannot be removed does not keep the others, however many they are`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a", expiration: .seconds(1))
            let entry = try #require(try cache.storage.store.index.read { try $0.page(after: .min, limit: 1) }.first)
            let place = cache.metadata.appendingPathComponent("trash/\(entry.id).\(entry.token)")
            try FileManager.default.createDirectory(
                at: place.appendingPathComponent("full"), withIntermediateDirectories: true)
            // Its expiration is the first one. The others have no blobs.
            try Connection(path: cache.index.path, access: .readWriteCreate).execute(
                """
                WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 25000)
                INSERT INTO entries (id, name, token, size, created_at, rank, expires_at, time_to_live, pinned, hits, slack)
                SELECT -n, printf('%d', n), n, 1, created_at, rank + 1, expires_at + n % 2, time_to_live, 0, 0, 0
                FROM entries, number
                """)
            cache.clock.advance(by: 10)
            #expect(try cache.storage.removeExpiredValues().count == 25_000)
            #expect(try cache.storage.totals(matching: EntryFilter()).entries == 1)
            try FileManager.default.removeItem(at: place)
        }
    }

    @Test func `keepLimits enforces a limit even if what has expired cannot be removed`() async throws {
        let cache = try CacheFixture()
        try cache.storage.store(value: .blob(1), forKey: "old", expiration: .seconds(1))
        let entry = try #require(try cache.storage.store.index.read { try $0.page(after: .min, limit: 1) }.first)
        let place = cache.metadata.appendingPathComponent("trash/\(entry.id).\(entry.token)")
        try FileManager.default.createDirectory(
            at: place.appendingPathComponent("full"), withIntermediateDirectories: true)
        cache.clock.advance(by: 10)
        for seed in 0..<10 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
        let bytes = try cache.storage.totalSize()
        cache.storage.config.sizeLimit = bytes - 1
        let cleaning = Task { [storage = cache.storage] in try await storage.async.keepLimits() }
        defer { cleaning.cancel() }
        try await eventually { try cache.storage.totalSize() <= bytes / 2 }
        try FileManager.default.removeItem(at: place)
    }

    @Test func `a batch that is run again on a full disk is not skipped`() throws {
        try withCache { cache in
            for seed in 0..<300 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            cache.settle()
            cache.fileSystem.fail(.rename, ENOSPC, times: 128, path: "/trash/")
            try cache.storage.removeAll()
            #expect(try cache.storage.totalSize() == 0)
        }
    }

    @Test func `everything is removed also while files of a folder without an index are being adopted`() throws {
        try withCache { cache in
            let folder = cache.folder.url.appendingPathComponent("com.onevcat.Kingfisher.ImageCache.test")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for seed in 0..<1_500 {
                let name = BlobName(key: "\(seed)", isHashed: true, pathExtension: nil).text
                try Data.blob(seed).write(to: folder.appendingPathComponent(name))
            }
            try cache.makeStorage().removeAll()
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [".halcyon"])
        }
    }

    @Test func `a log that is deleted before the first write is noticed`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.reopen()
            _ = try cache.storage.value(forKey: "a")
            cache.settle()
            for suffix in ["-wal", "-shm"] { try FileManager.default.removeItem(atPath: cache.index.path + suffix) }
            try cache.storage.store(value: .blob(2), forKey: "b")
            let other = cache.makeStorage()
            #expect(try other.value(forKey: "a") == .blob(1))
            #expect(try other.value(forKey: "b") == .blob(2))
        }
    }

    @Test(arguments: [false, true])
    func `a removal of everything includes entries from before the clock was put back, however long it takes`(
        filtered: Bool
    )
        throws
    {
        var tuning = Tuning.patient
        tuning.batchSize = 2
        try withCache(tuning: tuning) { cache in
            let (storage, clock) = (cache.storage, cache.clock)
            for seed in 0..<20 { try storage.store(value: .blob(seed), forKey: "\(seed)") }
            clock.advance(by: -60)
            cache.fileSystem.observe { call, path in
                if call == .unlink, path.contains("/trash/") { clock.advance(by: 4) }
            }
            if filtered { try storage.removeEntries(matching: .all) } else { try storage.removeAll() }
            cache.fileSystem.observe(nil)
            #expect(try storage.totals().entries == 0)
        }
    }

    @Test func `a folder in a blob's place keeps no other entry distrusted`() throws {
        var tuning = Tuning.patient
        tuning.flushBatchSize = 2
        try withCache(tuning: tuning) { cache in
            for seed in 0..<20 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            cache.storage.store.close()
            let blobs = (0..<20).map { cache.storage.cacheFileURL(forKey: "\($0)") }
            for blob in blobs.prefix(10) {
                try FileManager.default.removeItem(at: blob)
                try FileManager.default.createDirectory(at: blob, withIntermediateDirectories: false)
                try Data.blob(1).write(to: blob.appendingPathComponent("precious"))
            }
            cache.reopen { $0.boot = { "another boot" } }
            try cache.storage.open()
            cache.settle()
            #expect(try cache.storage.totals().entries == 0)
            for blob in blobs.prefix(10) {
                #expect(FileManager.default.fileExists(atPath: blob.appendingPathComponent("precious").path))
                try FileManager.default.removeItem(at: blob)
            }
        }
    }

    @Test func `an entry stored right after a distrusting opening is kept`() throws {
        let folder = try TemporaryFolder()
        let config = DiskStorage.Config(name: "x", sizeLimit: 0, directory: folder.url)
        for round in 0..<20 {
            var environment = StorageEnvironment()
            environment.isShared = false
            environment.boot = { "boot \(round)" }
            let storage = try DiskStorage.Backend<Data>(config: config, environment: environment)
            try storage.store(value: .blob(round), forKey: "new")
            for _ in 0..<3 { storage.store.housekeepingWait() }
            #expect(try storage.value(forKey: "new") == .blob(round))
            storage.store.close()
        }
    }

    @Test func `a folder that is restored after a restart keeps old entries`() throws {
        try withCache { cache in
            for seed in 0..<50 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)", expiration: .never) }
            cache.clock.advance(by: 30 * 86_400)
            try cache.storage.store(value: .blob(5), forKey: "latest")
            cache.storage.store.close()
            let copy = cache.folder.url.appendingPathComponent("copy")
            try FileManager.default.copyItem(at: cache.directory, to: copy)
            try FileManager.default.removeItem(at: cache.directory)
            try FileManager.default.moveItem(at: copy, to: cache.directory)
            cache.reopen { $0.boot = { "another boot" } }
            for seed in 0..<50 { #expect(try cache.storage.value(forKey: "\(seed)") == .blob(seed)) }
            cache.settle()
            #expect(try cache.storage.totalSize() == 5_000)
        }
    }

    @Test func `an older note does not undo a later extension of another process`() throws {
        try withCache { cache in
            let other = cache.makeStorage()
            try cache.storage.store(value: .blob(1), forKey: "a", expiration: .seconds(60))
            _ = try other.value(forKey: "a")
            cache.clock.advance(by: 5)
            _ = try cache.storage.value(forKey: "a", extendingExpiration: .expirationTime(.never))
            cache.storage.store.close()
            other.store.close()
            cache.clock.advance(by: 1_000)
            #expect(cache.storage.isCached(forKey: "a"))
        }
    }

    @Test(.endsEvenIfItHangs)
    func `a clear ends even if the index cannot shrink in steps`() throws {
        try withCache { cache in
            for seed in 0..<500 {
                try cache.storage.store(value: .blob(seed), forKey: String(repeating: "k", count: 900) + "\(seed)")
            }
            cache.settle()
            cache.storage.store.close()
            try Connection(path: cache.index.path).execute("PRAGMA auto_vacuum = NONE; VACUUM")
            cache.reopen()
            try cache.storage.removeAll()
            #expect(try cache.storage.totalSize() == 0)
        }
    }

    // MARK: An edited index

    @Test(arguments: [Int64.min, -1, Int64.max])
    func `absurd numbers in the index do no harm`(number: Int64) throws {
        let cache = try CacheFixture(configure: { $0.sizeLimit = 100 })
        for seed in 0..<3 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
        cache.settle()
        try cache.storage.store.index.write { session in
            try session.execute(
                """
                UPDATE state SET reconciled_at = \(number), settled_at = \(number), adopts_until = \(number);
                UPDATE totals SET bytes = \(number), stored_at = \(number);
                UPDATE entries SET created_at = \(number), rank = \(number), time_to_live = \(number)
                """)
        }
        cache.reopen()
        _ = try? cache.storage.value(forKey: "1")
        _ = try? cache.storage.removeSizeExceededValues()
        _ = try? cache.storage.removeExpiredValues()
        cache.settle()
        _ = try cache.storage.check(repair: true)
        try cache.storage.store(value: .blob(9), forKey: "new")
        #expect(try cache.storage.value(forKey: "new") == .blob(9))
        #expect(try cache.storage.check().isSound)
    }

    @Test func `an SQLite that is too old has its own error code`() {
        let error = CacheStorageError(SQLiteError(code: .unsupportedVersion, message: "3.35 is needed"))
        #expect(error.code == .unsupportedSQLite && error.errorCode == 3104)
    }

    @Test func `no inode is recorded on volumes without stable inode numbers`() throws {
        try withCache { cache in
            cache.fileSystem.pretend(Volume(name: "exfat", hasStableInodes: false))
            try cache.storage.store(value: .blob(1), forKey: "a")
            #expect(try cache.storage.store.index.read { try $0.page(after: .min, limit: 1).first?.inode } == nil)
        }
    }

    @Test func `of two removals of a key, the first removes it`() throws {
        try withCache { cache in
            let storage = cache.storage
            try storage.store(value: .blob(1), forKey: "a")
            #expect(try storage.removeIfPresent(forKey: "a"))
            #expect(try !storage.removeIfPresent(forKey: "a"))
            cache.settle()
            // A file without a row.
            try Data.blob(1).write(to: storage.cacheFileURL(forKey: "a"))
            #expect(try storage.removeIfPresent(forKey: "a"))
            #expect(try !storage.removeIfPresent(forKey: "a"))
        }
    }
}
