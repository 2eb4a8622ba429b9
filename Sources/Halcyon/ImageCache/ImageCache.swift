public import Foundation

/// Images in memory, and behind that on disk.
///
/// ```swift
/// let cache = ImageCache.default
/// try await cache.store(image, original: data, forKey: url.cacheKey)   // in memory at once, on disk when it returns
/// let result = try await cache.retrieveImage(forKey: url.cacheKey)     // .memory, .disk or .none
/// cache.diskStorage.config.sizeLimit = 200_000_000                     // kept by itself from now on
/// ```
///
/// You may call all functions from any thread. What you call on a key sees what was called on it before, in memory and on disk. An image is
/// in memory, and found there, as soon as `store` returns. Stores and removals take their turns on one serial queue of the cache, and a long
/// clean lets others in between its batches. Loads wait for no other key: they run beside each other, as many at a time as there are
/// processors, and a load whose key is about to be stored is answered from that store. Each completion handler is called exactly once. The
/// async functions never pass through the main queue, and work where nobody serves it. A cancelled task takes back a load that has not begun.
///
/// <doc:Guarantees> has what is promised of order and waiting.
///
/// After a store that takes the disk over ``DiskStorage/Config/sizeLimit`` the least recently used entries are evicted, down
/// to half of it; every ``DiskStorage/Config/cleanInterval`` seconds what has expired is removed. Both post the notification
/// `KingfisherDidCleanDiskCache`: see ``KingfisherDiskCacheCleanedHashKey``.
///
/// A variant of an image, made by a processor, is an entry of its own: its key is the image's key, `@` and the processor's
/// identifier. The functions for overriding call each other as their signatures suggest, short ones the long ones.
open class ImageCache: @unchecked Sendable {
    // Sendable because its members are constants that are so themselves; what is confined to `ioQueue` says so.

    /// The cache that is used where nobody names another one. Its name is "default".
    public static let `default` = ImageCache(name: "default")

    /// Decoded images. In a cache made by name: up to a quarter of the machine's memory, each for five minutes from its last use.
    public let memoryStorage: MemoryStorage.Backend<KFCrossPlatformImage>
    /// The images' files. In a cache made by name: no limit, each for a week from its last use.
    public let diskStorage: DiskStorage.Backend<Data>

    let ioQueue = CacheQueue()
    /// The eviction that follows stores; confined to `ioQueue`.
    var trim = DiskTrim()
    /// Confined to `ioQueue`.
    var clearing = DiskClearing()
    let order = CallOrder()
    let resumptions = Locked(0)
    /// Whether a clean that the timer has begun has not ended.
    let isCleaningByTimer = Locked(false)
    private var lifecycle: Lifecycle?

    /// Makes the address of the cache's folder of that of its parent folder and `com.onevcat.Kingfisher.ImageCache.` with the
    /// cache's name.
    public typealias DiskCachePathClosure = @Sendable (URL, String) -> URL

    // MARK: Making one

    /// A cache of two storages. Two caches may share one: the last one made that is still there
    /// cleans it by the timer.
    public init(memoryStorage: MemoryStorage.Backend<KFCrossPlatformImage>, diskStorage: DiskStorage.Backend<Data>) {
        self.memoryStorage = memoryStorage
        self.diskStorage = diskStorage
        diskStorage.cleanPeriodically(for: self) { [weak self] in self?.cleanByTimer() }
        diskStorage.store.acceptedWork.add(of: self) { [weak self] handler in
            self?.onceDone(handler) ?? handler()
        }
        lifecycle = Lifecycle(cache: self)
    }

    /// The cache of a name, in the user's Caches folder. Never throws: if its folder cannot be made it works in memory alone,
    /// and stores report why.
    ///
    /// - Precondition: the name is not empty.
    /// - Complexity: makes the folder and opens the index: some milliseconds, whatever is in it.
    public convenience init(name: String) {
        precondition(!name.isEmpty, "A cache needs a name: its folder is named after it.")
        let config = Self.diskConfig(name: name, directory: nil, path: nil)
        self.init(
            memoryStorage: Self.memoryStorage(),
            diskStorage: DiskStorage.Backend(noThrowConfig: config, creatingDirectory: true))
    }

