public import Foundation
public import Halcyon
public import Kingfisher

// Both modules have types of the same names: each one is written with its module, and `.kf` is not used here.
// In an app whose declarations belong to the main actor unless they say otherwise, these have to say otherwise.

/// Kingfisher's cache with its disk kept by Halcyon.
///
/// ```swift
/// KingfisherManager.shared.cache = HalcyonCache(name: "images")       // before the first image is asked for
/// ```
///
/// Images in memory stay Kingfisher's business: ``memoryStorage`` and its settings are what they were. On disk the keys, the
/// file names and the settings in `diskStorage.config` are Kingfisher's too, but the folder and the storage are Halcyon's. The
/// storage that the superclass has made stays unused: `diskStorage` is where settings are, and nothing else.
///
/// The blobs are in a folder beside Kingfisher's, called like that one and `.halcyon`. At the first use, if that folder is not
/// there, Kingfisher's is renamed to it: nothing is copied, nothing is lost, and it happens once.
///
/// A store that fails on disk tells its handler so as `cannotSerializeImage`, with ``HalcyonStoreFailure`` as the serializer:
/// Kingfisher makes the results of stores itself, and that is the one failure it can be made to report. The async functions
/// throw the real error.
nonisolated open class HalcyonCache: Kingfisher.ImageCache, @unchecked Sendable {
    // Sendable because what follows is reached through `opening` alone.

    private let opening = NSLock()
    private var opened: DiskHalf?
    private var hasAdvised = false

    /// The cache that keeps the disk, for what Kingfisher has no function for: `suspend`, `resume`, cleaning with progress,
    /// `diskStorage.directoryURL`. Its memory is not used.
    public var halcyon: Halcyon.ImageCache { disk }

    /// Opened at its first use, and with the settings as they are now.
    ///
    /// Not when the cache is made: apps set `diskStorage.config` in the line after that, and how the old files are read
    /// depends on it.
    private var disk: DiskHalf {
        opening.lock()
        defer { opening.unlock() }
        if let opened {
            var config = opened.diskStorage.config
            readSettings(into: &config)
            opened.diskStorage.config = config
            return opened
        }
        let disk = openDisk()
        opened = disk
        return disk
    }

    private func openDisk() -> DiskHalf {
        let stock = diskStorage.directoryURL
        let folder = stock.deletingLastPathComponent()
            .appendingPathComponent(stock.lastPathComponent + ".halcyon", isDirectory: true)
        // One rename. It refuses a folder that has something in it, as every folder has that was in use: so this happens once.
        // Whatever else hinders it, the cache begins empty, and the old files stay where they are.
        if rename(stock.path, folder.path) == 0 {
            // Another of Kingfisher's caches may be using it, the default one for instance. If it cannot be made now, the next
            // launch makes it.
            try? FileManager.default.createDirectory(at: stock, withIntermediateDirectories: true)
        }
        var config = Halcyon.DiskStorage.Config(name: diskStorage.config.name, sizeLimit: 0)
        config.cachePathBlock = { _, _ in folder }
        readSettings(into: &config)
        let disk = DiskHalf(
            memoryStorage: .init(config: .init(totalCostLimit: 1, cleanInterval: 0)),
            diskStorage: .init(noThrowConfig: config, creatingDirectory: true))
        disk.front = self
        return disk
    }

    private func readSettings(into config: inout Halcyon.DiskStorage.Config) {
        let settings = diskStorage.config
        config.sizeLimit = settings.sizeLimit
        config.expiration = Halcyon.StorageExpiration(settings.expiration)
        config.pathExtension = settings.pathExtension
        config.usesHashedFileName = settings.usesHashedFileName
        config.autoExtAfterHashedFileName = settings.autoExtAfterHashedFileName
    }

    /// What Halcyon's own timer and messages of the system start goes by the settings of that moment too.
    fileprivate func applySettings() { _ = disk }

    // MARK: Storing

    open override func store(
        _ image: Kingfisher.KFCrossPlatformImage, original: Data? = nil, forKey key: String,
        options: Kingfisher.KingfisherParsedOptionsInfo, toDisk: Bool = true,
        completionHandler: (@Sendable (Kingfisher.CacheStoreResult) -> Void)? = nil
    ) {
        advise(on: options)
        guard toDisk else {
            return super.store(
                image, original: original, forKey: key, options: options, toDisk: false,
                completionHandler: completionHandler)
        }
        super.store(image, original: original, forKey: key, options: options, toDisk: false, completionHandler: nil)
        disk.store(
            image, original: original, forKey: key,
            options: Halcyon.KingfisherParsedOptionsInfo(options)
        ) { [self] result in
            report(result, of: image, original: original, on: options.callbackQueue, to: completionHandler)
        }
    }

    open override func store(
        _ image: Kingfisher.KFCrossPlatformImage, original: Data? = nil, forKey key: String,
        processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        cacheSerializer serializer: any Kingfisher.CacheSerializer = Kingfisher.DefaultCacheSerializer.default,
        toDisk: Bool = true, callbackQueue: Kingfisher.CallbackQueue = .untouch,
        completionHandler: (@Sendable (Kingfisher.CacheStoreResult) -> Void)? = nil
    ) {
        var options = Kingfisher.KingfisherParsedOptionsInfo(nil)
        options.processor = NamedProcessor(identifier: identifier)
        options.cacheSerializer = serializer
        options.callbackQueue = callbackQueue
        options.forcedExtension = forcedExtension
        store(
            image, original: original, forKey: key, options: options, toDisk: toDisk,
            completionHandler: completionHandler)
    }

    open override func storeToDisk(
        _ data: Data, forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        expiration: Kingfisher.StorageExpiration? = nil, callbackQueue: Kingfisher.CallbackQueue = .untouch,
        completionHandler: (@Sendable (Kingfisher.CacheStoreResult) -> Void)? = nil
    ) {
        disk.storeToDisk(
            data, forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension,
            expiration: expiration.map(Halcyon.StorageExpiration.init)
        ) { [self] result in
            report(result, of: Kingfisher.KFCrossPlatformImage(), on: callbackQueue, to: completionHandler)
        }
    }

    /// Has the superclass call a handler: nobody else can make a `CacheStoreResult`. For a success it stores in memory what has
    /// expired already, which does nothing; for a failure on disk what cannot be serialized, which is what it then reports.
    private func report(
        _ result: Halcyon.CacheStoreResult, of image: Kingfisher.KFCrossPlatformImage, original: Data? = nil,
        on queue: Kingfisher.CallbackQueue, to handler: (@Sendable (Kingfisher.CacheStoreResult) -> Void)?
    ) {
        guard let handler else { return }
        var options = Kingfisher.KingfisherParsedOptionsInfo(nil)
        options.memoryCacheExpiration = .expired
        options.callbackQueue = queue
        var failed = false
        if case .failure(let error) = result.diskCacheResult {
            options.cacheSerializer = HalcyonStoreFailure(error: Kingfisher.KingfisherError(error))
            failed = true
        }
        super.store(
            image, original: original, forKey: "halcyon.report", options: options, toDisk: failed,
            completionHandler: handler)
    }

    // MARK: Removing

    open override func removeImage(
        forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        fromMemory: Bool = true, fromDisk: Bool = true, callbackQueue: Kingfisher.CallbackQueue = .untouch,
        completionHandler: (@Sendable () -> Void)? = nil
    ) {
        let key = computedKey(key, identifier)
        let report: @Sendable () -> Void = {
            if let completionHandler { callbackQueue.execute(completionHandler) }
        }
        if fromMemory { memoryStorage.remove(forKey: key) }
        guard fromDisk else { return report() }
        disk.removeImage(forKey: key, forcedExtension: forcedExtension, completionHandler: report)
    }

    /// Removes an image and all its variants, whichever processors have made them, also in an earlier launch. In memory those go
    /// that are on disk too, and the image itself: which others are there Kingfisher does not say.
    ///
    /// - Parameter completionHandler: called on `callbackQueue` when they are gone.
    public func removeImageAndVariants(
        forKey key: String, callbackQueue: Kingfisher.CallbackQueue = .untouch,
        completionHandler: (@Sendable () -> Void)? = nil
    ) {
        memoryStorage.remove(forKey: key)
        disk.removeImageAndVariants(forKey: key) { [memoryStorage] gone in
            // A failure is that nothing could be removed: what is still there is still found.
            for key in ((try? gone.get()) ?? []).compactMap(\.key) { memoryStorage.remove(forKey: key) }
            if let completionHandler { callbackQueue.execute(completionHandler) }
        }
    }

    open override func clearDiskCache(completion handler: (@Sendable () -> Void)? = nil) {
        disk.clearDiskCache(completion: handler)
    }

    open override func cleanExpiredCache(completion handler: (@Sendable () -> Void)? = nil) {
        cleanExpiredMemoryCache()
        cleanExpiredDiskCache(completion: handler)
    }

    open override func cleanExpiredDiskCache(completion handler: (@Sendable () -> Void)? = nil) {
        disk.cleanExpiredDiskCache(completion: handler)
    }

    // MARK: Loading

    open override func retrieveImage(
        forKey key: String, options: Kingfisher.KingfisherParsedOptionsInfo,
        callbackQueue: Kingfisher.CallbackQueue = .mainCurrentOrAsync,
        completionHandler: (
            @Sendable (Result<Kingfisher.ImageCacheResult, Kingfisher.KingfisherError>) -> Void
        )?
    ) {
        guard let completionHandler else { return }
        advise(on: options)
        if let image = retrieveImageInMemoryCache(forKey: key, options: options) {
            return callbackQueue.execute { completionHandler(.success(.memory(image))) }
        }
        guard !options.fromMemoryCacheOrRefresh else {
            return callbackQueue.execute { completionHandler(.success(.none)) }
        }
        load(forKey: key, options: options) { [self] result in
            guard case .success(let image?) = result else {
                return callbackQueue.execute { completionHandler(result.map { _ in .none }) }
            }
            var options = options
            options.callbackQueue = .untouch
            store(image, forKey: key, options: options, toDisk: false) { _ in
                callbackQueue.execute { completionHandler(.success(.disk(image))) }
            }
        }
    }

    open override func retrieveImage(
        forKey key: String, options: Kingfisher.KingfisherOptionsInfo? = nil,
        callbackQueue: Kingfisher.CallbackQueue = .mainCurrentOrAsync,
        completionHandler: (
            @Sendable (Result<Kingfisher.ImageCacheResult, Kingfisher.KingfisherError>) -> Void
        )?
    ) {
        retrieveImage(
            forKey: key, options: Kingfisher.KingfisherParsedOptionsInfo(options), callbackQueue: callbackQueue,
            completionHandler: completionHandler)
    }

    open override func retrieveImageInDiskCache(
        forKey key: String, options: Kingfisher.KingfisherOptionsInfo? = nil,
        callbackQueue: Kingfisher.CallbackQueue = .untouch,
        completionHandler:
            @escaping @Sendable (Result<Kingfisher.KFCrossPlatformImage?, Kingfisher.KingfisherError>) -> Void
    ) {
        load(forKey: key, options: Kingfisher.KingfisherParsedOptionsInfo(options)) { result in
            callbackQueue.execute { completionHandler(result) }
        }
    }

    private func load(
        forKey key: String, options: Kingfisher.KingfisherParsedOptionsInfo,
        then handler:
            @escaping @Sendable (Result<Kingfisher.KFCrossPlatformImage?, Kingfisher.KingfisherError>) -> Void
    ) {
        guard Probe.isWanted(options) else { return handler(.success(nil)) }
        disk.retrieveImage(
            forKey: key, options: Halcyon.KingfisherParsedOptionsInfo(options), callbackQueue: .untouch
        ) { result in
            handler(result.map(\.image).mapError(Kingfisher.KingfisherError.init))
        }
    }

    // MARK: Advice

    /// With this option a manager asks `imageCachedTypeAsync`, which cannot be overridden, and downloads what is on disk. It then
    /// comes here with what it has downloaded.
    private func advise(on options: Kingfisher.KingfisherParsedOptionsInfo) {
        guard options.asyncCacheTypeCheck else { return }
        let isFirst = opening.withLock {
            defer { hasAdvised = true }
            return !hasAdvised
        }
        guard isFirst else { return }
        print(
            """
            HalcyonCache: the option asyncCacheTypeCheck makes Kingfisher look in its own storage, which is empty, and download \
            what is on disk. Leave it out: to look is quick here.
            """)
    }

    /// For tests.
    var isAdviceGiven: Bool { opening.withLock { hasAdvised } }

    // MARK: Looking

    open override func imageCachedType(
        forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil
    ) -> Kingfisher.CacheType {
        let key = computedKey(key, identifier)
        if memoryStorage.isCached(forKey: key) { return .memory }
        return disk.diskStorage.isCached(forKey: key, forcedExtension: forcedExtension) ? .disk : .none
    }

    open override func hash(
        forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil
    ) -> String {
        disk.hash(forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension)
    }

    open override func cachePath(
        forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil
    ) -> String {
        disk.cachePath(forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension)
    }

    open override func cacheFileURLIfOnDisk(
        forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil
    ) -> URL? {
        disk.cacheFileURLIfOnDisk(forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension)
    }

    open override func calculateDiskStorageSize(
        completion handler: @escaping @Sendable (Result<UInt, Kingfisher.KingfisherError>) -> Void
    ) {
        disk.calculateDiskStorageSize { handler($0.mapError(Kingfisher.KingfisherError.init)) }
    }

    private func computedKey(_ key: String, _ identifier: String) -> String {
        identifier.isEmpty ? key : "\(key)@\(identifier)"
    }

    // MARK: Async

    open override func store(
        _ image: Kingfisher.KFCrossPlatformImage, original: Data? = nil, forKey key: String,
        options: Kingfisher.KingfisherParsedOptionsInfo, toDisk: Bool = true
    ) async throws {
        var options = options
        options.callbackQueue = .untouch
        try await withCheckedThrowingContinuation { [options] continuation in
            store(image, original: original, forKey: key, options: options, toDisk: toDisk) {
                continuation.resume(with: $0.diskCacheResult.mapError(\.behindStoreFailure))
            }
        }
    }

    open override func store(
        _ image: Kingfisher.KFCrossPlatformImage, original: Data? = nil, forKey key: String,
        processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        cacheSerializer serializer: any Kingfisher.CacheSerializer = Kingfisher.DefaultCacheSerializer.default,
        toDisk: Bool = true
    ) async throws {
        try await withCheckedThrowingContinuation { continuation in
            store(
                image, original: original, forKey: key, processorIdentifier: identifier,
                forcedExtension: forcedExtension, cacheSerializer: serializer, toDisk: toDisk
            ) { continuation.resume(with: $0.diskCacheResult.mapError(\.behindStoreFailure)) }
        }
    }

    open override func storeToDisk(
        _ data: Data, forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        expiration: Kingfisher.StorageExpiration? = nil
    ) async throws {
        try await withCheckedThrowingContinuation { continuation in
            storeToDisk(
                data, forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension,
                expiration: expiration
            ) { continuation.resume(with: $0.diskCacheResult.mapError(\.behindStoreFailure)) }
        }
    }

    /// Returns when the image is gone; none there is no error. It does not call the function with a handler, which has no place for one.
    ///
    /// - Throws: Kingfisher's error if it is on disk and could not be removed. Then it is still found there.
    open override func removeImage(
        forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        fromMemory: Bool = true, fromDisk: Bool = true
    ) async throws {
        let key = computedKey(key, identifier)
        if fromMemory { memoryStorage.remove(forKey: key) }
        guard fromDisk else { return }
        do {
            try await disk.removeImage(forKey: key, forcedExtension: forcedExtension)
        } catch let error as Halcyon.KingfisherError {
            throw Kingfisher.KingfisherError(error)
        }
    }

    open override func clearCache() async {
        clearMemoryCache()
        await clearDiskCache()
    }

    open override func clearDiskCache() async { await disk.clearDiskCache() }

    open override func cleanExpiredCache() async {
        cleanExpiredMemoryCache()
        await cleanExpiredDiskCache()
    }

    open override func cleanExpiredDiskCache() async { await disk.cleanExpiredDiskCache() }

    open override func retrieveImage(
        forKey key: String, options: Kingfisher.KingfisherParsedOptionsInfo
    ) async throws -> Kingfisher.ImageCacheResult {
        try await withCheckedThrowingContinuation { continuation in
            retrieveImage(forKey: key, options: options, callbackQueue: .untouch) { continuation.resume(with: $0) }
        }
    }

    open override func retrieveImage(
        forKey key: String, options: Kingfisher.KingfisherOptionsInfo? = nil
    ) async throws -> Kingfisher.ImageCacheResult {
        try await retrieveImage(forKey: key, options: Kingfisher.KingfisherParsedOptionsInfo(options))
    }

    open override func retrieveImageInDiskCache(
        forKey key: String, options: Kingfisher.KingfisherOptionsInfo? = nil
    ) async throws -> Kingfisher.KFCrossPlatformImage? {
        try await withCheckedThrowingContinuation { continuation in
            retrieveImageInDiskCache(forKey: key, options: options) { continuation.resume(with: $0) }
        }
    }

    open override var diskStorageSize: UInt {
        get async throws {
            do {
                return try await disk.diskStorageSize
            } catch let error as Halcyon.KingfisherError {
                throw Kingfisher.KingfisherError(error)
            }
        }
    }
}

