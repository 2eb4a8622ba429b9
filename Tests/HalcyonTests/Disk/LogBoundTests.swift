import Foundation
import HalcyonSQLite
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

extension CacheFixture {
    fileprivate func blobName(of key: String) -> String {
        BlobName(key: key, isHashed: true, pathExtension: nil).text
    }
}

/// The length of the log while another connection reads endlessly.
@Suite(.endsEvenIfItHangs) struct LogBoundTests {
    private static let tuning: Tuning = {
        var tuning = Tuning.patient
        tuning.logFrameLimit = 200
        tuning.logFrameReserve = 100
        tuning.checkpointFrames = 50
        tuning.forcedCheckpointFrames = 100
        tuning.writerTimeout = 2_000
        tuning.retryTimeout = 50
        return tuning
    }()

    /// Holds a snapshot, as a query of another process does, or `sqlite3` in a transaction.
    private func beginReading(_ cache: CacheFixture) throws -> Connection {
        let reader = try Connection(path: cache.index.path, access: .queryOnly)
        try reader.execute("BEGIN; SELECT count(*) FROM entries")
        return reader
    }

    private func logFrames(_ cache: CacheFixture) throws -> Int {
        let path = cache.index.path + "-wal"
        return try (FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0) / 4_120
    }

    private func storeUntilItFails(_ storage: DiskStorage.Backend<Data>) -> (count: Int, failure: CacheStorageError?) {
        for number in 0..<1_000 {
            do {
                try storage.store(value: .blob(number), forKey: "\(number)")
            } catch {
                return (number, (error as? KingfisherError)?.cause)
            }
        }
        return (1_000, nil)
    }

    @Test func `the first commit after a restart cuts a long log to what is kept of it`() throws {
        var tuning = Tuning.patient
        tuning.logSizeLimit = 100_000
        try withCache(tuning: tuning) { cache in
            try cache.storage.store(value: .blob(1), forKey: "first")
            cache.settle()
            let reader = try beginReading(cache)
            for number in 0..<100 { try cache.storage.store(value: .blob(number), forKey: "\(number)") }
            try #require(logFrames(cache) > 200)
            reader.rollBack()
            // Another connection's checkpoint may be under way.
            for _ in 0..<1_000 where try logFrames(cache) > 200 {
                cache.storage.store.index.checkpoint()
                try cache.storage.store(value: .blob(2), forKey: "first")
            }
            try #expect(logFrames(cache) <= 100_000 / 4_120 + 10)
        }
    }

    @Test func `the log is restarted although stores go on while a checkpoint syncs`() throws {
        var tuning = Self.tuning
        tuning.logFrameLimit = 10_000
        let (cache, vfs) = (try CacheFixture(tuning: tuning), FaultyVFS())
        let (storage, stored, path) = (Locked<DiskStorage.Backend<Data>?>(nil), Locked(0), cache.index.path)
        @Sendable func store() throws {
            let number = stored.withLock { stored in
                stored += 1
                return stored
            }
            try storage.withLock { $0 }?.store(value: .blob(1), forKey: "\(number)")
        }
        let during = DispatchGroup()
        vfs.observe { event in
            guard event.call == .sync, !event.isAfter, event.path == path, let open = storage.withLock({ $0 }) else {
                return 0
            }
            // Not while the checkpoint keeps stores out. One that begins to do so waits for this one.
            if open.store.index.writer.withLockIfFree({ _ in true }) == true {
                DispatchQueue.global().async(group: during) { for _ in 0..<5 { try? store() } }
                _ = during.wait(timeout: .now() + 1)
            }
            return 0
        }
        cache.environment.vfs = vfs.name
        let open = cache.makeStorage()
        try open.store(value: .blob(0), forKey: "first")
        cache.settle()
        storage.withLock { $0 = open }
        for number in 0..<400 {
            try store()
            if number.isMultiple(of: 20) { open.store.index.checkpoint() }
        }
        during.wait()
        #expect(stored.withLock { $0 } > 400, "none during a checkpoint")
        try #expect(logFrames(cache) <= 400)
        storage.withLock { $0 = nil }
        open.close()
    }