    /// The cache of a name, in a folder of the caller's choice.
    ///
    /// - Parameters:
    ///   - name: tells this cache from others; its folder is named after it.
    ///   - cacheDirectoryURL: the parent of the cache's folder; nil for the user's Caches folder.
    ///   - diskCachePathClosure: makes the cache's folder of its parent and `com.onevcat.Kingfisher.ImageCache.` with the
    ///     name; nil appends the one to the other.
    /// - Throws: ``KingfisherError/CacheErrorReason/cannotCreateDirectory(path:error:)`` for an empty name, and for a folder
    ///   that cannot be made or used.
    public convenience init(
        name: String, cacheDirectoryURL: URL?, diskCachePathClosure: DiskCachePathClosure? = nil
    ) throws {
        let config = Self.diskConfig(name: name, directory: cacheDirectoryURL, path: diskCachePathClosure)
        guard !name.isEmpty else { throw Self.emptyNameError(parent: cacheDirectoryURL) }
        self.init(memoryStorage: Self.memoryStorage(), diskStorage: try DiskStorage.Backend(config: config))
    }

    deinit {
        diskStorage.stopCleaning(for: self)
        diskStorage.store.acceptedWork.remove(of: self)
    }

    // MARK: Storing

    /// Stores an image: in memory at once, on the calling thread, then on disk.
    ///
    /// - Parameters:
    ///   - image: kept in memory as it is; on disk, what the serializer makes of it.
    ///   - original: the file it was made of; its format decides in which one the image is stored.
    ///   - key: of the image; the processor's identifier is added to it.
    ///   - options: the processor, the serializer, expirations, the file name extension, the callback queue.
    ///   - toDisk: false leaves the disk as it is.
    ///   - completionHandler: called on the options' callback queue once the bytes are on disk, or could not be put there; then
    ///     what was on disk before is still there, and the image is in memory all the same.
    open func store(
        _ image: KFCrossPlatformImage, original: Data? = nil, forKey key: String, options: KingfisherParsedOptionsInfo,
        toDisk: Bool = true, completionHandler: (@Sendable (CacheStoreResult) -> Void)? = nil
    ) {
        storeInMemory(image, forKey: key, options: options)
        let report = StoreReport(queue: options.callbackQueue, handler: completionHandler)
        guard toDisk else { return report(.success(())) }
        storeOnDisk(image, original: original, forKey: key, options: options, attributes: .init(), report: report)
    }

    /// As ``store(_:original:forKey:options:toDisk:completionHandler:)``, with some options one by one.
    ///
    /// - Parameters:
    ///   - image: kept in memory as it is; on disk, what the serializer makes of it.
    ///   - original: the file it was made of; nil if there is none.
    ///   - key: of the image, without the processor's identifier.
    ///   - identifier: of the processor that has made the image; empty for none.
    ///   - forcedExtension: of the blob's file name; part of the entry's identity. nil for none.
    ///   - serializer: makes the bytes of the image.
    ///   - toDisk: false leaves the disk as it is.
    ///   - callbackQueue: where the handler is called; by default on the cache's own queue.
    ///   - completionHandler: called once the bytes are on disk, or could not be put there.
    open func store(
        _ image: KFCrossPlatformImage, original: Data? = nil, forKey key: String,
        processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        cacheSerializer serializer: any CacheSerializer = DefaultCacheSerializer.default, toDisk: Bool = true,
        callbackQueue: CallbackQueue = .untouch, completionHandler: (@Sendable (CacheStoreResult) -> Void)? = nil
    ) {
        let options = KingfisherParsedOptionsInfo([
            .processor(NamedProcessor(identifier: identifier)), .cacheSerializer(serializer),
            .callbackQueue(callbackQueue), .forcedCacheFileExtension(forcedExtension),
        ])
        store(
            image, original: original, forKey: key, options: options, toDisk: toDisk,
            completionHandler: completionHandler)
    }

    /// Stores bytes on disk, and nothing in memory.
    ///
    /// - Parameters:
    ///   - data: written as it is.
    ///   - key: of the image, without a processor's identifier.
    ///   - identifier: of the processor that has made it; empty for none.
    ///   - forcedExtension: of the blob's file name; part of the entry's identity. nil for none.
    ///   - expiration: nil for the configured one. One that is over stores nothing, successfully.
    ///   - callbackQueue: where the handler is called; by default on the cache's own queue.
    ///   - completionHandler: called once the bytes are on disk, or could not be put there; then what was there before still is.
    open func storeToDisk(
        _ data: Data, forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        expiration: StorageExpiration? = nil, callbackQueue: CallbackQueue = .untouch,
        completionHandler: (@Sendable (CacheStoreResult) -> Void)? = nil
    ) {
        storeToDisk(
            data, forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension,
            expiration: expiration, attributes: .init(), callbackQueue: callbackQueue,
            completionHandler: completionHandler)
    }