// MARK: - The disk half

/// Halcyon's cache as the adapter uses it: its queue, its cleaning and its reactions to the system, with nothing in memory.
nonisolated private final class DiskHalf: Halcyon.ImageCache, @unchecked Sendable {
    // Set once, before anybody else has this.
    weak var front: HalcyonCache?

    override var notificationObject: AnyObject { front ?? self }

    override func cleanExpiredDiskCache(completion handler: (@Sendable () -> Void)? = nil) {
        front?.applySettings()
        super.cleanExpiredDiskCache(completion: handler)
    }
}

/// Has Kingfisher's serializer do the work, with the options it was meant to have.
nonisolated private struct Serializer: Halcyon.CacheSerializer {
    let options: Kingfisher.KingfisherParsedOptionsInfo

    func data(with image: Halcyon.KFCrossPlatformImage, original: Data?) -> Data? {
        options.cacheSerializer.data(with: image, original: original)
    }

    /// Decodes too, if asked: only Kingfisher knows which of its images are animated.
    func image(with data: Data, options _: Halcyon.KingfisherParsedOptionsInfo) -> Halcyon.KFCrossPlatformImage? {
        guard Probe.isWanted(options), let image = options.cacheSerializer.image(with: data, options: options),
            Probe.isWanted(options)
        else { return nil }
        guard options.backgroundDecode else { return image }
        return Kingfisher.KingfisherWrapper(image).decoded(scale: options.scaleFactor)
    }
}

