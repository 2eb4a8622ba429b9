import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@testable import Halcyon

/// A folder of Kingfisher's is adopted while the cache is in use; no call on the cache's queue waits for the adoption.
@Suite(.endsEvenIfItHangs) struct TakeoverDeadlineTests {
    /// - Parameter isOpened: whether the index is open before the first call.
    @Test(arguments: [true, false])
    func `cleaning and measuring wait for an adoption, loads and stores do not`(isOpened: Bool) async throws {
        let held = HeldWalk()
        var tuning = Tuning.patient
        tuning.adoptionBatchSize = 8
        let disk = try CacheFixture(tuning: tuning) { $0.cleanInterval = 0 }
        for number in 0..<100 { try disk.storage.store(value: Pictures.small[0], forKey: "\(number)") }
        disk.storage.store.close()
        try FileManager.default.removeItem(at: disk.metadata)
        held.stop(after: 3)
        disk.beforeCommit { held.beforeCommit() }
        disk.environment.pause = { _ in held.betweenBatches() }
        let storage = disk.makeStorage(isOpened: isOpened)
        let cache = ImageCache(memoryStorage: CacheUnderTest.memory(clock: disk.clock), diskStorage: storage)
        let (cleaned, measured) = (Calls<Void>(), Calls<UInt>())
        cache.cleanExpiredDiskCache { cleaned.record(()) }
        cache.calculateDiskStorageSize { measured.record((try? $0.get()) ?? 0) }
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try held.waitUntilHeld() }) }
        }

        for key in ["0", "99"] {
            let image = try await cache.retrieveImageInDiskCache(forKey: key)
            #expect(image != nil)
            #expect(cache.isCached(forKey: key))
        }
        #expect(await cache.imageCachedTypeAsync(forKey: "none") == .none)
        #expect(held.isHolding && cleaned.count == 0 && measured.count == 0)

        async let stored: Void = cache.storeToDisk(Pictures.small[0], forKey: "meanwhile")
        held.letCommit()
        try await stored
        held.letGoOn()
        _ = await cleaned.first()
        #expect(await measured.first().value == UInt(101 * Pictures.small[0].count))
        disk.settle()
        try disk.requireClean()
    }
}
