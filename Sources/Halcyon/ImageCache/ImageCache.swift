public import Foundation

/// An image cache in memory and on disk.
///
/// ```swift
/// let cache = ImageCache.default
/// try await cache.store(image, original: data, forKey: url.cacheKey)   // in memory at once, on disk when it returns
/// let result = try await cache.retrieveImage(forKey: url.cacheKey)     // .memory, .disk or .none
/// cache.diskStorage.config.sizeLimit = 200_000_000                     // enforced automatically from now on
/// ```
///
/// You may call all functions from any thread. A call on a key sees the effects of earlier calls on it, in memory and on disk. As
/// soon as `store` returns, the image is in memory and loads find it. Stores and removals run one after another on a serial queue
/// of the cache, and other calls run between the batches of a long clean. Loads do not wait for other keys: they run in
/// parallel, up to one per processor. A load of a key with a pending store returns that store's image. Each completion handler is
/// called exactly once. The async functions never use the main queue, so they work in a process that does not run it. If a task
/// is cancelled, its load is withdrawn unless it has begun.
///
/// <doc:Guarantees> describes order and waiting.
///
/// If a store takes the disk over ``DiskStorage/Config/sizeLimit``, the least recently used entries are evicted, down to half of
/// the limit. Every ``DiskStorage/Config/cleanInterval`` seconds, expired entries are removed. Both post the notification
/// `KingfisherDidCleanDiskCache`: see ``KingfisherDiskCacheCleanedHashKey``.
///
/// A variant of an image, made by a processor, is an entry of its own: its key is the image's key, `@` and the processor's
/// identifier. If you override a function, note that shorter overloads call the longer ones.
open class ImageCache: @unchecked Sendable {
    // Sendable because its members are Sendable constants, except those marked as confined to `ioQueue`.

    /// The default cache. Its name is "default".
    public static let `default` = ImageCache(name: "default")

    /// Decoded images. Unless you pass a storage: up to a quarter of the memory of the machine or its control group, each for five
    /// minutes after its last use.
    public let memoryStorage: MemoryStorage.Backend<KFCrossPlatformImage>
    /// The image files. Unless you pass a storage: no limit, each for a week after its last use.
    public let diskStorage: DiskStorage.Backend<Data>

    let ioQueue = CacheQueue()
    /// Where removals by filter run, one after the other. Its thread is its own: those of the global queues may all be held by callers
    /// that wait for it.
    let removalQueue = DispatchQueue(label: "com.onevcat.Kingfisher.ImageCache.removal", qos: .utility)
    /// The eviction that follows stores; confined to `ioQueue`.
    var trim = DiskTrim()
    /// Confined to `ioQueue`.
    var turns = DiskTurns()
    let order = CallOrder()
    /// The cache of which a call of `clearDiskCache` on this task clears memory too. Static, because a task outlives what its
    /// task-local values are keyed by.
    static let clearingMemory = TaskLocal<ImageCache?>(wrappedValue: nil)
    /// Images that are being fetched.
    let flights = SingleFlight<BlobName, KFCrossPlatformImage>()
    /// Whether a clean started by the timer is still under way.
    let isCleaningByTimer = Locked(false)
    /// Names for the next notification of a clean; empty if none is about to be posted.
    let cleanedNames = Locked<[String]>([])
    private var lifecycle: Lifecycle?

    /// Makes the URL of the cache's directory from the URL of its parent and `com.onevcat.Kingfisher.ImageCache.` plus the cache's
    /// name.
    public typealias DiskCachePathClosure = @Sendable (URL, String) -> URL

    // MARK: Creating a cache

    /// Creates a cache from two storages. If several caches share a disk storage, the timer cleans it through the most recently
    /// created one that still exists.
    public init(memoryStorage: MemoryStorage.Backend<KFCrossPlatformImage>, diskStorage: DiskStorage.Backend<Data>) {
        self.memoryStorage = memoryStorage
        self.diskStorage = diskStorage
        diskStorage.cleanPeriodically(for: self) { [weak self] in self?.cleanByTimer() }
        diskStorage.store.acceptedWork.add(of: self) { [weak self] handler in
            self?.onceDone(handler) ?? handler()
        }
        lifecycle = Lifecycle(cache: self)
    }

