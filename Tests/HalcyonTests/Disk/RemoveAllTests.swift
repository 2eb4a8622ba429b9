import Foundation
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

@Suite struct RemoveAllTests {
    private func indexBytes(_ cache: CacheFixture) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: cache.index.path)[.size] as? Int)
    }

    @Test func `files without a row are removed even if the trash has no room`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.settle()
            let names = (0..<3).map { BlobName(key: "orphan \($0)", isHashed: true, pathExtension: nil).text }
            for name in names { try Data.blob(2).write(to: cache.directory.appendingPathComponent(name)) }
            cache.fileSystem.fail(.rename, ENOSPC, times: nil, path: "/trash/")
            try cache.storage.removeAll()
            for name in names {
                #expect(!FileManager.default.fileExists(atPath: cache.directory.appendingPathComponent(name).path))
            }
        }
    }

    @Test func `a file without a row that cannot be examined is an error, and the others are removed`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.settle()
            let names = (0..<3).map { BlobName(key: "orphan \($0)", isHashed: true, pathExtension: nil).text }
            let files = names.map { cache.directory.appendingPathComponent($0) }
            for file in files { try Data.blob(2).write(to: file) }
            cache.fileSystem.fail(.status, EIO, times: nil, path: names[1])
            #expect(throws: KingfisherError.self) { try cache.storage.removeAll() }
            #expect(files.map { FileManager.default.fileExists(atPath: $0.path) } == [false, true, false])
            cache.fileSystem.heal()
            try cache.storage.removeAll()
            #expect(!FileManager.default.fileExists(atPath: files[1].path))
        }
    }

    @Test func `a clear that the system refuses is an error, and leaves the entries`() throws {
        try withCache { cache in
            let keys = ["a", "b", "c"]
            for key in keys { try cache.storage.store(value: .blob(1), forKey: key) }
            cache.settle()
            cache.fileSystem.fail(.rename, EACCES, times: nil, path: "/trash/")
            #expect(throws: KingfisherError.self) { try cache.storage.removeAll() }
            cache.fileSystem.heal()
            for key in keys { #expect(try cache.storage.value(forKey: key) == .blob(1)) }
            try cache.storage.removeAll()
            #expect(try cache.storage.totalSize() == 0)
        }
    }

    /// A lookup opens the replacement before the removal begins, and its sweep adopts the file during it.
    @Test func `a clear whose index was deleted removes files that become entries meanwhile`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.settle()
            let (storage, store) = (cache.storage, cache.storage.store)
            let clearing = try Clearing(of: store)
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: cache.index.path + suffix)
            }
            #expect(store.index.refreshIfMoved(force: true))
            #expect(try storage.value(forKey: "a") == nil)
            try clearing.remove(isBlobName: { name in
                try? store.adopter.finish()
                return BlobName.isBlobName(name, isHashed: true)
            })
            #expect(try storage.value(forKey: "a") == nil)
            #expect(try storage.totalSize() == 0)
        }
    }

    @Test func `removing everything deletes all blobs and shrinks the index`() throws {
        try withCache { cache in
            for seed in 0..<2_000 {
                try cache.storage.store(value: .blob(seed, count: 1), forKey: "a key of some length, number \(seed)")
            }
            cache.storage.store.index.checkpoint()
            let full = try indexBytes(cache)
            try cache.storage.removeAll()
            cache.settle()
            #expect(try cache.storage.totalSize() == 0)
            #expect(try FileManager.default.contentsOfDirectory(atPath: cache.directory.path) == [".halcyon"])
            #expect(full > 300_000)
            #expect(try indexBytes(cache) < 150_000)
            try cache.storage.store(value: .blob(1), forKey: "a")
            #expect(try cache.storage.value(forKey: "a") == .blob(1))
        }
    }

    /// A clear takes its moment in one transaction. A store in the next one has a later time.
    @Test func `a store beside a clear inherits no pin`() throws {
        try withCache { cache in
            let storage = cache.storage
            for number in 0..<300 {
                try storage.store(value: .blob(1), forKey: "a", attributes: .init(isPinned: true, tags: ["old"]))
                DispatchQueue.concurrentPerform(iterations: 2) { thread in
                    #expect(throws: Never.self) {
                        guard thread == 0 else { return try storage.store(value: .blob(2), forKey: "a") }
                        try storage.removeAll()
                    }
                }
                let entry = try storage.entry(forKey: "a")
                guard entry?.isPinned != true, entry?.tags.isEmpty != false else {
                    Issue.record("round \(number): pinned \(entry?.isPinned == true), tags \(entry?.tags ?? [])")
                    return
                }
            }
        }
    }

    @Test func `pending access notes bring nothing back after a removal`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            _ = try cache.storage.value(forKey: "a")
            try cache.storage.removeAll()
            cache.reopen()
            #expect(!cache.storage.isCached(forKey: "a"))
        }
    }

    @Test func `other programs' files in the folder stay`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            let foreign = cache.directory.appendingPathComponent("notes.txt")
            try Data("mine".utf8).write(to: foreign)
            try cache.storage.removeAll()
            #expect(FileManager.default.fileExists(atPath: foreign.path))
        }
    }

    @Test func `on request the folder itself is removed, and the next store creates it again`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.settle()
            try cache.storage.removeAll(skipCreatingDirectory: true)
            #expect(!FileManager.default.fileExists(atPath: cache.directory.path))
            #expect(try cache.storage.value(forKey: "a") == nil)
            try cache.storage.store(value: .blob(2), forKey: "a")
            #expect(try cache.storage.value(forKey: "a") == .blob(2))
        }
    }

    @Test func `the log stays bounded after many stores and a clearing`() throws {
        try withCache { cache in
            for seed in 0..<1_500 { try cache.storage.store(value: .blob(seed, count: 1), forKey: "\(seed)") }
            try cache.storage.removeAll()
            cache.settle()
            try cache.storage.store(value: .blob(1), forKey: "a")
            let log = try FileManager.default.attributesOfItem(atPath: cache.index.path + "-wal")[.size] as? Int
            // A log that has restarted keeps this much, and its first pages may be new.
            #expect(try #require(log) <= Tuning().logSizeLimit + 100_000)
        }
    }

    @Test func `work on the metadata queue runs after earlier access notes are written`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a", expiration: .seconds(60))
            cache.clock.advance(by: 5)
            _ = try cache.storage.value(forKey: "a")
            let expiration = Locked<Timestamp?>(nil)
            cache.storage.metaChangingQueue.sync {
                let row = try? cache.storage.store.index.read { try $0.page(after: .min, limit: 1).first }
                expiration.withLock { $0 = row?.lifetime.expiresAt }
            }
            #expect(expiration.withLock { $0 } == cache.clock.now.advanced(by: 60_000))
        }
    }

    @Test func `entries that another storage stores during a removal of everything stay`() throws {
        try withCache { cache in
            for seed in 0..<300 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            let other = cache.makeStorage()
            let isDone = Locked(false)
            cache.fileSystem.observe { call, path in
                // In the middle of the removal.
                guard call == .unlink, path.contains("trash"), !isDone.withLock({ $0 }) else { return }
                isDone.withLock { $0 = true }
                for seed in 1_000..<1_010 { try? other.store(value: .blob(seed), forKey: "\(seed)") }
            }
            try cache.storage.removeAll()
            cache.fileSystem.observe(nil)
            #expect(isDone.withLock { $0 })
            #expect(try cache.storage.totals().entries == 10)
            #expect(try cache.storage.entries(sortedBy: .size).entries.count == 10)
        }
    }

    @Test func `a clear that cannot shrink the index has succeeded`() throws {
        var tuning = Tuning.patient
        tuning.batchSize = 1_000
        try withCache(tuning: tuning) { cache in
            for seed in 0..<500 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            // The moment, the batch, and two looks for more.
            cache.refuseCommits(after: 4, times: 1_000)
            try cache.storage.removeAll()
            cache.refuseCommits(times: 0)
            #expect(try cache.storage.totals().entries == 0)
        }
    }

    @Test func `a clear brings back no pin from an index that an older version has set aside`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a", attributes: .init(isPinned: true))
            cache.settle()
            let newer = cache.index.path + ".newer"
            cache.storage.store.close()
            try FileManager.default.copyItem(atPath: cache.index.path, toPath: newer)
            let clearing = try Clearing(of: cache.storage.store)
            #expect(!FileManager.default.fileExists(atPath: newer))
            try cache.storage.store(value: .blob(2), forKey: "a")
            try clearing.remove { BlobName.isBlobOrLegacyName($0, isHashed: true) }
            cache.settle()
            #expect(try cache.storage.entry(forKey: "a")?.isPinned == false)
        }
    }

    @Test func `a removal that finds its entry removed by another process is not counted`() throws {
        var tuning = Tuning.patient
        tuning.briefTimeout = 1
        try withCache(tuning: tuning) { cache in
            let (storage, other) = (cache.storage, cache.makeStorage())
            try storage.store(value: .blob(1), forKey: "a")
            cache.settle()
            let isDone = DispatchSemaphore(value: 0)
            try other.store.index.write { session in
                Thread.detachNewThread {
                    try? storage.remove(forKey: "a")
                    isDone.signal()
                }
                // It has found the entry, and waits for the lock.
                while !storage.store.index.patience.isRefused { usleep(1_000) }
                try session.delete(id: BlobName(key: "a", isHashed: true, pathExtension: nil).rowID)
            }
            isDone.wait()
            #expect(try storage.statistics.sinceOpening.removals == 0)
        }
    }
    @Test func `the removal of everything reports how far it is`() throws {
        var tuning = Tuning.patient
        tuning.batchSize = 4
        try withCache(tuning: tuning) { cache in
            for seed in 0..<10 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            cache.settle()
            let counts = Locked<[Int]>([])
            try cache.storage.removeAll { count in counts.withLock { $0.append(count) } }
            #expect(counts.withLock { $0.prefix(4) } == [0, 4, 8, 10])
        }
    }

    @Test func `a cleared folder stays while another process has it open`() throws {
        try withCache { cache in
            let other = cache.makeStorage()
            try other.store(value: .blob(1), forKey: "a")
            try cache.storage.removeAll(skipCreatingDirectory: true)
            #expect(FileManager.default.fileExists(atPath: cache.index.path))
            try other.store(value: .blob(2), forKey: "b")
            #expect(try other.value(forKey: "b") == .blob(2))
            other.close()
        }
    }

    @Test func `of two clears, the first to end does not end the other, even if the clock was set back`() {
        let condition = FolderCondition()
        let times = [1, 2].map { Timestamp(milliseconds: $0) }
        for time in times.reversed() { condition.beginClearing(upTo: time) }
        #expect(condition.clearedUpTo == times[1])
        condition.endClearing()
        #expect(condition.clearedUpTo == times[1])
        condition.endClearing()
        #expect(condition.clearedUpTo == nil)
    }

    @Test func `an entry that is being cleared is neither listed nor updated`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            let remove = try cache.storage.beginRemovingAll()
            #expect(try cache.storage.entry(forKey: "a") == nil)
            #expect(try !cache.storage.update(.init(isPinned: true), forKey: "a"))
            try remove()
        }
    }

    @Test func `a clear spares a file that another program writes meanwhile`() throws {
        try withCache { cache in
            cache.settle()
            let name = BlobName(key: "later", isHashed: true, pathExtension: nil).text
            let file = cache.directory.appendingPathComponent(name)
            let remove = try cache.storage.beginRemovingAll()
            // The volume's clock has coarse ticks, and the clear's moment is in whole milliseconds.
            let cleared = Date().addingTimeInterval(0.002)
            func write() throws -> Date {
                try Data.blob(2).write(to: file)
                return try #require(FileManager.default.attributesOfItem(atPath: file.path)[.modificationDate] as? Date)
            }
            while try write() <= cleared {}
            try remove()
            #expect(FileManager.default.fileExists(atPath: file.path))
            try FileManager.default.removeItem(at: file)
        }
    }
}
