import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@testable import Halcyon

/// On a volume with slow unlinks, no caller unlinks more than its own files.
@Suite(.endsEvenIfItHangs) struct UnlinkingTests {
    /// Each unlink of a detached blob takes a millisecond.
    private func slow(_ disk: CacheFixture, _ unlinked: Locked<Int>) {
        disk.fileSystem.observe { call, path in
            guard call == .unlink, path.contains("/trash/") || path.contains("/staging/") else { return }
            unlinked.withLock { $0 += 1 }
            Thread.sleep(forTimeInterval: 0.001)
        }
    }

    private func waitFor(_ unlinked: Locked<Int>, _ count: Int) async {
        while unlinked.withLock({ $0 }) < count { await Task.yield() }
    }

    @Test func `suspending does not wait for a whole clear`() async throws {
        let disk = try CacheFixture { $0.cleanInterval = 0 }
        for number in 0..<8_000 { try disk.storage.store(value: .blob(number), forKey: "\(number)") }
        disk.settle()
        let unlinked = Locked(0)
        slow(disk, unlinked)
        let storage = disk.storage
        let cleared = Calls<Void>()
        Thread.detachNewThread {
            try? storage.removeAll()
            cleared.record(())
        }
        await waitFor(unlinked, 200)
        let begin = (ContinuousClock.now, unlinked.withLock { $0 })
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                storage.suspend()
                continuation.resume()
            }
        }
        let (time, count) = (ContinuousClock.now - begin.0, unlinked.withLock { $0 } - begin.1)
        _ = await cleared.first()
        storage.resume()
        #expect(count < 4_000, "\(count) files unlinked in \(time) before suspend() returned")
    }

    @Test func `a clean during a clear does not occupy the cache's queue`() async throws {
        let disk = try CacheFixture { $0.cleanInterval = 0 }
        for number in 0..<8_000 { try disk.storage.store(value: .blob(number), forKey: "\(number)") }
        disk.settle()
        let unlinked = Locked(0)
        slow(disk, unlinked)
        let cache = ImageCache(memoryStorage: CacheUnderTest.memory(clock: disk.clock), diskStorage: disk.storage)
        let cleared = Calls<Void>()
        cache.clearDiskCache { cleared.record(()) }
        await waitFor(unlinked, 200)
        cache.cleanDisk(progress: nil) {}
        let begin = (ContinuousClock.now, unlinked.withLock { $0 })
        try await cache.storeToDisk(.blob(1), forKey: "new")
        let (time, count) = (ContinuousClock.now - begin.0, unlinked.withLock { $0 } - begin.1)
        let hadEnded = cleared.count
        _ = await cleared.first()
        #expect(
            count < 4_000, "\(count) files unlinked in \(time) before the store had its turn; clear ended: \(hadEnded)")
    }

    @Test func `a clean that finds nothing does not unlink the files of others`() throws {
        let disk = try CacheFixture { $0.cleanInterval = 0 }
        for number in 0..<500 { try disk.storage.store(value: .blob(number), forKey: "\(number)") }
        disk.settle()
        let unlinked = Locked(0)
        slow(disk, unlinked)
        for number in 0..<500 { try disk.storage.store(value: .blob(number + 1), forKey: "\(number)") }
        let (begin, count) = (ContinuousClock.now, unlinked.withLock { $0 })
        #expect(try disk.storage.removeExpiredValues().isEmpty)
        let (time, more) = (ContinuousClock.now - begin, unlinked.withLock { $0 } - count)
        #expect(more < 250, "\(more) files of others unlinked in \(time)")
    }

    @Test func `a replaced blob is unlinked soon, without another call`() async throws {
        let disk = try CacheFixture { $0.cleanInterval = 0 }
        // The sweep of the opening would unlink them too.
        disk.settle()
        for value in 1...3 { try disk.storage.store(value: .blob(value), forKey: "a") }
        try disk.storage.remove(forKey: "a")
        let blobs = disk.storage.store.blobs
        while try DetachedBlob.Place.allCases.contains(where: { try !blobs.detached(in: $0).isEmpty }) {
            try await Task.sleep(nanoseconds: 1_000_000)
        }
    }

    @Test func `an absurd size in the index does not crash the process`() throws {
        let disk = try CacheFixture { $0.cleanInterval = 0 }
        for number in 0..<40 { try disk.storage.store(value: .blob(number), forKey: "\(number)") }
        disk.settle()
        try disk.storage.store.index.write { session in
            try session.execute(
                "UPDATE entries SET size = 9223372036854775807 WHERE id = (SELECT max(id) FROM entries)")
        }
        try? disk.storage.removeAll()
        #expect(!disk.storage.isCached(forKey: "1"))
    }

    /// Each blob of 100 bytes takes a block of 4,096.
    @Test(arguments: [(2, Int64.max), (Int.max, Int64(10_000))])
    func `a bounded number of files and bytes waits to be unlinked`(count: Int, bytes: Int64) throws {
        var tuning = Tuning.patient
        (tuning.unlinkBacklogCount, tuning.unlinkBacklogBytes, tuning.unlinkDelay) = (count, bytes, 3_600_000)
        try withCache(tuning: tuning) { cache in
            for seed in 0..<6 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            cache.settle()
            for seed in 0..<6 { try cache.storage.remove(forKey: "\(seed)") }
            #expect(cache.names(in: "trash").count == 2)
        }
    }
}