    /// Creates a cache with a name, in the user's Caches directory. Never throws: if its directory cannot be created, the
    /// cache works in memory only, and stores and loads that need the disk report
    /// ``KingfisherError/CacheErrorReason/diskStorageIsNotReady(cacheURL:)``.
    ///
    /// - Precondition: the name is not empty.
    /// - Complexity: creates the directory and opens the index: a few milliseconds, whatever the number of entries.
    public convenience init(name: String) {
        precondition(!name.isEmpty, "A cache needs a name, because its directory is named after it.")
        let config = DiskStorage.Config(name: name, sizeLimit: 0)
        self.init(
            memoryStorage: Self.memoryStorage(),
            diskStorage: DiskStorage.Backend(noThrowConfig: config, creatingDirectory: true))
    }

    /// Creates a cache with a name, in a directory of your choice.
    ///
    /// - Parameters:
    ///   - name: identifies this cache; its directory is named after it.
    ///   - cacheDirectoryURL: the parent of the cache's directory; nil for the user's Caches directory.
    ///   - diskCachePathClosure: makes the URL of the cache's directory from its parent's and `com.onevcat.Kingfisher.ImageCache.`
    ///     plus the name; nil appends the second to the first.
    /// - Throws: ``KingfisherError/CacheErrorReason/cannotCreateDirectory(path:error:)`` if the name is empty, or if the
    ///   directory cannot be created or used.
    public convenience init(
        name: String, cacheDirectoryURL: URL?, diskCachePathClosure: DiskCachePathClosure? = nil
    ) throws {
        var config = DiskStorage.Config(name: name, sizeLimit: 0, directory: cacheDirectoryURL)
        if let diskCachePathClosure { config.cachePathBlock = diskCachePathClosure }
        guard !name.isEmpty else { throw Self.emptyNameError(parent: cacheDirectoryURL) }
        self.init(memoryStorage: Self.memoryStorage(), diskStorage: try DiskStorage.Backend(config: config))
    }

    deinit {
        diskStorage.stopCleaning(for: self)
        diskStorage.store.acceptedWork.remove(of: self)
    }

    // MARK: Storing

    /// Stores an image in memory at once, on the calling thread, then on disk.
    ///
    /// - Parameters:
    ///   - image: kept in memory as it is; the serializer makes the bytes for the disk.
    ///   - original: the data it was made from, which decides the format on disk.
    ///   - key: the image's key; the processor's identifier is appended to it.
    ///   - options: the processor, serializer, expirations, file name extension and callback queue.
    ///   - toDisk: false leaves the disk unchanged.
    ///   - completionHandler: called on the options' callback queue when the bytes are on disk or could not be written. After a
    ///     failure the disk keeps its old entry, and the image is still in memory.
    open func store(
        _ image: KFCrossPlatformImage, original: Data? = nil, forKey key: String, options: KingfisherParsedOptionsInfo,
        toDisk: Bool = true, completionHandler: (@Sendable (CacheStoreResult) -> Void)? = nil
    ) {
        let report = options.callbackQueue.report(to: completionHandler)
        let blob = blob(of: key, options)
        guard toDisk else {
            order.change(blob) {
                // The image of a fetch under way must not replace it.
                flights.forget(blob.name)
                return keepInMemory(image, as: blob.key, options)
            }
            return report(.success(()))
        }
        storeInBoth(image, original: original, as: blob, options: options, attributes: .init(), report: report)
    }

    /// Like ``store(_:original:forKey:options:toDisk:completionHandler:)``, with some options as parameters.
    ///
    /// - Parameters:
    ///   - image: kept in memory as it is; the serializer makes the bytes for the disk.
    ///   - original: the data it was made from; nil if there is none.
    ///   - key: the image's key, without the processor's identifier.
    ///   - identifier: the processor's identifier; empty for none.
    ///   - forcedExtension: the file name extension of the blob, part of the entry's identity; nil for none.
    ///   - serializer: makes the bytes of the image.
    ///   - toDisk: false leaves the disk unchanged.
    ///   - callbackQueue: calls the handler; by default on the thread that did the work.
    ///   - completionHandler: called when the bytes are on disk or could not be written.
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

    /// Stores bytes on disk only.
    ///
    /// - Parameters:
    ///   - data: written as it is.
    ///   - key: the image's key, without a processor's identifier.
    ///   - identifier: the processor's identifier; empty for none.
    ///   - forcedExtension: the file name extension of the blob, part of the entry's identity; nil for none.
    ///   - expiration: nil for the configured one. If it has already passed, the call succeeds and stores nothing.
    ///   - callbackQueue: calls the handler; by default on the thread that did the work.
    ///   - completionHandler: called when the bytes are on disk or could not be written. After a failure the old entry remains.
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

