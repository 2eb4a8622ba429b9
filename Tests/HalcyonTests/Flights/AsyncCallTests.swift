import Foundation
import HalcyonSQLite
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// The storage's calls for tasks.
@Suite(.endsEvenIfItHangs) struct AsyncCallTests {
    private struct Refused: Error {}

    @Test func `async calls return the same values, entries and info as the other calls`() async throws {
        let cache = try CacheFixture()
        let storage = cache.storage
        let validators = DiskStorage.HTTPValidators(etag: "\"1\"", maxAge: 60, validatedAt: cache.clock.now.date)
        try await storage.async.store(
            value: .blob(1), forKey: "a", expiration: .days(2), attributes: .init(tags: ["t"], validators: validators))
        #expect(try storage.value(forKey: "a") == .blob(1))
        var value = try await storage.async.value(forKey: "a")
        #expect(value == .blob(1))
        let cached = try #require(try await storage.async.cachedValue(forKey: "a"))
        #expect(cached.value == .blob(1) && cached.info.validators == validators && cached.info.tags == ["t"])
        let entry = try #require(try await storage.async.entry(forKey: "a"))
        #expect(cached.info.created == entry.created && entry.hits == 3)
        try await storage.async.update(.init(tags: ["u"]), forKey: "a")
        #expect(try storage.entry(forKey: "a")?.tags == ["u"])
        try await storage.async.remove(forKey: "a")
        value = try await storage.async.value(forKey: "a")
        let gone = try await storage.async.cachedValue(forKey: "a")
        let goneEntry = try await storage.async.entry(forKey: "a")
        #expect(value == nil && gone == nil && goneEntry == nil)
    }

    @Test func `a value and its metadata come from the same store`() throws {
        try withCache { cache in
            let storage = cache.storage
            @Sendable func store(_ number: Int) throws {
                try storage.store(
                    value: .blob(number), forKey: "a", attributes: .init(metadata: ["number": "\(number)"]))
            }
            try store(1)
            let reads = Locked(0)
            cache.fileSystem.observe { call, _ in
                guard call == .read else { return }
                reads.withLock { $0 += 1 }
                if reads.withLock({ $0 }) == 1 { try? store(2) }
            }
            let cached = try #require(try storage.cachedValue(forKey: "a"))
            cache.fileSystem.observe(nil)
            #expect(cached.value == .blob(2) && cached.info.metadata == ["number": "2"])
        }
    }

    @Test func `async calls throw the same errors as the other calls`() async throws {
        let cache = try CacheFixture()
        try cache.storage.store(value: .blob(1), forKey: "a")
        cache.fileSystem.fail(.read, EIO, times: nil)
        await #expect(throws: KingfisherError.self) { try await cache.storage.async.value(forKey: "a") }
        await #expect(throws: KingfisherError.self) { try await cache.storage.async.cachedValue(forKey: "a") }
        cache.fileSystem.heal()
        let value = try await cache.storage.async.value(forKey: "a")
        #expect(value == .blob(1))
    }

    @Test func `a read with info counts as one hit or one miss`() async throws {
        let cache = try CacheFixture()
        try cache.storage.store(value: .blob(1), forKey: "a")
        let before = try cache.storage.statistics.total
        _ = try cache.storage.cachedValue(forKey: "a")
        _ = try cache.storage.fileHandle(forKey: "a")
        _ = try cache.storage.cachedValue(forKey: "none")
        let after = try cache.storage.statistics.total
        #expect(after.hits - before.hits == 2 && after.misses - before.misses == 1)
        #expect(try cache.storage.entry(forKey: "a")?.hits == 2)
    }

    @Test func `bytes and info belong together, even during overwrites`() async throws {
        let cache = try CacheFixture()
        let storage = cache.storage
        let isOver = Locked(false)
        let writer = Thread {
            for number in 0..<400 {
                try? storage.store(
                    value: .blob(number), forKey: "a", attributes: .init(validators: .init(etag: "\(number)")))
            }
            isOver.withLock { $0 = true }
        }
        try storage.store(value: .blob(0), forKey: "a", attributes: .init(validators: .init(etag: "0")))
        writer.start()
        var looks = 0
        while !isOver.withLock({ $0 }) || looks == 0 {
            let cached = try #require(try storage.cachedValue(forKey: "a"))
            let number = try #require(cached.info.validators?.etag.flatMap(Int.init))
            #expect(cached.value == .blob(number))
            looks += 1
        }
    }

