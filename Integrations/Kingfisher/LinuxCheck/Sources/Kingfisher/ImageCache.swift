public import Foundation
public import Halcyon

extension Notification.Name {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let KingfisherDidCleanDiskCache = Notification.Name(
        "com.onevcat.Kingfisher.KingfisherDidCleanDiskCache")
}

// swift-format-ignore: AlwaysUseLowerCamelCase
public let KingfisherDiskCacheCleanedHashKey = "com.onevcat.Kingfisher.cleanedHash"

public enum CacheType: Sendable {
    case none, memory, disk
    public var cached: Bool { self != .none }
}

public struct CacheStoreResult: Sendable {
    public let memoryCacheResult: Result<(), Never>
    public let diskCacheResult: Result<(), KingfisherError>
}

public enum ImageCacheResult: Sendable {
    case disk(KFCrossPlatformImage), memory(KFCrossPlatformImage), none

    public var image: KFCrossPlatformImage? {
        switch self {
        case .disk(let image), .memory(let image): image
        case .none: nil
        }
    }

    public var cacheType: CacheType {
        switch self {
        case .disk: .disk
        case .memory: .memory
        case .none: .none
        }
    }
}

/// A fake: its memory cache works; its disk records the calls, stores nothing and finds nothing.
open class ImageCache: @unchecked Sendable {
    public static let `default` = ImageCache(name: "default")
    public let memoryStorage: MemoryStorage.Backend<KFCrossPlatformImage>
    public let diskStorage: DiskStorage.Backend<Data>
    private let ioQueue = DispatchQueue(label: "stock.io")

    public typealias DiskCachePathClosure = @Sendable (URL, String) -> URL

    public init(memoryStorage: MemoryStorage.Backend<KFCrossPlatformImage>, diskStorage: DiskStorage.Backend<Data>) {
        self.memoryStorage = memoryStorage
        self.diskStorage = diskStorage
    }

    public convenience init(name: String) {
        // In Kingfisher, if a storage cannot create its folder, its stores fail.
        let config = DiskStorage.Config(name: name, sizeLimit: 0)
        self.init(
            memoryStorage: .init(config: .init(totalCostLimit: .max)),
            diskStorage: DiskStorage.Backend(noThrowConfig: config))
    }

    public convenience init(
        name: String, cacheDirectoryURL: URL?, diskCachePathClosure: DiskCachePathClosure? = nil
    ) throws {
        var config = DiskStorage.Config(name: name, sizeLimit: 0, directory: cacheDirectoryURL)
        if let diskCachePathClosure { config.cachePathBlock = diskCachePathClosure }
        self.init(
            memoryStorage: .init(config: .init(totalCostLimit: .max)),
            diskStorage: try DiskStorage.Backend(config: config))
    }

    // MARK: Storing

    open func store(
        _ image: KFCrossPlatformImage, original: Data? = nil, forKey key: String, options: KingfisherParsedOptionsInfo,
        toDisk: Bool = true, completionHandler: (@Sendable (CacheStoreResult) -> Void)? = nil
    ) {
        let computedKey = Self.computedKey(key, options.processor.identifier)
        memoryStorage.store(value: image, forKey: computedKey, expiration: options.memoryCacheExpiration)
        guard toDisk else { return report(nil, on: options.callbackQueue, to: completionHandler) }
        ioQueue.async { [self] in
            guard let data = options.cacheSerializer.data(with: image, original: original) else {
                return report(
                    .cacheError(
                        reason: .cannotSerializeImage(
                            image: image, original: original, serializer: options.cacheSerializer)),
                    on: options.callbackQueue, to: completionHandler)
            }
            try? diskStorage.store(value: data, forKey: computedKey, forcedExtension: options.forcedExtension)
            report(nil, on: options.callbackQueue, to: completionHandler)
        }
    }

    open func store(
        _ image: KFCrossPlatformImage, original: Data? = nil, forKey key: String,
        processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        cacheSerializer serializer: any CacheSerializer = DefaultCacheSerializer.default, toDisk: Bool = true,
        callbackQueue: CallbackQueue = .untouch, completionHandler: (@Sendable (CacheStoreResult) -> Void)? = nil
    ) {
        diskStorage.note()
        report(nil, on: callbackQueue, to: completionHandler)
    }

