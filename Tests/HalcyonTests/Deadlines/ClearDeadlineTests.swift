import Foundation
import HalcyonTestSupport
import Testing

@testable import Halcyon

/// All is cleared while the cache is in use: from the call's turn on nothing is found, and nobody waits for it to go.
@Suite(.endsEvenIfItHangs) struct ClearDeadlineTests {
    private let held = HeldWalk()

    private func makeCache(_ change: (inout StorageEnvironment) -> Void) throws -> (CacheFixture, ImageCache) {
        var tuning = Tuning.patient
        tuning.batchSize = 8
        // No commit but the clear's is to be stopped.
        tuning.flushInterval = 3_600_000
        let disk = try CacheFixture(tuning: tuning) { $0.cleanInterval = 0 }
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
        let (disk, cache) = try makeCache { [held] environment in
            environment.beforeCommit = { held.beforeCommit() }
            environment.pause = { _ in held.betweenBatches() }
        }
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
        let (disk, cache) = try makeCache { [held] environment in
            environment.beforeCommit = { held.beforeCommit() }
            environment.pause = { _ in held.betweenBatches() }
        }
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
}
