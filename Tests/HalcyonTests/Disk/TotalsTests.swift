import Foundation
import HalcyonSQLite
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// Edited totals and sizes. They evict no entry, and the cache corrects them.
@Suite struct TotalsTests {
    private func edit(_ cache: CacheFixture, _ sql: String) throws {
        try cache.storage.store.index.write {
            try $0.execute("PRAGMA ignore_check_constraints = ON")
            try $0.execute(sql)
        }
    }

    @Test(arguments: [Int64.max, 90_000_000, 501, 499, 0, -2, .min])
    func `an eviction counts before it believes`(bytes: Int64) throws {
        try withCache(configure: { $0.sizeLimit = 1_000 }) { cache in
            for seed in 0..<5 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            try edit(cache, "UPDATE totals SET bytes = \(bytes)")
            for _ in 0..<3 { #expect(try cache.storage.removeSizeExceededValues() == []) }
            for seed in 5..<10 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            // Too little is found once a day.
            cache.settle()
            cache.clock.advance(by: 90_000)
            cache.reopen()
            cache.settle()
            #expect(try cache.storage.totalSize() == 1_000)
            #expect(try cache.storage.removeSizeExceededValues().count == 5)
        }
    }

    @Test(arguments: [Int64.max, 1_000_000, 4, 0, -2, .min])
    func `the number of entries too`(entries: Int64) throws {
        try withCache(configure: { $0.countLimit = 8 }) { cache in
            for seed in 0..<5 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            try edit(cache, "UPDATE totals SET entries = \(entries)")
            #expect(try cache.storage.removeSizeExceededValues() == [])
            cache.settle()
            cache.clock.advance(by: 90_000)
            cache.reopen()
            cache.settle()
            #expect(try cache.storage.store.evictor.totals(adopting: false).entries == 5)
        }
    }

    @Test func `an eviction that finds nothing more to evict counts anew`() throws {
        try withCache { cache in
            for seed in 0..<5 {
                try cache.storage.store(
                    value: .blob(seed), forKey: "\(seed)", attributes: .init(isPinned: seed > 0))
            }
            try edit(cache, "UPDATE totals SET bytes = 520")
            _ = try cache.storage.store.evictor.evict(downTo: Totals(entries: .max, bytes: 100))
            #expect(try cache.storage.totalSize() == 400)
        }
    }

    @Test(arguments: [Int64.max, .min, -5, 5_000_000_000_000])
    func `a size that no file has costs no other entry`(size: Int64) throws {
        try withCache(configure: { $0.sizeLimit = 1_000 }) { cache in
            for seed in 0..<10 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            let id = BlobName(key: "7", isHashed: true, pathExtension: nil).rowID
            try edit(cache, "UPDATE entries SET size = \(size) WHERE id = \(id)")
            #expect(try cache.storage.removeSizeExceededValues().isEmpty)
            for seed in 0..<10 where seed != 7 { #expect(cache.storage.isCached(forKey: "\(seed)"), "\(seed)") }
            #expect(try cache.storage.value(forKey: "7") == nil)
            cache.settle()
            try cache.storage.store(value: .blob(1), forKey: "10")
            #expect(try cache.storage.removeSizeExceededValues().count == 5)
        }
    }

    @Test func `a row whose size is not its file's is settled once a day`() throws {
        try withCache { cache in
            for seed in 0..<5 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            let id = BlobName(key: "3", isHashed: true, pathExtension: nil).rowID
            try edit(cache, "UPDATE entries SET size = 400 WHERE id = \(id)")
            cache.settle()
            cache.clock.advance(by: 90_000)
            cache.reopen()
            cache.settle()
            #expect(try cache.storage.totalSize() == 400)
            #expect(try cache.storage.store.evictor.totals(adopting: false).entries == 4)
        }
    }

    /// A trigger keeps the totals in step with it.
    @Test(arguments: [0, 1], [1, 30])
    func `a size that a file could have costs no other entry`(pin: Int, wrong: Int) throws {
        try withCache(configure: { $0.sizeLimit = 10_000 }) { cache in
            for seed in 0..<60 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            cache.settle()
            for seed in 0..<wrong {
                let id = BlobName(key: "\(seed)", isHashed: true, pathExtension: nil).rowID
                try edit(cache, "UPDATE entries SET size = \(90_000_000 + seed), pinned = \(pin) WHERE id = \(id)")
            }
            for _ in 0..<3 { #expect(try cache.storage.removeSizeExceededValues() == []) }
            for seed in wrong..<60 { #expect(cache.storage.isCached(forKey: "\(seed)"), "\(seed)") }
            #expect(try cache.storage.totalSize() == UInt(60 - wrong) * 100)
        }
    }

    @Test func `in a process that stays, totals are counted and rows are settled each day`() throws {
        var tuning = Tuning.patient
        tuning.flushCount = 1
        try withCache(tuning: tuning) { cache in
            for seed in 0..<5 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)", expiration: .never) }
            cache.settle()
            for day in 0..<3 {
                try edit(cache, "UPDATE totals SET bytes = \(day)")
                cache.clock.advance(by: 86_000)
                _ = try cache.storage.value(forKey: "1")
                cache.settle()
                #expect(try cache.storage.totalSize() == UInt(day))
                cache.clock.advance(by: 1_000)
                _ = try cache.storage.value(forKey: "1")
                cache.settle()
                #expect(try cache.storage.totalSize() == 500)
            }
        }
    }

    @Test func `a process whose daily sweep another one has done sweeps a day after that one`() throws {
        var tuning = Tuning.patient
        tuning.flushCount = 1
        try withCache(tuning: tuning) { cache in
            try cache.storage.store(value: .blob(1), forKey: "1", expiration: .never)
            let other = cache.makeStorage()
            func read(_ storage: DiskStorage.Backend<Data>, after seconds: Double) throws {
                cache.clock.advance(by: seconds)
                _ = try storage.value(forKey: "1")
                cache.settle()
            }
            try read(other, after: 0)
            try read(other, after: 90_000)
            try read(cache.storage, after: 40_000)
            try edit(cache, "UPDATE totals SET bytes = 7")
            // A day after the other one's sweep, and less than that after this one's attempt.
            try read(cache.storage, after: 50_000)
            #expect(try cache.storage.totalSize() == 100)
        }
    }

    @Test func `a sweep that fails is not tried again with each flush`() throws {
        var tuning = Tuning.patient
        tuning.flushCount = 1
        try withCache(tuning: tuning) { cache in
            for seed in 0..<5 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)", expiration: .never) }
            cache.settle()
            cache.clock.advance(by: 90_000)
            #expect(cache.storage.store.sweeper.isDue)
            cache.fileSystem.fail(.list, EIO, times: nil)
            _ = cache.storage.store.sweeper.sweep()
            #expect(!cache.storage.store.sweeper.isDue)
            cache.clock.advance(by: 3_601)
            #expect(cache.storage.store.sweeper.isDue)
        }
    }

    @Test func `only one of several processes compares the directory with the rows`() throws {
        try withCache { cache in
            for seed in 0..<5 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)", expiration: .never) }
            cache.settle()
            let other = cache.makeStorage()
            cache.settle()
            cache.clock.advance(by: 90_000)
            let isDue = Locked<[Bool]>([])
            let directory = cache.directory.path
            cache.fileSystem.observe { call, path in
                guard call == .list, path == directory else { return }
                isDue.withLock { $0.append(other.store.sweeper.isDue) }
                guard isDue.withLock({ $0.count }) == 1 else { return }
                _ = other.store.sweeper.sweep()
            }
            _ = cache.storage.store.sweeper.sweep()
            cache.fileSystem.observe(nil)
            #expect(isDue.withLock { $0 } == [true])
            #expect(!other.store.sweeper.isDue)
        }
    }

    /// Stores entries with long keys, and evicts most.
    private func leaveFreePages(in cache: CacheFixture) throws {
        let text = String(repeating: "x", count: 1000)
        for seed in 0..<1500 {
            try cache.storage.store(value: .blob(seed), forKey: "\(seed)\(text)", expiration: .never)
        }
        _ = try cache.storage.store.evictor.evict(downTo: Totals(entries: 100, bytes: .max))
        cache.settle()
        cache.clock.advance(by: 90_000)
    }

    @Test func `the index becomes small again after most entries are gone`() throws {
        try withCache { cache in
            try leaveFreePages(in: cache)
            let before = try cache.storage.usage().indexBytes
            _ = cache.storage.store.sweeper.sweep()
            #expect(try cache.storage.usage().indexBytes * 2 < before)
            try cache.requireClean()
        }
    }

    @Test func `an index does not become smaller while a long read keeps half of the log`() throws {
        var tuning = Tuning.patient
        tuning.logFrameLimit = 400
        try withCache(tuning: tuning) { cache in
            try leaveFreePages(in: cache)
            let index = cache.storage.store.index
            // The next commit restarts the log.
            index.checkpoint()
            try cache.storage.store(value: .blob(1), forKey: "new")
            let reader = try Connection(path: cache.index.path)
            try reader.execute("BEGIN")
            _ = try reader.integer("SELECT count(*) FROM entries")
            while try index.isLogHalfFree() { try cache.storage.store(value: .blob(1), forKey: "new") }
            let free = try index.read { try $0.freePages() }
            try index.shrink()
            #expect(try index.read { try $0.freePages() } == free && free > 256)
            try cache.storage.store(value: .blob(1), forKey: "new")
            try reader.execute("COMMIT")
            try index.shrink()
            #expect(try index.read { try $0.freePages() } == 0)
        }
    }

    @Test(arguments: ["bytes = -2", "entries = -1", "bytes = -9223372036854775808"])
    func `totals that cannot be are written anew by the first question`(_ change: String) throws {
        try withCache { cache in
            for seed in 0..<5 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            try edit(cache, "UPDATE totals SET \(change)")
            #expect(try cache.storage.totalSize() == 500)
            #expect(
                try cache.storage.store.index.read { try $0.notedTotals() } == Totals(entries: 5, bytes: 500))
        }
    }