    // MARK: Removing

    /// Removes an image, from memory at once. None there is no error, and neither is a blob that cannot be removed: it stays, and
    /// is still found.
    ///
    /// Its variants are entries of their own: see
    /// ``removeImageAndVariants(forKey:fromMemory:fromDisk:callbackQueue:completionHandler:)``.
    ///
    /// - Parameters:
    ///   - key: of the image, without a processor's identifier.
    ///   - identifier: of the processor that has made it; empty for none.
    ///   - forcedExtension: the one it was stored with. nil for none.
    ///   - fromMemory: false leaves it in memory.
    ///   - fromDisk: false leaves it on disk.
    ///   - callbackQueue: where the handler is called; by default on the cache's own queue.
    ///   - completionHandler: called once it is gone from both.
    open func removeImage(
        forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        fromMemory: Bool = true, fromDisk: Bool = true, callbackQueue: CallbackQueue = .untouch,
        completionHandler: (@Sendable () -> Void)? = nil
    ) {
        // The handler has no place for an error; a blob that is still there is still found.
        remove(key.computedKey(with: identifier), forcedExtension, fromMemory: fromMemory, fromDisk: fromDisk) { _ in
            callbackQueue.call(completionHandler)
        }
    }

    private func remove(
        _ key: String, _ forcedExtension: String?, fromMemory: Bool, fromDisk: Bool,
        then handler: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        let memoryKey = MemoryKey(key)
        order.change(memoryKey) {
            if fromMemory { memoryStorage.remove(forKey: key) }
            guard fromDisk else { return }
            let name = diskStorage.blobName(forKey: key, forcedExtension: forcedExtension)
            order.beginRemoval(of: name, key: memoryKey) { number in
                ioQueue.async { [order, diskStorage] in
                    let result = Result { try diskStorage.remove(forKey: key, forcedExtension: forcedExtension) }
                    order.endRemoval(number, of: memoryKey)
                    handler(result)
                }
            }
        }
        if !fromDisk { handler(.success(())) }
    }

    // MARK: Loading

    /// Looks for an image in memory and then, unless ``KingfisherOptionsInfoItem/fromMemoryCacheOrRefresh`` is set, on disk.
    /// What is found on disk is in memory when the handler is called.
    ///
    /// - Parameters:
    ///   - key: of the image; the processor's identifier is added to it.
    ///   - options: the processor, the serializer, what a hit does to the expirations, where and how far it is decoded.
    ///   - callbackQueue: by default the main queue, at once if this is it.
    ///   - completionHandler: nil, and nothing happens. A failure is a blob that exists and cannot be read; nothing there and
    ///     bytes that are no image are ``ImageCacheResult/none``.
    open func retrieveImage(
        forKey key: String, options: KingfisherParsedOptionsInfo, callbackQueue: CallbackQueue = .mainCurrentOrAsync,
        completionHandler: (@Sendable (Result<ImageCacheResult, KingfisherError>) -> Void)?
    ) {
        guard let completionHandler else { return }
        if let image = retrieveImageInMemoryCache(forKey: key, options: options) {
            return callbackQueue.execute { completionHandler(.success(.memory(image))) }
        }
        guard !options.fromMemoryCacheOrRefresh else {
            return callbackQueue.execute { completionHandler(.success(.none)) }
        }
        loadIntoMemory(forKey: key, options: options) { result in
            callbackQueue.execute { completionHandler(result) }
        }
    }

    /// As ``retrieveImage(forKey:options:callbackQueue:completionHandler:)`` with options as a list; nil for the defaults.
    open func retrieveImage(
        forKey key: String, options: KingfisherOptionsInfo? = nil,
        callbackQueue: CallbackQueue = .mainCurrentOrAsync,
        completionHandler: (@Sendable (Result<ImageCacheResult, KingfisherError>) -> Void)?
    ) {
        retrieveImage(
            forKey: key, options: KingfisherParsedOptionsInfo(options), callbackQueue: callbackQueue,
            completionHandler: completionHandler)
    }

