import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@testable import Halcyon

@Suite(.endsEvenIfItHangs) struct CacheConcurrencyTests {
    @Test func `eight threads mix all operations, and every handler is called once`() async throws {
        try await withImageCache(configure: { $0.sizeLimit = 2_000 }) { subject in
            let (started, ended) = (Locked(0), Locked(0))
            let seed = SeededGenerator.ofThisRun
            await withTaskGroup(of: Void.self) { group in
                for thread in 0..<8 {
                    group.addTask {
                        var generator = seed
                        for _ in 0...thread { _ = generator.next() }
                        let own = generator.next()
                        await withCheckedContinuation { continuation in
                            Thread.detachNewThread {
                                var generator = SeededGenerator(seed: own)
                                for _ in 0..<125 { subject.doSomething(&generator, started, ended) }
                                continuation.resume()
                            }
                        }
                    }
                }
            }
            while ended.withLock({ $0 }) < started.withLock({ $0 }) { await subject.settle() }
            await subject.settle()
            #expect(ended.withLock { $0 } == started.withLock { $0 })
            #expect(subject.cache.order.isIdle)
            try #expect(subject.storage.totalSize() <= 2_000)
        }
    }
}

extension CacheUnderTest {
    /// One call; its handler ends it.
    fileprivate func doSomething(
        _ generator: inout SeededGenerator, _ started: Locked<Int>, _ ended: Locked<Int>
    ) {
        let key = "\(Int.random(in: 0..<12, using: &generator))"
        let number = Int.random(in: 0..<4, using: &generator)
        let queue = [CallbackQueue.untouch, .mainAsync, .dispatch(.global())].randomElement(using: &generator)
        let done: @Sendable () -> Void = { ended.withLock { $0 += 1 } }
        guard let queue, let image = try? Pictures.image(number) else { return }
        started.withLock { $0 += 1 }
        switch Int.random(in: 0..<14, using: &generator) {
        case 0...2: cache.store(image, forKey: key, callbackQueue: queue) { _ in done() }
        case 3: cache.storeToDisk(Pictures.small[number], forKey: key, callbackQueue: queue) { _ in done() }
        case 4: cache.removeImage(forKey: key, callbackQueue: queue, completionHandler: done)
        case 5, 6: cache.retrieveImage(forKey: key, callbackQueue: queue) { _ in done() }
        case 7:
            cache.retrieveImage(forKey: key, options: [.loadDiskFileSynchronously], callbackQueue: queue) { _ in done()
            }
        case 8: cache.retrieveImage(forKey: key, options: [.backgroundDecode], callbackQueue: queue) { _ in done() }
        case 9: cache.imageCachedTypeAsync(forKey: key, callbackQueue: queue) { _ in done() }
        case 10: cache.cleanExpiredCache(completion: done)
        case 11: cache.calculateDiskStorageSize { _ in done() }
        case 12:
            cache.clearMemoryCache()
            done()
        default:
            _ = (cache.isCached(forKey: key), cache.cacheFileURLIfOnDisk(forKey: key), cache.memoryStorageCacheCost)
            cache.clearCache(completion: done)
        }
    }
}
