import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@testable import Halcyon

@Suite(.endsEvenIfItHangs) struct LoadingTests {
    @Test func `a miss is a success without an image`() async throws {
        try await withImageCache { subject in
            let result = try await subject.load("a")
            #expect(result.cacheType == .none && result.image == nil)
            let onDisk = await subject.once {
                subject.cache.retrieveImageInDiskCache(forKey: "a", completionHandler: $0)
            }
            #expect(try onDisk.value.get() == nil)
            #expect(subject.cache.retrieveImageInMemoryCache(forKey: "a") == nil)
        }
    }

    @Test func `a load from memory returns the stored object`() async throws {
        try await withImageCache { subject in
            let image = try Pictures.image()
            try await subject.cache.store(image, forKey: "a")
            let reads = try await subject.calls(of: .openForReading) {
                guard case .memory(let found) = try await subject.load("a") else {
                    Issue.record("not from memory")
                    return
                }
                #expect(found === image)
            }
            #expect(reads == 0)
        }
    }

    @Test func `an image found on disk is in memory before the handler is called`() async throws {
        try await withImageCache { subject in
            try await subject.cache.store(Pictures.image(2), forKey: "a")
            subject.cache.clearMemoryCache()
            #expect(subject.cache.imageCachedType(forKey: "a") == .disk)
            let calls = await subject.once { done in
                subject.cache.retrieveImage(forKey: "a") { result in
                    let kept = subject.cache.retrieveImageInMemoryCache(forKey: "a")
                    done(((try? result.get())?.cacheType, (try? result.get())?.image, kept))
                }
            }
            let (type, found, kept) = calls.value
            #expect(type == .disk && found?.number == 2)
            #expect(kept === found)
            #expect(try await subject.load("a").cacheType == .memory)
            #expect(try await subject.load("a").image === found)
        }
    }

    @Test func `an image found on disk is not written there again`() async throws {
        try await withImageCache { subject in
            try await subject.cache.storeToDisk(Pictures.small[0], forKey: "a")
            let made = try await subject.calls(of: .createFile) { _ = try await subject.load("a") }
            #expect(made == 0)
        }
    }

    @Test func `fromMemoryCacheOrRefresh does not look on the disk`() async throws {
        try await withImageCache { subject in
            try await subject.cache.store(Pictures.image(), forKey: "a")
            #expect(try await subject.load("a", [.fromMemoryCacheOrRefresh]).cacheType == .memory)
            subject.cache.clearMemoryCache()
            #expect(try await subject.load("a", [.fromMemoryCacheOrRefresh]).cacheType == .none)
            #expect(subject.cache.imageCachedType(forKey: "a") == .disk)
        }
    }

    @Test func `a load from disk only leaves memory unchanged`() async throws {
        try await withImageCache { subject in
            try await subject.cache.storeToDisk(Pictures.small[3], forKey: "a")
            let call = await subject.once {
                subject.cache.retrieveImageInDiskCache(forKey: "a", completionHandler: $0)
            }
            #expect(try call.value.get()?.number == 3)
            #expect(subject.cache.imageCachedType(forKey: "a") == .disk)
            try await subject.cache.store(Pictures.image(1), forKey: "b", toDisk: false)
            #expect(try await subject.cache.retrieveImageInDiskCache(forKey: "b") == nil)
        }
    }

    @Test func `data that is not an image is a miss, not a failure`() async throws {
        try await withImageCache { subject in
            let half = try Pictures.demo("flower.jpg").prefix(12)
            for (key, bytes) in [("a", Data.blob(1)), ("b", Data()), ("c", Data(half))] {
                try await subject.cache.storeToDisk(bytes, forKey: key)
                #expect(try await subject.load(key).cacheType == .none)
                #expect(try await subject.cache.retrieveImageInDiskCache(forKey: key) == nil)
                #expect(try await subject.load(key, [.backgroundDecode]).cacheType == .none)
                #expect(try await subject.load(key, [.loadDiskFileSynchronously]).cacheType == .none)
            }
            #expect(subject.cache.memoryStorageCacheCost == 0)
        }
    }

    @Test func `a blob that exists and cannot be read is a failure, and still cached`() async throws {
        try await withImageCache { subject in
            try await subject.cache.storeToDisk(Pictures.small[0], forKey: "a")
            subject.disk.fileSystem.fail(.openForReading, EACCES, times: nil)
            for options: KingfisherOptionsInfo in [[], [.backgroundDecode], [.loadDiskFileSynchronously]] {
                let error = await #expect(throws: KingfisherError.self) { try await subject.load("a", options) }
                #expect(error?.errorCode == 3004)
            }
            let onDisk = await subject.once {
                subject.cache.retrieveImageInDiskCache(forKey: "a", completionHandler: $0)
            }
            #expect(onDisk.value.error?.errorCode == 3004)
            #expect(subject.cache.imageCachedType(forKey: "a") == .disk)
            subject.disk.fileSystem.heal()
            #expect(try await subject.load("a").image?.number == 0)
        }
    }

    @Test func `a blob that another program deleted is a miss everywhere`() async throws {
        try await withImageCache { subject in
            try await subject.cache.storeToDisk(Pictures.small[0], forKey: "a")
            try FileManager.default.removeItem(atPath: subject.cache.cachePath(forKey: "a"))
            #expect(subject.cache.imageCachedType(forKey: "a") == .none)
            #expect(subject.cache.cacheFileURLIfOnDisk(forKey: "a") == nil)
            #expect(try await subject.load("a").cacheType == .none)
        }
    }

