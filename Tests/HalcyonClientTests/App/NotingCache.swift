import Foundation
import Halcyon

/// Overrides everything that is open, and records the calls.
final class NotingCache: ImageCache, @unchecked Sendable {
    // Sendable because of the lock.
    private let lock = NSLock()
    private var calls: [String] = []

    private func note(_ name: String = #function) {
        lock.withLock { calls.append(String(name.prefix { $0 != "(" })) }
    }

    /// The calls since this was last read.
    var taken: [String] {
        lock.withLock {
            defer { calls = [] }
            return calls
        }
    }

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
    ) async throws {
        note("async removeImage")
        try await super.removeImage(
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
}
