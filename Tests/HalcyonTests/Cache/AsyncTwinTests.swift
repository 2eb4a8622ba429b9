import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@testable import Halcyon

@Suite(.endsEvenIfItHangs) struct AsyncTwinTests {
    @Test func `each async function has finished its work when it returns`() async throws {
        try await withImageCache { subject in
            let cache = subject.cache
            try await cache.store(Pictures.image(0), forKey: "a")
            #expect(subject.storage.isCached(forKey: "a"))
            try await cache.store(Pictures.image(1), forKey: "b", options: KingfisherParsedOptionsInfo(nil))
            #expect(subject.storage.isCached(forKey: "b"))
            try await cache.storeToDisk(Pictures.small[2], forKey: "c")
            #expect(await cache.imageCachedTypeAsync(forKey: "c") == .disk)
            #expect(try await cache.retrieveImage(forKey: "a").cacheType == .memory)
            #expect(try await cache.retrieveImage(forKey: "c").cacheType == .disk)
            let parsed = KingfisherParsedOptionsInfo([.fromMemoryCacheOrRefresh])
            #expect(try await cache.retrieveImage(forKey: "d", options: parsed).cacheType == .none)
            #expect(try await cache.retrieveImageInDiskCache(forKey: "b")?.number == 1)
            #expect(try await cache.diskStorageSize == UInt(Pictures.small[..<3].reduce(0) { $0 + $1.count }))
            try await cache.removeImage(forKey: "a")
            #expect(!subject.storage.isCached(forKey: "a"))
            await cache.cleanExpiredCache()
            await cache.cleanExpiredDiskCache()
            await cache.clearDiskCache()
            #expect(try subject.storage.totalSize() == 0 && cache.imageCachedType(forKey: "b") == .memory)
            await cache.clearCache()
            #expect(cache.imageCachedType(forKey: "b") == .none)
        }
    }

    @Test func `async functions throw the errors that handlers receive`() async throws {
        try await withImageCache { subject in
            let cache = subject.cache
            try await cache.storeToDisk(Pictures.small[0], forKey: "b")
            subject.disk.refuseFiles()
            subject.disk.fileSystem.fail(.openForReading, EACCES, times: nil)
            var codes: [Int] = []
            func code(_ body: () async throws -> Void) async {
                do { try await body() } catch { codes.append((error as? KingfisherError)?.errorCode ?? 0) }
            }
            await code { try await cache.store(Pictures.image(), forKey: "a") }
            await code { try await cache.store(Pictures.image(), forKey: "a", cacheSerializer: NoSerializer()) }
            await code { try await cache.store(Pictures.image(), forKey: "a", options: .init(nil)) }
            await code { try await cache.storeToDisk(Pictures.small[0], forKey: "a") }
            await code { _ = try await cache.retrieveImage(forKey: "b") }
            await code { _ = try await cache.retrieveImage(forKey: "b", options: KingfisherParsedOptionsInfo(nil)) }
            await code { _ = try await cache.retrieveImageInDiskCache(forKey: "b") }
            #expect(codes == [3009, 3008, 3009, 3009, 3004, 3004, 3004])
        }
    }

    @Test func `no async function needs the main queue`() async {
        ChildLeaks.areNotCounted()
        await #expect(processExitsWith: .success) {
            // From here on, no thread serves the main queue.
            let isBlocked = DispatchSemaphore(value: 0)
            DispatchQueue.main.async {
                isBlocked.signal()
                DispatchSemaphore(value: 0).wait()
            }
            DispatchQueue.global().asyncAfter(deadline: .now() + 100) { exit(EXIT_FAILURE) }
            try await Self.useEachTwin(after: isBlocked)
            exit(EXIT_SUCCESS)
        }
    }

    private static func useEachTwin(after isBlocked: DispatchSemaphore) async throws {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                isBlocked.wait()
                continuation.resume()
            }
        }
        let subject = try CacheUnderTest(configure: { $0.sizeLimit = 1_000 })
        let cache = subject.cache
        try await cache.store(Pictures.image(), forKey: "a")
        try await cache.store(Pictures.image(), forKey: "a", toDisk: false)
        try await cache.store(Pictures.image(), forKey: "b", options: KingfisherParsedOptionsInfo(nil))
        try await cache.store(
            Pictures.image(), forKey: "b", options: KingfisherParsedOptionsInfo([.callbackQueue(.mainAsync)]))
        try await cache.storeToDisk(.blob(1), forKey: "c", expiration: .seconds(1))
        _ = await cache.imageCachedTypeAsync(forKey: "a")
        for options: KingfisherOptionsInfo in [[], [.backgroundDecode], [.loadDiskFileSynchronously]] {
            _ = try await cache.retrieveImage(forKey: "a", options: options)
            cache.clearMemoryCache()
            _ = try await cache.retrieveImage(forKey: "a", options: options)
            _ = try await cache.retrieveImage(forKey: "none", options: KingfisherParsedOptionsInfo(options))
            _ = try await cache.retrieveImageInDiskCache(forKey: "a", options: options)
        }
        subject.clock.advance(by: 2)
        // Each clean removes something, so that it posts a notification.
        await cache.cleanExpiredDiskCache()
        await cache.cleanExpiredDiskCache(progress: .discreteProgress(totalUnitCount: 0))
        await cache.cleanExpiredCache()
        for number in 0..<20 { try await cache.storeToDisk(.blob(1), forKey: "\(number)") }
        guard try await cache.diskStorageSize <= 1_000 else { exit(EXIT_FAILURE) }
        try await cache.removeImage(forKey: "a")
        await cache.clearDiskCache()
        await cache.clearCache()
    }
}
