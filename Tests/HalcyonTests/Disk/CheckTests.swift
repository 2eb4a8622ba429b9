import Foundation
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

@Suite struct CheckTests {
    private func filled(_ cache: CacheFixture) throws {
        for seed in 0..<10 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
        cache.settle()
    }

    private func name(_ cache: CacheFixture, _ key: String) -> String {
        cache.storage.cacheFileURL(forKey: key).lastPathComponent
    }

    @Test func `a check of a sound cache finds nothing and changes nothing`() throws {
        try withCache { cache in
            try filled(cache)
            let report = try cache.storage.check()
            #expect(report.isClean)
            #expect(report.counted == Totals(entries: 10, bytes: 1_000))
            #expect(try cache.storage.check(repair: true).isClean)
            #expect(try cache.storage.totalSize() == 1_000)
        }
    }

    @Test(arguments: DetachedBlob.Place.allCases)
    func `a blob that an interrupted operation has left elsewhere is not missing`(place: DetachedBlob.Place) throws {
        try withCache { cache in
            try filled(cache)
            let store = cache.storage.store
            let name = BlobName(text: name(cache, "4"))
            let entry = try #require(try store.index.read { try $0.entry(named: name) })
            let detached = DetachedBlob(place: place, rowID: entry.id, token: entry.token)
            #expect(rename(store.blobs.path(of: name), store.blobs.path(of: detached)) == 0)
            #expect(try cache.storage.check().isSound)
            _ = try cache.storage.check(repair: true)
            #expect(try cache.storage.check().isClean)
            #expect(try cache.storage.value(forKey: "4") == .blob(4))
        }
    }

    @Test func `after a power cut, a check leaves the last minute to the sweep`() throws {
        try withCache { cache in
            cache.environment.boot = { "first" }
            try filled(cache)
            cache.storage.store.close()
            cache.environment.boot = { "second" }
            let storage = DiskStorage.Backend<Data>(
                noThrowConfig: cache.config, creatingDirectory: false, environment: cache.environment)
            // Before the sweep, which the check requests when it opens the index.
            let (report, isDistrusting) = try storage.store.housekeeping.sweeps.queue.sync {
                (try storage.check(), storage.store.condition.isDistrusting)
            }
            #expect(report.isClean && isDistrusting)
            storage.store.close()
        }
    }

    @Test func `a check finds each kind of damage, and repairs it only on request`() throws {
        try withCache { cache in
            try filled(cache)
            let orphan = String(repeating: "ab", count: 32)
            try Data.blob(50).write(to: cache.directory.appendingPathComponent(orphan))
            try FileManager.default.removeItem(at: cache.storage.cacheFileURL(forKey: "0"))
            try Data.blob(1, count: 7).write(to: cache.storage.cacheFileURL(forKey: "1"))
            try Data.blob(2).write(to: cache.storage.cacheFileURL(forKey: "2"), options: .atomic)
            try Data.blob(3).write(to: cache.metadata.appendingPathComponent("trash/11.22"))
            try Data("x".utf8).write(to: cache.directory.appendingPathComponent("notes.txt"))
            try cache.storage.store.index.write { session in
                try session.execute("UPDATE totals SET bytes = 77")
                try session.execute(
                    "UPDATE entries SET id = id + 1 WHERE id IN (SELECT id FROM entries WHERE key = '9')")
            }
            for _ in 0..<2 {
                let report = try cache.storage.check()
                #expect(report.orphans.sorted() == [orphan, name(cache, "9")].sorted())
                #expect(report.dangling == [name(cache, "0")])
                #expect(report.wrongLengths == [name(cache, "1")])
                #expect(report.wrongInodes == [name(cache, "2")])
                #expect(report.unreadableRows.count == 1)
                #expect(report.trashed == 1)
                #expect(report.foreignFiles == ["notes.txt"])
                #expect(report.noted.bytes == 77 && report.counted.bytes == 1_000)
                #expect(!report.isSound)
            }
            #expect(try cache.storage.check(repair: true).isRepaired)
            let healed = try cache.storage.check()
            #expect(healed.isClean && healed.counted == Totals(entries: 6, bytes: 600))
            #expect(healed.foreignFiles == ["notes.txt"])
            for seed in 3..<9 { #expect(try cache.storage.value(forKey: "\(seed)") == .blob(seed)) }
        }
    }

    @Test func `a check reports its progress`() throws {
        try withCache { cache in
            try filled(cache)
            var seen: [Int] = []
            _ = try cache.storage.check { seen.append($0) }
            #expect(seen == seen.sorted())
            #expect(seen.last == 20)
        }
    }

    @Test func `orphans are removed by the sweep, once a day`() throws {
        try withCache { cache in
            try filled(cache)
            let orphan = cache.directory.appendingPathComponent(String(repeating: "cd", count: 32))
            try Data.blob(50).write(to: orphan)
            cache.clock.advance(by: 86_401)
            cache.reopen()
            _ = try cache.storage.totalSize()
            cache.settle()
            #expect(!FileManager.default.fileExists(atPath: orphan.path))
            #expect(try cache.storage.totalSize() == 1_000)
        }
    }

    @Test func `names that could be unhashed keys are not orphans`() throws {
        try withCache(configure: { $0.usesHashedFileName = false }) { cache in
            try filled(cache)
            let mine = cache.directory.appendingPathComponent("holiday.jpg")
            try Data.blob(50).write(to: mine)
            cache.clock.advance(by: 86_401)
            cache.reopen()
            _ = try cache.storage.totalSize()
            cache.settle()
            #expect(FileManager.default.fileExists(atPath: mine.path))
            try FileManager.default.removeItem(at: mine)
        }
    }

    @Test func `an error of the progress ends a check, and is thrown as it is`() throws {
        struct Mine: Error {}
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            #expect(throws: Mine.self) { try cache.storage.check { _ in throw Mine() } }
        }
    }

    @Test func `an entry that a cache with other settings would not name so is no foreign file`() throws {
        try withCache(configure: { $0.usesHashedFileName = false }) { cache in
            try cache.storage.store(value: .blob(1), forKey: "a.b")
            cache.storage.config.usesHashedFileName = true
            try Data("x".utf8).write(to: cache.directory.appendingPathComponent("notes.txt"))
            let report = try cache.storage.check()
            #expect(report.foreignFiles == ["notes.txt"] && report.counted.entries == 1)
        }
    }
}
