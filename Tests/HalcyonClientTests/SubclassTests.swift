import Foundation
import Halcyon
import Testing

@Suite struct SubclassTests {
    private let parsed = KingfisherParsedOptionsInfo(nil)

    private func withNotes(_ body: (NotingCache) async throws -> Void) async throws {
        try await withCache(made: { try NotingCache(name: "noting", cacheDirectoryURL: $0) }, body)
    }

    @Test func `overrides of all open functions are called`() async throws {
        let image = try Pictures.image()
        try await withNotes { cache in
            let atOnce: [(name: String, call: () -> Void)] = [
                (
                    "retrieveImageInMemoryCache with options",
                    { _ = cache.retrieveImageInMemoryCache(forKey: "a", options: parsed) }
                ),
                ("retrieveImageInMemoryCache", { _ = cache.retrieveImageInMemoryCache(forKey: "a") }),
                ("imageCachedType", { _ = cache.imageCachedType(forKey: "a") }),
                ("hash", { _ = cache.hash(forKey: "a") }),
                ("cachePath", { _ = cache.cachePath(forKey: "a") }),
                ("cacheFileURLIfOnDisk", { _ = cache.cacheFileURLIfOnDisk(forKey: "a") }),
                ("memoryStorageCacheCost", { _ = cache.memoryStorageCacheCost }),
                ("notificationObject", { _ = cache.notificationObject }),
                ("cleanExpiredMemoryCache", { cache.cleanExpiredMemoryCache() }),
            ]
            for (name, call) in atOnce {
                call()
                #expect(cache.taken.first == name)
            }
            let later: [(name: String, call: (@escaping @Sendable () -> Void) -> Void)] = [
                ("store with options", { done in cache.store(image, forKey: "a", options: parsed) { _ in done() } }),
                ("store", { done in cache.store(image, forKey: "a") { _ in done() } }),
                ("storeToDisk", { done in cache.storeToDisk(Data([1]), forKey: "a") { _ in done() } }),
                (
                    "retrieveImage with options",
                    { done in cache.retrieveImage(forKey: "a", options: parsed) { _ in done() } }
                ),
                ("retrieveImage", { done in cache.retrieveImage(forKey: "a") { _ in done() } }),
                ("retrieveImageInDiskCache", { done in cache.retrieveImageInDiskCache(forKey: "a") { _ in done() } }),
                ("calculateDiskStorageSize", { done in cache.calculateDiskStorageSize { _ in done() } }),
                ("removeImage", { done in cache.removeImage(forKey: "a") { done() } }),
                ("clearDiskCache", { done in cache.clearDiskCache { done() } }),
                ("cleanExpiredCache", { done in cache.cleanExpiredCache { done() } }),
                ("cleanExpiredDiskCache", { done in cache.cleanExpiredDiskCache { done() } }),
            ]
            for (name, call) in later {
                await done(call)
                #expect(cache.taken.first == name)
            }
        }
    }

    @Test func `overrides of the async twins are called`() async throws {
        let image = try Pictures.image()
        try await withNotes { cache in
            let twins: [(name: String, call: () async throws -> Void)] = [
                ("store with options", { try await cache.store(image, forKey: "a", options: parsed) }),
                ("store", { try await cache.store(image, forKey: "a") }),
                ("storeToDisk", { try await cache.storeToDisk(Data([1]), forKey: "a") }),
                ("retrieveImage with options", { _ = try await cache.retrieveImage(forKey: "a", options: parsed) }),
                ("retrieveImage", { _ = try await cache.retrieveImage(forKey: "a") }),
                ("retrieveImageInDiskCache", { _ = try await cache.retrieveImageInDiskCache(forKey: "a") }),
                ("removeImage", { try await cache.removeImage(forKey: "a") }),
                ("clearCache", { await cache.clearCache() }),
                ("clearDiskCache", { await cache.clearDiskCache() }),
                ("cleanExpiredCache", { await cache.cleanExpiredCache() }),
                ("cleanExpiredDiskCache", { await cache.cleanExpiredDiskCache() }),
            ]
            for (name, call) in twins {
                try await call()
                #expect(cache.taken.first == "async \(name)")
            }
            _ = try await cache.diskStorageSize
            #expect(cache.taken.first == "diskStorageSize")
        }
    }

