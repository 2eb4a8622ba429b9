import Foundation
import HalcyonSQLite
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// The behavior of a process while another one keeps the write lock.
@Suite(.endsEvenIfItHangs, .serialized) struct LockHeldTests {
    /// A timeout so long that a call that waits for the lock never returns within a test.
    private static var endless: Tuning {
        var tuning = Tuning()
        tuning.writerTimeout = 3_600_000
        tuning.upgradeDelay = 0
        return tuning
    }

    private static func tuning(writerTimeout: Int) -> Tuning {
        var tuning = endless
        tuning.writerTimeout = writerTimeout
        return tuning
    }

    /// A connection of another process.
    private func whileLocked(_ cache: CacheFixture, _ body: () throws -> Void) throws {
        let other = try Connection(path: cache.index.path, access: .readWriteCreate)
        try other.begin()
        defer { other.rollBack() }
        try body()
    }

    private func whileLocked(_ cache: CacheFixture, _ body: () async throws -> Void) async throws {
        let other = try Connection(path: cache.index.path, access: .readWriteCreate)
        try other.begin()
        defer { other.rollBack() }
        try await body()
    }

    private func milliseconds(_ body: () throws -> Void) rethrows -> Int {
        let begin = MonotonicTime.now
        try body()
        return MonotonicTime.now.milliseconds(since: begin)
    }