    @Test func `without hashed names rows are settled once a day too`() throws {
        try withCache(configure: { $0.usesHashedFileName = false }) { cache in
            for seed in 0..<600 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)", expiration: .never) }
            try edit(cache, "UPDATE entries SET size = 7 WHERE key IN ('3', '400', '599')")
            cache.settle()
            cache.clock.advance(by: 90_000)
            cache.reopen()
            cache.settle()
            #expect(try cache.storage.store.evictor.totals(adopting: false) == Totals(entries: 597, bytes: 59_700))
        }
    }

    @Test func `without a trigger an eviction takes no more than it has to`() throws {
        try withCache(configure: { $0.sizeLimit = 1_000 }) { cache in
            for seed in 0..<400 { try cache.storage.store(value: .blob(seed, count: 10), forKey: "\(seed)") }
            try edit(cache, "DROP TRIGGER entries_deleted")
            #expect(try cache.storage.removeSizeExceededValues().count == 350)
            #expect(try cache.storage.totalSize() == 500)
            _ = try cache.storage.check(repair: true)
        }
    }

    @Test func `a large entry whose file cannot be examined stops no eviction`() throws {
        try withCache(configure: { $0.sizeLimit = 1_000 }) { cache in
            try cache.storage.store(value: .blob(0, count: 300), forKey: "large", attributes: .init(isPinned: true))
            for seed in 1..<10 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            cache.settle()
            let path = cache.storage.cacheFileName(forKey: "large")
            cache.fileSystem.fail(.status, EIO, times: nil, path: path)
            #expect(try cache.storage.removeSizeExceededValues().count == 7)
            cache.fileSystem.heal()
            #expect(cache.storage.isCached(forKey: "large"))
        }
    }

    @Test(arguments: [false, true])
    func `an impossible size evicts no other entry`(isFileMissing: Bool) throws {
        try withCache(configure: { $0.sizeLimit = 1_000 }) { cache in
            for seed in 0..<5 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            if isFileMissing { try FileManager.default.removeItem(at: cache.storage.cacheFileURL(forKey: "4")) }
            try edit(cache, "UPDATE entries SET size = 1 << 50 WHERE key = '4'")
            #expect(try cache.storage.removeSizeExceededValues().isEmpty)
            for seed in 0..<4 { #expect(cache.storage.isCached(forKey: "\(seed)")) }
        }
    }

    @Test func `without an index a clean still cleans`() throws {
        try withCache(configure: { $0.sizeLimit = 1_000 }) { cache in
            for seed in 0..<10 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            try edit(cache, "DROP INDEX entries_by_rank")
            #expect(try cache.storage.removeSizeExceededValues().count == 5)
            _ = try cache.storage.check(repair: true)
            #expect(try cache.storage.check().isSound)
        }
    }

    @Test(arguments: [-2, 7, Int64.max, .min])
    func `an odd pin is a pin, and its entry can be stored, unpinned and removed`(pin: Int64) throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            try edit(cache, "UPDATE entries SET pinned = \(pin)")
            try cache.storage.store(value: .blob(2), forKey: "a")
            #expect(try cache.storage.value(forKey: "a") == .blob(2))
            #expect(try cache.storage.entry(forKey: "a")?.isPinned == true)
            try edit(cache, "UPDATE entries SET pinned = \(pin)")
            _ = try cache.storage.check(repair: true)
            #expect(try Connection(path: cache.index.path).integer("SELECT pinned FROM entries") == 1)
            try cache.storage.update(.init(isPinned: false), forKey: "a")
            #expect(try cache.storage.entry(forKey: "a")?.isPinned == false)
        }
    }

    @Test func `the daily sweep makes an odd pin an ordinary one`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a", expiration: .never)
            try edit(cache, "UPDATE entries SET pinned = 7")
            cache.reopen()
            cache.settle()
            #expect(try Connection(path: cache.index.path).integer("SELECT pinned FROM entries") == 7)
            cache.clock.advance(by: 90_000)
            cache.reopen()
            cache.settle()
            #expect(try Connection(path: cache.index.path).integer("SELECT pinned FROM entries") == 1)
        }
    }

    @Test func `what volumes and limits can say has room`() {
        let limits = StorageLimits(bytes: .max, entries: .max, freeBytes: .max, lowWater: 1)
        let totals = Totals(entries: Totals.limit, bytes: Totals.limit)
        #expect(limits.target(totals, freeBytes: 0)?.bytes == 0)
        #expect(limits.target(Totals(entries: 0, bytes: 0), freeBytes: .max) == nil)
        let most = Totals(entries: .max, bytes: .max)
        #expect(StorageLimits(bytes: .max, lowWater: 1).target(most, freeBytes: nil)?.bytes ?? 0 > Totals.limit)
        _ = limits.step
    }

    @Test func `an eviction for a full volume counts whole blocks`() {
        let limits = StorageLimits(freeBytes: 800)
        let totals = Totals(entries: 10, bytes: 1_000)
        // 250 bytes are missing, with the eighth.
        #expect(limits.target(totals, freeBytes: 650)?.bytes == 750)
        #expect(limits.target(totals, slack: 4_000, freeBytes: 650)?.bytes == 950)
        // A volume that has not counted all blocks yet, or compresses, or an edited index.
        for slack in [-500, -1_000, -Totals.limit] {
            #expect(limits.target(totals, slack: slack, freeBytes: 650)?.bytes == 750)
        }
        let negative = Totals(entries: 0, bytes: -Totals.limit)
        #expect(StorageLimits(freeBytes: .max).target(negative, slack: 0, freeBytes: 0)?.bytes == 0)
    }

    #if os(Linux)
        @Test func `a volume without a size does not count as full`() {
            let error = #expect(throws: SystemError.self) { try POSIXFileSystem().freeBytes(at: "/proc") }
            #expect(error?.code == ENOTSUP)
        }
    #endif

    @Test func `an eviction for a full volume leaves the entries whose blocks are not needed`() throws {
        try withCache(configure: { $0.keepFreeBytes = 80_000 }) { cache in
            for seed in 0..<100 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            let usage = try cache.storage.usage()
            let missing = 80_000 / 8 + 10_000
            cache.fileSystem.pretend(freeBytes: 70_000)
            let evicted = try cache.storage.removeSizeExceededValues().count
            let each = usage.allocatedBytes / 100
            #expect(evicted == (Int64(missing) + each - 1) / each)
        }
    }
}
