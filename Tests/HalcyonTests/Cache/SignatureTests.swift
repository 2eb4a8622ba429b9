import Foundation
// Not @testable: what compiles here compiles in an app.
import Halcyon
import HalcyonTestSupport
import Testing

/// Every public name with all of its labels, and with all of its defaults: one that is changed does not compile here.
@Suite struct SignatureTests {
    @Test func `names with labels and names with defaults are the same functions`() async throws {
        let fixture = try CacheFixture { $0.cleanInterval = 0 }
        let memory = CacheUnderTest.memory(clock: fixture.clock)
        let cache = ImageCache(memoryStorage: memory, diskStorage: fixture.storage)
        let image = try Pictures.image()
        Signatures.callbacks(of: cache, image)
        Signatures.callbacksWithDefaults(of: cache, image)
        Signatures.looking(into: cache)
        try await Signatures.twins(of: cache, image)
        try await Signatures.twinsWithDefaults(of: cache, image)
        await cache.clearCache()
        await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
        try fixture.requireClean()
    }
}

private enum Signatures {
    static let parsed = KingfisherParsedOptionsInfo(nil)

    static func making(_ folder: URL) throws {
        let _: ImageCache = .default
        _ = ImageCache(name: "a")
        _ = try ImageCache(name: "a", cacheDirectoryURL: nil)
        let closure: ImageCache.DiskCachePathClosure = { parent, name in parent.appendingPathComponent(name) }
        _ = try ImageCache(name: "a", cacheDirectoryURL: folder, diskCachePathClosure: closure)
        let _: (MemoryStorage.Backend<KFCrossPlatformImage>, DiskStorage.Backend<Data>) -> ImageCache =
            ImageCache.init(memoryStorage:diskStorage:)
        let _: @Sendable (ImageCache) -> Void = { _ in }
    }

    // MARK: With handlers

    static func callbacks(of cache: ImageCache, _ image: KFCrossPlatformImage) {
        let stored: (@Sendable (CacheStoreResult) -> Void)? = { _ in }
        let done: (@Sendable () -> Void)? = {}
        let found: (@Sendable (Result<ImageCacheResult, KingfisherError>) -> Void)? = { _ in }
        cache.store(image, original: Data(), forKey: "a", options: parsed, toDisk: true, completionHandler: stored)
        cache.store(
            image, original: nil, forKey: "a", processorIdentifier: "", forcedExtension: nil,
            cacheSerializer: DefaultCacheSerializer.default, toDisk: true, callbackQueue: .untouch,
            completionHandler: stored)
        cache.storeToDisk(
            Data(), forKey: "a", processorIdentifier: "", forcedExtension: nil, expiration: nil,
            callbackQueue: .untouch, completionHandler: stored)
        cache.retrieveImage(
            forKey: "a", options: parsed, callbackQueue: .mainCurrentOrAsync, completionHandler: found)
        cache.retrieveImage(
            forKey: "a", options: [.backgroundDecode], callbackQueue: .mainCurrentOrAsync, completionHandler: found)
        cache.retrieveImageInDiskCache(forKey: "a", options: nil, callbackQueue: .untouch) {
            (_: Result<KFCrossPlatformImage?, KingfisherError>) in
        }
        cache.removeImage(
            forKey: "a", processorIdentifier: "", forcedExtension: nil, fromMemory: true, fromDisk: true,
            callbackQueue: .untouch, completionHandler: done)
        cache.imageCachedTypeAsync(
            forKey: "a", processorIdentifier: "", forcedExtension: nil, callbackQueue: .mainCurrentOrAsync
        ) { (_: CacheType) in }
        cache.clearCache(completion: done)
        cache.clearMemoryCache()
        cache.clearDiskCache(completion: done)
        cache.cleanExpiredCache(completion: done)
        cache.cleanExpiredMemoryCache()
        cache.cleanExpiredDiskCache(completion: done)
        cache.calculateDiskStorageSize { (_: Result<UInt, KingfisherError>) in }
    }