    open func storeToDisk(
        _ data: Data, forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        expiration: StorageExpiration? = nil, callbackQueue: CallbackQueue = .untouch,
        completionHandler: (@Sendable (CacheStoreResult) -> Void)? = nil
    ) {
        diskStorage.note()
        report(nil, on: callbackQueue, to: completionHandler)
    }

    private func report(
        _ error: KingfisherError?, on queue: CallbackQueue, to handler: (@Sendable (CacheStoreResult) -> Void)?
    ) {
        guard let handler else { return }
        let disk: Result<(), KingfisherError> = error.map { .failure($0) } ?? .success(())
        queue.execute { handler(CacheStoreResult(memoryCacheResult: .success(()), diskCacheResult: disk)) }
    }

    // MARK: Removing

    open func removeImage(
        forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        fromMemory: Bool = true, fromDisk: Bool = true, callbackQueue: CallbackQueue = .untouch,
        completionHandler: (@Sendable () -> Void)? = nil
    ) {
        diskStorage.note()
        if let completionHandler { callbackQueue.execute(completionHandler) }
    }

    public func clearCache(completion handler: (@Sendable () -> Void)? = nil) {
        clearMemoryCache()
        clearDiskCache(completion: handler)
    }

    public func clearMemoryCache() { memoryStorage.removeAll() }

    open func clearDiskCache(completion handler: (@Sendable () -> Void)? = nil) {
        diskStorage.note()
        if let handler { DispatchQueue.main.async(execute: handler) }
    }

    open func cleanExpiredCache(completion handler: (@Sendable () -> Void)? = nil) {
        cleanExpiredMemoryCache()
        cleanExpiredDiskCache(completion: handler)
    }

    open func cleanExpiredMemoryCache() { memoryStorage.removeExpired() }

    open func cleanExpiredDiskCache(completion handler: (@Sendable () -> Void)? = nil) {
        diskStorage.note()
        if let handler { DispatchQueue.main.async(execute: handler) }
    }

    // MARK: Loading

    open func retrieveImage(
        forKey key: String, options: KingfisherParsedOptionsInfo, callbackQueue: CallbackQueue = .mainCurrentOrAsync,
        completionHandler: (@Sendable (Result<ImageCacheResult, KingfisherError>) -> Void)?
    ) {
        diskStorage.note()
        if let image = retrieveImageInMemoryCache(forKey: key, options: options) {
            return callbackQueue.execute { completionHandler?(.success(.memory(image))) }
        }
        let load: @Sendable () -> Void = { [diskStorage] in
            // An image that is no longer wanted is not found, whatever the state of the storage.
            let isNotReady = !options.fromMemoryCacheOrRefresh && !options.isSourceTaskStale && !diskStorage.isReady
            let error = KingfisherError.cacheError(
                reason: .diskStorageIsNotReady(cacheURL: diskStorage.directoryURL))
            callbackQueue.execute { completionHandler?(isNotReady ? .failure(error) : .success(.none)) }
        }
        options.loadDiskFileSynchronously ? load() : ioQueue.async(execute: load)
    }

    open func retrieveImage(
        forKey key: String, options: KingfisherOptionsInfo? = nil, callbackQueue: CallbackQueue = .mainCurrentOrAsync,
        completionHandler: (@Sendable (Result<ImageCacheResult, KingfisherError>) -> Void)?
    ) {
        diskStorage.note()
        callbackQueue.execute { completionHandler?(.success(.none)) }
    }

    open func retrieveImageInMemoryCache(
        forKey key: String, options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        memoryStorage.value(
            forKey: Self.computedKey(key, options.processor.identifier),
            extendingExpiration: options.memoryCacheAccessExtendingExpiration)
    }