    /// Removes an image, from memory at once. A missing image is not an error. If the blob cannot be removed, no error is reported
    /// either: the entry remains, and loads still find it.
    ///
    /// Its variants are separate entries: see
    /// ``removeImageAndVariants(forKey:fromMemory:fromDisk:callbackQueue:completionHandler:)``.
    ///
    /// - Parameters:
    ///   - key: the image's key, without a processor's identifier.
    ///   - identifier: the processor's identifier; empty for none.
    ///   - forcedExtension: the extension it was stored with; nil for none.
    ///   - fromMemory: false leaves it in memory.
    ///   - fromDisk: false leaves it on disk.
    ///   - callbackQueue: calls the handler; by default on the thread that did the work.
    ///   - completionHandler: called when the image is removed from both.
    open func removeImage(
        forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        fromMemory: Bool = true, fromDisk: Bool = true, callbackQueue: CallbackQueue = .untouch,
        completionHandler: (@Sendable () -> Void)? = nil
    ) {
        // The handler cannot report an error. If the blob is still there, loads still find it.
        let blob = blob(of: key, identifier, forcedExtension)
        remove(blob, fromMemory: fromMemory, fromDisk: fromDisk) { _ in
            callbackQueue.call(completionHandler)
        }
    }

    private func remove(
        _ blob: DiskLoad.Blob, fromMemory: Bool, fromDisk: Bool,
        then handler: @escaping @Sendable (Result<(), KingfisherError>) -> Void
    ) {
        let removeFromMemory = fromMemory ? { [memoryStorage] in memoryStorage.take(blob.key) } : nil
        guard fromDisk else {
            if let removeFromMemory { order.change(blob, removeFromMemory) }
            return handler(.success(()))
        }
        order.begin(blob, storing: nil, memory: removeFromMemory) { number in
            ioQueue.async { [self] in
                let result = diskResult { try diskStorage.remove(blob.name, forKey: blob.key.text) }
                order.endRemoval(number, of: blob.key)
                handler(result)
            }
        }
    }

    // MARK: Loading

    /// Looks for an image in memory and then, unless ``KingfisherOptionsInfoItem/fromMemoryCacheOrRefresh`` is set, on disk. An
    /// image found on disk enters memory before the handler is called, unless a change of its key, or of many keys, has been
    /// called meanwhile.
    ///
    /// - Parameters:
    ///   - key: the image's key; the processor's identifier is appended to it.
    ///   - options: the processor and serializer, how a hit extends the expirations, and where and how far to decode.
    ///   - callbackQueue: by default the main queue; called at once if you are on it.
    ///   - completionHandler: if nil, the call does nothing. It receives an error if a blob exists and cannot be read. If there
    ///     is no image, or the bytes are not an image, it receives ``ImageCacheResult/none``.
    open func retrieveImage(
        forKey key: String, options: KingfisherParsedOptionsInfo, callbackQueue: CallbackQueue = .mainCurrentOrAsync,
        completionHandler: (@Sendable (Result<ImageCacheResult, KingfisherError>) -> Void)?
    ) {
        guard let completionHandler else { return }
        for round in 1... {
            // If an image may have entered memory meanwhile, looks again, but not without end: an override may change something.
            let changes = round < 4 ? order.changeCount : nil
            if let image = retrieveImageInMemoryCache(forKey: key, options: options) {
                return callbackQueue.execute { completionHandler(.success(.memory(image))) }
            }
            guard !options.fromMemoryCacheOrRefresh else {
                return callbackQueue.execute { completionHandler(.success(.none)) }
            }
            let isBegun = loadIntoMemory(forKey: key, options: options, since: changes) { result in
                callbackQueue.execute { completionHandler(result) }
            }
            if isBegun { return }
        }
    }

    /// Like ``retrieveImage(forKey:options:callbackQueue:completionHandler:)``, with options as a list; nil for the defaults.
    open func retrieveImage(
        forKey key: String, options: KingfisherOptionsInfo? = nil,
        callbackQueue: CallbackQueue = .mainCurrentOrAsync,
        completionHandler: (@Sendable (Result<ImageCacheResult, KingfisherError>) -> Void)?
    ) {
        retrieveImage(
            forKey: key, options: KingfisherParsedOptionsInfo(options), callbackQueue: callbackQueue,
            completionHandler: completionHandler)
    }