    static func callbacksWithDefaults(of cache: ImageCache, _ image: KFCrossPlatformImage) {
        cache.store(image, forKey: "a", options: parsed)
        cache.store(image, forKey: "a")
        cache.store(image, original: Data(), forKey: "a")
        cache.storeToDisk(Data(), forKey: "a")
        cache.storeToDisk(Data(), forKey: "a") { (result: CacheStoreResult) in
            let _: Result<(), Never> = result.memoryCacheResult
            let _: Result<(), KingfisherError> = result.diskCacheResult
        }
        cache.retrieveImage(forKey: "a", options: parsed) { _ in }
        cache.retrieveImage(forKey: "a") { _ in }
        cache.retrieveImageInDiskCache(forKey: "a") { _ in }
        cache.removeImage(forKey: "a")
        cache.imageCachedTypeAsync(forKey: "a") { _ in }
        cache.clearCache()
        cache.clearDiskCache()
        cache.cleanExpiredCache()
        cache.cleanExpiredDiskCache()
        cache.clearCache {}
        cache.clearDiskCache {}
        cache.cleanExpiredCache {}
        cache.cleanExpiredDiskCache {}
    }

    static func looking(into cache: ImageCache) {
        let _: KFCrossPlatformImage? = cache.retrieveImageInMemoryCache(forKey: "a", options: parsed)
        let _: KFCrossPlatformImage? = cache.retrieveImageInMemoryCache(forKey: "a", options: [.backgroundDecode])
        let _: KFCrossPlatformImage? = cache.retrieveImageInMemoryCache(forKey: "a")
        let _: CacheType = cache.imageCachedType(forKey: "a", processorIdentifier: "", forcedExtension: nil)
        let _: CacheType = cache.imageCachedType(forKey: "a")
        let _: Bool = cache.isCached(forKey: "a", processorIdentifier: "", forcedExtension: nil)
        let _: Bool = cache.isCached(forKey: "a")
        let _: String = cache.hash(forKey: "a", processorIdentifier: "", forcedExtension: nil)
        let _: String = cache.hash(forKey: "a")
        let _: String = cache.cachePath(forKey: "a", processorIdentifier: "", forcedExtension: nil)
        let _: String = cache.cachePath(forKey: "a")
        let _: URL? = cache.cacheFileURLIfOnDisk(forKey: "a", processorIdentifier: "", forcedExtension: nil)
        let _: URL? = cache.cacheFileURLIfOnDisk(forKey: "a")
        let _: Int = cache.memoryStorageCacheCost
        let _: MemoryStorage.Backend<KFCrossPlatformImage> = cache.memoryStorage
        let _: DiskStorage.Backend<Data> = cache.diskStorage
        let _: Notification.Name = .KingfisherDidCleanDiskCache
        let _: String = KingfisherDiskCacheCleanedHashKey
    }

    // MARK: Async

    static func twins(of cache: ImageCache, _ image: KFCrossPlatformImage) async throws {
        try await cache.store(image, original: Data(), forKey: "a", options: parsed, toDisk: true)
        try await cache.store(
            image, original: nil, forKey: "a", processorIdentifier: "", forcedExtension: nil,
            cacheSerializer: DefaultCacheSerializer.default, toDisk: true)
        try await cache.storeToDisk(
            Data(), forKey: "a", processorIdentifier: "", forcedExtension: nil, expiration: .never)
        let _: ImageCacheResult = try await cache.retrieveImage(forKey: "a", options: parsed)
        let _: ImageCacheResult = try await cache.retrieveImage(forKey: "a", options: [.backgroundDecode])
        let _: KFCrossPlatformImage? = try await cache.retrieveImageInDiskCache(forKey: "a", options: nil)
        let _: CacheType = await cache.imageCachedTypeAsync(
            forKey: "a", processorIdentifier: "", forcedExtension: nil)
        await cache.removeImage(
            forKey: "a", processorIdentifier: "", forcedExtension: nil, fromMemory: true, fromDisk: true)
        let _: UInt = try await cache.diskStorageSize
    }

