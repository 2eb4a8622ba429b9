import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// Whatever another user plants in place of the cache's own files and folders, and whichever operation runs: the cache reads, writes and
/// removes nothing outside of its folder, nothing hangs, and the cache works again once the thing is gone.
@Suite(.endsEvenIfItHangs) struct PlantedThingTests {
    typealias Storage = DiskStorage.Backend<Data>

    enum Operation: String, CaseIterable {
        case open, storeNew, overwrite, value, isCached, remove, evict, expire, removeAll, removeMatching, list, check,
            repair,
            adopt

        func perform(on storage: Storage) throws {
            switch self {
            case .open: try storage.store.open()
            case .storeNew: try storage.store(value: .blob(3), forKey: "new")
            case .overwrite: try storage.store(value: .blob(4), forKey: "planted")
            case .value:
                // An adopted thing is a file with the outside file's bytes; every other answer has the cache's own.
                let value = try storage.value(forKey: "planted")
                #expect([nil, .blob(1), .blob(8)].contains(value))
            case .isCached: _ = storage.isCached(forKey: "planted")
            case .remove: try storage.remove(forKey: "planted")
            case .evict: _ = try storage.removeSizeExceededValues()
            case .expire: _ = try storage.removeExpiredValues()
            case .removeAll: try storage.removeAll()
            case .removeMatching: try storage.removeEntries(matching: .all)
            case .list: _ = try storage.entries(sortedBy: .key)
            case .check: _ = try storage.check()
            case .repair: _ = try storage.check(repair: true)
            case .adopt: try storage.store.adopter.finish()
            }
        }
    }

    /// Before the storage is opened, or while it is open.
    enum Moment: String, CaseIterable { case closed, open }

    @Test(arguments: PlantedPlace.allCases, PlantedThing.allCases)
    func `a planted file exposes nothing outside, and service resumes after it is gone`(
        place: PlantedPlace, thing: PlantedThing
    ) throws {
        var tuning = Tuning.patient
        // Retries an index that was refused at once.
        tuning.presenceInterval = 0
        let cache = try CacheFixture(tuning: tuning, configure: { $0.sizeLimit = 150 })
        let canary = try Canary(in: cache.folder.url)
        var generator = Self.generator(for: place, thing)
        for operation in Operation.allCases {
            // Testing both would take twice as long; another run has another seed.
            let moment = Bool.random(using: &generator) ? Moment.open : .closed
            let subject = Subject(cache: cache, canary: canary, place: place, thing: thing)
            try subject.prepare(moment, for: operation)
            guard try subject.plant() else { return print("left out, for want of permission: \(thing)") }
            subject.perform(operation, moment)
            try subject.examine("\(place), \(thing), \(operation), \(moment)")
        }
        try cache.requireClean()
    }

    /// Closing records that the cache is settled; that is the log's first commit, which syncs the folder.
    @Test func `closing does not hang if a named pipe replaces the folder`() throws {
        let cache = try CacheFixture()
        try cache.storage.store(value: .blob(1), forKey: "a")
        cache.storage.store.close()
        cache.clock.advance(by: 3_600)
        cache.reopen()
        #expect(cache.storage.isCached(forKey: "a"))
        cache.settle()
        try FileManager.default.removeItem(at: cache.metadata)
        #expect(mkfifo(cache.metadata.path, 0o600) == 0)
        cache.storage.store.close()
        try FileManager.default.removeItem(at: cache.metadata)
        #expect(try cache.storage.value(forKey: "a") == .blob(1))
    }

    /// SQLite deletes the file that a super-journal record names (https://www.sqlite.org/fileformat.html, section 3), if no database
    /// needs it.
    @Test(arguments: ["index.sqlite", "index.sqlite.damaged"])
    func `a journal that names a file elsewhere does not delete it`(index: String) throws {
        let cache = try CacheFixture()
        let canary = try Canary(in: cache.folder.url)
        try cache.storage.store(value: .blob(1), forKey: "a")
        cache.settle()
        cache.storage.store.close()
        let database = cache.metadata.appendingPathComponent(index)
        if index != "index.sqlite" {
            try FileManager.default.moveItem(at: cache.metadata.appendingPathComponent("index.sqlite"), to: database)
        }
        let journal = URL(fileURLWithPath: database.path + "-journal")
        try Self.journal(of: database, naming: canary.file.path).write(to: journal)
        cache.reopen()
        #expect(try cache.storage.value(forKey: "a") == .blob(1))
        cache.settle()
        #expect(try cache.storage.entry(forKey: "a")?.key == "a")
        #expect(!FileManager.default.fileExists(atPath: journal.path), "SQLite has not seen it")
        try canary.requireUntouched(index)
        try canary.requireNothingNew(index)
    }