    /// Returns the image in memory, or nil if there is none or it has expired. Never uses the disk. Counts as a use.
    ///
    /// If you override it, a load calls it again, up to four times, while other calls change the cache.
    open func retrieveImageInMemoryCache(
        forKey key: String, options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        memoryStorage.value(
            forKey: key.computedKey(with: options.processor.identifier),
            extendingExpiration: options.memoryCacheAccessExtendingExpiration)
    }

    /// Like ``retrieveImageInMemoryCache(forKey:options:)-(_,KingfisherParsedOptionsInfo)``, with options as a list; nil for the
    /// defaults.
    open func retrieveImageInMemoryCache(
        forKey key: String, options: KingfisherOptionsInfo? = nil
    ) -> KFCrossPlatformImage? {
        retrieveImageInMemoryCache(forKey: key, options: KingfisherParsedOptionsInfo(options))
    }

    /// Looks for an image on disk only, and leaves memory unchanged.
    ///
    /// - Parameters:
    ///   - key: the image's key; the processor's identifier is appended to it.
    ///   - options: nil for the defaults.
    ///   - callbackQueue: calls the handler; by default on the thread that did the work.
    ///   - completionHandler: receives nil if there is no image or the bytes are not an image, and an error if a blob exists and
    ///     cannot be read.
    open func retrieveImageInDiskCache(
        forKey key: String, options: KingfisherOptionsInfo? = nil, callbackQueue: CallbackQueue = .untouch,
        completionHandler: @escaping @Sendable (Result<KFCrossPlatformImage?, KingfisherError>) -> Void
    ) {
        let options = KingfisherParsedOptionsInfo(options)
        let load = DiskLoad.Member(options: options, entersMemory: false) { result in
            callbackQueue.execute { completionHandler(result) }
        }
        begin(load, of: blob(of: key, options), since: nil)
    }

    // MARK: Clearing

    /// Removes everything, including pinned entries: from memory at once, and from disk like ``clearDiskCache(completion:)``. The
    /// handler is called on the main queue.
    public func clearCache(completion handler: (@Sendable () -> Void)? = nil) {
        order.changeAll {
            clearMemoryCache()
            Self.clearingMemory.withValue(self) { clearDiskCache(completion: handler) }
        }
    }

    /// Removes everything from memory.
    #if canImport(ObjectiveC)
        @objc
    #endif
    public func clearMemoryCache() {
        order.changeAll { memoryStorage.removeAll() }
    }

    /// Removes everything that is on disk when its turn comes, including pinned entries. Later stores remain. Files that cannot
    /// be removed remain too, and loads find them again afterwards. The handler is called on the main queue. O(entries).
    ///
    /// Later loads and stores do not wait: loads find nothing from the moment you call this, and stores run alongside it. Until
    /// it ends, other processes and the disk storage's totals and lists may still include entries not deleted yet.
    open func clearDiskCache(completion handler: (@Sendable () -> Void)? = nil) {
        clearDisk { CallbackQueue.mainAsync.call(handler) }
    }

    // MARK: Cleaning

    /// Removes what has expired from memory at once, then does what ``cleanExpiredDiskCache(completion:)`` does.
    open func cleanExpiredCache(completion handler: (@Sendable () -> Void)? = nil) {
        cleanExpiredMemoryCache()
        cleanExpiredDiskCache(completion: handler)
    }

    /// Removes what has expired from memory, at once and on this thread. A timer does the same.
    open func cleanExpiredMemoryCache() { memoryStorage.removeExpired() }

    /// Removes expired entries from the disk. Then, if a limit of the configuration is reached (by default there is none), evicts
    /// entries down to ``DiskStorage/Config/lowWaterRatio`` of it. Then posts the notification and calls the handler on the main
    /// queue.
    ///
    /// Skips files that cannot be removed. Other calls run between its batches. To watch or cancel a clean, use
    /// ``cleanExpiredDiskCache(progress:completion:)``.
    open func cleanExpiredDiskCache(completion handler: (@Sendable () -> Void)? = nil) {
        cleanDisk(progress: nil) { Self.onMainQueue(handler) }
    }

    /// The object of the notification after a clean: this cache. Override it if your cache wraps this one.
    open var notificationObject: AnyObject { self }

    // MARK: Inspecting