    static func twinsWithDefaults(of cache: ImageCache, _ image: KFCrossPlatformImage) async throws {
        try await cache.store(image, forKey: "a", options: parsed)
        try await cache.store(image, forKey: "a")
        try await cache.storeToDisk(Data(), forKey: "a")
        let _: ImageCacheResult = try await cache.retrieveImage(forKey: "a")
        let _: KFCrossPlatformImage? = try await cache.retrieveImageInDiskCache(forKey: "a")
        let _: CacheType = await cache.imageCachedTypeAsync(forKey: "a")
        await cache.removeImage(forKey: "a")
        await cache.clearCache()
        await cache.clearDiskCache()
        await cache.cleanExpiredCache()
        await cache.cleanExpiredDiskCache()
    }

    // MARK: The storages

    static func memory(_ image: KFCrossPlatformImage) {
        var config = MemoryStorage.Config(totalCostLimit: 1)
        config = MemoryStorage.Config(totalCostLimit: 1, cleanInterval: 120)
        (config.countLimit, config.expiration, config.cleanInterval) = (1, .seconds(1), 1)
        (config.totalCostLimit, config.keepWhenEnteringBackground) = (1, true)
        let storage = MemoryStorage.Backend<KFCrossPlatformImage>(config: config)
        storage.config = config
        storage.store(value: image, forKey: "a")
        storage.store(value: image, forKey: "a", expiration: .expired)
        let _: KFCrossPlatformImage? = storage.value(forKey: "a")
        let _: KFCrossPlatformImage? = storage.value(forKey: "a", extendingExpiration: .none)
        let _: Bool = storage.isCached(forKey: "a")
        let _: Int = storage.totalCacheCost()
        storage.remove(forKey: "a")
        storage.removeExpired()
        storage.removeAll()
    }

    static func disk(_ folder: URL) throws {
        var config = DiskStorage.Config(name: "a", sizeLimit: 1)
        config = DiskStorage.Config(name: "a", sizeLimit: 1, fileManager: .default, directory: folder)
        (config.sizeLimit, config.expiration, config.pathExtension) = (1, .days(1), "a")
        (config.usesHashedFileName, config.autoExtAfterHashedFileName) = (true, true)
        config.cachePathBlock = { (parent: URL, name: String) in parent.appendingPathComponent(name) }
        let _: String = config.name
        let storage = try DiskStorage.Backend<Data>(config: config)
        storage.config = config
        let _: URL = storage.directoryURL
        try storage.store(value: Data(), forKey: "a")
        try storage.store(
            value: Data(), forKey: "a", expiration: .date(Date()), writeOptions: [.atomic], forcedExtension: nil)
        let _: Data? = try storage.value(forKey: "a")
        let _: Data? = try storage.value(forKey: "a", forcedExtension: nil, extendingExpiration: .cacheTime)
        let _: Bool = storage.isCached(forKey: "a")
        let _: Bool = storage.isCached(forKey: "a", forcedExtension: nil)
        let _: Bool = storage.isCached(forKey: "a", referenceDate: Date())
        let _: Bool = storage.isCached(forKey: "a", referenceDate: Date(), forcedExtension: nil)
        let _: URL = storage.cacheFileURL(forKey: "a")
        let _: URL = storage.cacheFileURL(forKey: "a", forcedExtension: nil)
        try storage.remove(forKey: "a")
        try storage.remove(forKey: "a", forcedExtension: nil)
        let _: [URL] = try storage.removeExpiredValues()
        let _: [URL] = try storage.removeSizeExceededValues()
        let _: UInt = try storage.totalSize()
        try storage.removeAll()
    }

    // MARK: Options