    /// The image in memory; nil if none is there or it has expired. At once, without the disk; counts as a use.
    open func retrieveImageInMemoryCache(
        forKey key: String, options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        memoryStorage.value(
            forKey: key.computedKey(with: options.processor.identifier),
            extendingExpiration: options.memoryCacheAccessExtendingExpiration)
    }

    /// As ``retrieveImageInMemoryCache(forKey:options:)-(_,KingfisherParsedOptionsInfo)`` with options as a list; nil for the
    /// defaults.
    open func retrieveImageInMemoryCache(
        forKey key: String, options: KingfisherOptionsInfo? = nil
    ) -> KFCrossPlatformImage? {
        retrieveImageInMemoryCache(forKey: key, options: KingfisherParsedOptionsInfo(options))
    }

    /// Looks for an image on disk alone, and leaves the memory as it is.
    ///
    /// - Parameters:
    ///   - key: of the image; the processor's identifier is added to it.
    ///   - options: nil for the defaults.
    ///   - callbackQueue: where the handler is called; by default on whatever thread did the work.
    ///   - completionHandler: nil as the value where nothing is there, or bytes that are no image. A failure is a blob that exists
    ///     and cannot be read.
    open func retrieveImageInDiskCache(
        forKey key: String, options: KingfisherOptionsInfo? = nil, callbackQueue: CallbackQueue = .untouch,
        completionHandler: @escaping @Sendable (Result<KFCrossPlatformImage?, KingfisherError>) -> Void
    ) {
        loadFromDisk(forKey: key, options: KingfisherParsedOptionsInfo(options)) { result in
            callbackQueue.execute { completionHandler(result) }
        }
    }

    // MARK: Clearing

    /// Removes everything, pinned entries included, from memory at once. The handler comes on the main queue.
    public func clearCache(completion handler: (@Sendable () -> Void)? = nil) {
        order.changeAll {
            clearMemoryCache()
            clearDiskCache(completion: handler)
        }
    }

    /// Removes everything from memory.
    #if canImport(ObjectiveC)
        @objc
    #endif
    public func clearMemoryCache() {
        order.changeAll { memoryStorage.removeAll() }
    }

    /// Removes everything from the disk that is there by then, pinned entries included; what is stored later stays. What cannot
    /// be removed stays too, and is found again afterwards. The handler comes on the main queue. O(entries).
    ///
    /// Loads and stores that you call after it do not wait for it: loads find nothing from its call on, and stores are done beside it. Until it has ended another process, and whoever asks the disk storage for totals or lists, may see what has not gone yet.
    open func clearDiskCache(completion handler: (@Sendable () -> Void)? = nil) {
        clearDisk { CallbackQueue.mainAsync.call(handler) }
    }

    // MARK: Cleaning

    /// Removes what has expired, from memory at once, and does what ``cleanExpiredDiskCache(completion:)`` does.
    open func cleanExpiredCache(completion handler: (@Sendable () -> Void)? = nil) {
        cleanExpiredMemoryCache()
        cleanExpiredDiskCache(completion: handler)
    }

    /// Removes what has expired from memory, now and on this thread. A timer does the same.
    open func cleanExpiredMemoryCache() { memoryStorage.removeExpired() }

    /// Removes what has expired from the disk and then, once there are ``DiskStorage/Config/sizeLimit`` bytes, what was used
    /// least recently, down to half of that. Then the notification, then the handler on the main queue.
    ///
    /// Goes on past files that cannot be removed. Other calls get in between its batches; see
    /// ``cleanExpiredDiskCache(progress:completion:)`` for one that can be watched and cancelled.
    open func cleanExpiredDiskCache(completion handler: (@Sendable () -> Void)? = nil) {
        cleanDisk(progress: nil) { CallbackQueue.mainAsync.call(handler) }
    }

    /// Whom the notification after a clean names as its object: this cache. One that works behind another cache overrides it.
    open var notificationObject: AnyObject { self }

    // MARK: Looking

