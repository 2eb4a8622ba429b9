import Foundation
// Not @testable: an app overrides what is open, and nothing else.
import Halcyon
import HalcyonTestSupport
import Testing

/// Overrides everything that is open, and counts.
private final class CountingCache: ImageCache, @unchecked Sendable {
    let calls = Locked<[String]>([])
    private func note(_ name: String = #function) { calls.withLock { $0.append(String(name.prefix { $0 != "(" })) } }

    override func store(
        _ image: KFCrossPlatformImage, original: Data? = nil, forKey key: String, options: KingfisherParsedOptionsInfo,
        toDisk: Bool = true, completionHandler: (@Sendable (CacheStoreResult) -> Void)? = nil
    ) {
        note("store with options")
        super.store(
            image, original: original, forKey: key, options: options, toDisk: toDisk,
            completionHandler: completionHandler)
    }

    override func store(
        _ image: KFCrossPlatformImage, original: Data? = nil, forKey key: String,
        processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        cacheSerializer serializer: any CacheSerializer = DefaultCacheSerializer.default, toDisk: Bool = true,
        callbackQueue: CallbackQueue = .untouch, completionHandler: (@Sendable (CacheStoreResult) -> Void)? = nil
    ) {
        note()
        super.store(
            image, original: original, forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension,
            cacheSerializer: serializer, toDisk: toDisk, callbackQueue: callbackQueue,
            completionHandler: completionHandler)
    }

    override func storeToDisk(
        _ data: Data, forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        expiration: StorageExpiration? = nil, callbackQueue: CallbackQueue = .untouch,
        completionHandler: (@Sendable (CacheStoreResult) -> Void)? = nil
    ) {
        note()
        super.storeToDisk(
            data, forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension,
            expiration: expiration, callbackQueue: callbackQueue, completionHandler: completionHandler)
    }

    override func removeImage(
        forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        fromMemory: Bool = true, fromDisk: Bool = true, callbackQueue: CallbackQueue = .untouch,
        completionHandler: (@Sendable () -> Void)? = nil
    ) {
        note()
        super.removeImage(
            forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension, fromMemory: fromMemory,
            fromDisk: fromDisk, callbackQueue: callbackQueue, completionHandler: completionHandler)
    }

    override func retrieveImage(
        forKey key: String, options: KingfisherParsedOptionsInfo, callbackQueue: CallbackQueue = .mainCurrentOrAsync,
        completionHandler: (@Sendable (Result<ImageCacheResult, KingfisherError>) -> Void)?
    ) {
        note("retrieveImage with options")
        super.retrieveImage(
            forKey: key, options: options, callbackQueue: callbackQueue, completionHandler: completionHandler)
    }

    override func retrieveImage(
        forKey key: String, options: KingfisherOptionsInfo? = nil, callbackQueue: CallbackQueue = .mainCurrentOrAsync,
        completionHandler: (@Sendable (Result<ImageCacheResult, KingfisherError>) -> Void)?
    ) {
        note()
        super.retrieveImage(
            forKey: key, options: options, callbackQueue: callbackQueue, completionHandler: completionHandler)
    }

    override func retrieveImageInMemoryCache(
        forKey key: String, options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        note("retrieveImageInMemoryCache with options")
        return super.retrieveImageInMemoryCache(forKey: key, options: options)
    }

    override func retrieveImageInMemoryCache(
        forKey key: String, options: KingfisherOptionsInfo? = nil
    ) -> KFCrossPlatformImage? {
        note()
        return super.retrieveImageInMemoryCache(forKey: key, options: options)
    }

    override func retrieveImageInDiskCache(
        forKey key: String, options: KingfisherOptionsInfo? = nil, callbackQueue: CallbackQueue = .untouch,
        completionHandler: @escaping @Sendable (Result<KFCrossPlatformImage?, KingfisherError>) -> Void
    ) {
        note()
        super.retrieveImageInDiskCache(
            forKey: key, options: options, callbackQueue: callbackQueue, completionHandler: completionHandler)
    }

    override func clearDiskCache(completion handler: (@Sendable () -> Void)? = nil) {
        note()
        super.clearDiskCache(completion: handler)
    }

    override func cleanExpiredCache(completion handler: (@Sendable () -> Void)? = nil) {
        note()
        super.cleanExpiredCache(completion: handler)
    }

    override func cleanExpiredMemoryCache() {
        note()
        super.cleanExpiredMemoryCache()
    }

    override func cleanExpiredDiskCache(completion handler: (@Sendable () -> Void)? = nil) {
        note()
        super.cleanExpiredDiskCache(completion: handler)
    }

    override var notificationObject: AnyObject {
        note()
        return super.notificationObject
    }

    override func imageCachedType(
        forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil
    ) -> CacheType {
        note()
        return super.imageCachedType(
            forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension)
    }

    override func hash(
        forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil
    ) -> String {
        note()
        return super.hash(forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension)
    }

    override func calculateDiskStorageSize(
        completion handler: @escaping @Sendable (Result<UInt, KingfisherError>) -> Void
    ) {
        note()
        super.calculateDiskStorageSize(completion: handler)
    }

    override var memoryStorageCacheCost: Int {
        note()
        return super.memoryStorageCacheCost
    }

    override func cachePath(
        forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil
    ) -> String {
        note()
        return super.cachePath(forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension)
    }

    override func cacheFileURLIfOnDisk(
        forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil
    ) -> URL? {
        note()
        return super.cacheFileURLIfOnDisk(
            forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension)
    }

    // MARK: The async twins

    override func store(
        _ image: KFCrossPlatformImage, original: Data? = nil, forKey key: String, options: KingfisherParsedOptionsInfo,
        toDisk: Bool = true
    ) async throws {
        note("async store with options")
        try await super.store(image, original: original, forKey: key, options: options, toDisk: toDisk)
    }

    override func store(
        _ image: KFCrossPlatformImage, original: Data? = nil, forKey key: String,
        processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        cacheSerializer serializer: any CacheSerializer = DefaultCacheSerializer.default, toDisk: Bool = true
    ) async throws {
        note("async store")
        try await super.store(
            image, original: original, forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension,
            cacheSerializer: serializer, toDisk: toDisk)
    }

    override func storeToDisk(
        _ data: Data, forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        expiration: StorageExpiration? = nil
    ) async throws {
        note("async storeToDisk")
        try await super.storeToDisk(
            data, forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension,
            expiration: expiration)
    }

    override func removeImage(
        forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        fromMemory: Bool = true, fromDisk: Bool = true
    ) async {
        note("async removeImage")
        await super.removeImage(
            forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension, fromMemory: fromMemory,
            fromDisk: fromDisk)
    }

    override func retrieveImage(
        forKey key: String, options: KingfisherParsedOptionsInfo
    ) async throws -> ImageCacheResult {
        note("async retrieveImage with options")
        return try await super.retrieveImage(forKey: key, options: options)
    }

    override func retrieveImage(
        forKey key: String, options: KingfisherOptionsInfo? = nil
    ) async throws -> ImageCacheResult {
        note("async retrieveImage")
        return try await super.retrieveImage(forKey: key, options: options)
    }

    override func retrieveImageInDiskCache(
        forKey key: String, options: KingfisherOptionsInfo? = nil
    ) async throws -> KFCrossPlatformImage? {
        note("async retrieveImageInDiskCache")
        return try await super.retrieveImageInDiskCache(forKey: key, options: options)
    }

    override func clearCache() async {
        note("async clearCache")
        await super.clearCache()
    }

    override func clearDiskCache() async {
        note("async clearDiskCache")
        await super.clearDiskCache()
    }

    override func cleanExpiredCache() async {
        note("async cleanExpiredCache")
        await super.cleanExpiredCache()
    }

    override func cleanExpiredDiskCache() async {
        note("async cleanExpiredDiskCache")
        await super.cleanExpiredDiskCache()
    }

    override var diskStorageSize: UInt {
        get async throws {
            note()
            return try await super.diskStorageSize
        }
    }

    var taken: [String] {
        calls.withLock { calls in
            defer { calls = [] }
            return calls
        }
    }
}

@Suite(.endsEvenIfItHangs) struct SubclassTests {
    private func withCounting(_ body: (CountingCache) async throws -> Void) async throws {
        let fixture = try CacheFixture { $0.cleanInterval = 0 }
        let memory = CacheUnderTest.memory(clock: fixture.clock)
        let cache = CountingCache(memoryStorage: memory, diskStorage: fixture.storage)
        try await body(cache)
        try fixture.requireClean()
    }

    @Test func `an override of the function with options sees every store and every load`() async throws {
        try await withCounting { cache in
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
        try await withCounting { cache in
            try await cache.storeToDisk(Pictures.small[0], forKey: "a")
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
        try await withCounting { cache in
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
        let fixture = try CacheFixture { $0.cleanInterval = 0 }
        let memory = CacheUnderTest.memory(clock: fixture.clock)
        let cache = Refusing(memoryStorage: memory, diskStorage: fixture.storage)
        cache.store(try Pictures.image(), forKey: "a", completionHandler: nil)
        #expect(await cache.imageCachedTypeAsync(forKey: "a") == .none)
        try fixture.requireClean()
    }
}