    static let items: [KingfisherOptionsInfoItem] = [
        .fromMemoryCacheOrRefresh, .backgroundDecode, .callbackQueue(.mainAsync), .scaleFactor(2),
        .preloadAllAnimationData, .onlyLoadFirstFrame, .processor(DefaultImageProcessor.default),
        .cacheSerializer(FormatIndicatedCacheSerializer.png), .loadDiskFileSynchronously,
        .diskStoreWriteOptions(.atomic), .memoryCacheExpiration(.never),
        .memoryCacheAccessExtendingExpiration(.expirationTime(.days(1))), .diskCacheExpiration(.seconds(1)),
        .diskCacheAccessExtendingExpiration(.none), .forcedCacheFileExtension("jpg"), .forcedCacheFileExtension(nil),
        .targetCache(.default), .originalCache(.default), .cacheMemoryOnly, .waitForCache, .onlyFromCache,
        .cacheOriginalImage, .asyncCacheTypeCheck, .processingQueue(.untouch),
    ]

    static func options(_ info: KingfisherOptionsInfo?) {
        var options = KingfisherParsedOptionsInfo(info)
        (options.fromMemoryCacheOrRefresh, options.backgroundDecode, options.callbackQueue) = (true, true, .untouch)
        (options.scaleFactor, options.preloadAllAnimationData, options.onlyLoadFirstFrame) = (1, true, true)
        (options.processor, options.cacheSerializer) = (DefaultImageProcessor(), DefaultCacheSerializer())
        (options.loadDiskFileSynchronously, options.diskStoreWriteOptions) = (true, [])
        (options.memoryCacheExpiration, options.diskCacheExpiration) = (.never, nil)
        (options.memoryCacheAccessExtendingExpiration, options.diskCacheAccessExtendingExpiration) = (.none, .cacheTime)
        (options.forcedExtension, options.targetCache, options.originalCache) = (nil, nil, nil)
        (options.cacheMemoryOnly, options.waitForCache, options.onlyFromCache) = (true, true, true)
        (options.cacheOriginalImage, options.asyncCacheTypeCheck, options.processingQueue) = (true, true, .mainAsync)
    }

    static func queues(_ queue: DispatchQueue, _ operations: OperationQueue) {
        let _: any CallbackOperationQueue = operations
        let queues: [CallbackQueue] = [
            .mainAsync, .mainCurrentOrAsync, .untouch, .dispatch(queue), .operationQueue(operations),
        ]
        let executions: [ExecutionQueue] = queues
        for queue in executions { queue.execute {} }
    }

    // MARK: Images

    static func images(_ image: KFCrossPlatformImage, _ data: Data) {
        let _: Data? = image.kf.pngRepresentation()
        let _: Data? = image.kf.jpegRepresentation(compressionQuality: 0.5)
        let _: Data? = image.kf.gifRepresentation()
        let _: Data? = image.kf.data(format: .PNG, compressionQuality: 0.5)
        let _: Data? = image.kf.data(format: .unknown)
        let _: [KFCrossPlatformImage] = [
            image.kf.normalized, image.kf.decoded, image.kf.decoded(scale: 2), image.kf.scaled(to: 2),
        ]
        image.kf.copyKingfisherState(to: image)
        let _: Int? = image.kf.imageFrameCount
        image.kf.imageFrameCount = nil
        let _: Int = image.cacheCost
        let _: ImageFormat = data.kf.imageFormat
        let options = ImageCreatingOptions(scale: 1, duration: 0, preloadAll: false, onlyFirstFrame: false)
        let _: Bool = options == ImageCreatingOptions()
        typealias Wrapper = KingfisherWrapper<KFCrossPlatformImage>
        let _: KFCrossPlatformImage? = Wrapper.image(data: data, options: options)
        let _: KFCrossPlatformImage? = Wrapper.animatedImage(data: data, options: options)
        let _: KFCrossPlatformImage? = Wrapper.downsampledImage(data: data, to: .zero, scale: 1)
        let _: KFCrossPlatformImage? = KingfisherWrapper.image(data: data, options: .init())
        let _: KFCrossPlatformImage? = KFCrossPlatformImage(data: data)
        let _: KFCrossPlatformImage? = KFCrossPlatformImage(data: data, scale: 2)
        let _: (CGSize, CGFloat, [KFCrossPlatformImage]?, TimeInterval) =
            (image.size, image.scale, image.images, image.duration)
    }