    /// A rollback journal without pages, and its super-journal.
    private static func journal(of database: URL, naming path: String) throws -> Data {
        let pages = try UInt32(Data(contentsOf: database).count / 4_096)
        let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
        func bytes(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
        var journal = magic + bytes(0) + bytes(0) + bytes(pages) + bytes(512) + bytes(4_096)
        journal += [UInt8](repeating: 0, count: 512 - journal.count)
        let checksum = path.utf8.reduce(UInt32(0)) { $0 &+ UInt32($1) }
        journal += bytes(0x4000_0000 / 4_096 + 1) + path.utf8 + bytes(UInt32(path.utf8.count)) + bytes(checksum) + magic
        return Data(journal)
    }

    /// A separate sequence for each pair, derived from the seed of this run.
    private static func generator(for place: PlantedPlace, _ thing: PlantedThing) -> SeededGenerator {
        var generator = SeededGenerator.ofThisRun
        let places = PlantedPlace.allCases.firstIndex(of: place) ?? 0
        let number = places * PlantedThing.allCases.count + (PlantedThing.allCases.firstIndex(of: thing) ?? 0)
        return SeededGenerator(seed: generator.next() &+ UInt64(number))
    }

    /// One thing at one place, in a cache with two entries.
    private struct Subject {
        let cache: CacheFixture
        let canary: Canary
        let place: PlantedPlace
        let thing: PlantedThing

        private var blob: URL { cache.storage.cacheFileURL(forKey: "planted") }
        /// The name that the entry's blob would have in staging or trash.
        private var detached: String { "\(BlobName(text: blob.lastPathComponent).rowID).77" }
        private var url: URL { place.url(blob: blob, detached: detached) }

        func prepare(_ moment: Moment, for operation: Operation) throws {
            try cache.storage.store(value: .blob(1), forKey: "planted", expiration: .days(1))
            try cache.storage.store(value: .blob(2), forKey: "other", expiration: .days(1))
            cache.settle()
            if operation == .adopt {
                cache.storage.store.close()
                try FileManager.default.removeItem(at: cache.metadata)
            }
            switch moment {
            case .closed: cache.storage.store.close()
            case .open:
                try cache.storage.store.open()
                // SQLite opens the folder when it first syncs a log, and cannot be told not to wait for a pipe. Work that is running when
                // the pipe appears could hang, so nothing runs.
                cache.settle()
            }
        }

        func plant() throws -> Bool {
            let parent = url.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
            return try thing.plant(at: url, canary)
        }

        /// Old enough for all time limits: expired entries, staged files of a crash, the daily search.
        func perform(_ operation: Operation, _ moment: Moment) {
            cache.clock.advance(by: 2 * 86_400)
            if moment == .closed { cache.reopen() }
            do {
                try operation.perform(on: cache.storage)
            } catch {
                #expect(error is KingfisherError || error is CacheStorageError || error is SystemError, "\(error)")
            }
            cache.settle()
        }

        func examine(_ comment: String) throws {
            let shared: Set<String> = thing.sharesAFile ? ["precious", "index.sqlite"] : []
            try canary.requireUntouched(exceptReads: shared, comment)
            try canary.requireNothingNew(comment)
            try? FileManager.default.removeItem(at: url)
            try cache.storage.store(value: .blob(5), forKey: "planted", expiration: .days(1))
            #expect(try cache.storage.value(forKey: "planted") == .blob(5), "\(comment)")
            cache.settle()
            _ = try cache.storage.check(repair: true)
            let report = try cache.storage.check()
            #expect(report.isClean, "\(comment): \(report)")
        }
    }
}