    private func code(_ body: () throws -> Void) -> CacheStorageError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? KingfisherError)?.cause?.code ?? (error as? CacheStorageError)?.code
        }
    }

    // MARK: What never waits

    @Test func `lookups and queries do not wait for the lock`() throws {
        try withCache(tuning: Self.endless) { cache in
            let storage = cache.storage
            try storage.store(value: .blob(1), forKey: "a")
            cache.settle()
            let stored = DispatchGroup()
            try whileLocked(cache) {
                try look(at: storage, hits: 1)
                // The store holds the write lock of this process and waits for that of the other one.
                stored.enter()
                Thread {
                    try? storage.store(value: .blob(2), forKey: "b")
                    stored.leave()
                }.start()
                while storage.store.index.writer.withLockIfFree({ _ in }) != nil { usleep(1_000) }
                try look(at: storage, hits: 2)
            }
            stored.wait()
            // Pending accesses are written later.
            try storage.flush()
            try #expect(storage.entry(forKey: "a")?.hits == 2)
        }
    }

    private func look(at storage: DiskStorage.Backend<Data>, hits: Int64) throws {
        // Records an access, which every other call would have to write first.
        try #expect(storage.value(forKey: "a") == .blob(1))
        #expect(storage.isCached(forKey: "a") && !storage.isCached(forKey: "none"))
        try #expect(storage.entry(forKey: "a")?.key == "a")
        try #expect(storage.entries(sortedBy: .access).entries.count == 1)
        try #expect(storage.totals(matching: EntryFilter(keyPrefix: "a")).entries == 1)
        try #expect(storage.totalSize() == UInt(Data.blob(1).count))
        try #expect(storage.statistics.sinceOpening.hits == hits)
        try #expect(storage.usage().total.entries == 1)
        try #expect(storage.summary().adoption == .done)
    }

    @Test func `queries and changes wait for the lock until files are entries, and lookups do not`() throws {
        try withCache(tuning: Self.endless) { cache in
            let (storage, adopted, answers) = (cache.storage, DispatchGroup(), Locked(0))
            try storage.store(value: .blob(1), forKey: "a")
            cache.settle()
            try cache.beginAdoption()
            let file = BlobName(key: "old", isHashed: true, pathExtension: nil).text
            try Data.blob(2).write(to: cache.directory.appendingPathComponent(file))
            try whileLocked(cache) {
                adopted.enter()
                Thread {
                    try? storage.store.adopter.finish()
                    adopted.leave()
                }.start()
                while !storage.store.index.patience.isRefused { usleep(1_000) }
                let calls: [@Sendable () throws -> Bool] = [
                    { try storage.entries(sortedBy: .access).entries.count == 2 },
                    { try storage.entry(forKey: "old") != nil }, { try storage.totalSize() == 200 },
                    { try storage.update(.init(isPinned: true), forKey: "old") },
                ]
                for call in calls {
                    adopted.enter()
                    Thread {
                        if (try? call()) == true { answers.withLock { $0 += 1 } }
                        adopted.leave()
                    }.start()
                }
                #expect(storage.isCached(forKey: "a") && storage.isCached(forKey: "old"))
                try #expect(storage.value(forKey: "old") == .blob(2))
                #expect(adopted.wait(timeout: .now() + 0.5) == .timedOut)
                #expect(answers.withLock { $0 } == 0)
            }
            adopted.wait()
            #expect(answers.withLock { $0 } == 4)
        }
    }

    @Test func `an image cache measures itself only briefly while files cannot become entries`() async throws {
        let subject = try CacheUnderTest(tuning: Self.endless)
        try subject.storage.store(value: .blob(1), forKey: "a")
        subject.disk.settle()
        try subject.disk.beginAdoption()
        try Data.blob(2).write(to: subject.storage.cacheFileURL(forKey: "old"))
        try await whileLocked(subject.disk) {
            await #expect(throws: KingfisherError.self) { try await subject.cache.diskStorageSize }
        }
        #expect(try await subject.cache.diskStorageSize == 200)
    }

    @Test func `a query of an index with an edited pin does not wait for the lock`() throws {
        try withCache(tuning: Self.endless) { cache in
            for key in ["a", "b"] { try cache.storage.store(value: .blob(1), forKey: key) }
            cache.settle()
            try Connection(path: cache.index.path).execute("UPDATE entries SET pinned = 7 WHERE key = 'a'")
            try whileLocked(cache) {
                let found = try cache.storage.entries(sortedBy: .eviction).entries
                #expect(found.map(\.key) == ["a", "b"] && found.map(\.isPinned) == [true, false])
            }
        }
    }

    /// Returns once another thread has the lock, which it keeps for some time.
    private static func holdLock(of path: String, forSeconds seconds: Double) {
        let isHeld = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            let other = try? Connection(path: path, access: .readWriteCreate)
            try? other?.begin()
            isHeld.signal()
            Thread.sleep(forTimeInterval: seconds)
            other?.rollBack()
        }
        isHeld.wait()
    }

    @Test func `a removal that has waited for the lock pauses only as long as it held it`() throws {
        var tuning = Tuning.patient
        tuning.batchSize = 8
        let cache = try CacheFixture(tuning: tuning)
        for number in 0..<16 { try cache.storage.store(value: .blob(number), forKey: "\(number)") }
        cache.settle()
        let (pauses, path) = (Locked<[Int]>([]), cache.index.path)
        // After a batch of less than a millisecond there is no pause.
        cache.beforeCommit {
            usleep(3_000)
            return true
        }
        cache.reopen { environment in
            environment.pause = { milliseconds in
                let isFirst = pauses.withLock { pauses in
                    defer { pauses.append(milliseconds) }
                    return pauses.isEmpty
                }
                // After the first batch: the second one waits for the lock.
                if isFirst { Self.holdLock(of: path, forSeconds: 2) }
            }
        }
        #expect(try cache.storage.removeEntries(matching: .init(minimumSize: 1)).count == 16)
        #expect(pauses.withLock { $0.dropFirst().reduce(0, +) } < 1_000)
    }

    @Test func `a removal of everything that gives up keeps the reads before it`() throws {
        try withCache(tuning: Self.tuning(writerTimeout: 50)) { cache in
            try cache.storage.store(value: .blob(1), forKey: "a", expiration: .seconds(60))
            cache.settle()
            cache.clock.advance(by: 50)
            try #expect(cache.storage.value(forKey: "a") == .blob(1))
            try whileLocked(cache) { #expect(throws: KingfisherError.self) { try cache.storage.removeAll() } }
            cache.clock.advance(by: 50)
            #expect(cache.storage.isCached(forKey: "a"))
            try #expect(cache.storage.entry(forKey: "a")?.hits == 1)
        }
    }

    @Test func `a flush that gives up keeps reads of files that are not entries yet`() throws {
        try withCache(tuning: Self.tuning(writerTimeout: 50)) { cache in
            try readEarly(["a"], in: cache)
            try cache.storage.flush()
            try #expect(cache.storage.entry(forKey: "a")?.key == "a")
            try #expect(cache.storage.entry(forKey: "a")?.hits == 1)
        }
    }

    @Test func `a flush includes early reads that another thread is adopting`() throws {
        try withCache(tuning: Self.tuning(writerTimeout: 50)) { cache in
            // So that the sweep cannot adopt the file.
            cache.fileSystem.fail(.list, EIO, times: nil)
            try readEarly(["a"], in: cache)
            cache.settle()
            let (storage, file) = (cache.storage, cache.storage.cacheFileURL(forKey: "b"))
            // So that only the early read is left to write.
            try storage.flush()
            try Data.blob(1).write(to: file)
            storage.store.adopter.noteEarlyRead(
                of: BlobName(text: file.lastPathComponent),
                Adopter.UnrecordedRead(key: "b", origin: nil, at: cache.clock.now, extending: .none))
            let (entered, gate, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchGroup())
            cache.fileSystem.observe { call, path in
                guard call == .status, path == file.path else { return }
                entered.signal()
                gate.wait()
            }
            let (isFlushed, key) = (Locked(false), Locked<String?>(nil))
            DispatchQueue.global().async(group: ended) { try? storage.store.adoptEarlyReads() }
            entered.wait()
            cache.fileSystem.observe(nil)
            DispatchQueue.global().async(group: ended) {
                try? storage.flush()
                isFlushed.withLock { $0 = true }
                // Not with `entry(forKey:)`, which flushes.
                let name = BlobName(text: file.lastPathComponent)
                key.withLock { $0 = try? storage.store.index.read { try $0.entry(named: name) }?.key }
            }
            usleep(50_000)
            #expect(!isFlushed.withLock { $0 })
            gate.signal()
            ended.wait()
            cache.fileSystem.heal()
            #expect(key.withLock { $0 } == "b")
        }
    }

    @Test func `closing writes early reads that could not be adopted before`() throws {
        try withCache(tuning: Self.tuning(writerTimeout: 50)) { cache in
            cache.fileSystem.fail(.list, EIO, times: nil)
            try readEarly(["a"], in: cache)
            cache.settle()
            let file = cache.storage.cacheFileURL(forKey: "b")
            try Data.blob(1).write(to: file)
            let name = BlobName(text: file.lastPathComponent)
            cache.storage.store.adopter.noteEarlyRead(
                of: name, Adopter.UnrecordedRead(key: "b", origin: nil, at: cache.clock.now, extending: .none))
            cache.storage.store.close()
            cache.fileSystem.heal()
            try #expect(cache.storage.store.index.read { try $0.entry(named: name)?.key } == "b")
        }
    }

    /// Opens the cache's folder as one that is being adopted, and reads files of it while another process has the lock.
    private func readEarly(_ keys: [String], in cache: CacheFixture) throws {
        try cache.storage.open()
        cache.settle()
        cache.storage.store.close()
        for key in keys { try Data.blob(1).write(to: cache.storage.cacheFileURL(forKey: key)) }
        let other = try Connection(path: cache.index.path, access: .readWriteCreate)
        try other.execute("UPDATE state SET adoption = 'pending', adopts_until = 253402300799999")
        try whileLocked(cache) {
            cache.reopen()
            for key in keys { try #expect(cache.storage.value(forKey: key) == .blob(1)) }
            #expect(throws: KingfisherError.self) { try cache.storage.flush() }
        }
    }

    @Test func `an early read of a file that was stored anew since says nothing about the new one`() throws {
        try withCache(tuning: Self.tuning(writerTimeout: 50)) { cache in
            try readEarly(["a"], in: cache)
            cache.clock.advance(by: 30)
            try cache.storage.store(value: .blob(2), forKey: "a", expiration: .seconds(60))
            cache.clock.advance(by: 40)
            try cache.storage.store.adoptEarlyReads()
            #expect(cache.storage.isCached(forKey: "a"))
            try #expect(cache.storage.entry(forKey: "a")?.hits == 0)
        }
    }

    @Test func `the number of early reads is bounded`() throws {
        var tuning = Self.tuning(writerTimeout: 50)
        tuning.noteLimit = 2
        try withCache(tuning: tuning) { cache in
            // So that neither the sweep nor a settle takes them first.
            cache.fileSystem.fail(.list, EIO, times: nil)
            try readEarly(["a"], in: cache)
            cache.settle()
            let (adopter, noted) = (cache.storage.store.adopter, Locked(0))
            for key in ["b", "c", "d", "e"] {
                let file = cache.storage.cacheFileURL(forKey: key)
                try Data.blob(1).write(to: file)
                adopter.noteEarlyRead(
                    of: BlobName(text: file.lastPathComponent),
                    Adopter.UnrecordedRead(key: key, origin: nil, at: cache.clock.now, extending: .none))
            }
            try adopter.adoptEarlyReads { _, _ in noted.withLock { $0 += 1 } }
            cache.fileSystem.heal()
            #expect(noted.withLock { $0 } == 2)
        }
    }

    @Test func `an opening after a restart does not wait, and the next store records the new boot`() throws {
        try withCache(tuning: Self.endless) { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.settle()
            cache.clock.advance(by: 600)
            cache.storage.store.close()
            try whileLocked(cache) {
                cache.reopen { $0.boot = { "another" } }
                // Stored long before the restart, so trusted.
                #expect(cache.storage.isCached(forKey: "a"))
                try #expect(cache.storage.value(forKey: "a") == .blob(1))
                try #expect(cache.storage.store.index.read { try $0.state() }.boot != "another")
            }
            try cache.storage.store(value: .blob(2), forKey: "b")
            try #expect(cache.storage.store.index.read { try $0.state() }.boot == "another")
            try #expect(cache.storage.value(forKey: "b") == .blob(2))
        }
    }

    @Test func `until the boot is recorded, no uptime is`() throws {
        try withCache(tuning: Self.endless) { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.settle()
            cache.storage.store.close()
            let index = try whileLockedOpening(cache)
            let before = try index.read { try $0.state() }
            try index.withWriter { writer in index.noteSettled(try #require(writer)) }
            let after = try index.read { try $0.state() }
            #expect(after.boot != "another" && after.settledUptime == before.settledUptime)
            while cache.storage.store.condition.isDistrusting { usleep(10_000) }
        }
    }

    /// An opening in another boot whose sweep is refused: it is repeated in a second.
    private func whileLockedOpening(_ cache: CacheFixture) throws -> EntryIndex {
        try whileLocked(cache) {
            cache.reopen {
                $0.boot = { "another" }
                $0.uptime = { 999_999_999 }
            }
            cache.settle()
        }
        return cache.storage.store.index
    }

    @Test func `an opening in another boot that only reads settles nothing`() throws {
        try withCache(tuning: Self.endless) { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.settle()
            let before = try cache.storage.store.index.read { try $0.state() }
            try whileLocked(cache) {
                cache.reopen {
                    $0.boot = { "another" }
                    $0.uptime = { 999_999_999 }
                }
                #expect(!cache.storage.isCached(forKey: "none"))
                cache.storage.store.close()
            }
            let other = try Connection(path: cache.index.path)
            let after = try IndexSession(connection: other).state()
            #expect(after.settledUptime == before.settledUptime && after.boots == before.boots)
            // The distrusting sweep runs as soon as the lock is free.
            try cache.storage.open()
            while cache.storage.store.condition.isDistrusting { usleep(10_000) }
        }
    }

    @Test func `an index that needs an upgrade answers misses until the lock is free`() throws {
        try withCache(tuning: Self.tuning(writerTimeout: 300)) { cache in
            cache.storage.store.close()
            for path in [cache.index.path, cache.index.path + "-wal", cache.index.path + "-shm"] {
                try? FileManager.default.removeItem(atPath: path)
            }
            try InterruptedMigrationTests.makeIndex(before: 7, at: cache.index.path)
            try whileLocked(cache) {
                let storage = try DiskStorage.Backend<Data>(config: cache.config, environment: cache.environment)
                #expect(!storage.isCached(forKey: "a"))
                try #expect(storage.value(forKey: "a") == nil)
                #expect(code { _ = try storage.entries() } == .indexUnavailable)
                #expect(code { try storage.store(value: .blob(1), forKey: "a") } == .indexUnavailable)
                storage.store.close()
            }
            cache.reopen()
            try cache.storage.store(value: .blob(1), forKey: "a")
            try #expect(cache.storage.value(forKey: "a") == .blob(1))
        }
    }

    @Test func `lookups miss until an index that has to be created gets the lock`() throws {
        var tuning = Self.endless
        tuning.openingTimeout = 20_000
        try withCache(tuning: tuning) { cache in
            cache.storage.store.close()
            for path in [cache.index.path, cache.index.path + "-wal", cache.index.path + "-shm"] {
                try? FileManager.default.removeItem(atPath: path)
            }
            let stored = Locked<Result<Void, any Error>?>(nil)
            let group = DispatchGroup()
            // An empty file, which another process is about to write.
            try whileLocked(cache) {
                let storage = try DiskStorage.Backend<Data>(config: cache.config, environment: cache.environment)
                #expect(!storage.isCached(forKey: "a"))
                try #expect(storage.value(forKey: "a") == nil)
                try #expect(storage.cachedValue(forKey: "a") == nil)
                group.enter()
                Thread {
                    let result = Result { try storage.store(value: .blob(1), forKey: "a") }
                    stored.withLock { $0 = result }
                    group.leave()
                }.start()
                #expect(group.wait(timeout: .now() + 0.5) == .timedOut)
                // Nor do they wait for the thread that waits.
                let time = try milliseconds { _ = try storage.value(forKey: "a") }
                #expect(time < 10_000)
            }
            group.wait()
            try stored.withLock { $0 }?.get()
            cache.reopen()
            try #expect(cache.storage.value(forKey: "a") == .blob(1))
        }
    }

    @Test func `changes and queries wait for the upgrade of an index`() throws {
        try withCache(tuning: Self.endless) { cache in
            cache.storage.store.close()
            for path in [cache.index.path, cache.index.path + "-wal", cache.index.path + "-shm"] {
                try? FileManager.default.removeItem(atPath: path)
            }
            try InterruptedMigrationTests.makeIndex(before: 7, at: cache.index.path)
            let changes: [@Sendable (DiskStorage.Backend<Data>) throws -> Void] = [
                { try $0.remove(forKey: "a") }, { _ = try $0.removeExpiredValues() }, { _ = try $0.entries() },
                { _ = try $0.entry(forKey: "a") }, { _ = try $0.totalSize() }, { _ = try $0.usage() },
                { _ = try $0.statistics },
                { _ = try $0.update(.init(isPinned: true), forKey: "a") },
                { storage in
                    storage.config.sizeLimit = 1
                    _ = try storage.removeSizeExceededValues()
                },
            ]
            let group = DispatchGroup()
            let failures = Locked<[String]>([])
            try whileLocked(cache) {
                for change in changes {
                    let storage = try DiskStorage.Backend<Data>(config: cache.config, environment: cache.environment)
                    group.enter()
                    Thread {
                        do { try change(storage) } catch { failures.withLock { $0.append("\(error)") } }
                        group.leave()
                    }.start()
                }
                #expect(group.wait(timeout: .now() + 1) == .timedOut)
            }
            group.wait()
            #expect(failures.withLock { $0 } == [])
            // The index had rows without files.
            try cache.storage.removeAll()
        }
    }

    @Test func `closing does not wait for the lock`() throws {
        try withCache(tuning: Self.endless) { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.settle()
            try whileLocked(cache) {
                try #expect(cache.storage.value(forKey: "a") == .blob(1))
                cache.storage.close()
                #expect(!cache.storage.store.index.isOpen)
            }
            // The counts could not be written then; the next flush or close writes them.
            cache.storage.close()
            #expect(!cache.storage.store.index.isOpen)
            let index = try Connection(path: cache.index.path, access: .queryOnly)
            try #expect(index.integer("SELECT hits FROM entries") == 1)
            try cache.storage.flush()
            try #expect(cache.storage.entry(forKey: "a")?.hits == 1)
        }
    }

    @Test func `the work after an opening is done once the lock is free`() throws {
        var tuning = Self.endless
        tuning.briefTimeout = 20
        try withCache(tuning: tuning) { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.settle()
            try whileLocked(cache) {
                // Stored just before the restart.
                cache.reopen { $0.boot = { "another" } }
                cache.settle()
                #expect(cache.storage.store.condition.isDistrusting)
            }
            while cache.storage.store.condition.isDistrusting { usleep(10_000) }
        }
    }

    // MARK: What waits

    @Test func `concurrent stores share one timeout, and later stores fail quickly`() throws {
        let patience = 2_000
        try withCache(tuning: Self.tuning(writerTimeout: patience)) { cache in
            let storage = cache.storage
            try storage.store(value: .blob(1), forKey: "a")
            cache.settle()
            try whileLocked(cache) {
                let together = milliseconds {
                    DispatchQueue.concurrentPerform(iterations: 8) { number in
                        #expect(code { try storage.store(value: .blob(2), forKey: "\(number)") } == .indexUnavailable)
                    }
                }
                #expect(together >= patience, "it waits")
                #expect(together < 3 * patience, "and not once for each")
                let each = milliseconds {
                    for number in 0..<4 {
                        #expect(code { try storage.store(value: .blob(2), forKey: "\(number)") } == .indexUnavailable)
                        #expect(code { try storage.remove(forKey: "a") } == .indexUnavailable)
                    }
                }
                #expect(each < 4 * patience, "eight that are hardly patient")
            }
            try storage.store(value: .blob(3), forKey: "a")
            try whileLocked(cache) {
                let again = milliseconds {
                    #expect(code { try storage.store(value: .blob(4), forKey: "a") } == .indexUnavailable)
                }
                #expect(again >= patience, "the lock that could be had has restored it")
            }
            try #expect(storage.value(forKey: "a") == .blob(3))
        }
    }

    @Test func `a wait that succeeds does not shorten the timeout of stores`() throws {
        try withCache(tuning: Self.tuning(writerTimeout: 1_000)) { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.settle()
            try whileLocked(cache) {
                // Tries the lock for a moment, to write an access.
                _ = try cache.storage.value(forKey: "a")
                _ = try cache.storage.entry(forKey: "a")
                usleep(1_500_000)
                let time = milliseconds {
                    #expect(code { try cache.storage.store(value: .blob(2), forKey: "a") } == .indexUnavailable)
                }
                #expect(time >= 1_000)
            }
        }
    }

    @Test func `repeated lookups do not shorten the timeout of stores`() {
        var tuning = Tuning()
        (tuning.writerTimeout, tuning.retryTimeout) = (100, 0)
        let patience = LockTimeout(tuning, Observers())
        let begin = MonotonicTime.now
        while MonotonicTime.now.milliseconds(since: begin) < 300 {
            _ = LockTimeout.briefly { patience.shouldKeepWaiting(0) }
            usleep(1_000)
        }
        #expect(patience.shouldKeepWaiting(0), "the first time that a store asks")
    }

    @Test func `only the wait of the call that gets the lock is reported, and none that timed out`() {
        var tuning = Tuning()
        (tuning.writerTimeout, tuning.retryTimeout) = (20, 0)
        let (observers, waits) = (Observers(), Locked<[DiskStorage.Event.Kind]>([]))
        let observe: Observers.Observer = { event in waits.withLock { $0.append(event.kind) } }
        observers.set(observe, seesKeys: false, for: ObjectIdentifier(observers))
        let patience = LockTimeout(tuning, observers)
        while patience.shouldKeepWaiting(0) { usleep(1_000) }
        patience.didGetLock()
        _ = patience.shouldKeepWaiting(0)
        usleep(200_000)
        patience.didGetLock()
        _ = LockTimeout.briefly { patience.shouldKeepWaiting(0) }
        patience.didGetLock()
        // In their order, on one queue.
        observers.notifyLater(.init(kind: .hit))
        while !waits.withLock({ $0.contains(.hit) }) { usleep(1_000) }
        #expect(waits.withLock { $0 } == [.wait, .hit])
    }

    @Test func `a wait whose retries are far apart ends too`() {
        var tuning = Tuning()
        (tuning.writerTimeout, tuning.retryTimeout) = (300, 0)
        let patience = LockTimeout(tuning, Observers())
        let begin = MonotonicTime.now
        var retries = 0
        while retries < 10, patience.shouldKeepWaiting(MonotonicTime.now.milliseconds(since: begin)) {
            retries += 1
            usleep(150_000)
        }
        #expect((1...2).contains(retries))
    }

    @Test func `a short-lived process leaves the rest of an upgrade to a longer one`() throws {
        var tuning = Self.endless
        tuning.upgradeDelay = 3_600_000
        try withCache(tuning: tuning) { cache in
            cache.storage.store.close()
            try OlderIndex.make(version: 6, at: cache.index.path)
            func isFinished() throws -> Bool { try cache.storage.store.index.read { try $0.upgradeStep() } == nil }
            cache.reopen()
            cache.settle()
            try #expect(!isFinished())
            cache.reopen { $0.tuning.upgradeDelay = 0 }
            cache.settle()
            try #expect(isFinished())
        }
    }

    @Test func `an upgrade whose time comes during the first sweep runs soon after it`() throws {
        var tuning = Self.endless
        tuning.upgradeDelay = 100
        try withCache(tuning: tuning) { cache in
            cache.storage.store.close()
            try OlderIndex.make(version: 6, at: cache.index.path)
            cache.fileSystem.observe { call, path in
                if call == .list, path.hasSuffix("/staging") { usleep(150_000) }
            }
            cache.reopen()
            func isFinished() throws -> Bool { try cache.storage.store.index.read { try $0.upgradeStep() } == nil }
            for _ in 0..<2_000 where try !isFinished() { usleep(10_000) }
            try #expect(isFinished())
        }
    }

    @Test func `a store runs as soon as the lock is free`() throws {
        try withCache(tuning: Self.endless) { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.settle()
            let other = try Connection(path: cache.index.path, access: .readWriteCreate)
            try other.begin()
            let storing = Background { (try? cache.storage.store(value: .blob(2), forKey: "a")) != nil }
            while cache.storage.store.index.writer.withLockIfFree({ _ in }) != nil { usleep(500) }
            // A lookup during the wait.
            try #expect(cache.storage.value(forKey: "a") == .blob(1))
            other.rollBack()
            #expect(storing.wait() == true)
            try #expect(cache.storage.value(forKey: "a") == .blob(2))
        }
    }

    @Test func `a flush waits for the lock like a store`() throws {
        try withCache(tuning: Self.tuning(writerTimeout: 300)) { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.settle()
            _ = try cache.storage.value(forKey: "a")
            try whileLocked(cache) {
                let time = milliseconds { #expect(code { try cache.storage.flush() } != nil) }
                #expect(time >= 300)
            }
            try cache.storage.flush()
        }
    }

    // MARK: Suspending

    @Test func `a suspension cancels only calls that wait for another process's lock`() async throws {
        try await withImageCache(tuning: Self.endless) { subject in
            let cache = subject.cache
            try await cache.storeToDisk(.blob(1), forKey: "a")
            subject.disk.settle()
            let ended = Calls<String>()
            try await whileLocked(subject.disk) {
                for number in 0..<3 {
                    cache.storeToDisk(.blob(2), forKey: "\(number)") { result in
                        let code = (result.diskCacheResult.error?.cause)?.code
                        ended.record(code == .suspended ? "store" : "\(String(describing: code))")
                    }
                }
                cache.clearDiskCache(completion: nil)
                while subject.storage.store.index.writer.withLockIfFree({ _ in }) != nil { usleep(500) }
                await withCheckedContinuation { continuation in
                    cache.suspend {
                        ended.record("suspend")
                        continuation.resume()
                    }
                }
                #expect(!subject.storage.store.index.isOpen)
                #expect(ended.values == ["store", "store", "store", "suspend"])
            }
            cache.resume()
            try #expect(subject.storage.value(forKey: "a") == .blob(1))
        }
    }

    @Test func `a suspension lets stores end that need not wait`() async throws {
        try await withImageCache(tuning: Self.endless) { subject in
            let cache = subject.cache
            cache.ioQueue.queue.suspend()
            let stored = Calls<Bool>()
            cache.storeToDisk(.blob(1), forKey: "a") { stored.record((try? $0.diskCacheResult.get()) != nil) }
            let isSuspended = Calls<Void>()
            cache.suspend { isSuspended.record(()) }
            cache.ioQueue.queue.resume()
            _ = await isSuspended.first()
            #expect(stored.values == [true])
            cache.resume()
            try #expect(subject.storage.value(forKey: "a") == .blob(1))
        }
    }

    @Test func `a resume also cancels a suspension that is still queued`() async throws {
        try await withImageCache(tuning: Self.tuning(writerTimeout: 2_000)) { subject in
            let cache = subject.cache
            cache.ioQueue.queue.suspend()
            let isSuspended = Calls<Void>()
            cache.suspend { isSuspended.record(()) }
            cache.resume()
            cache.ioQueue.queue.resume()
            _ = await isSuspended.first()
            try await cache.storeToDisk(.blob(1), forKey: "a")
            subject.disk.settle()
            // Stores wait again.
            let other = try Connection(path: subject.disk.index.path, access: .readWriteCreate)
            try other.begin()
            let storing = Background { (try? subject.storage.store(value: .blob(2), forKey: "a")) != nil }
            while subject.storage.store.index.writer.withLockIfFree({ _ in }) != nil { usleep(500) }
            other.rollBack()
            #expect(storing.wait() == true)
        }
    }
}