    /// Returns where an image is cached, ignoring expired entries. Reads no blob and waits for no clean or store, so you can call
    /// it on the main thread. A pending store on disk counts as cached, and a pending removal as not cached.
    open func imageCachedType(
        forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil
    ) -> CacheType {
        let computedKey = key.computedKey(with: identifier)
        if memoryStorage.isCached(forKey: computedKey) { return .memory }
        return switch order.source(of: blob(of: key, identifier, forcedExtension)) {
        case .disk: diskStorage.isCached(forKey: computedKey, forcedExtension: forcedExtension) ? .disk : .none
        case .pending: .disk
        case .nothing: .none
        }
    }

    /// Like ``imageCachedType(forKey:processorIdentifier:forcedExtension:)``, but checks the disk on another thread. If the image
    /// is in memory, it answers at once.
    public func imageCachedTypeAsync(
        forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        callbackQueue: CallbackQueue = .mainCurrentOrAsync, completionHandler: @escaping @Sendable (CacheType) -> Void
    ) {
        if memoryStorage.isCached(forKey: key.computedKey(with: identifier)) {
            return callbackQueue.execute { completionHandler(.memory) }
        }
        // Loads decode, and a look should not wait for that.
        BlockingCalls.reads.start { [self] in
            let type = imageCachedType(
                forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension)
            callbackQueue.execute { completionHandler(type) }
        }
    }

    /// Whether an image is cached in memory or on disk and has not expired. You can call it on the main thread.
    public func isCached(
        forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil
    ) -> Bool {
        imageCachedType(forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension).cached
    }

    /// Returns the name of the blob's file; see ``DiskStorage/Backend/cacheFileURL(forKey:forcedExtension:)``.
    open func hash(
        forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil
    ) -> String {
        diskStorage.cacheFileName(forKey: key.computedKey(with: identifier), forcedExtension: forcedExtension)
    }

    /// Measures all blobs on disk, in bytes, including expired ones. Waits until Kingfisher's files have been taken over, then
    /// O(1). The handler is called on the main queue, with an error if the index cannot be read.
    open func calculateDiskStorageSize(completion handler: @escaping @Sendable (Result<UInt, KingfisherError>) -> Void)
    {
        measureDisk { result in CallbackQueue.mainAsync.execute { handler(result) } }
    }

    /// The total cost of the images in memory: the bytes of their bitmaps, including expired ones.
    open var memoryStorageCacheCost: Int { memoryStorage.totalCacheCost() }

    /// Returns the path of the blob; see ``DiskStorage/Backend/cacheFileURL(forKey:forcedExtension:)``.
    open func cachePath(
        forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil
    ) -> String {
        diskStorage.cacheFileURL(forKey: key.computedKey(with: identifier), forcedExtension: forcedExtension).path
    }

    /// Returns the blob's URL if the image is on disk and has not expired. You can call it on the main thread. The file may be
    /// gone by the time you read it.
    open func cacheFileURLIfOnDisk(
        forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil
    ) -> URL? {
        let blob = blob(of: key, identifier, forcedExtension)
        let key = blob.key.text
        if case .nothing = order.source(of: blob) { return nil }
        return diskStorage.fileURLIfCached(forKey: key, forcedExtension: forcedExtension)
    }

    // MARK: Async

    /// Stores an image and returns when the bytes are on disk.
    ///
    /// - Throws: ``KingfisherError`` if they could not be written. The image is still in memory.
    open func store(
        _ image: KFCrossPlatformImage, original: Data? = nil, forKey key: String, options: KingfisherParsedOptionsInfo,
        toDisk: Bool = true
    ) async throws {
        var options = options
        options.callbackQueue = .untouch
        try await awaitResult { [options] resume in
            store(image, original: original, forKey: key, options: options, toDisk: toDisk) {
                resume($0.diskCacheResult)
            }
        }
    }

    /// Stores an image and returns when the bytes are on disk.
    ///
    /// - Throws: ``KingfisherError`` if they could not be written. The image is still in memory.
    open func store(
        _ image: KFCrossPlatformImage, original: Data? = nil, forKey key: String,
        processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        cacheSerializer serializer: any CacheSerializer = DefaultCacheSerializer.default, toDisk: Bool = true
    ) async throws {
        try await awaitResult { resume in
            store(
                image, original: original, forKey: key, processorIdentifier: identifier,
                forcedExtension: forcedExtension, cacheSerializer: serializer, toDisk: toDisk
            ) { resume($0.diskCacheResult) }
        }
    }