/// Finds out whether an image is still wanted where it was to be shown: cells that scroll away ask for others.
///
/// Kingfisher's own load from disk asks for that, and drops what is not wanted. What it asks is internal, but it goes along with a
/// copy of the options. So this asks a cache of Kingfisher's for the load whose storage can never be used. If the image is
/// wanted, it says that the storage is not ready; if not, it finds nothing. It does so at once, and without the disk.
nonisolated private final class Probe: Kingfisher.ImageCache, @unchecked Sendable {
    /// nil if Kingfisher answers in another way one day. Then each image is wanted: the manager looks again by itself.
    private static let probe: Probe? = {
        // No folder has a name of this length.
        let probe = Probe(name: String(repeating: "-", count: 300))
        return probe.isWanted(Kingfisher.KingfisherParsedOptionsInfo(nil)) ? probe : nil
    }()

    static func isWanted(_ options: Kingfisher.KingfisherParsedOptionsInfo) -> Bool {
        probe?.isWanted(options) ?? true
    }

    private func isWanted(_ options: Kingfisher.KingfisherParsedOptionsInfo) -> Bool {
        var options = options
        options.fromMemoryCacheOrRefresh = false
        options.loadDiskFileSynchronously = true
        // Written before the call returns, on this thread.
        nonisolated(unsafe) var isWanted = false
        retrieveImage(forKey: "halcyon.probe", options: options, callbackQueue: .untouch) { result in
            if case .failure = result { isWanted = true }
        }
        return isWanted
    }

    /// Kingfisher's never calls back if there is no folder, and the system would wait for it in the background.
    override func cleanExpiredDiskCache(completion handler: (@Sendable () -> Void)? = nil) {
        if let handler { DispatchQueue.main.async(execute: handler) }
    }
}