    @Test func `an override of the function with options sees every store and every load`() async throws {
        try await withNotes { cache in
            try await cache.store(Pictures.image(), forKey: "a")
            #expect(cache.taken == ["async store", "store", "store with options"])
            try await cache.store(Pictures.image(), forKey: "a", options: KingfisherParsedOptionsInfo(nil))
            #expect(cache.taken == ["async store with options", "store with options"])
            _ = try await cache.retrieveImage(forKey: "a")
            #expect(cache.taken.contains("retrieveImage with options"))
            await withCheckedContinuation { continuation in
                cache.retrieveImage(forKey: "a") { _ in continuation.resume() }
            }
            #expect(
                cache.taken == [
                    "retrieveImage", "retrieveImage with options", "retrieveImageInMemoryCache with options",
                ])
            _ = cache.retrieveImageInMemoryCache(forKey: "a")
            #expect(cache.taken == ["retrieveImageInMemoryCache", "retrieveImageInMemoryCache with options"])
        }
    }

    @Test func `the async twins call the functions with handlers`() async throws {
        try await withNotes { cache in
            try await cache.storeToDisk(Pictures.data(), forKey: "a")
            #expect(cache.taken == ["async storeToDisk", "storeToDisk"])
            _ = try await cache.retrieveImageInDiskCache(forKey: "a")
            #expect(cache.taken == ["async retrieveImageInDiskCache", "retrieveImageInDiskCache"])
            try await cache.removeImage(forKey: "a")
            // The function with a handler cannot report an error.
            #expect(cache.taken == ["async removeImage"])
            _ = await cache.imageCachedTypeAsync(forKey: "a")
            #expect(cache.taken == ["imageCachedType"])
            _ = cache.isCached(forKey: "a")
            #expect(cache.taken == ["imageCachedType"])
        }
    }

    @Test func `overrides of clearing and cleaning the disk are called when the whole cache is cleared or cleaned`()
        async throws
    {
        try await withNotes { cache in
            await withCheckedContinuation { continuation in cache.clearCache { continuation.resume() } }
            #expect(cache.taken == ["clearDiskCache"])
            await cache.clearCache()
            #expect(cache.taken == ["async clearCache", "async clearDiskCache"])
            await withCheckedContinuation { continuation in cache.cleanExpiredCache { continuation.resume() } }
            #expect(cache.taken == ["cleanExpiredCache", "cleanExpiredMemoryCache", "cleanExpiredDiskCache"])
            await cache.cleanExpiredCache()
            #expect(
                cache.taken == ["async cleanExpiredCache", "cleanExpiredMemoryCache", "async cleanExpiredDiskCache"])
        }
    }

    @Test func `an override that does nothing keeps the image out`() async throws {
        final class Refusing: ImageCache, @unchecked Sendable {
            override func store(
                _ image: KFCrossPlatformImage, original: Data? = nil, forKey key: String,
                options: KingfisherParsedOptionsInfo, toDisk: Bool = true,
                completionHandler: (@Sendable (CacheStoreResult) -> Void)? = nil
            ) {}
        }
        try await withCache(made: { try Refusing(name: "refusing", cacheDirectoryURL: $0) }) { cache in
            cache.store(try Pictures.image(), forKey: "a", completionHandler: nil)
            #expect(await cache.imageCachedTypeAsync(forKey: "a") == .none)
        }
    }

    @Test func `a subclass inherits the initializers and can add its own`() throws {
        final class Named: ImageCache, @unchecked Sendable {
            let title: String

            init(title: String, folder: URL) throws {
                self.title = title
                let disk = DiskStorage.Config(name: title, sizeLimit: 1000, directory: folder)
                super.init(
                    memoryStorage: .init(config: .init(totalCostLimit: 1000)), diskStorage: try .init(config: disk))
            }
        }
        let folder = try Folder()
        let cache = try Named(title: "own", folder: folder.url)
        #expect(cache.title == "own" && cache.diskStorage.config.name == "own")
        #expect(cache.memoryStorage.config.totalCostLimit == 1000)
    }
}
