import Foundation
import HalcyonSQLite
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// A storage that has closed its index, so that the system may suspend the process.
@Suite(.endsEvenIfItHangs) struct SuspensionTests {
    /// Another process that needs the index alone: the journal mode can be changed only without other connections.
    private func requireNoOtherConnection(_ cache: CacheFixture) throws {
        let other = try Connection(path: cache.index.path, access: .readWriteCreate, busyTimeout: 0)
        #expect(try other.text("PRAGMA journal_mode = DELETE") == "delete")
        try other.execute("BEGIN EXCLUSIVE; COMMIT")
    }

    private func requireClosed(_ cache: CacheFixture, _ location: SourceLocation = #_sourceLocation) throws {
        #if os(Linux)
            #expect(try openFiles(under: cache.directory) == [], sourceLocation: location)
        #endif
    }

    @Test func `a suspended storage has no open files and no locks`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            _ = try cache.storage.value(forKey: "a")
            _ = try cache.storage.entries(sortedBy: .size)
            cache.storage.store.index.checkpoint()
            #if os(Linux)
                #expect(try !openFiles(under: cache.directory).isEmpty)
            #endif
            cache.storage.suspend()
            try requireClosed(cache)
            try requireNoOtherConnection(cache)
            cache.storage.resume()
            #expect(try cache.storage.value(forKey: "a") == .blob(1))
        }
    }

    @Test func `reads work after a resume that came before a busy writer could be closed`() throws {
        try withCache { cache in
            let (store, index) = (cache.storage.store, cache.storage.store.index)
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.settle()
            let (entered, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let (written, suspended) = (DispatchGroup(), DispatchGroup())
            DispatchQueue.global().async(group: written) {
                try? index.write { _ in
                    entered.signal()
                    gate.wait()
                }
            }
            entered.wait()
            DispatchQueue.global().async(group: suspended) { store.suspendAtOnce() }
            while index.isInService { usleep(1_000) }
            cache.storage.resume()
            suspended.wait()
            gate.signal()
            written.wait()
            #expect(try index.read { try $0.totals().entries } == 1)
            #expect(try cache.storage.value(forKey: "a") == .blob(1))
        }
    }

    @Test func `during a suspension loads miss, other calls fail with the reason, and nothing is lost`() throws {
        try withCache(configure: { $0.sizeLimit = 10 }) { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            try cache.storage.store(value: .blob(2), forKey: "b", expiration: .seconds(1))
            cache.storage.suspend()
            #expect(try cache.storage.value(forKey: "a") == nil)
            #expect(!cache.storage.isCached(forKey: "a"))
            try requireSuspended { try cache.storage.store(value: .blob(3), forKey: "a") }
            try requireSuspended { try cache.storage.store(value: .blob(3), forKey: "new") }
            try requireSuspended { try cache.storage.remove(forKey: "a") }
            try requireSuspended { try cache.storage.removeAll() }
            try requireSuspended { _ = try cache.storage.totalSize() }
            cache.clock.advance(by: 2)
            try requireSuspended { _ = try cache.storage.removeExpiredValues() }
            try requireSuspended { _ = try cache.storage.removeSizeExceededValues() }
            #expect(cache.names(in: "staging") == [])
            try requireClosed(cache)
            cache.storage.resume()
            #expect(try cache.storage.value(forKey: "a") == .blob(1))
            #expect(try cache.storage.value(forKey: "new") == nil)
            #expect(try cache.storage.removeExpiredValues().count == 1)
            try cache.storage.store(value: .blob(3), forKey: "a")
            #expect(try cache.storage.value(forKey: "a") == .blob(3))
        }
    }

    private func requireSuspended(
        _ location: SourceLocation = #_sourceLocation, _ body: () throws -> Void
    ) throws {
        let error = try #require(throws: KingfisherError.self, sourceLocation: location) { try body() }
        #expect(error.cause?.code == .suspended, sourceLocation: location)
    }

    @Test func `a suspension writes pending reads before it closes the index`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.clock.advance(by: 60)
            _ = try cache.storage.value(forKey: "a")
            cache.storage.suspend()
            let other = try Connection(path: cache.index.path, access: .queryOnly, busyTimeout: 0)
            #expect(try other.integer("SELECT rank FROM entries") == cache.clock.now.milliseconds)
            cache.storage.resume()
        }
    }

    @Test func `a flush writes pending reads and counts`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.clock.advance(by: 60)
            _ = try cache.storage.value(forKey: "a")
            try cache.storage.flush()
            let other = try Connection(path: cache.index.path, access: .queryOnly, busyTimeout: 0)
            #expect(try other.integer("SELECT rank FROM entries") == cache.clock.now.milliseconds)
            #expect(try other.integer("SELECT hits FROM entries") == 1)
        }
    }

    @Test func `a flush that cannot write throws the reason, and the reads are written later`() throws {
        var tuning = Tuning.patient
        tuning.writerTimeout = 50
        try withCache(tuning: tuning) { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            _ = try cache.storage.value(forKey: "a")
            try whileLocked(cache) {
                let error = try #require(throws: KingfisherError.self) { try cache.storage.flush() }
                #expect(error.cause?.code == .indexUnavailable)
            }
            cache.storage.suspend()
            // Nothing is left to write, until there is a miss to count.
            try cache.storage.flush()
            _ = try cache.storage.value(forKey: "a")
            try requireSuspended { try cache.storage.flush() }
            cache.storage.resume()
            #expect(try cache.storage.entry(forKey: "a")?.hits == 1)
        }
    }

    private func whileLocked(_ cache: CacheFixture, _ body: () throws -> Void) throws {
        let other = try Connection(path: cache.index.path, access: .readWriteCreate, busyTimeout: 5000)
        try other.begin()
        defer { other.rollBack() }
        try body()
    }

    @Test func `a query that meets a close during a takeover says so`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.settle()
            try cache.beginAdoption()
            cache.storage.store.folder.closingCount.withLock { $0 += 1 }
            let error = #expect(throws: KingfisherError.self) { try cache.storage.entries() }
            #expect(error?.cause?.code == .indexUnavailable && error?.cause?.description.contains("closed") == true)
            cache.storage.store.folder.closingCount.withLock { $0 -= 1 }
            #expect(try cache.storage.entries().entries.count == 1)
        }
    }

    @Test func `a closed storage has no file open, and opens with its next use`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.storage.close()
            try requireClosed(cache)
            #expect(try cache.storage.value(forKey: "a") == .blob(1))
        }
    }

    @Test func `repeated suspend and resume calls have no further effect`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.storage.suspend()
            cache.storage.suspend()
            try requireClosed(cache)
            cache.storage.resume()
            #expect(cache.storage.isCached(forKey: "a"))
            cache.storage.resume()
            #expect(cache.storage.isCached(forKey: "a"))
        }
    }

    @Test func `a storage that was never opened stays closed`() throws {
        try withCache { cache in
            _ = cache.storage
            cache.storage.store.close()
            cache.storage.suspend()
            _ = cache.storage.isCached(forKey: "a")
            cache.settle()
            try requireClosed(cache)
            cache.storage.resume()
        }
    }

    @Test func `a storage created during a suspension works after the resume`() throws {
        let folder = try TemporaryFolder()
        let config = DiskStorage.Config(name: "shared", sizeLimit: 0, directory: folder.url)
        let first = try DiskStorage.Backend<Data>(config: config)
        try first.store(value: .blob(1), forKey: "a")
        first.suspend()
        let second = try DiskStorage.Backend<Data>(config: config)
        #expect(try second.value(forKey: "a") == nil)
        first.resume()
        #expect(try second.value(forKey: "a") == .blob(1))
    }

    @Test func `a suspension that must not wait leaves no file open either`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.settle()
            _ = try cache.storage.value(forKey: "a")
            _ = try cache.storage.entries(sortedBy: .size)
            try cache.storage.store.index.read { _ in }
            cache.storage.store.index.checkpoint()
            cache.storage.store.suspendAtOnce()
            try requireClosed(cache)
            cache.storage.resume()
        }
    }

    @Test func `a suspension ends long reads`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            let (began, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let isSuspended = Locked(false)
            Thread.detachNewThread {
                do {
                    try cache.storage.store.index.readAtLength { session in
                        began.signal()
                        _ = try session.connection.integer(
                            "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 30000000) SELECT count(*) FROM n"
                        )
                    }
                } catch {
                    isSuspended.withLock { $0 = error is IndexSuspended }
                }
                ended.signal()
            }
            began.wait()
            cache.storage.suspend()
            ended.wait()
            #expect(isSuspended.withLock { $0 })
            cache.storage.resume()
        }
    }

    @Test func `a call that a suspension has interrupted says so, even if the cache has resumed since`() throws {
        try withCache { cache in
            #expect(throws: IndexSuspended.self) {
                try cache.storage.store.index.namingSuspension { throw SQLiteError(code: .interrupted, message: "") }
            }
        }
    }

    @Test func `a suspension waits for long reads`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            let index = cache.storage.store.index
            let suspended = DispatchSemaphore(value: 0)
            let isSuspended = Locked(false)
            try index.readAtLength { session in
                // Not on a dispatch queue: other tests may use all of its threads.
                Thread {
                    cache.storage.suspend()
                    isSuspended.withLock { $0 = true }
                    suspended.signal()
                }.start()
                // The first step of a suspension: no new read can begin.
                while (try? index.read { _ in }) != nil { sched_yield() }
                // A statement that runs ten milliseconds later is interrupted.
                do {
                    let entries = try session.totals().entries
                    #expect(entries == 1)
                } catch let error as SQLiteError where error.code == .interrupted {}
                #expect(!isSuspended.withLock { $0 })
            }
            suspended.wait()
            try requireClosed(cache)
            cache.storage.resume()
        }
    }

    @Test func `under load nothing is opened between suspend and resume`() throws {
        var tuning = Tuning.patient
        tuning.checkpointFrames = 1
        tuning.flushCount = 2
        tuning.batchSize = 4
        try withCache(tuning: tuning, configure: { $0.sizeLimit = 3_000 }) { cache in
            // Created before the threads start, because it is lazy.
            let storage = cache.storage
            let base = SeededGenerator.ofThisRun
            let isOver = Locked(false)
            let wrong = Locked([String]())
            DispatchQueue.concurrentPerform(iterations: 4) { worker in
                guard worker > 0 else {
                    defer { isOver.withLock { $0 = true } }
                    for _ in 0..<60 { suspendOnce(cache, wrong) }
                    return
                }
                var generator = base
                for _ in 0..<worker { _ = generator.next() }
                while !isOver.withLock({ $0 }) { use(storage, &generator, wrong) }
            }
            #expect(wrong.withLock { $0 } == [])
        }
    }

    private func suspendOnce(_ cache: CacheFixture, _ wrong: Locked<[String]>) {
        cache.storage.suspend()
        #if os(Linux)
            for _ in 0..<5 {
                let open = (try? openFiles(under: cache.metadata))?.filter { $0.contains("index.sqlite") }
                if open != [] { wrong.withLock { $0.append("open: \(String(describing: open))") } }
                sched_yield()
            }
        #endif
        cache.storage.resume()
        // Lets the other threads make progress.
        for _ in 0..<20 where cache.storage.isCached(forKey: "1") { sched_yield() }
    }

    private func use(
        _ storage: DiskStorage.Backend<Data>, _ generator: inout SeededGenerator, _ wrong: Locked<[String]>
    ) {
        let seed = Int.random(in: 0..<20, using: &generator)
        do {
            switch Int.random(in: 0..<12, using: &generator) {
            case 0...4: try storage.store(value: .blob(seed), forKey: "\(seed)")
            case 5...8:
                guard let data = try storage.value(forKey: "\(seed)"), data != .blob(seed) else { return }
                wrong.withLock { $0.append("other bytes of \(seed)") }
            case 9: _ = try storage.removeSizeExceededValues()
            case 10: _ = try storage.check()
            default: try storage.removeAll()
            }
        } catch {
            let cause = (error as? KingfisherError)?.cause ?? error as? CacheStorageError
            guard cause?.code != .suspended else { return }
            wrong.withLock { $0.append("\(error)") }
        }
    }
}

extension KingfisherError {
    /// The cause from the disk storage.
    var cause: CacheStorageError? {
        guard case .cacheError(let reason) = self else { return nil }
        switch reason {
        case .cannotCreateCacheFile(_, _, _, let error), .cannotLoadDataFromDisk(_, let error),
            .invalidURLResource(let error, _, _), .cannotCreateDirectory(_, let error):
            return error as? CacheStorageError
        default: return nil
        }
    }
}