/// Tells the disk half which variant of an image it has: nothing is processed there.
nonisolated private struct Processor: Halcyon.ImageProcessor {
    let identifier: String

    func process(
        item: Halcyon.ImageProcessItem, options: Halcyon.KingfisherParsedOptionsInfo
    ) -> Halcyon.KFCrossPlatformImage? { nil }
}

/// Stands for a processor of which only the identifier is known.
nonisolated private struct NamedProcessor: Kingfisher.ImageProcessor {
    let identifier: String

    func process(
        item: Kingfisher.ImageProcessItem, options: Kingfisher.KingfisherParsedOptionsInfo
    ) -> Kingfisher.KFCrossPlatformImage? {
        Kingfisher.DefaultImageProcessor.default.process(item: item, options: options)
    }
}

// MARK: - Failures

/// Why a store failed on disk, where Kingfisher's error has only a place for a serializer.
///
/// ```swift
/// if case .failure(.cacheError(reason: .cannotSerializeImage(_, _, let serializer))) = result.diskCacheResult,
///     let failure = serializer as? HalcyonStoreFailure { print(failure.error) }
/// ```
nonisolated public struct HalcyonStoreFailure: Kingfisher.CacheSerializer, CustomStringConvertible {
    /// The real one.
    public let error: Kingfisher.KingfisherError

    public func data(with image: Kingfisher.KFCrossPlatformImage, original: Data?) -> Data? { nil }

    public func image(
        with data: Data, options: Kingfisher.KingfisherParsedOptionsInfo
    ) -> Kingfisher.KFCrossPlatformImage? { nil }

    public var description: String { "none; the disk failed: \(error.localizedDescription)" }
}