    @Test func `a file that is adopted during the read has info too`() throws {
        let cache = try CacheFixture()
        try cache.storage.store(value: .blob(1), forKey: "old")
        cache.storage.store.close()
        try FileManager.default.removeItem(at: cache.metadata)
        cache.reopen()
        let cached = try #require(try cache.storage.cachedValue(forKey: "old"))
        #expect(cached.value == .blob(1) && cached.info.size == 100 && cached.info.validators == nil)
    }

    @Test func `an open blob stays readable after its entry is removed`() async throws {
        let cache = try CacheFixture()
        let large = Data(repeating: 7, count: 300_000)
        try cache.storage.store(value: large, forKey: "a")
        let open = try #require(try await cache.storage.async.fileHandle(forKey: "a"))
        #expect(open.info.size == 300_000)
        try cache.storage.removeAll()
        cache.settle()
        #expect(try open.value.readToEnd() == large)
        let none = try await cache.storage.async.fileHandle(forKey: "a")
        #expect(none == nil)
    }

    @Test func `handles that are not handed over are closed`() throws {
        let cache = try CacheFixture()
        try cache.storage.store(value: .blob(1), forKey: "a")
        let before = openDescriptors()
        for _ in 0..<50 {
            _ = try cache.storage.fileHandle(forKey: "a")
            _ = try cache.storage.fileHandle(forKey: "none")
            try cache.storage.store(value: .blob(2), forKey: "a")
        }
        #expect(openDescriptors() < before + 25)
    }

    private func openDescriptors() -> Int {
        (0..<1_024).count { fcntl($0, F_GETFD) != -1 }
    }

    // MARK: Turns

    @Test func `a task that is cancelled before its turn does nothing, and ends at once`() async throws {
        let calls = BlockingCalls(name: "test", width: 1)
        let (mayGoOn, hasRun) = (DispatchSemaphore(value: 0), Locked(false))
        async let first: Void = calls.run { mayGoOn.wait() }
        let second = Task { try await calls.run { hasRun.withLock { $0 = true } } }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        mayGoOn.signal()
        try await first
        try await calls.run {}
        #expect(!hasRun.withLock { $0 })
    }

    @Test func `a call that has begun ends, though its task is cancelled`() async throws {
        let calls = BlockingCalls(name: "test", width: 1)
        let (hasBegun, mayGoOn) = (Locked(false), DispatchSemaphore(value: 0))
        let task = Task {
            try await calls.run { () -> Int in
                hasBegun.withLock { $0 = true }
                mayGoOn.wait()
                return 7
            }
        }
        try await eventually { hasBegun.withLock { $0 } }
        task.cancel()
        mayGoOn.signal()
        let value = try await task.value
        #expect(value == 7)
    }