    /// Where an image is cached, and valid. Reads no blob and waits for no clean and no store: fit for a main thread. An image that is
    /// about to be stored on disk counts as there, and one that is about to be removed does not.
    open func imageCachedType(
        forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil
    ) -> CacheType {
        let key = key.computedKey(with: identifier)
        if memoryStorage.isCached(forKey: key) { return .memory }
        let name = diskStorage.blobName(forKey: key, forcedExtension: forcedExtension)
        return switch order.source(of: name, key: MemoryKey(key)) {
        case .disk: diskStorage.isCached(forKey: key, forcedExtension: forcedExtension) ? .disk : .none
        case .pending: .disk
        case .nothing: .none
        }
    }

    /// As ``imageCachedType(forKey:processorIdentifier:forcedExtension:)``, with the disk asked off your thread. What is in memory is
    /// answered at once.
    public func imageCachedTypeAsync(
        forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        callbackQueue: CallbackQueue = .mainCurrentOrAsync, completionHandler: @escaping @Sendable (CacheType) -> Void
    ) {
        if memoryStorage.isCached(forKey: key.computedKey(with: identifier)) {
            return callbackQueue.execute { completionHandler(.memory) }
        }
        Self.loadQueue.addOperation { [self] in
            let type = imageCachedType(
                forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension)
            callbackQueue.execute { completionHandler(type) }
        }
    }

    /// Whether an image is cached in memory or on disk, and valid. Fit for a main thread.
    public func isCached(
        forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil
    ) -> Bool {
        imageCachedType(forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension).cached
    }

    /// The name of the blob's file; see ``DiskStorage/Backend/cacheFileURL(forKey:forcedExtension:)``.
    open func hash(
        forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil
    ) -> String {
        diskStorage.cacheFileName(forKey: key.computedKey(with: identifier), forcedExtension: forcedExtension)
    }

    /// Bytes on disk, of all blobs, expired ones included. O(1) once Kingfisher's files have been taken over, which it waits for.
    /// The handler comes on the main queue; a failure is an index that cannot be read.
    open func calculateDiskStorageSize(completion handler: @escaping @Sendable (Result<UInt, KingfisherError>) -> Void)
    {
        measureDisk { result in CallbackQueue.mainAsync.execute { handler(result) } }
    }

    /// What the images in memory cost together: bytes of their bitmaps, expired ones included.
    open var memoryStorageCacheCost: Int { memoryStorage.totalCacheCost() }

    /// The path of the blob; see ``DiskStorage/Backend/cacheFileURL(forKey:forcedExtension:)``.
    open func cachePath(
        forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil
    ) -> String {
        diskStorage.cacheFileURL(forKey: key.computedKey(with: identifier), forcedExtension: forcedExtension).path
    }

    /// The blob's address, if the image is cached on disk and valid. Fit for a main thread. Whoever reads the file may find it
    /// gone by then.
    open func cacheFileURLIfOnDisk(
        forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil
    ) -> URL? {
        let key = key.computedKey(with: identifier)
        return diskStorage.fileURLIfCached(forKey: key, forcedExtension: forcedExtension)
    }

    // MARK: Async

    /// Returns when the bytes are on disk.
    ///
    /// - Throws: ``KingfisherError`` if they could not be put there. The image is in memory all the same.
    open func store(
        _ image: KFCrossPlatformImage, original: Data? = nil, forKey key: String, options: KingfisherParsedOptionsInfo,
        toDisk: Bool = true
    ) async throws {
        var options = options
        options.callbackQueue = .untouch
        try await result { [options] resume in
            store(image, original: original, forKey: key, options: options, toDisk: toDisk) {
                resume($0.diskCacheResult)
            }
        }
    }

    /// Returns when the bytes are on disk.
    ///
    /// - Throws: ``KingfisherError`` if they could not be put there. The image is in memory all the same.
    open func store(
        _ image: KFCrossPlatformImage, original: Data? = nil, forKey key: String,
        processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        cacheSerializer serializer: any CacheSerializer = DefaultCacheSerializer.default, toDisk: Bool = true
    ) async throws {
        try await result { resume in
            store(
                image, original: original, forKey: key, processorIdentifier: identifier,
                forcedExtension: forcedExtension, cacheSerializer: serializer, toDisk: toDisk
            ) { resume($0.diskCacheResult) }
        }
    }

    /// Returns when the bytes are on disk.
    ///
    /// - Throws: ``KingfisherError`` if they could not be put there; then what was there before still is.
    open func storeToDisk(
        _ data: Data, forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        expiration: StorageExpiration? = nil
    ) async throws {
        try await result { resume in
            storeToDisk(
                data, forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension,
                expiration: expiration
            ) { resume($0.diskCacheResult) }
        }
    }

