import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// A clear of a cache in use. From its turn on, lookups find nothing, and no other call waits until the files are deleted.
@Suite(.endsEvenIfItHangs) struct ClearDeadlineTests {
    private let held = HeldWalk()

    private func makeCache(_ prepare: (CacheFixture) -> Void) throws -> (CacheFixture, ImageCache) {
        let disk = try CacheFixture(tuning: smallBatches) { $0.cleanInterval = 0 }
        for number in 0..<100 {
            try disk.storage.store(
                value: Pictures.small[0], forKey: "\(number)", attributes: .init(isPinned: true, tags: ["old"]))
        }
        prepare(disk)
        disk.reopen()
        disk.settle()
        let cache = ImageCache(
            memoryStorage: CacheUnderTest.memory(clock: disk.clock), diskStorage: disk.storage)
        return (disk, cache)
    }

    /// Returns in the middle of the clear's third batch, with the write lock held.
    private func waitUntilHeld() async throws {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try held.waitUntilHeld() }) }
        }
    }

    @Test func `during a clear loads miss, loads and stores do not wait, and measuring and suspending do`() async throws
    {
        let (disk, cache) = try makeCache(hold)
        let (cleared, measured, suspended) = (Calls<Void>(), Calls<UInt>(), Calls<Void>())
        held.stop(after: 3)
        cache.clearDiskCache { cleared.record(()) }
        cache.calculateDiskStorageSize { measured.record((try? $0.get()) ?? 0) }
        try await waitUntilHeld()

        for key in (0..<100).map(String.init) {
            let image = try await cache.retrieveImageInDiskCache(forKey: key)
            #expect(image == nil)
            #expect(!cache.isCached(forKey: key))
        }
        #expect(await cache.imageCachedTypeAsync(forKey: "99") == .none)
        #expect(held.isHolding && cleared.count == 0 && measured.count == 0)

        async let stored: Void = cache.storeToDisk(Pictures.small[1], forKey: "99")
        held.letCommit()
        try await stored
        let isUpdated = try await cache.update(.init(tags: ["new"]), forKey: "98")
        #expect(!isUpdated, "what is being cleared cannot be tagged")
        #expect(try disk.storage.entry(forKey: "98") == nil)
        try disk.storage.store(value: Pictures.small[1], forKey: "97", writeOptions: .withoutOverwriting)
        for key in ["97", "99"] {
            let entry = try #require(try disk.storage.entry(forKey: key))
            #expect(!entry.isPinned && entry.tags.isEmpty, "of the one that was there nothing is left")
        }
        #expect(try disk.storage.store.evictor.totals(adopting: false).entries > 50, "most of them are still to go")

        cache.suspend { suspended.record(()) }
        _ = await cache.imageCachedTypeAsync(forKey: "99")
        #expect(cleared.count == 0 && measured.count == 0 && suspended.count == 0)
        held.letGoOn()
        _ = await cleared.first()
        #expect(await measured.first().value == UInt(2 * Pictures.small[1].count))
        _ = await suspended.first()
        cache.resume()
        for key in ["97", "99"] { #expect(cache.isCached(forKey: key)) }
        disk.settle()
        try disk.requireClean()
    }

    @Test func `two concurrent clears remove everything stored before the second one`() async throws {
        let (disk, cache) = try makeCache(hold)
        let cleared = Calls<Void>()
        held.stop(after: 3)
        cache.clearDiskCache { cleared.record(()) }
        try await waitUntilHeld()
        async let stored: Void = cache.storeToDisk(Pictures.small[1], forKey: "between")
        held.letCommit()
        try await stored
        #expect(cache.isCached(forKey: "between"))
        await cache.clearDiskCache()
        #expect(!cache.isCached(forKey: "between"))
        #expect(cleared.count == 0, "the first one has not ended, and hides nothing that is stored from now on")
        try await cache.storeToDisk(Pictures.small[1], forKey: "after")
        held.letGoOn()
        _ = await cleared.first()
        #expect(cache.isCached(forKey: "after") && !cache.isCached(forKey: "between"))
        #expect(try await cache.diskStorageSize == UInt(Pictures.small[1].count))
        disk.settle()
        try disk.requireClean()
    }

    @Test func `entries that a clear cannot remove are found again`() async throws {
        let commits = Locked(0)
        let (disk, cache) = try makeCache { disk in
            disk.beforeCommit {
                commits.withLock { commits in
                    commits += 1
                    return commits != 4
                }
            }
        }
        commits.withLock { $0 = 0 }
        await cache.clearDiskCache()
        let left = (0..<100).filter { cache.isCached(forKey: "\($0)") }.count
        #expect(left > 50 && left < 100, "the commit of one batch was refused: \(left)")
        await cache.clearDiskCache()
        #expect(try await cache.diskStorageSize == 0)
        disk.settle()
        try disk.requireClean()
    }

    // MARK: What must not come between

    private func hold(_ disk: CacheFixture) {
        disk.beforeCommit { [held] in held.beforeCommit() }
        disk.environment.pause = { [held] _ in held.betweenBatches() }
    }

    private var smallBatches: Tuning {
        var tuning = Tuning.patient
        tuning.batchSize = 8
        // Only the clear's commits may be stopped.
        tuning.flushInterval = 3_600_000
        return tuning
    }

    /// A cache whose clear is stopped in the middle of a batch.
    private struct Clear {
        let disk: CacheFixture
        let cache: ImageCache
        let held: HeldWalk
        let cleared = Calls<Void>()

        /// Returns when the value is on disk; the clear then waits between two batches.
        func storeBehind(_ key: String, byteCount: Int = 100) async throws {
            async let stored: Void = cache.storeToDisk(.blob(7, count: byteCount), forKey: key)
            held.letCommit()
            try await stored
        }

        func end() async {
            held.letGoOn()
            _ = await cleared.first()
        }

        /// The keys from "0" to "399" that hit.
        var found: [Int] { (0..<400).filter { cache.isCached(forKey: "\($0)") } }
    }

    /// - Parameter prepare: runs after the cache has been reopened.
    private func beginClear(
        of disk: CacheFixture, stoppedAfter batches: Int = 2, _ prepare: () throws -> Void = {}
    ) async throws -> Clear {
        hold(disk)
        disk.reopen()
        disk.settle()
        try prepare()
        let memory = CacheUnderTest.memory(clock: disk.clock)
        let clear = Clear(
            disk: disk, cache: ImageCache(memoryStorage: memory, diskStorage: disk.storage), held: held)
        held.stop(after: batches)
        clear.cache.clearDiskCache { clear.cleared.record(()) }
        try await waitUntilHeld()
        return clear
    }

    private func fill(
        _ count: Int = 100, sizeLimit: UInt = 0, byteCount: Int = 100, isPinned: Bool = false, every seconds: Double = 0
    ) throws -> CacheFixture {
        let disk = try CacheFixture(tuning: smallBatches) {
            $0.cleanInterval = 0
            $0.sizeLimit = sizeLimit
        }
        for number in 0..<count {
            try disk.storage.store(
                value: .blob(number, count: byteCount), forKey: "\(number)", attributes: .init(isPinned: isPinned))
            disk.clock.advance(by: seconds)
        }
        return disk
    }

    @Test func `an entry stored during a clear is not evicted because of entries being cleared`() async throws {
        let clear = try await beginClear(of: fill(sizeLimit: 100_001, byteCount: 1_000, isPinned: true))
        try await clear.storeBehind("new", byteCount: 20_000)
        #expect(clear.cache.isCached(forKey: "new"))
        await clear.end()
        #expect(clear.cache.isCached(forKey: "new"), "20 000 bytes in a cache for 100 001 that was cleared before")
    }

    @Test(arguments: zip([0, 10_050, 0], [0, 0, 9_100]))
    func `an entry stored during a clear is found, even after a burst of hits and stores before it`(
        hits: Int, stores: Int
    ) async throws {
        let disk = try fill()
        let clear = try await beginClear(of: disk) {
            for _ in 0..<hits { _ = try disk.storage.value(forKey: "1") }
            for _ in 0..<stores { try disk.storage.store(value: .blob(1), forKey: "1") }
            disk.settle()
        }
        let keys = (0..<20).map { "new \($0)" }
        try await clear.storeBehind(keys[0])
        for key in keys { try await clear.cache.storeToDisk(.blob(7), forKey: key) }
        #expect(keys.allSatisfy { clear.cache.isCached(forKey: $0) })
        await clear.end()
        #expect(keys.allSatisfy { clear.cache.isCached(forKey: $0) })
    }

    @Test func `an entry stored after a clear is found at an earlier reference date`() async throws {
        let clear = try await beginClear(of: fill())
        try await clear.storeBehind("new")
        let earlier = clear.disk.clock.now.date.addingTimeInterval(-60)
        #expect(clear.disk.storage.isCached(forKey: "new", referenceDate: earlier))
        await clear.end()
        #expect(clear.disk.storage.isCached(forKey: "new", referenceDate: earlier))
    }

    @Test func `an entry stored before the clock went back is a miss during a clear`() async throws {
        let disk = try fill(every: 0.5)
        let clear = try await beginClear(of: disk) { disk.clock.advance(by: -15) }
        #expect(clear.found == [])
        held.letCommit()
        await clear.end()
        #expect(clear.found == [])
    }

    @Test func `deleting the index during a clear brings nothing back`() async throws {
        let clear = try await beginClear(of: fill(400), stoppedAfter: 20)
        held.letCommit()
        await takeIndexAway(from: clear.disk)
        clear.disk.clock.advance(by: 1)
        #expect(clear.found == [])
        await clear.end()
        clear.disk.settle()
        #expect(clear.found == [])
    }

    /// After the current commit.
    private func takeIndexAway(from disk: CacheFixture) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                try? disk.storage.store.index.write { _ in }
                for suffix in ["", "-wal", "-shm"] {
                    let file = disk.metadata.appendingPathComponent("index.sqlite" + suffix)
                    try? FileManager.default.removeItem(at: file)
                }
                continuation.resume()
            }
        }
    }

    @Test func `a store on a full disk waits while a clear makes room`() async throws {
        let (disk, cache) = try makeCache(hold)
        let (cleared, stored) = (Calls<Void>(), Calls<Bool>())
        held.stop(after: 3)
        cache.clearDiskCache { cleared.record(()) }
        try await waitUntilHeld()
        disk.fileSystem.fail(.write, ENOSPC, times: nil)
        cache.storeToDisk(Pictures.small[1], forKey: "new") { result in
            stored.record((try? result.diskCacheResult.get()) != nil)
        }
        for number in [2, 3] { cache.storeToDisk(Pictures.small[number], forKey: "twice", completionHandler: nil) }
        held.letCommit()
        _ = await cache.imageCachedTypeAsync(forKey: "new")
        #expect(stored.count == 0 && cleared.count == 0)
        disk.fileSystem.heal()
        held.letGoOn()
        #expect(await stored.first().value)
        #expect(cache.isCached(forKey: "new"))
        try await #expect(cache.retrieveImageInDiskCache(forKey: "twice")?.number == 3, "the later one")
        // Without a clear that could make room, the store fails at once.
        disk.fileSystem.fail(.write, ENOSPC, times: nil)
        await #expect(throws: KingfisherError.self) { try await cache.storeToDisk(Pictures.small[1], forKey: "late") }
        disk.fileSystem.heal()
        disk.settle()
        try disk.requireClean()
    }

    @Test func `an observer that stores on a full disk does not wait for the clear that calls it`() throws {
        var tuning = Tuning.patient
        tuning.writerTimeout = 20
        let errors = Calls<CacheStorageError?>()
        let fixture = Locked<CacheFixture?>(nil)
        try withCache(
            tuning: tuning,
            configure: { config in
                config.observer = { event in
                    guard event.kind == .removal, let disk = fixture.withLock({ $0 }) else { return }
                    disk.fileSystem.fail(.write, ENOSPC, times: nil)
                    do { try disk.storage.store(value: .blob(1), forKey: "new") } catch {
                        errors.record((error as? KingfisherError)?.cause)
                    }
                    disk.fileSystem.heal()
                }
            }
        ) { disk in
            try disk.storage.store(value: .blob(1), forKey: "a")
            fixture.withLock { $0 = disk }
            defer { fixture.withLock { $0 = nil } }
            try disk.storage.removeAll()
            #expect(errors.values.map(\.?.code) == [.diskFull])
        }
    }

    @Test func `a careful store behind one that waits for room during a clear succeeds`() async throws {
        let clear = try await beginClear(of: fill())
        let (disk, cache) = (clear.disk, clear.cache)
        let full = cache.hash(forKey: "full")
        for call in [FaultyFileSystem.Call.rename, .link, .exchange] {
            disk.fileSystem.fail(call, ENOSPC, times: nil, path: full)
        }
        let careful = KingfisherParsedOptionsInfo([.diskStoreWriteOptions([.withoutOverwriting])])
        let (image, errors, attempts) = (try Pictures.image(1), Calls<KingfisherError?>(), Locked(0))
        disk.fileSystem.observe { _, path in if path.contains(full) { attempts.withLock { $0 += 1 } } }
        cache.ioQueue.queue.suspend()
        cache.storeToDisk(.blob(1), forKey: "full") { errors.record($0.diskCacheResult.error) }
        cache.store(image, forKey: "careful", options: careful) { errors.record($0.diskCacheResult.error) }
        cache.ioQueue.queue.resume()
        held.letCommit()
        try await eventually { attempts.withLock { $0 } > 20 }
        #expect(errors.count == 0)
        disk.fileSystem.heal()
        disk.fileSystem.observe(nil)
        await clear.end()
        try await eventually { errors.count == 2 }
        #expect(errors.values.allSatisfy { $0 == nil }, "\(errors.values)")
        #expect(cache.isCached(forKey: "full") && cache.isCached(forKey: "careful"))
        disk.settle()
        try disk.requireClean()
    }

    @Test func `a careful store behind one that is repeated after the clear finds what that one has stored`()
        async throws
    {
        let clear = try await beginClear(of: fill())
        let (disk, cache) = (clear.disk, clear.cache)
        let careful = KingfisherParsedOptionsInfo([.diskStoreWriteOptions([.withoutOverwriting])])
        let (image, first, second) = (try Pictures.image(1), Calls<KingfisherError?>(), Calls<KingfisherError?>())
        cache.ioQueue.queue.suspend()
        cache.storeToDisk(.blob(1), forKey: "a") { first.record($0.diskCacheResult.error) }
        cache.store(image, forKey: "a", options: careful) { second.record($0.diskCacheResult.error) }
        // No attempt of the first one has room.
        disk.fileSystem.fail(.write, ENOSPC, times: 4)
        cache.ioQueue.queue.resume()
        held.letCommit()
        try await eventually { disk.isThere(cache.cachePath(forKey: "a")) }
        await clear.end()
        try await eventually { first.count == 1 && second.count == 1 }
        #expect(first.values.allSatisfy { $0 == nil }, "\(first.values)")
        #expect(second.values.first??.cause?.code == .alreadyExists, "\(second.values)")
        #expect(try cache.diskStorage.value(forKey: "a") == .blob(1))
        disk.settle()
        try disk.requireClean()
    }

    @Test func `a clear and a removal need no thread of a global queue, which may all be blocked`() async throws {
        try await withImageCache { subject in
            #expect(Self.endsWhileGlobalQueueIsBlocked { subject.cache.clearDisk(then: $0) })
            #expect(
                Self.endsWhileGlobalQueueIsBlocked { end in
                    subject.cache.removeImages(matching: .init(tag: "t")) { _ in end() }
                })
        }
    }

    /// Awaits nothing meanwhile: other tests block threads of the pool until the queue runs their timers.
    private static func endsWhileGlobalQueueIsBlocked(_ body: (@escaping @Sendable () -> Void) -> Void) -> Bool {
        let (count, goOn, ends) = (512, DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        for _ in 0..<count { DispatchQueue.global(qos: .utility).async { goOn.wait() } }
        defer { for _ in 0..<count { goOn.signal() } }
        body { ends.signal() }
        return ends.wait(timeout: .now() + 60) == .success
    }
}