    @Test func `a limited number of calls block at a time, and a hundred more do not block the pool`() async throws {
        let calls = BlockingCalls(name: "test", width: 3)
        let (waiting, mostWaiting) = (Locked(0), Locked(0))
        let mayGoOn = DispatchSemaphore(value: 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    try await calls.run {
                        let count = waiting.withLock { count in
                            count += 1
                            return count
                        }
                        mostWaiting.withLock { $0 = max($0, count) }
                        mayGoOn.wait()
                        waiting.withLock { $0 -= 1 }
                    }
                }
            }
            try await eventually { waiting.withLock { $0 } == 3 }
            for _ in 0..<100 { mayGoOn.signal() }
            try await group.waitForAll()
        }
        #expect(mostWaiting.withLock { $0 } == 3)
    }

    @Test func `calls that block take no threads from tasks, whatever their priority`() async throws {
        let calls = BlockingCalls(name: "test", width: 64)
        let (mayGoOn, ended) = (DispatchSemaphore(value: 0), DispatchGroup())
        for _ in 0..<64 {
            ended.enter()
            calls.start {
                mayGoOn.wait()
                ended.leave()
            }
        }
        let begin = MonotonicTime.now
        for priority in [TaskPriority.high, .medium, .low] { await Task.detached(priority: priority) {}.value }
        // A shared pool of threads grows by one a second.
        #expect(MonotonicTime.now.milliseconds(since: begin) < 30_000)
        for _ in 0..<64 { mayGoOn.signal() }
        await withCheckedContinuation { continuation in ended.notify(queue: .global()) { continuation.resume() } }
    }

    @Test func `calls begin in the order of their arrival`() async throws {
        let calls = BlockingCalls(name: "test", width: 1)
        let (mayGoOn, order) = (DispatchSemaphore(value: 0), Locked<[Int]>([]))
        calls.start { mayGoOn.wait() }
        for number in 0..<10 { calls.start { order.withLock { $0.append(number) } } }
        mayGoOn.signal()
        try await calls.run {}
        for number in 10..<20 { calls.start { order.withLock { $0.append(number) } } }
        try await calls.run {}
        #expect(order.withLock { $0 } == Array(0..<20))
    }

    @Test func `queries that wait until files are entries do not block the reads`() async throws {
        var tuning = Tuning()
        tuning.writerTimeout = 3_600_000
        let cache = try CacheFixture(tuning: tuning)
        let storage = cache.storage
        try storage.store(value: .blob(1), forKey: "a")
        cache.settle()
        try cache.beginAdoption()
        try Data.blob(2).write(to: storage.cacheFileURL(forKey: "old"))
        let other = try Connection(path: cache.index.path)
        try other.execute("BEGIN IMMEDIATE")
        // More than the threads for reads.
        let queries = (0..<4 * ProcessInfo.processInfo.activeProcessorCount + 16).map { _ in
            Task(priority: .high) { try await storage.async.entry(forKey: "old") }
        }
        try await eventually { storage.store.index.patience.isRefused }
        let isCached = try await storage.async.isCached(forKey: "a")
        let value = try await storage.async.value(forKey: "a")
        #expect(isCached && value == .blob(1))
        other.rollBack()
        for query in queries { #expect(try await query.value?.size == 100) }
    }

    @Test func `calls that wait for a lock block neither the pool nor the reads`() async throws {
        let cache = try CacheFixture()
        let storage = cache.storage
        try storage.store(value: .blob(1), forKey: "a")
        cache.settle()
        let other = try Connection(path: cache.index.path)
        try other.execute("BEGIN IMMEDIATE")
        // More than the threads for tasks, and more than the threads for changes.
        let stores = (0..<4 * ProcessInfo.processInfo.activeProcessorCount + 16).map { number in
            Task(priority: .high) { try await storage.async.store(value: .blob(number), forKey: "\(number)") }
        }
        for number in 0..<3 {
            let count = await Task.detached { number }.value
            let isCached = try await storage.async.isCached(forKey: "a")
            let value = try await storage.async.value(forKey: "a")
            #expect(count == number && isCached && value == .blob(1))
        }
        #expect(!storage.isCached(forKey: "0"))
        other.rollBack()
        // On a busy machine some have timed out by now.
        for store in stores { _ = await store.result }
        let isUpdated = try await storage.async.update(forKey: "a") { _ in .init(tags: ["t"]) }
        #expect(try isUpdated && storage.entry(forKey: "a")?.tags == ["t"])
    }

    @Test func `keepLimits ends an eviction when the storage is closed`() async throws {
        var tuning = Tuning.patient
        tuning.batchSize = 4
        let cache = try CacheFixture(tuning: tuning)
        let (storage, closes, isClosed) = (cache.storage, Locked(true), Locked(false))
        for number in 0..<400 { try storage.store(value: .blob(number), forKey: "\(number)") }
        cache.settle()
        storage.config.countLimit = 20
        cache.beforeCommit {
            if closes.replace(with: false) {
                Thread.detachNewThread {
                    storage.close()
                    isClosed.withLock { $0 = true }
                }
            }
            return true
        }
        let cleaning = Task { try await storage.async.keepLimits(every: 0.01) }
        try await eventually { isClosed.withLock { $0 } }
        cleaning.cancel()
        await #expect(throws: CancellationError.self) { try await cleaning.value }
        cache.beforeCommit { true }
        #expect(!storage.store.index.isOpen)
    }

    @Test func `keepLimits opens no closed index, and brings back no directory that was deleted`() async throws {
        let cache = try CacheFixture()
        let storage = cache.storage
        let cleaning = Task { try await storage.async.keepLimits(every: 0.01) }
        // If it misses something because the machine is busy, the test passes.
        func severalRounds() async throws { for _ in 0..<20 { try await Task.sleep(nanoseconds: 10_000_000) } }
        try await severalRounds()
        try storage.store(value: .blob(1), forKey: "a", expiration: .seconds(1))
        storage.close()
        try await severalRounds()
        #expect(!storage.store.index.isOpen)
        #expect(storage.isCached(forKey: "a"))
        try FileManager.default.removeItem(at: cache.directory)
        try await severalRounds()
        #expect(!FileManager.default.fileExists(atPath: cache.directory.path))
        // Another call opens it.
        try storage.store(value: .blob(1), forKey: "b", expiration: .seconds(1))
        storage.suspend()
        storage.resume()
        cache.clock.advance(by: 2)
        try await eventually { (try? storage.totals().entries) == 0 }
        cleaning.cancel()
        await #expect(throws: CancellationError.self) { try await cleaning.value }
    }
}