    static func processors(_ image: KFCrossPlatformImage, _ data: Data) {
        let processor: any ImageProcessor = DefaultImageProcessor.default |> DefaultImageProcessor()
        let _: any ImageProcessor = processor.append(another: DefaultImageProcessor.default)
        let _: String = processor.identifier
        let _: KFCrossPlatformImage? = processor.process(item: .image(image), options: parsed)
        let _: KFCrossPlatformImage? = processor.process(item: .data(data), options: parsed)
        var serializer = DefaultCacheSerializer()
        (serializer.compressionQuality, serializer.preferCacheOriginalData) = (1, false)
        let serializers: [any CacheSerializer] = [
            serializer, FormatIndicatedCacheSerializer.png, FormatIndicatedCacheSerializer.jpeg,
            FormatIndicatedCacheSerializer.gif, FormatIndicatedCacheSerializer.jpeg(compressionQuality: 0.5),
        ]
        for serializer in serializers {
            let _: Data? = serializer.data(with: image, original: data)
            let _: KFCrossPlatformImage? = serializer.image(with: data, options: parsed)
            let _: Bool = serializer.originalDataUsed
        }
    }

    static func resources(_ url: URL) {
        let resource: any Resource = url
        let _: (String, URL) = (resource.cacheKey, resource.downloadURL)
    }

    // MARK: Errors

    static func text(_ error: KingfisherError) -> String {
        switch error {
        case .cacheError(let reason): text(reason)
        case .processorError(.processingFailed(let identifier)): identifier
        }
    }

    static func text(_ reason: KingfisherError.CacheErrorReason) -> String {
        switch reason {
        case .fileEnumeratorCreationFailed(let url), .invalidFileEnumeratorContent(let url),
            .diskStorageIsNotReady(cacheURL: let url):
            url.path
        case .invalidURLResource(let error, let key, let url): "\(error) \(key) \(url)"
        case .cannotLoadDataFromDisk(let url, let error): "\(error) \(url)"
        case .cannotCreateDirectory(let path, let error): "\(error) \(path)"
        case .imageNotExisting(let key): key
        case .cannotConvertToData(let object, let error): "\(object) \(error)"
        case .cannotSerializeImage(let image, let original, let serializer):
            "\(image?.size ?? .zero) \(original?.count ?? 0) \(serializer.originalDataUsed)"
        case .cannotCreateCacheFile(let fileURL, let key, let data, let error): "\(fileURL) \(key) \(data) \(error)"
        case .cannotSetCacheFileAttribute(let filePath, let attributes, let error): "\(filePath) \(attributes) \(error)"
        }
    }

    /// What an app's own type has to have, and no more.
    struct OwnSerializer: CacheSerializer {
        func data(with image: KFCrossPlatformImage, original: Data?) -> Data? { nil }
        func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? { nil }
    }

    struct OwnProcessor: ImageProcessor {
        let identifier = "own"
        func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
            switch item {
            case .image(let image): image
            case .data(let data): DefaultCacheSerializer.default.image(with: data, options: options)
            }
        }
    }

    struct OwnValue: DataTransformable, CacheCostCalculable, Sendable {
        static var empty: OwnValue { OwnValue() }
        static func fromData(_ data: Data) throws -> OwnValue { OwnValue() }
        func toData() throws -> Data { Data() }
        var cacheCost: Int { 1 }
    }

    static func ownValues(_ config: DiskStorage.Config) throws {
        _ = try DiskStorage.Backend<OwnValue>(config: config)
        _ = MemoryStorage.Backend<OwnValue>(config: MemoryStorage.Config(totalCostLimit: 0))
    }
}