nonisolated extension Kingfisher.KingfisherError {
    /// The error itself, unless it stands for another one.
    fileprivate var behindStoreFailure: Kingfisher.KingfisherError {
        guard case .cacheError(reason: .cannotSerializeImage(_, _, let serializer)) = self else { return self }
        return (serializer as? HalcyonStoreFailure)?.error ?? self
    }

    init(_ error: Halcyon.KingfisherError) {
        switch error {
        case .cacheError(let reason): self = .cacheError(reason: CacheErrorReason(reason))
        case .processorError(.processingFailed(let processor, let item)):
            self = .processorError(
                reason: .processingFailed(
                    processor: NamedProcessor(identifier: processor.identifier), item: ImageProcessItem(item)))
        }
    }
}

nonisolated extension Kingfisher.ImageProcessItem {
    fileprivate init(_ item: Halcyon.ImageProcessItem) {
        switch item {
        case .image(let image): self = .image(image)
        case .data(let data): self = .data(data)
        }
    }
}

nonisolated extension Kingfisher.KingfisherError.CacheErrorReason {
    fileprivate init(_ reason: Halcyon.KingfisherError.CacheErrorReason) {
        switch reason {
        case .fileEnumeratorCreationFailed(let url): self = .fileEnumeratorCreationFailed(url: url)
        case .invalidFileEnumeratorContent(let url): self = .invalidFileEnumeratorContent(url: url)
        case .invalidURLResource(let error, let key, let url):
            self = .invalidURLResource(error: error, key: key, url: url)
        case .cannotLoadDataFromDisk(let url, let error): self = .cannotLoadDataFromDisk(url: url, error: error)
        case .cannotCreateDirectory(let path, let error): self = .cannotCreateDirectory(path: path, error: error)
        case .imageNotExisting(let key): self = .imageNotExisting(key: key)
        case .cannotConvertToData(let object, let error): self = .cannotConvertToData(object: object, error: error)
        case .cannotSerializeImage(let image, let original, let serializer):
            // The disk half is given no other serializer than ours.
            let given = (serializer as? Serializer)?.options.cacheSerializer
            self = .cannotSerializeImage(
                image: image, original: original, serializer: given ?? Kingfisher.DefaultCacheSerializer.default)
        case .cannotCreateCacheFile(let url, let key, let data, let error):
            self = .cannotCreateCacheFile(fileURL: url, key: key, data: data, error: error)
        case .cannotSetCacheFileAttribute(let path, let attributes, let error):
            self = .cannotSetCacheFileAttribute(filePath: path, attributes: attributes, error: error)
        case .diskStorageIsNotReady(let url): self = .diskStorageIsNotReady(cacheURL: url)
        }
    }
}