    open func retrieveImageInMemoryCache(
        forKey key: String, options: KingfisherOptionsInfo? = nil
    ) -> KFCrossPlatformImage? {
        retrieveImageInMemoryCache(forKey: key, options: KingfisherParsedOptionsInfo(options))
    }

    open func retrieveImageInDiskCache(
        forKey key: String, options: KingfisherOptionsInfo? = nil, callbackQueue: CallbackQueue = .untouch,
        completionHandler: @escaping @Sendable (Result<KFCrossPlatformImage?, KingfisherError>) -> Void
    ) {
        diskStorage.note()
        callbackQueue.execute { completionHandler(.success(nil)) }
    }

    // MARK: Looking

    open func imageCachedType(
        forKey key: String, processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> CacheType {
        diskStorage.note()
        return memoryStorage.isCached(forKey: Self.computedKey(key, identifier)) ? .memory : .none
    }

    /// Not open, so the adapter cannot override it.
    public func imageCachedTypeAsync(
        forKey key: String, processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil,
        callbackQueue: CallbackQueue = .mainCurrentOrAsync, completionHandler: @escaping @Sendable (CacheType) -> Void
    ) {
        let computedKey = Self.computedKey(key, identifier)
        if memoryStorage.isCached(forKey: computedKey) { return callbackQueue.execute { completionHandler(.memory) } }
        diskStorage.note()
        callbackQueue.execute { completionHandler(.none) }
    }

    public func isCached(
        forKey key: String, processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> Bool {
        imageCachedType(forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension).cached
    }

    open func hash(
        forKey key: String, processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> String {
        diskStorage.note()
        return ""
    }

    open func calculateDiskStorageSize(completion handler: @escaping @Sendable (Result<UInt, KingfisherError>) -> Void)
    {
        diskStorage.note()
        DispatchQueue.main.async { handler(.success(0)) }
    }

    open var memoryStorageCacheCost: Int { memoryStorage.totalCacheCost() }

    open func cachePath(
        forKey key: String, processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> String {
        diskStorage.note()
        return ""
    }

    open func cacheFileURLIfOnDisk(
        forKey key: String, processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> URL? {
        diskStorage.note()
        return nil
    }

    private static func computedKey(_ key: String, _ identifier: String) -> String {
        identifier.isEmpty ? key : key + "@" + identifier
    }

    // MARK: Async

    open func store(
        _ image: KFCrossPlatformImage, original: Data? = nil, forKey key: String, options: KingfisherParsedOptionsInfo,
        toDisk: Bool = true
    ) async throws { diskStorage.note() }

    open func store(
        _ image: KFCrossPlatformImage, original: Data? = nil, forKey key: String,
        processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        cacheSerializer serializer: any CacheSerializer = DefaultCacheSerializer.default, toDisk: Bool = true
    ) async throws { diskStorage.note() }

    open func storeToDisk(
        _ data: Data, forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        expiration: StorageExpiration? = nil
    ) async throws { diskStorage.note() }

    open func removeImage(
        forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        fromMemory: Bool = true, fromDisk: Bool = true
    ) async throws { diskStorage.note() }

    open func clearCache() async { diskStorage.note() }
    open func clearDiskCache() async { diskStorage.note() }
    open func cleanExpiredCache() async { diskStorage.note() }
    open func cleanExpiredDiskCache() async { diskStorage.note() }

    open func retrieveImage(
        forKey key: String, options: KingfisherParsedOptionsInfo
    ) async throws -> ImageCacheResult {
        diskStorage.note()
        return .none
    }

    open func retrieveImage(
        forKey key: String, options: KingfisherOptionsInfo? = nil
    ) async throws -> ImageCacheResult {
        diskStorage.note()
        return .none
    }

    open func retrieveImageInDiskCache(
        forKey key: String, options: KingfisherOptionsInfo? = nil
    ) async throws -> KFCrossPlatformImage? {
        diskStorage.note()
        return nil
    }

    public func imageCachedTypeAsync(
        forKey key: String, processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) async -> CacheType {
        diskStorage.note()
        return .none
    }

    open var diskStorageSize: UInt {
        get async throws {
            diskStorage.note()
            return 0
        }
    }
}