    @Test func `the log stops growing during an endless read, and service resumes after it`() throws {
        try withCache(tuning: Self.tuning) { cache in
            let storage = cache.storage
            try storage.store(value: .blob(1), forKey: "first")
            // The work after the opening also writes, and a query waits for it.
            cache.settle()
            let reader = try beginReading(cache)
            let (count, failure) = storeUntilItFails(storage)
            try #require(count > 10)
            #expect(failure?.code == .indexUnavailable)
            #expect(failure?.message.contains("log") == true && failure?.remedy.contains("sqlite3") == true)
            // The commit of one store is four or five pages; one commit exceeds the bound.
            try #expect(logFrames(cache) <= 210)
            #expect(!storage.isCached(forKey: "\(count)"))
            try #expect(storage.value(forKey: "first") == .blob(1))

            // Removals and reads still work.
            try storage.remove(forKey: "first")
            #expect(!storage.isCached(forKey: "first"))
            try #expect(storage.usage().logBytes >= 200 * 4_120)

            reader.rollBack()
            // On a busy machine, housekeeping may read for longer than a store waits here.
            #expect((0..<1_000).contains { _ in (try? storage.store(value: .blob(2), forKey: "first")) != nil })
            for number in 0..<200 { try storage.store(value: .blob(number), forKey: "\(number)") }
            try #expect(logFrames(cache) <= 310)
            try #expect(storage.usage().total.entries == 201)
        }
    }

    @Test func `a store goes on if another process has restarted the log, even beside a new reader`() throws {
        try withCache(tuning: Self.tuning) { cache in
            let (storage, other) = (cache.storage, cache.makeStorage())
            try storage.store(value: .blob(1), forKey: "first")
            try other.store(value: .blob(1), forKey: "other")
            cache.settle()
            let reader = try beginReading(cache)
            _ = storeUntilItFails(storage)
            reader.rollBack()
            var hasRestarted = false
            while !hasRestarted {
                other.store.index.checkpoint()
                try other.store(value: .blob(2), forKey: "other")
                hasRestarted = try other.store.index.write { $0.connection.logFrames } < 100
            }
            let second = try beginReading(cache)
            try storage.store(value: .blob(3), forKey: "first")
            second.rollBack()
            #expect(try other.value(forKey: "first") == .blob(3))
        }
    }

    @Test func `an entry that a read has extended is not removed as expired while the log is full`() throws {
        try withCache(tuning: Self.tuning) { cache in
            let storage = cache.storage
            try storage.store(value: .blob(1), forKey: "used", expiration: .seconds(100))
            try storage.store(value: .blob(2), forKey: "unused", expiration: .seconds(100))
            cache.settle()
            let reader = try beginReading(cache)
            _ = storeUntilItFails(storage)
            cache.clock.advance(by: 90)
            #expect(try storage.value(forKey: "used") == .blob(1))
            cache.clock.advance(by: 20)
            #expect(try storage.removeExpiredValues().map(\.lastPathComponent) == [cache.blobName(of: "unused")])
            #expect(try storage.value(forKey: "used") == .blob(1))
            reader.rollBack()
            #expect((0..<1_000).contains { _ in (try? storage.flush()) != nil })
        }
    }

    @Test func `an eviction works while the log is full, also before all files are adopted`() throws {
        var tuning = Self.tuning
        // An eviction that waited for room in the log would not end.
        tuning.writerTimeout = 3_600_000
        try withCache(tuning: tuning) { cache in
            let storage = cache.storage
            try storage.store(value: .blob(1), forKey: "first")
            cache.settle()
            let reader = try beginReading(cache)
            for number in 0... {
                guard try logFrames(cache) < 195 else { break }
                try storage.store(value: .blob(number), forKey: "\(number)")
            }
            let stored = try storage.totals().entries
            _ = try storage.value(forKey: "first")
            // Writes without reserve would wait now.
            while try logFrames(cache) < 205 { try cache.beginAdoption() }
            let file = BlobName(key: "old", isHashed: true, pathExtension: nil).text
            try Data.blob(3).write(to: cache.directory.appendingPathComponent(file))
            // A query that waited for room would not end, either.
            #expect(throws: KingfisherError.self) { try storage.entries() }
            let evicted = try storage.evict(.init(bytes: 100)) { _ in true }
            #expect(Int64(evicted.entries) == stored)
            reader.rollBack()
            // Housekeeping may be copying the log.
            while (try? storage.totalSize()) == nil { usleep(1_000) }
            #expect(try storage.value(forKey: "old") == .blob(3))
        }
    }

    @Test func `a housekeeping flush does not wait for room in the log while it holds the write lock`() throws {
        var tuning = Self.tuning
        // With the lock held, the flush would wait for an hour, and the suite would end as hanging.
        tuning.briefTimeout = 3_600_000
        try withCache(tuning: tuning) { cache in
            let storage = cache.storage
            try storage.store(value: .blob(1), forKey: "first")
            cache.settle()
            let reader = try beginReading(cache)
            _ = storeUntilItFails(storage)
            _ = try storage.value(forKey: "first")
            // This call gets the lock, so the next one has the full timeout again.
            try storage.remove(forKey: "0")
            #expect(!storage.store.recorder.flushAccessLog(), "there is no room")
            try storage.remove(forKey: "first")
            #expect(!storage.isCached(forKey: "first"))
            reader.rollBack()
            // Housekeeping may be copying the log.
            while !storage.store.recorder.flushAccessLog() { usleep(1_000) }
        }
    }

