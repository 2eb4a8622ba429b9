import Foundation
import HalcyonTestSupport
import Testing

@testable import Halcyon

/// All is cleared while the cache is in use: from the call's turn on nothing is found, and nobody waits for it to go.
@Suite(.endsEvenIfItHangs) struct ClearDeadlineTests {
    private let held = HeldWalk()

    private func makeCache(_ change: (inout StorageEnvironment) -> Void) throws -> (CacheFixture, ImageCache) {
        let disk = try CacheFixture(tuning: smallBatches) { $0.cleanInterval = 0 }
        for number in 0..<100 {
            try disk.storage.store(
                value: Pictures.small[0], forKey: "\(number)", attributes: .init(isPinned: true, tags: ["old"]))
        }
        disk.reopen(change)
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

    @Test func `nothing is found, loads and stores do not wait, measuring and suspending do`() async throws {
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
        #expect(try disk.storage.totals(adopting: false).entries > 50, "most of them are still to go")

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

    @Test func `two at once take what was there when the second one began`() async throws {
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

    @Test func `what could not be removed is found again`() async throws {
        let commits = Locked(0)
        let (disk, cache) = try makeCache { environment in
            environment.beforeCommit = {
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

    private func hold(_ environment: inout StorageEnvironment) {
        environment.beforeCommit = { [held] in held.beforeCommit() }
        environment.pause = { [held] _ in held.betweenBatches() }
    }

    private var smallBatches: Tuning {
        var tuning = Tuning.patient
        tuning.batchSize = 8
        // No commit but the clear's is to be stopped.
        tuning.flushInterval = 3_600_000
        return tuning
    }

    @Test func `a store behind a clear is not evicted for what is being cleared`() async throws {
        let disk = try CacheFixture(tuning: smallBatches) {
            $0.cleanInterval = 0
            $0.sizeLimit = 100_001
        }
        for number in 0..<100 {
            try disk.storage.store(
                value: .blob(number, count: 1000), forKey: "\(number)", attributes: .init(isPinned: true))
        }
        disk.reopen(hold)
        disk.settle()
        let cache = ImageCache(memoryStorage: CacheUnderTest.memory(clock: disk.clock), diskStorage: disk.storage)
        let cleared = Calls<Void>()
        held.stop(after: 2)
        cache.clearDiskCache { cleared.record(()) }
        try await waitUntilHeld()
        async let stored: Void = cache.storeToDisk(.blob(7, count: 20_000), forKey: "new")
        held.letCommit()
        try await stored
        let before = cache.isCached(forKey: "new")
        held.letGoOn()
        _ = await cleared.first()
        #expect(before)
        #expect(cache.isCached(forKey: "new"), "20 000 bytes in a cache for 100 001 that was cleared before")
    }

    @Test(arguments: zip([0, 10_050, 0], [0, 0, 9_100]))
    func `what is stored behind a clear is found, after however many hits and stores in a moment`(
        hits: Int, stores: Int
    )
        async throws
    {
        let disk = try CacheFixture(tuning: smallBatches) { $0.cleanInterval = 0 }
        for number in 0..<100 { try disk.storage.store(value: .blob(number), forKey: "\(number)") }
        disk.reopen(hold)
        disk.settle()
        let cache = ImageCache(memoryStorage: CacheUnderTest.memory(clock: disk.clock), diskStorage: disk.storage)
        for _ in 0..<hits { _ = try disk.storage.value(forKey: "1") }
        for _ in 0..<stores { try disk.storage.store(value: .blob(1), forKey: "1") }
        disk.settle()
        let cleared = Calls<Void>()
        held.stop(after: 2)
        cache.clearDiskCache { cleared.record(()) }
        try await waitUntilHeld()
        let keys = (0..<20).map { "new \($0)" }
        async let stored: Void = cache.storeToDisk(.blob(7), forKey: keys[0])
        held.letCommit()
        try await stored
        for key in keys { try await cache.storeToDisk(.blob(7), forKey: key) }
        let during = keys.filter { cache.isCached(forKey: $0) }.count
        held.letGoOn()
        _ = await cleared.first()
        let after = keys.filter { cache.isCached(forKey: $0) }.count
        #expect(during == 20)
        #expect(after == 20)
    }

    @Test func `what was stored after a clear is found at an earlier reference date`() async throws {
        let disk = try CacheFixture(tuning: smallBatches) { $0.cleanInterval = 0 }
        for number in 0..<100 { try disk.storage.store(value: .blob(number), forKey: "\(number)") }
        disk.reopen(hold)
        disk.settle()
        let cache = ImageCache(memoryStorage: CacheUnderTest.memory(clock: disk.clock), diskStorage: disk.storage)
        let cleared = Calls<Void>()
        held.stop(after: 2)
        cache.clearDiskCache { cleared.record(()) }
        try await waitUntilHeld()
        async let stored: Void = cache.storeToDisk(.blob(7), forKey: "new")
        held.letCommit()
        try await stored
        let earlier = disk.clock.now.date.addingTimeInterval(-60)
        let during = disk.storage.isCached(forKey: "new", referenceDate: earlier)
        held.letGoOn()
        _ = await cleared.first()
        #expect(disk.storage.isCached(forKey: "new", referenceDate: earlier) && during)
    }

    @Test func `what was stored before the clock went back is a miss during a clear`() async throws {
        let disk = try CacheFixture(tuning: smallBatches) { $0.cleanInterval = 0 }
        for number in 0..<100 {
            try disk.storage.store(value: .blob(number), forKey: "\(number)")
            disk.clock.advance(by: 0.5)
        }
        disk.reopen(hold)
        disk.settle()
        disk.clock.advance(by: -15)
        let cache = ImageCache(memoryStorage: CacheUnderTest.memory(clock: disk.clock), diskStorage: disk.storage)
        let cleared = Calls<Void>()
        held.stop(after: 2)
        cache.clearDiskCache { cleared.record(()) }
        try await waitUntilHeld()
        let found = (0..<100).filter { cache.isCached(forKey: "\($0)") }
        #expect(found == [], "hits during the clear")
        held.letCommit()
        held.letGoOn()
        _ = await cleared.first()
        #expect((0..<100).filter { cache.isCached(forKey: "\($0)") } == [])
    }

    @Test func `a legacy name that is settled during a clear does not survive it`() async throws {
        let disk = try CacheFixture(tuning: smallBatches) { $0.cleanInterval = 0 }
        let folder = disk.folder.url.appendingPathComponent("com.onevcat.Kingfisher.ImageCache.test")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for number in 0..<100 {
            let file = folder.appendingPathComponent(LegacyDigest.hexadecimal(of: "\(number)"))
            try Data.blob(number).write(to: file)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1e9)], ofItemAtPath: file.path)
        }
        _ = disk.storage
        disk.settle()
        _ = try disk.storage.totalSize()
        disk.reopen(hold)
        disk.settle()
        let store = disk.storage.store
        let blocked = DispatchSemaphore(value: 0)
        store.housekeeping.queue.async { blocked.wait() }
        // Their blobs are found under the legacy names; today's names are to be given later.
        for number in 0..<100 { #expect(disk.storage.isCached(forKey: "\(number)")) }
        let cleared = Calls<Void>()
        held.stop(after: 8)
        let cache = ImageCache(memoryStorage: CacheUnderTest.memory(clock: disk.clock), diskStorage: disk.storage)
        cache.clearDiskCache { cleared.record(()) }
        try await waitUntilHeld()
        blocked.signal()
        held.letCommit()
        // Housekeeping settles the names between two batches.
        await withCheckedContinuation { continuation in
            store.housekeeping.queue.async { continuation.resume() }
        }
        held.letGoOn()
        _ = await cleared.first()
        disk.settle()
        let left = (0..<100).filter { cache.isCached(forKey: "\($0)") }
        #expect(left == [], "found again after the clear has ended")
        #expect(try disk.storage.totalSize() == 0)
    }

    @Test func `an index that is taken away during a clear brings nothing back`() async throws {
        let disk = try CacheFixture(tuning: smallBatches) { $0.cleanInterval = 0 }
        for number in 0..<400 { try disk.storage.store(value: .blob(number), forKey: "\(number)") }
        disk.reopen(hold)
        disk.settle()
        let cache = ImageCache(memoryStorage: CacheUnderTest.memory(clock: disk.clock), diskStorage: disk.storage)
        let cleared = Calls<Void>()
        held.stop(after: 20)
        cache.clearDiskCache { cleared.record(()) }
        try await waitUntilHeld()
        let metadata = disk.metadata
        held.letCommit()
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                // Behind the commit.
                try? disk.storage.store.index.write { _ in }
                for suffix in ["", "-wal", "-shm"] {
                    try? FileManager.default.removeItem(at: metadata.appendingPathComponent("index.sqlite" + suffix))
                }
                continuation.resume()
            }
        }
        disk.clock.advance(by: 1)
        let during = (0..<400).filter { cache.isCached(forKey: "\($0)") }.count
        held.letGoOn()
        _ = await cleared.first()
        disk.settle()
        let left = (0..<400).filter { cache.isCached(forKey: "\($0)") }.count
        #expect(during == 0)
        #expect(left == 0)
    }

    @Test func `a store that finds no room waits until the clear has made some`() async throws {
        let (disk, cache) = try makeCache(hold)
        let (cleared, stored) = (Calls<Void>(), Calls<Bool>())
        held.stop(after: 3)
        cache.clearDiskCache { cleared.record(()) }
        try await waitUntilHeld()
        disk.fileSystem.fail(.write, ENOSPC, times: nil)
        cache.storeToDisk(Pictures.small[1], forKey: "new") { result in
            stored.record((try? result.diskCacheResult.get()) != nil)
        }
        held.letCommit()
        _ = await cache.imageCachedTypeAsync(forKey: "new")
        #expect(stored.count == 0 && cleared.count == 0)
        disk.fileSystem.heal()
        held.letGoOn()
        #expect(await stored.first().value)
        #expect(cache.isCached(forKey: "new"))
        // And without a clear that could make room it is told at once.
        disk.fileSystem.fail(.write, ENOSPC, times: nil)
        await #expect(throws: KingfisherError.self) { try await cache.storeToDisk(Pictures.small[1], forKey: "late") }
        disk.fileSystem.heal()
        disk.settle()
        try disk.requireClean()
    }
}