    @Test func `if another program deletes the folder, the cache is empty and the next store creates the folder`()
        async throws
    {
        try await withImageCache { subject in
            try await subject.cache.store(Pictures.image(), forKey: "a")
            subject.cache.clearMemoryCache()
            try subject.disk.removeFolder()
            #expect(!subject.cache.isCached(forKey: "a"))
            #expect(try await subject.cache.diskStorageSize == 0)
            #expect(try await subject.load("a").cacheType == .none)
            try await subject.cache.store(Pictures.image(1), forKey: "b")
            subject.cache.clearMemoryCache()
            #expect(try await subject.load("b").image?.number == 1)
        }
    }

    @Test func `a load without a handler does nothing`() async throws {
        try await withImageCache { subject in
            try await subject.cache.storeToDisk(Pictures.small[0], forKey: "a")
            let reads = await subject.calls(of: .openForReading) {
                subject.cache.retrieveImage(forKey: "a", completionHandler: nil)
                subject.cache.retrieveImage(
                    forKey: "a", options: KingfisherParsedOptionsInfo([.loadDiskFileSynchronously]),
                    completionHandler: nil)
                await subject.settle()
            }
            #expect(reads == 0 && subject.cache.imageCachedType(forKey: "a") == .disk)
        }
    }

    @Test func `each variant of an image is loaded by its processor`() async throws {
        try await withImageCache { subject in
            for number in 1..<4 {
                try await subject.cache.store(Pictures.image(number), forKey: "a", processorIdentifier: "v\(number)")
            }
            for _ in 0..<2 {
                for number in 1..<4 {
                    let found = try await subject.load("a", [.processor(Variant("v\(number)"))])
                    #expect(found.image?.number == number)
                }
                subject.cache.clearMemoryCache()
            }
            #expect(try await subject.load("a").cacheType == .none)
        }
    }

    @Test func `after many stores and a memory clear, every image is read from disk`() async throws {
        try await withImageCache { subject in
            for number in 0..<60 { try await subject.cache.store(Pictures.image(number % 4), forKey: "\(number)") }
            subject.cache.clearMemoryCache()
            for number in 0..<60 {
                let found = try await subject.load("\(number)")
                #expect(found.cacheType == .disk && found.image?.number == number % 4)
            }
        }
    }

    @Test func `two caches on one folder see each other's stores and removals immediately`() async throws {
        try await withImageCache { subject in
            let other = ImageCache(
                memoryStorage: CacheUnderTest.memory(clock: subject.clock), diskStorage: subject.disk.makeStorage())
            try await subject.cache.store(Pictures.image(1), forKey: "a")
            #expect(try await other.retrieveImage(forKey: "a").image?.number == 1)
            try await other.store(Pictures.image(2), forKey: "a")
            subject.cache.clearMemoryCache()
            #expect(try await subject.load("a").image?.number == 2)
            try await other.removeImage(forKey: "a")
            #expect(!subject.storage.isCached(forKey: "a"))
        }
    }

    /// Counts how often it is asked for an image in memory.
    private final class CountingCache: ImageCache, @unchecked Sendable {
        let looks = Locked(0)

        override func retrieveImageInMemoryCache(
            forKey key: String, options: KingfisherParsedOptionsInfo
        ) -> KFCrossPlatformImage? {
            looks.withLock { $0 += 1 }
            return super.retrieveImageInMemoryCache(forKey: key, options: options)
        }
    }

    @Test func `a load calls a subclass's look in memory once`() async throws {
        try await withImageCache(making: { CountingCache(memoryStorage: $0, diskStorage: $1) }) { subject in
            let cache = try #require(subject.cache as? CountingCache)
            try await cache.storeToDisk(Pictures.small[1], forKey: "a")
            for (key, count) in [("none", 1), ("a", 2), ("a", 3)] {
                _ = try await cache.retrieveImage(forKey: key)
                #expect(cache.looks.withLock { $0 } == count)
            }
        }
    }

    /// Changes something with each look.
    private final class ChangingCache: ImageCache, @unchecked Sendable {
        override func retrieveImageInMemoryCache(
            forKey key: String, options: KingfisherParsedOptionsInfo
        ) -> KFCrossPlatformImage? {
            clearMemoryCache()
            return nil
        }
    }

    @Test func `a subclass may change memory when it is asked for an image`() async throws {
        try await withImageCache(making: { ChangingCache(memoryStorage: $0, diskStorage: $1) }) { subject in
            try await subject.cache.store(Pictures.image(1), forKey: "a")
            #expect(try await subject.cache.retrieveImage(forKey: "a").cacheType == .disk)
        }
    }

    /// Hides its memory, for example from a user who has signed out.
    private final class HidingCache: ImageCache, @unchecked Sendable {
        override func retrieveImageInMemoryCache(
            forKey key: String, options: KingfisherParsedOptionsInfo
        ) -> KFCrossPlatformImage? { nil }
    }

    @Test func `a load goes to the disk if a subclass hides the image in memory`() async throws {
        try await withImageCache(making: { HidingCache(memoryStorage: $0, diskStorage: $1) }) { subject in
            try await subject.cache.store(Pictures.image(1), forKey: "memory", toDisk: false)
            #expect(try await subject.cache.retrieveImage(forKey: "memory").cacheType == .none)
            try await subject.cache.store(Pictures.image(1), forKey: "both")
            #expect(try await subject.cache.retrieveImage(forKey: "both").cacheType == .disk)
        }
    }
}