    /// Stores bytes on disk and returns when they are there.
    ///
    /// - Throws: ``KingfisherError`` if they could not be written. The old entry remains.
    open func storeToDisk(
        _ data: Data, forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        expiration: StorageExpiration? = nil
    ) async throws {
        try await awaitResult { resume in
            storeToDisk(
                data, forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension,
                expiration: expiration
            ) { resume($0.diskCacheResult) }
        }
    }

    /// Removes an image and returns when it is gone. Does not call the overload with a handler, which cannot report an error.
    ///
    /// - Throws: ``KingfisherError`` if the blob could not be removed. The entry remains, and loads still find it.
    open func removeImage(
        forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        fromMemory: Bool = true, fromDisk: Bool = true
    ) async throws {
        let blob = blob(of: key, identifier, forcedExtension)
        try await awaitResult { remove(blob, fromMemory: fromMemory, fromDisk: fromDisk, then: $0) }
    }

    /// Returns the image in memory or on disk. Never uses the main queue.
    ///
    /// - Throws: ``KingfisherError`` if a blob exists and cannot be read. A miss returns ``ImageCacheResult/none``.
    ///   `CancellationError` if the task is cancelled before the load begins.
    open func retrieveImage(
        forKey key: String, options: KingfisherParsedOptionsInfo
    ) async throws -> ImageCacheResult {
        try await LoadCancellation.load {
            retrieveImage(forKey: key, options: options, callbackQueue: .untouch, completionHandler: $0)
        }
    }

    /// Like the overload with parsed options, and throws the same errors. nil for the default options.
    open func retrieveImage(
        forKey key: String, options: KingfisherOptionsInfo? = nil
    ) async throws -> ImageCacheResult {
        try await retrieveImage(forKey: key, options: KingfisherParsedOptionsInfo(options))
    }

    /// Returns the image on disk, or nil if there is none or its bytes are not an image. Leaves memory unchanged.
    ///
    /// - Throws: ``KingfisherError`` if a blob exists and cannot be read. `CancellationError` if the task is cancelled before the
    ///   load begins.
    open func retrieveImageInDiskCache(
        forKey key: String, options: KingfisherOptionsInfo? = nil
    ) async throws -> KFCrossPlatformImage? {
        try await LoadCancellation.load {
            retrieveImageInDiskCache(forKey: key, options: options, completionHandler: $0)
        }
    }

    /// Removes everything from memory and disk, and returns when it is gone.
    open func clearCache() async {
        let number = order.beginChangeOfAll()
        defer { order.endChangeOfAll(number) }
        clearMemoryCache()
        await Self.clearingMemory.withValue(self) { await clearDiskCache() }
    }

    /// Removes everything that is on disk when its turn comes, and returns when it is gone.
    open func clearDiskCache() async {
        await withCheckedContinuation { continuation in clearDisk { continuation.resume() } }
    }

    /// Removes what has expired, from memory and disk, and from the disk what is over a limit. If the task is cancelled, the clean
    /// ends after the current batch.
    open func cleanExpiredCache() async {
        cleanExpiredMemoryCache()
        await cleanExpiredDiskCache()
    }

    /// Removes what has expired or is over a limit. If the task is cancelled, the clean ends after the current batch.
    open func cleanExpiredDiskCache() async {
        // Discrete, so that it is not part of a `Progress` that is current on the caller's thread.
        await cleanExpiredDiskCache(progress: Progress.discreteProgress(totalUnitCount: 0))
    }

    /// Like ``imageCachedType(forKey:processorIdentifier:forcedExtension:)``, but checks the disk on another thread.
    public func imageCachedTypeAsync(
        forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil
    ) async -> CacheType {
        await withCheckedContinuation { continuation in
            imageCachedTypeAsync(
                forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension, callbackQueue: .untouch
            ) { continuation.resume(returning: $0) }
        }
    }

    /// The size of all blobs on disk, in bytes, including expired ones.
    ///
    /// - Throws: ``KingfisherError/CacheErrorReason/invalidURLResource(error:key:url:)`` if the index cannot be read.
    open var diskStorageSize: UInt {
        get async throws { try await awaitResult { measureDisk(then: $0) } }
    }
}

/// Calls a function with a handler and awaits its result.
func awaitResult<Success: Sendable>(
    _ body: (@escaping @Sendable (Result<Success, KingfisherError>) -> Void) -> Void
) async throws -> Success {
    try await withCheckedThrowingContinuation { continuation in body { continuation.resume(with: $0) } }
}