// MARK: - Options

nonisolated extension Halcyon.KingfisherParsedOptionsInfo {
    /// What the disk half has to know.
    fileprivate init(_ options: Kingfisher.KingfisherParsedOptionsInfo) {
        self.init(nil)
        processor = Processor(identifier: options.processor.identifier)
        cacheSerializer = Serializer(options: options)
        callbackQueue = .untouch
        loadDiskFileSynchronously = options.loadDiskFileSynchronously
        // The serializer reads these two itself; Halcyon is told that it takes a while, and lets others read meanwhile.
        preloadAllAnimationData = options.preloadAllAnimationData || options.backgroundDecode
        forcedExtension = options.forcedExtension
        diskStoreWriteOptions = options.diskStoreWriteOptions
        diskCacheExpiration = options.diskCacheExpiration.map(Halcyon.StorageExpiration.init)
        diskCacheAccessExtendingExpiration = Halcyon.ExpirationExtending(options.diskCacheAccessExtendingExpiration)
        // Kingfisher has it in memory.
        memoryCacheExpiration = .expired
    }
}

nonisolated extension Halcyon.StorageExpiration {
    fileprivate init(_ expiration: Kingfisher.StorageExpiration) {
        switch expiration {
        case .never: self = .never
        case .seconds(let seconds): self = .seconds(seconds)
        case .days(let days): self = .days(days)
        case .date(let date): self = .date(date)
        case .expired: self = .expired
        }
    }
}

nonisolated extension Halcyon.ExpirationExtending {
    fileprivate init(_ extending: Kingfisher.ExpirationExtending) {
        switch extending {
        case .none: self = .none
        case .cacheTime: self = .cacheTime
        case .expirationTime(let expiration): self = .expirationTime(Halcyon.StorageExpiration(expiration))
        }
    }
}