    @Test func `removals fail when their reserve of the log is used up, and lose nothing`() throws {
        try withCache(tuning: Self.tuning) { cache in
            let storage = cache.storage
            // More than the reserve suffices to remove, whatever the stores below need of the log.
            let count = 100
            for number in 0..<count { try storage.store(value: .blob(number), forKey: "\(number)") }
            cache.settle()
            let reader = try beginReading(cache)
            _ = storeUntilItFails(storage)
            var removed = 0
            var failure: CacheStorageError?
            while failure == nil, removed < count {
                do {
                    try storage.remove(forKey: "\(removed)")
                    removed += 1
                } catch {
                    failure = (error as? KingfisherError)?.cause
                }
            }
            try #require(removed > 5 && removed < count, "\(removed) of \(count) removed")
            #expect(failure?.code == .indexUnavailable)
            try #expect(logFrames(cache) <= 310)
            try #expect(storage.value(forKey: "\(removed)") == .blob(removed), "the one that could not be removed")
            reader.rollBack()
            #expect((0..<1_000).contains { _ in (try? storage.removeAll()) != nil })
            try #expect(storage.usage().total.entries == 0)
        }
    }

    @Test func `a store that waits for room in the log does not block removals`() throws {
        var tuning = Self.tuning
        tuning.writerTimeout = 3_600_000
        try withCache(tuning: tuning) { cache in
            let storage = cache.storage
            for number in 0..<5 { try storage.store(value: .blob(number), forKey: "\(number)") }
            cache.settle()
            let reader = try beginReading(cache)
            let isDone = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                // One of these stores waits until the reader ends.
                for number in 0..<200 { try? storage.store(value: .blob(number), forKey: "new \(number)") }
                isDone.signal()
            }
            while try logFrames(cache) < 200 { usleep(1_000) }
            for number in 0..<5 { try storage.remove(forKey: "\(number)") }
            #expect(isDone.wait(timeout: .now() + .milliseconds(50)) == .timedOut, "it still waits")
            reader.rollBack()
            isDone.wait()
            try #expect(storage.value(forKey: "new 199") == .blob(199))
        }
    }

    @Test func `a checkpoint does not wait for a store that holds the writer's lock`() throws {
        try withCache(tuning: .patient) { cache in
            let index = cache.storage.store.index
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.settle()
            let reader = try beginReading(cache)
            try cache.storage.store(value: .blob(2), forKey: "b")
            let isDone = DispatchSemaphore(value: 0)
            index.writer.withLock { _ in
                Thread.detachNewThread {
                    #expect(index.checkpoint(), "it copies up to the snapshot of the reader")
                    isDone.signal()
                }
                isDone.wait()
            }
            reader.rollBack()
        }
    }

    @Test func `the bound of the log covers processes that store once and end`() throws {
        try withCache(tuning: Self.tuning) { cache in
            let reader = try beginReading(cache)
            var count = 0
            while count < 300 {
                let storage = cache.makeStorage()
                defer { storage.close() }
                guard (try? storage.store(value: .blob(count), forKey: "\(count)")) != nil else { break }
                count += 1
            }
            #expect(count < 300)
            try #expect(logFrames(cache) <= 220)
            reader.rollBack()
            try cache.makeStorage().store(value: .blob(7), forKey: "after")
        }
    }

    @Test func `the bound of the log covers all processes together`() throws {
        try withCache(tuning: Self.tuning) { cache in
            let others = [cache.storage, cache.makeStorage(), cache.makeStorage()]
            let reader = try beginReading(cache)
            for (number, storage) in others.enumerated() {
                let (count, failure) = storeUntilItFails(storage)
                #expect(failure?.code == .indexUnavailable)
                // The others notice the full log once they know its length: after one store.
                if number > 0 { #expect(count <= 1) }
            }
            try #expect(logFrames(cache) <= 220)
            reader.rollBack()
            // Another storage may be copying the log at that moment, and a store after a failed one waits only 50 ms.
            for storage in others {
                #expect((0..<1_000).contains { _ in (try? storage.store(value: .blob(7), forKey: "after")) != nil })
            }
        }
    }

    @Test func `the log does not become longer each time it restarts`() throws {
        var tuning = Tuning.patient
        tuning.checkpointFrames = 20
        try withCache(tuning: tuning) { cache in
            func store(_ count: Int) throws -> Int64 {
                for seed in 0..<count {
                    try cache.storage.store(value: .blob(seed), forKey: "\(seed)")
                    cache.storage.store.housekeepingWait()
                }
                return try cache.storage.usage().logBytes
            }
            let first = try store(100)
            #expect(try store(500) < first + 30 * 4_120)
        }
    }
}
