import Foundation
import HalcyonSQLite
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// Files that are deleted, replaced or damaged while the cache is open, or between two runs.
@Suite struct MovedFilesTests {
    @Test func `after the open folder is deleted, nothing is cached and the next store works`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            try cache.removeFolder()
            cache.clock.advance(by: 1)
            #expect(!cache.storage.isCached(forKey: "a"))
            #expect(try cache.storage.value(forKey: "a") == nil)
            #expect(try cache.storage.totalSize() == 0)
            try cache.storage.store(value: .blob(2), forKey: "b")
            #expect(try cache.storage.value(forKey: "b") == .blob(2))
            cache.reopen()
            #expect(try cache.storage.value(forKey: "b") == .blob(2))
        }
    }

    @Test func `a store works if the folder is deleted just before it`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            try cache.removeFolder()
            try cache.storage.store(value: .blob(2), forKey: "b")
            cache.reopen()
            #expect(try cache.storage.value(forKey: "b") == .blob(2))
            #expect(try cache.storage.value(forKey: "a") == nil)
        }
    }

    @Test func `a query of one entry and the statistics notice at once that the folder was deleted`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            try cache.storage.flush()
            cache.settle()
            try cache.removeFolder()
            #expect(try cache.storage.entry(forKey: "a") == nil)
            try cache.storage.store(value: .blob(1), forKey: "a")
            try cache.storage.flush()
            try cache.removeFolder()
            #expect(try cache.storage.statistics.total.stores == 0)
        }
    }

    @Test func `a removal and a clean work if the folder is deleted just before them`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            try cache.removeFolder()
            try cache.storage.remove(forKey: "a")
            try cache.removeFolder()
            #expect(try cache.storage.removeExpiredValues() == [])
            try cache.storage.removeAll()
            try cache.storage.store(value: .blob(2), forKey: "b")
            #expect(cache.storage.isCached(forKey: "b"))
        }
    }

    // Apple's SQLite watches its files, and refuses every call after one of them is deleted.
    #if os(Linux)
        @Test(arguments: [["-wal"], ["-shm"], ["-wal", "-shm"]])
        func `deleting the log or the shared memory of an open index loses nothing`(suffixes: [String]) throws {
            try withCache { cache in
                for seed in 0..<5 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
                // A sweep would notice the first, and remove the second.
                cache.settle()
                for suffix in suffixes { try FileManager.default.removeItem(atPath: cache.index.path + suffix) }
                try cache.storage.store(value: .blob(5), forKey: "5")
                for seed in 0...5 { #expect(try cache.storage.value(forKey: "\(seed)") == .blob(seed)) }
                cache.reopen()
                for seed in 0...5 { #expect(try cache.storage.value(forKey: "\(seed)") == .blob(seed)) }
            }
        }

        @Test func `readers notice a deleted log within the check interval`() throws {
            try withCache { cache in
                try cache.storage.store(value: .blob(1), forKey: "a")
                try FileManager.default.removeItem(atPath: cache.index.path + "-wal")
                try FileManager.default.removeItem(atPath: cache.index.path + "-shm")
                cache.clock.advance(by: 1)
                #expect(try cache.storage.value(forKey: "missing") == nil)
                let other = cache.makeStorage()
                #expect(try other.value(forKey: "a") == .blob(1))
                try other.store(value: .blob(2), forKey: "b")
                #expect(try cache.storage.value(forKey: "b") == .blob(2))
            }
        }
    #endif

    @Test func `after only the open index is deleted, blobs become entries again`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            // A sweep would notice between the first store and the last.
            cache.settle()
            for suffix in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: cache.index.path + suffix) }
            try cache.storage.store(value: .blob(2), forKey: "b")
            #expect(try cache.storage.value(forKey: "a") == .blob(1))
            #expect(try cache.storage.totalSize() == 200)
        }
    }

    @Test func `deleting the index during a sweep makes no blob an orphan`() throws {
        try withCache { cache in
            for seed in 0..<5 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            cache.clock.advance(by: 86_401)
            cache.storage.store.close()
            let (directory, index) = (cache.directory.path, cache.index.path)
            let isFirst = Locked(true)
            // The sweep lists the folder as its last step, long after the adoption.
            cache.fileSystem.observe { call, path in
                guard call == .list, path == directory,
                    isFirst.withLock({ first in
                        defer { first = false }
                        return first
                    })
                else { return }
                for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: index + suffix) }
            }
            cache.reopen()
            for _ in 0..<3 { cache.settle() }
            cache.fileSystem.observe(nil)
            for seed in 0..<5 { #expect(try cache.storage.value(forKey: "\(seed)") == .blob(seed)) }
        }
    }

    // MARK: Damage

    enum Ruin: CaseIterable {
        case missing, empty, garbage, text, headerOnly, foreignTables, tablesDropped, wrongVersion
    }

    private func ruin(_ cache: CacheFixture, _ ruin: Ruin) throws {
        cache.storage.store.close()
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: cache.index.path + suffix) }
        switch ruin {
        case .missing: try FileManager.default.removeItem(at: cache.index)
        case .empty: try Data().write(to: cache.index)
        case .garbage: try Data.blob(3, count: 20_000).write(to: cache.index)
        case .text: try Data("hello, this is no database at all".utf8).write(to: cache.index)
        case .headerOnly:
            var data = try Data(contentsOf: cache.index)
            data.replaceSubrange(100..<data.count, with: repeatElement(0xAA, count: data.count - 100))
            try data.write(to: cache.index)
        case .foreignTables:
            try FileManager.default.removeItem(at: cache.index)
            try Connection(path: cache.index.path).execute("CREATE TABLE entries (recipe TEXT); CREATE TABLE x (y)")
        case .tablesDropped: try Connection(path: cache.index.path).execute("DROP TABLE state")
        case .wrongVersion: try Connection(path: cache.index.path).execute("PRAGMA user_version = 77")
        }
    }

    @Test(arguments: Ruin.allCases)
    func `a destroyed index is rebuilt from the blobs`(ruin kind: Ruin) throws {
        try withCache { cache in
            for seed in 0..<20 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)", expiration: .days(30)) }
            try ruin(cache, kind)
            cache.reopen()
            for seed in 0..<20 { #expect(try cache.storage.value(forKey: "\(seed)") == .blob(seed)) }
            cache.settle()
            #expect(try cache.storage.totalSize() == 2_000)
            cache.clock.advance(by: 29 * 86_400)
            #expect(cache.storage.isCached(forKey: "0"))
            let damaged = cache.index.path + ".damaged"
            #expect(FileManager.default.fileExists(atPath: damaged) == (kind != .missing && kind != .empty))
            try cache.storage.store(value: .blob(99), forKey: "new")
            #expect(try cache.storage.value(forKey: "new") == .blob(99))
        }
    }

    @Test func `a blob with an empty extension is an entry again after its index was destroyed`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a", forcedExtension: "")
            try ruin(cache, .missing)
            cache.reopen()
            cache.settle()
            #expect(!cache.storage.store.condition.isAdopting)
            #expect(try cache.storage.value(forKey: "a", forcedExtension: "") == .blob(1))
            try cache.storage.removeAll()
            #expect(try cache.storage.totals().entries == 0)
            let names = try FileManager.default.contentsOfDirectory(atPath: cache.directory.path)
            #expect(names == [".halcyon"])
        }
    }

    @Test func `an index that is destroyed while open is rebuilt too`() throws {
        try withCache { cache in
            for seed in 0..<20 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            cache.storage.store.index.checkpoint()
            let handle = try FileHandle(forWritingTo: cache.index)
            try handle.write(contentsOf: Data(repeating: 0x5A, count: 40_000))
            try handle.close()
            try cache.storage.store(value: .blob(20), forKey: "20")
            for seed in 0...20 { #expect(try cache.storage.value(forKey: "\(seed)") == .blob(seed), "\(seed)") }
        }
    }

    @Test func `a query or change that finds the damage itself answers from the new index`() throws {
        for isChange in [false, true] {
            try withCache { cache in
                for seed in 0..<20 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
                cache.storage.store.close()
                try cache.overwritePage(of: "entries")
                let storage = cache.makeStorage(isOpened: false)
                let isFound = try storage.store.housekeeping.sweeps.queue.sync {
                    isChange
                        ? try storage.update(.init(isPinned: true), forKey: "3") : try storage.entry(forKey: "3") != nil
                }
                #expect(isFound)
                #expect(FileManager.default.fileExists(atPath: cache.index.path + ".damaged"))
            }
        }
    }

    @Test func `with a folder in place of the index, stores throw an error about it and loads miss`() throws {
        var tuning = Tuning.patient
        // Retries an index that failed to open at once.
        tuning.presenceInterval = 0
        let cache = try CacheFixture(tuning: tuning)
        try FileManager.default.createDirectory(
            at: cache.folder.url.appendingPathComponent(
                "com.onevcat.Kingfisher.ImageCache.test/.halcyon/index.sqlite"), withIntermediateDirectories: true)
        #expect(try cache.storage.value(forKey: "a") == nil)
        #expect(!cache.storage.isCached(forKey: "a"))
        #expect(throws: KingfisherError.self) { try cache.storage.store(value: .blob(1), forKey: "a") }
        try FileManager.default.removeItem(at: cache.index)
        try cache.storage.store(value: .blob(1), forKey: "a")
        try cache.requireClean()
    }

    @Test func `a row that points outside the folder harms nothing there`() throws {
        try withCache { cache in
            let outside = cache.folder.url.appendingPathComponent("precious")
            try Data.blob(7).write(to: outside)
            try cache.storage.store(value: .blob(1), forKey: "a")
            try cache.storage.store.index.write { session in
                try session.execute("UPDATE entries SET name = '../precious', expires_at = 1")
            }
            #expect(try cache.storage.removeExpiredValues().count == 1)
            try cache.storage.removeAll()
            #expect(try Data(contentsOf: outside) == .blob(7))
        }
    }

    // MARK: A copied folder, another boot

    /// Replaces the closed cache by a copy of it.
    private func copyFolder(of cache: CacheFixture, withDates: Bool) throws {
        let copy = cache.directory.deletingLastPathComponent().appendingPathComponent("copy")
        try run("/bin/cp", [withDates ? "-a" : "-r", cache.directory.path, copy.path])
        try FileManager.default.removeItem(at: cache.directory)
        try FileManager.default.moveItem(at: copy, to: cache.directory)
    }

    private func run(_ command: String, _ arguments: [String]) throws {
        let process = try Spawning.start(command, [command] + arguments, streams: [:])
        var status: Int32 = 0
        try #require(waitpid(process, &status, 0) == process && status == 0)
    }

    @Test(arguments: [true, false]) func `a copied folder records its new inodes`(withDates: Bool) throws {
        try withCache { cache in
            for seed in 0..<20 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            cache.storage.store.close()
            try copyFolder(of: cache, withDates: withDates)
            cache.reopen()
            for seed in 0..<20 { #expect(try cache.storage.value(forKey: "\(seed)") == .blob(seed)) }
            cache.settle()
            #expect(try cache.storage.store.index.read { try $0.state().isRelearning } == false)
            // The new inodes are recorded: another file of the same length is not a blob.
            try Data.blob(33).write(to: cache.storage.cacheFileURL(forKey: "3"), options: .atomic)
            #expect(try cache.storage.value(forKey: "3") == nil)
        }
    }

    /// The sweep, which records the inode numbers, does not run before the lookups.
    @Test(arguments: [3, 20], [true, false])
    func `a blob that is overwritten in a copy made with dates is a miss, also after an interrupted opening`(
        count: Int, isInterrupted: Bool
    ) throws {
        try withCache { cache in
            for seed in 0..<count { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            cache.storage.store.close()
            try copyFolder(of: cache, withDates: true)
            let changed = cache.storage.cacheFileURL(forKey: "0")
            let former = try POSIXFileSystem().status(at: changed.path)
            let handle = try FileHandle(forWritingTo: changed)
            try handle.write(contentsOf: Data.blob(99))
            // One time in 500, the time of the write would pass for the tag.
            try POSIXFileSystem().setModified(
                former.modified, microseconds: former.modifiedMicroseconds % 999 + 1, of: handle.fileDescriptor)
            try handle.close()
            if isInterrupted {
                let storage = cache.makeStorage(isOpened: false)
                try storage.store.housekeeping.sweeps.queue.sync {
                    try storage.store(value: .blob(7), forKey: "new")
                    storage.store.index.close()
                }
            }
            cache.reopen()
            #expect(try cache.storage.value(forKey: "0") == nil)
            for seed in 1..<count { #expect(try cache.storage.value(forKey: "\(seed)") == .blob(seed)) }
            cache.settle()
            for seed in 1..<count { #expect(try cache.storage.value(forKey: "\(seed)") == .blob(seed)) }
        }
    }

    /// Stores a value whose tag does not admit the former blob: one time in 500 it does, also in a copy whose date was rounded down.
    private func storeAnew(
        _ key: String, _ value: Data, expiration: StorageExpiration? = nil, in cache: CacheFixture
    ) throws {
        let path = cache.storage.cacheFileURL(forKey: key).path
        let former = try POSIXFileSystem().status(at: path).modifiedMicroseconds
        repeat {
            try cache.storage.store(value: value, forKey: key, expiration: expiration)
        } while try (0...1).contains(POSIXFileSystem().status(at: path).modifiedMicroseconds - former)
    }

    /// The first copy is written to before its inode numbers are recorded.
    @Test(arguments: [true, false], [true, false])
    func `a copy of a copy is recognized`(first: Bool, second: Bool) throws {
        try withCache { cache in
            for seed in 0..<20 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            cache.storage.store.close()
            try copyFolder(of: cache, withDates: first)
            let storage = cache.makeStorage(isOpened: false)
            try storage.store.housekeeping.sweeps.queue.sync {
                try storage.store(value: .blob(7), forKey: "new")
                storage.store.index.close()
            }
            #expect(try Connection(path: cache.index.path).integer("SELECT relearning FROM state") == (first ? 2 : 1))
            try copyFolder(of: cache, withDates: second)
            cache.reopen()
            for seed in 0..<20 { #expect(try cache.storage.value(forKey: "\(seed)") == .blob(seed)) }
            cache.settle()
            #expect(try cache.storage.totals().entries == 21)
        }
    }

    @Test
    func
        `a blob that is restored with its date is sound, also if it is checked first, and counts as stored when it was`()
        throws
    {
        try withCache { cache in
            for seed in 0..<20 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            let latest = try cache.storage.store.index.read { try $0.state().storedAt }
            try copyBlobs([2, 3], in: cache, withDates: true)
            #expect(try cache.storage.check(repair: true).isSound)
            for seed in [2, 3, 2, 3] {
                _ = try cache.storage.value(forKey: "\(seed)")
                cache.settle()
            }
            for seed in 0..<20 { #expect(try cache.storage.value(forKey: "\(seed)") == .blob(seed)) }
            #expect(try cache.storage.store.index.read { try $0.state().storedAt } == latest)
        }
    }

    @Test func `an older index that is put back does not describe newer blobs`() throws {
        try withCache { cache in
            for seed in 0..<20 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            cache.storage.store.close()
            try FileManager.default.copyItem(atPath: cache.index.path, toPath: cache.index.path + ".backup")
            cache.reopen()
            // Two are among the first eight rows, which the opening compares.
            let stored = [0, 1, 4, 8]
            for seed in stored { try storeAnew("\(seed)", .blob(seed + 50), in: cache) }
            cache.storage.store.close()
            #expect(rename(cache.index.path + ".backup", cache.index.path) == 0)
            cache.reopen()
            for seed in 0..<20 {
                #expect(
                    try cache.storage.value(forKey: "\(seed)") == (stored.contains(seed) ? nil : .blob(seed)), "\(seed)"
                )
            }
        }
    }

    /// As after `rsync`, which takes files of the same date and length for the same. Entries that do not expire have one date.
    @Test(arguments: [8, 20]) func `a newer index that is copied over older blobs does not describe them`(
        count: Int
    ) throws {
        try withCache { cache in
            for seed in 0..<count {
                try cache.storage.store(value: .blob(seed), forKey: "\(seed)", expiration: .never)
            }
            cache.storage.store.close()
            try copyFolder(of: cache, withDates: true)
            let older = cache.folder.url.appendingPathComponent("older")
            try run("/bin/cp", ["-a", cache.directory.path, older.path])
            cache.reopen()
            for seed in 0..<count {
                let key = "\(seed)"
                try storeAnew(key, .blob(seed + 50), expiration: .never, in: cache)
                let name = cache.storage.cacheFileURL(forKey: key).lastPathComponent
                try FileManager.default.removeItem(at: cache.storage.cacheFileURL(forKey: key))
                try FileManager.default.moveItem(
                    at: older.appendingPathComponent(name), to: cache.storage.cacheFileURL(forKey: key))
            }
            try FileManager.default.removeItem(at: older)
            cache.storage.store.close()
            // The index gets another inode number, and the older blobs keep theirs.
            let index = cache.index.path
            try run("/bin/cp", ["-a", index, index + ".copy"])
            #expect(rename(index + ".copy", index) == 0)
            cache.reopen()
            for seed in 0..<count { #expect(try cache.storage.value(forKey: "\(seed)") == nil) }
        }
    }

    /// As Python does when it packs files, and when it copies their dates.
    @Test func `a copy with dates that were rounded down keeps all entries`() throws {
        try withCache { cache in
            for seed in 0..<20 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            cache.storage.store.close()
            try copyFolder(of: cache, withDates: true)
            for seed in 0..<20 {
                let handle = try FileHandle(forUpdating: cache.storage.cacheFileURL(forKey: "\(seed)"))
                let file = try POSIXFileSystem().status(at: cache.storage.cacheFileURL(forKey: "\(seed)").path)
                try POSIXFileSystem().setModified(
                    file.modified, microseconds: file.modifiedMicroseconds - 1, of: handle.fileDescriptor)
                try handle.close()
            }
            cache.reopen()
            for seed in 0..<20 { #expect(try cache.storage.value(forKey: "\(seed)") == .blob(seed)) }
            cache.settle()
            for seed in 0..<20 { #expect(try cache.storage.value(forKey: "\(seed)") == .blob(seed)) }
        }
    }

    @Test(arguments: [true, false]) func `a repair records the inode numbers of a copy`(withDates: Bool) throws {
        try withCache { cache in
            for seed in 0..<20 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            cache.storage.store.close()
            try copyFolder(of: cache, withDates: withDates)
            let storage = cache.makeStorage(isOpened: false)
            try storage.store.housekeeping.sweeps.queue.sync { () throws in
                #expect(try storage.store.check(repair: true).isSound)
                #expect(try storage.store.index.read { try $0.state().isRelearning } == false)
            }
            storage.store.close()
        }
    }

    /// Gives blobs other inode numbers, but not the index, as on a new volume whose numbers begin anew.
    private func copyBlobs(_ seeds: some Sequence<Int>, in cache: CacheFixture, withDates: Bool) throws {
        for seed in seeds {
            let path = cache.storage.cacheFileURL(forKey: "\(seed)").path
            try run("/bin/cp", (withDates ? ["-p"] : []) + [path, path + ".copy"])
            #expect(rename(path + ".copy", path) == 0)
        }
    }

    /// As after a process that ended when its COMMIT was refused.
    @Test(arguments: [0, 1, 2])
    func `the bytes of a store that failed do not pass for a restored blob, even if their tag fits`(failures: Int)
        throws
    {
        try withCache { cache in
            for seed in 0..<8 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            cache.storage.store.close()
            let name = BlobName(text: cache.storage.cacheFileName(forKey: "3"))
            let blobs = cache.storage.store.blobs
            let file = try #require(try blobs.status(of: name))
            let staged = blobs.path(of: DetachedBlob(place: .staging, rowID: name.rowID, token: 5))
            #expect(rename(blobs.path(of: name), staged) == 0)
            try Data.blob(99).write(to: cache.storage.cacheFileURL(forKey: "3"))
            let handle = try FileHandle(forWritingTo: cache.storage.cacheFileURL(forKey: "3"))
            try POSIXFileSystem().setModified(
                file.modified, microseconds: file.modifiedMicroseconds, of: handle.fileDescriptor)
            try handle.close()
            if failures > 0 { cache.fileSystem.fail(.list, EMFILE, times: failures) }
            cache.reopen()
            for seed in 0..<8 {
                // A load that meets the error itself throws it.
                guard let value = try? cache.storage.value(forKey: "\(seed)") else { continue }
                #expect(value == .blob(seed))
            }
            cache.settle()
            cache.fileSystem.heal()
            for seed in 0..<8 { #expect(try cache.storage.value(forKey: "\(seed)") == .blob(seed)) }
        }
    }

    @Test(arguments: [2, 3, 20]) func `a copy is recognized if its index has the inode of the original`(count: Int)
        throws
    {
        try withCache { cache in
            for seed in 0..<count { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            cache.storage.store.close()
            try copyBlobs(0..<count, in: cache, withDates: true)
            cache.reopen()
            for seed in 0..<count { #expect(try cache.storage.value(forKey: "\(seed)") == .blob(seed)) }
            cache.settle()
            #expect(try cache.storage.check().isSound && cache.storage.totals().entries == count)
            #expect(try cache.storage.store.index.read { try $0.state().isRelearning } == false)
            for seed in 0..<count { #expect(try cache.storage.value(forKey: "\(seed)") == .blob(seed)) }
        }
    }

    @Test(arguments: [3, 15, 20])
    func `blobs that another program replaces by others of their length are misses, however many`(count: Int) throws {
        try withCache { cache in
            for seed in 0..<20 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            cache.storage.store.close()
            for seed in 0..<count {
                let url = cache.storage.cacheFileURL(forKey: "\(seed)")
                try Data.blob(seed + 50).write(to: url, options: .atomic)
                // One time in a thousand, the time of the write would be the tag.
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSince1970: 2_000_000_000)], ofItemAtPath: url.path)
            }
            cache.reopen()
            for seed in 0..<20 {
                #expect(try cache.storage.value(forKey: "\(seed)") == (seed < count ? nil : .blob(seed)))
            }
        }
    }

    /// One time in 500, another file has the tag.
    @Test(arguments: [1, 8]) func `a blob that is replaced by one with its date is a miss`(count: Int) throws {
        try withCache { cache in
            for seed in 0..<count { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            cache.storage.store.close()
            try copyBlobs([0], in: cache, withDates: true)
            cache.reopen()
            for seed in 0..<count {
                #expect(try cache.storage.value(forKey: "\(seed)") == (seed == 0 ? nil : .blob(seed)))
            }
        }
    }

    /// One time in a thousand, a file that another program writes has the tag.
    @Test func `a blob that is overwritten while the cache is open is no restored blob, even if its tag fits`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.settle()
            let name = BlobName(text: cache.storage.cacheFileName(forKey: "a"))
            let tag = try #require(try cache.storage.store.blobs.status(of: name)).modifiedMicroseconds
            let url = cache.storage.cacheFileURL(forKey: "a")
            try Data.blob(99).write(to: url, options: .atomic)
            let handle = try FileHandle(forWritingTo: url)
            try POSIXFileSystem().setModified(Timestamp(Date()), microseconds: tag, of: handle.fileDescriptor)
            try handle.close()
            for _ in 0..<3 {
                #expect(try cache.storage.value(forKey: "a") == nil)
                cache.settle()
            }
        }
    }

    @Test func `some blobs that are restored with their dates hit after the first miss`() throws {
        try withCache { cache in
            for seed in 0..<20 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            cache.storage.store.close()
            try copyBlobs(0..<5, in: cache, withDates: true)
            cache.reopen()
            for seed in 0..<20 { _ = try cache.storage.value(forKey: "\(seed)") }
            cache.settle()
            for seed in 0..<20 { #expect(try cache.storage.value(forKey: "\(seed)") == .blob(seed)) }
            #expect(try cache.storage.check().isSound)
        }
    }

    @Test func `after a power cut, entries of the last minute are not trusted`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "old")
            cache.fileSystem.age(by: 120)
            cache.clock.advance(by: 120)
            try cache.storage.store(value: .blob(2), forKey: "new")
            cache.fileSystem.age(by: 120)
            cache.reopen { $0.boot = { "another boot" } }
            #expect(try cache.storage.value(forKey: "new") == nil)
            #expect(try cache.storage.value(forKey: "old") == .blob(1))
            cache.settle()
            #expect(try cache.storage.totalSize() == 100)
            try cache.storage.store(value: .blob(3), forKey: "new")
            #expect(try cache.storage.value(forKey: "new") == .blob(3))
        }
    }

    @Test func `a cache that was closed a minute after its last store trusts all entries`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.clock.advance(by: 61)
            cache.reopen { $0.boot = { "another boot" } }
            #expect(try cache.storage.value(forKey: "a") == .blob(1))
        }
    }

    @Test(arguments: [true, false])
    func `distrusted files are not adopted`(isAskedFor: Bool) throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "new")
            cache.settle()
            try cache.storage.store.index.write { session in
                var state = try session.state()
                (state.adoption, state.adoptsUntil) = (.pending, Timestamp(Date()))
                try session.setState(state)
            }
            cache.fileSystem.age(by: 120)
            cache.reopen { $0.boot = { "another boot" } }
            if isAskedFor { #expect(try cache.storage.value(forKey: "new") == nil) } else { try cache.storage.open() }
            cache.settle()
            #expect(try cache.storage.value(forKey: "new") == nil)
            #expect(try cache.storage.totalSize() == 0)
        }
    }

    @Test func `within one boot, all entries are trusted`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.reopen()
            #expect(try cache.storage.value(forKey: "a") == .blob(1))
        }
    }

    @Test func `the recording of a copied file does not move the latest store back`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.clock.advance(by: 100)
            try cache.storage.store(value: .blob(2), forKey: "b")
            cache.settle()
            let before = try cache.storage.store.index.read { try $0.state() }
            let (url, files) = (cache.storage.cacheFileURL(forKey: "a"), POSIXFileSystem())
            let hold = try FileHandle(forReadingFrom: url)
            let status = try files.status(at: url.path)
            try Data.blob(1).write(to: url, options: .atomic)
            let file = try files.openForReading(url.path)
            try files.setModified(status.modified, microseconds: status.modifiedMicroseconds, of: file)
            files.close(file)
            _ = try cache.storage.value(forKey: "a")
            cache.settle()
            #expect(try cache.storage.value(forKey: "a") == .blob(1))
            let after = try cache.storage.store.index.read { try $0.state() }
            #expect(after.storedAt == before.storedAt && after.storedIn == before.storedIn)
            try hold.close()
        }
    }

    /// Another process may replace the index between any two steps of an opening.
    @Test(arguments: 1...4) func `an index that is replaced while it is opened takes no stores`(number: Int) throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.settle()
            cache.storage.store.close()
            let index = cache.index.path
            let copy = cache.folder.url.appendingPathComponent("copy").path
            try FileManager.default.copyItem(atPath: index, toPath: copy)
            let (caller, count) = (ObjectIdentifier(Thread.current), Locked(0))
            cache.fileSystem.observe { call, path in
                guard call == .status, path == index, ObjectIdentifier(Thread.current) == caller else { return }
                let isDue = count.withLock { count in
                    count += 1
                    return count == number
                }
                guard isDue else { return }
                for suffix in ["-wal", "-shm", ""] { rename(index + suffix, index + ".former" + suffix) }
                try? FileManager.default.copyItem(atPath: copy, toPath: index)
            }
            let storage = cache.makeStorage(isOpened: false)
            // The sweep would open the index beside this thread.
            let mayBegin = DispatchSemaphore(value: 0)
            storage.store.housekeeping.sweeps.async { mayBegin.wait() }
            try storage.store.open()
            cache.fileSystem.observe(nil)
            #expect(count.withLock { $0 } >= number)
            try storage.store(value: .blob(2), forKey: "b")
            mayBegin.signal()
            let other = cache.makeStorage()
            for (seed, key) in [(1, "a"), (2, "b")] { #expect(try other.value(forKey: key) == .blob(seed)) }
            other.close()
            storage.close()
        }
    }
}
