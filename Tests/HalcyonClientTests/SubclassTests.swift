import Foundation
import Halcyon
import Testing

@Suite struct SubclassTests {
    private let parsed = KingfisherParsedOptionsInfo(nil)

    private func withNotes(_ body: (NotingCache) async throws -> Void) async throws {
        let folder = try Folder()
        let cache = try NotingCache(name: "noting", cacheDirectoryURL: folder.url)
        try await body(cache)
        withExtendedLifetime(folder) {}
    }

    @Test func `everything that is open is called where it is overridden`() async throws {
        try await withNotes { cache in
            func expect(_ name: String, _ location: SourceLocation = #_sourceLocation) {
                #expect(cache.taken.first == name, sourceLocation: location)
            }
            let image = try Pictures.image()
            await done { done in cache.store(image, forKey: "a", options: parsed) { _ in done() } }
            expect("store with options")
            await done { done in cache.store(image, forKey: "a") { _ in done() } }
            expect("store")
            await done { done in cache.storeToDisk(Data([1]), forKey: "a") { _ in done() } }
            expect("storeToDisk")
            await done { done in cache.retrieveImage(forKey: "a", options: parsed) { _ in done() } }
            expect("retrieveImage with options")
            await done { done in cache.retrieveImage(forKey: "a") { _ in done() } }
            expect("retrieveImage")
            _ = cache.retrieveImageInMemoryCache(forKey: "a", options: parsed)
            expect("retrieveImageInMemoryCache with options")
            _ = cache.retrieveImageInMemoryCache(forKey: "a")
            expect("retrieveImageInMemoryCache")
            await done { done in cache.retrieveImageInDiskCache(forKey: "a") { _ in done() } }
            expect("retrieveImageInDiskCache")
            _ = (cache.imageCachedType(forKey: "a"), expect("imageCachedType"))
            _ = (cache.hash(forKey: "a"), expect("hash"))
            _ = (cache.cachePath(forKey: "a"), expect("cachePath"))
            _ = (cache.cacheFileURLIfOnDisk(forKey: "a"), expect("cacheFileURLIfOnDisk"))
            _ = (cache.memoryStorageCacheCost, expect("memoryStorageCacheCost"))
            _ = (cache.notificationObject, expect("notificationObject"))
            await done { done in cache.calculateDiskStorageSize { _ in done() } }
            expect("calculateDiskStorageSize")
            await done { done in cache.removeImage(forKey: "a") { done() } }
            expect("removeImage")
            await done { done in cache.clearDiskCache { done() } }
            expect("clearDiskCache")
            await done { done in cache.cleanExpiredCache { done() } }
            expect("cleanExpiredCache")
            _ = (cache.cleanExpiredMemoryCache(), expect("cleanExpiredMemoryCache"))
            await done { done in cache.cleanExpiredDiskCache { done() } }
            expect("cleanExpiredDiskCache")
        }
    }

    @Test func `the async twins are called where they are overridden`() async throws {
        try await withNotes { cache in
            func expect(_ name: String, _ location: SourceLocation = #_sourceLocation) {
                #expect(cache.taken.first == name, sourceLocation: location)
            }
            let image = try Pictures.image()
            try await cache.store(image, forKey: "a", options: parsed)
            expect("async store with options")
            try await cache.store(image, forKey: "a")
            expect("async store")
            try await cache.storeToDisk(Data([1]), forKey: "a")
            expect("async storeToDisk")
            _ = try await cache.retrieveImage(forKey: "a", options: parsed)
            expect("async retrieveImage with options")
            _ = try await cache.retrieveImage(forKey: "a")
            expect("async retrieveImage")
            _ = try await cache.retrieveImageInDiskCache(forKey: "a")
            expect("async retrieveImageInDiskCache")
            await cache.removeImage(forKey: "a")
            expect("async removeImage")
            await cache.clearCache()
            expect("async clearCache")
            await cache.clearDiskCache()
            expect("async clearDiskCache")
            await cache.cleanExpiredCache()
            expect("async cleanExpiredCache")
            await cache.cleanExpiredDiskCache()
            expect("async cleanExpiredDiskCache")
            _ = try await cache.diskStorageSize
            expect("diskStorageSize")
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

    @Test func `the twins go through what they are twins of`() async throws {
        try await withNotes { cache in
            try await cache.storeToDisk(Pictures.data(), forKey: "a")
            #expect(cache.taken == ["async storeToDisk", "storeToDisk"])
            _ = try await cache.retrieveImageInDiskCache(forKey: "a")
            #expect(cache.taken == ["async retrieveImageInDiskCache", "retrieveImageInDiskCache"])
            await cache.removeImage(forKey: "a")
            #expect(cache.taken == ["async removeImage", "removeImage"])
            _ = await cache.imageCachedTypeAsync(forKey: "a")
            #expect(cache.taken == ["imageCachedType"])
            _ = cache.isCached(forKey: "a")
            #expect(cache.taken == ["imageCachedType"])
        }
    }

    @Test func `an override of clearing and cleaning the disk sees those of the whole cache`() async throws {
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
        let folder = try Folder()
        let cache = try Refusing(name: "refusing", cacheDirectoryURL: folder.url)
        cache.store(try Pictures.image(), forKey: "a", completionHandler: nil)
        #expect(await cache.imageCachedTypeAsync(forKey: "a") == .none)
    }

    @Test func `a subclass inherits the initialisers, and can have one of its own`() throws {
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