    /// Returns when the image is gone; none there is no error. It does not call the function with a handler, which has no place for one.
    ///
    /// - Throws: ``KingfisherError`` if its blob could not be removed. Then it stays, and is still found.
    open func removeImage(
        forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        fromMemory: Bool = true, fromDisk: Bool = true
    ) async throws {
        try await withCheckedThrowingContinuation { continuation in
            remove(key.computedKey(with: identifier), forcedExtension, fromMemory: fromMemory, fromDisk: fromDisk) {
                continuation.resume(with: $0)
            }
        }
    }

    /// The image in memory or on disk. Never on the main queue.
    ///
    /// - Throws: ``KingfisherError`` if a blob exists and cannot be read. A miss is ``ImageCacheResult/none``. `CancellationError` if the task
    ///   was cancelled before the load has begun.
    open func retrieveImage(
        forKey key: String, options: KingfisherParsedOptionsInfo
    ) async throws -> ImageCacheResult {
        try await LoadCancellation.load {
            retrieveImage(forKey: key, options: options, callbackQueue: .untouch, completionHandler: $0)
        }
    }

    /// The image in memory or on disk. Never on the main queue.
    ///
    /// - Throws: ``KingfisherError`` if a blob exists and cannot be read. A miss is ``ImageCacheResult/none``. `CancellationError` if the task
    ///   was cancelled before the load has begun.
    open func retrieveImage(
        forKey key: String, options: KingfisherOptionsInfo? = nil
    ) async throws -> ImageCacheResult {
        try await retrieveImage(forKey: key, options: KingfisherParsedOptionsInfo(options))
    }

    /// The image on disk; nil if none is there, or bytes that are no image. Memory is left as it is.
    ///
    /// - Throws: ``KingfisherError`` if a blob exists and cannot be read, `CancellationError` if the task was cancelled before the load has
    ///   begun.
    open func retrieveImageInDiskCache(
        forKey key: String, options: KingfisherOptionsInfo? = nil
    ) async throws -> KFCrossPlatformImage? {
        try await LoadCancellation.load {
            retrieveImageInDiskCache(forKey: key, options: options, completionHandler: $0)
        }
    }

    /// Returns when everything is gone, from memory and disk.
    open func clearCache() async {
        order.beginChangeOfAll()
        defer { order.endChangeOfAll() }
        clearMemoryCache()
        await clearDiskCache()
    }

    /// Returns when everything on disk is gone that was there when it was called.
    open func clearDiskCache() async {
        await withCheckedContinuation { continuation in clearDisk { continuation.resume() } }
    }

    /// Returns when what has expired is gone, from memory and disk. A cancelled task ends it after the batch under way.
    open func cleanExpiredCache() async {
        cleanExpiredMemoryCache()
        await cleanExpiredDiskCache()
    }

    /// Returns when what has expired, and what is over the limit, is gone. A cancelled task ends it after the batch under way.
    open func cleanExpiredDiskCache() async {
        // Discrete: it is no part of what the caller may be counting on this thread.
        await cleanExpiredDiskCache(progress: Progress.discreteProgress(totalUnitCount: 0))
    }

    /// As ``imageCachedType(forKey:processorIdentifier:forcedExtension:)``, with the disk asked off your thread.
    public func imageCachedTypeAsync(
        forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil
    ) async -> CacheType {
        await withCheckedContinuation { continuation in
            imageCachedTypeAsync(
                forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension, callbackQueue: .untouch
            ) { continuation.resume(returning: $0) }
        }
    }

    /// Bytes on disk, of all blobs, expired ones included.
    ///
    /// - Throws: ``KingfisherError/CacheErrorReason/invalidURLResource(error:key:url:)`` if the index cannot be read.
    open var diskStorageSize: UInt {
        get async throws { try await result { measureDisk(then: $0) } }
    }
}

/// The continuation of an async twin.
private func result<Success: Sendable>(
    _ body: (@escaping @Sendable (Result<Success, KingfisherError>) -> Void) -> Void
) async throws -> Success {
    try await withCheckedThrowingContinuation { continuation in body { continuation.resume(with: $0) } }
}
