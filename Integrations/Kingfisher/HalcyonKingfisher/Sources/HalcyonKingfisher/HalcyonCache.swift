public import Foundation
public import Halcyon
public import Kingfisher

// Both modules have types with the same names, so each name here includes its module, and `.kf` is not used. The declarations are
// `nonisolated` because an app may isolate declarations to the main actor by default.

/// A Kingfisher cache whose disk half is Halcyon.
///
/// ```swift
/// KingfisherManager.shared.cache = HalcyonCache(name: "images")       // before the app requests its first image
/// ```
///
/// Kingfisher still manages images in memory: ``memoryStorage`` and its settings are unchanged. On disk, the keys, the file names
/// and the settings in `diskStorage.config` are Kingfisher's, but the folder and the storage are Halcyon's. The superclass's own
/// storage is unused: use `diskStorage` only for settings.
///
/// The blobs are in a folder next to Kingfisher's, with the same name plus `.halcyon`. On first use, if that folder does not
/// exist, Kingfisher's folder is renamed to it. This happens once, copies nothing and loses nothing.
///
/// If a store fails on disk, its handler receives `cannotSerializeImage` with ``HalcyonStoreFailure`` as the serializer: only
/// Kingfisher can create store results, and this is the one failure it can be made to report. The async functions throw the real
/// error.
nonisolated open class HalcyonCache: Kingfisher.ImageCache, @unchecked Sendable {
    // Sendable because the following properties are accessed only under `opening`.

    private let opening = NSLock()
    private var opened: DiskHalf?
    private var hasAdvised = false

    /// The cache that manages the disk. Use it for functions that Kingfisher lacks: `suspend`, `resume`, cleaning with progress,
    /// `diskStorage.directoryURL`. Its memory cache is not used.
    public var halcyon: Halcyon.ImageCache { disk }

    /// Opened on first use, and updated with the current settings on each use.
    ///
    /// It is not opened in `init`, because apps set `diskStorage.config` on the next line, and that determines how old files are
    /// read.
    private var disk: DiskHalf {
        opening.lock()
        defer { opening.unlock() }
        if let opened {
            // Only if one differs, because another thread may be setting others.
            var config = opened.diskStorage.config
            if readSettings(into: &config) { opened.diskStorage.config = config }
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
        // One rename. It fails if the target is not empty, as any folder that was in use is, so it succeeds only once. If it
        // fails for another reason, the cache starts empty and the old files stay where they are.
        if rename(stock.path, folder.path) == 0 {
            // Another Kingfisher cache, for instance the default one, may be using this folder. If it cannot be created now, the
            // next launch creates it.
            try? FileManager.default.createDirectory(at: stock, withIntermediateDirectories: true)
        }
        var config = Halcyon.DiskStorage.Config(name: diskStorage.config.name, sizeLimit: 0)
        config.cachePathBlock = { _, _ in folder }
        _ = readSettings(into: &config)
        let disk = DiskHalf(
            memoryStorage: .init(config: .init(totalCostLimit: 1)),
            diskStorage: .init(noThrowConfig: config, creatingDirectory: true))
        disk.front = self
        return disk
    }

    /// - Returns: whether one was different.
    private func readSettings(into config: inout Halcyon.DiskStorage.Config) -> Bool {
        let (settings, former) = (diskStorage.config, config)
        config.sizeLimit = settings.sizeLimit
        config.expiration = Halcyon.StorageExpiration(settings.expiration)
        config.pathExtension = settings.pathExtension
        config.usesHashedFileName = settings.usesHashedFileName
        config.autoExtAfterHashedFileName = settings.autoExtAfterHashedFileName
        return config.sizeLimit != former.sizeLimit || !config.expiration.equals(former.expiration)
            || config.pathExtension != former.pathExtension || config.usesHashedFileName != former.usesHashedFileName
            || config.autoExtAfterHashedFileName != former.autoExtAfterHashedFileName
    }

    /// Applies the current settings. Called before cleaning that a system notification starts. A timer's clean has those of the last call.
    fileprivate func applySettings() { _ = disk }

    // MARK: Storing

    open override func store(
        _ image: Kingfisher.KFCrossPlatformImage, original: Data? = nil, forKey key: String,
        options: Kingfisher.KingfisherParsedOptionsInfo, toDisk: Bool = true,
        completionHandler: (@Sendable (Kingfisher.CacheStoreResult) -> Void)? = nil
    ) {
        advise(on: options)
        let isJoined = options.waitForCache && options.cacheOriginalImage
        let handler = isJoined ? completionHandler.map { JoinedStore.begin(key, $0) } : completionHandler
        guard toDisk else {
            return super.store(
                image, original: original, forKey: key, options: options, toDisk: false, completionHandler: handler)
        }
        super.store(image, original: original, forKey: key, options: options, toDisk: false, completionHandler: nil)
        disk.store(
            image, original: original, forKey: key,
            options: Halcyon.KingfisherParsedOptionsInfo(options)
        ) { [self] result in
            report(result, of: image, original: original, on: options.callbackQueue, to: handler)
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
        let joined: JoinedStore? = if case .untouch = callbackQueue { .latest(key) } else { nil }
        disk.storeToDisk(
            data, forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension,
            expiration: expiration.map(Halcyon.StorageExpiration.init)
        ) { [self] result in
            let answer: @Sendable () -> Void = { [self] in
                report(result, of: Kingfisher.KFCrossPlatformImage(), on: callbackQueue, to: completionHandler)
            }
            if let joined { joined.onceAnswered(answer) } else { answer() }
        }
    }

    /// Makes the superclass call a handler, because only Kingfisher can create a `CacheStoreResult`. For a success, it stores an
    /// expired image in memory, which does nothing. For a failure on disk, it stores an image that cannot be serialized, and
    /// reports that.
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

    /// Removes an image and all its variants, from any processor and any launch. From memory, it removes the image itself and the
    /// variants that are also on disk: Kingfisher does not tell which others are in memory.
    ///
    /// - Parameter completionHandler: called on `callbackQueue` after the removal.
    public func removeImageAndVariants(
        forKey key: String, callbackQueue: Kingfisher.CallbackQueue = .untouch,
        completionHandler: (@Sendable () -> Void)? = nil
    ) {
        memoryStorage.remove(forKey: key)
        disk.removeImageAndVariants(forKey: key) { [memoryStorage] gone in
            // On failure nothing was removed, and the images can still be found.
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
        let wasOpen = opening.withLock { opened != nil }
        disk.cleanExpiredDiskCache { [disk] in
            guard !wasOpen else { return handler?() ?? () }
            // It may have been opened by the clean on entering the background: too late for the disk half to hear of that and release
            // its folder.
            disk.close { if let handler { DispatchQueue.main.async(execute: handler) } }
        }
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

    /// Warns about an option with which a manager calls `imageCachedTypeAsync`, which cannot be overridden, and downloads images
    /// that are on disk. The manager then calls this cache with the downloaded image.
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
        return disk.isCached(forKey: key, forcedExtension: forcedExtension) ? .disk : .none
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

    /// Removes an image and returns when it is gone. A missing image is not an error. Does not call the variant with a handler,
    /// which cannot report errors.
    ///
    /// - Throws: Kingfisher's error if the image is on disk and could not be removed. It can then still be found there.
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

    open override func cleanExpiredDiskCache() async {
        await withCheckedContinuation { continuation in cleanExpiredDiskCache { continuation.resume() } }
    }

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

/// A store whose handler Kingfisher's manager joins with that of the original, which it stores right after it.
///
/// The manager reads and sets the state of both in two steps, without a lock. If the two handlers run at the same time, each can miss the
/// other, and the manager's own handler is never called. So the original's handler runs after this one has returned.
nonisolated private final class JoinedStore: @unchecked Sendable {
    // Sendable because the variables are accessed only under the lock.
    private let lock = NSLock()
    private let key: String
    private var isAnswered = false
    private var followers: [@Sendable () -> Void] = []

    private init(key: String) { self.key = key }

    typealias Handler = @Sendable (Kingfisher.CacheStoreResult) -> Void

    /// The manager makes both stores on one thread, and another thread may be storing the same key.
    private static let name = "com.onevcat.Kingfisher.HalcyonCache.joined"

    /// Returns a handler that calls another one, and then what has waited for it.
    static func begin(_ key: String, _ handler: @escaping Handler) -> Handler {
        let store = JoinedStore(key: key)
        Thread.current.threadDictionary[name] = store
        return { result in
            handler(result)
            store.end()
        }
    }

    /// The latest one of this thread, if it has this key.
    static func latest(_ key: String) -> JoinedStore? {
        let store = Thread.current.threadDictionary[name] as? JoinedStore
        return store?.key == key ? store : nil
    }

    private func end() {
        let waiting = lock.withLock {
            isAnswered = true
            defer { followers = [] }
            return followers
        }
        for follower in waiting { follower() }
    }

    func onceAnswered(_ body: @escaping @Sendable () -> Void) {
        let isNow = lock.withLock {
            if !isAnswered { followers.append(body) }
            return isAnswered
        }
        if isNow { body() }
    }
}

/// Halcyon's cache as the adapter uses it: its queue, its cleaning and its responses to system events, with nothing in memory.
nonisolated private final class DiskHalf: Halcyon.ImageCache, @unchecked Sendable {
    // Set once, before any other code can access the object.
    weak var front: HalcyonCache?

    override var notificationObject: AnyObject { front ?? self }

    override func cleanExpiredDiskCache(completion handler: (@Sendable () -> Void)? = nil) {
        front?.applySettings()
        super.cleanExpiredDiskCache(completion: handler)
    }
}

/// Calls Kingfisher's serializer with the original options.
nonisolated private struct Serializer: Halcyon.CacheSerializer {
    let options: Kingfisher.KingfisherParsedOptionsInfo

    func data(with image: Halcyon.KFCrossPlatformImage, original: Data?) -> Data? {
        options.cacheSerializer.data(with: image, original: original)
    }

    /// Also decodes, if requested: only Kingfisher knows which of its images are animated.
    func image(with data: Data, options _: Halcyon.KingfisherParsedOptionsInfo) -> Halcyon.KFCrossPlatformImage? {
        guard Probe.isWanted(options), let image = options.cacheSerializer.image(with: data, options: options),
            Probe.isWanted(options)
        else { return nil }
        guard options.backgroundDecode else { return image }
        return Kingfisher.KingfisherWrapper(image).decoded(scale: options.scaleFactor)
    }
}

/// Checks whether an image is still wanted: cells that scroll off screen may by now want other images.
///
/// Kingfisher's own load from disk makes this check and drops unwanted images. The check is internal, but it travels with a copy
/// of the options. So this type asks a Kingfisher cache whose storage can never be ready to load the image. If the image is
/// wanted, the cache fails because the storage is not ready. If not, it finds nothing. Both happen at once and without disk
/// access.
nonisolated private final class Probe: Kingfisher.ImageCache, @unchecked Sendable {
    /// nil if a later Kingfisher answers differently. Then every image counts as wanted, and the manager checks again itself.
    private static let probe: Probe? = {
        // A folder name cannot be this long.
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
        // Written on this thread before the call returns.
        nonisolated(unsafe) var isWanted = false
        retrieveImage(forKey: "halcyon.probe", options: options, callbackQueue: .untouch) { result in
            if case .failure = result { isWanted = true }
        }
        return isWanted
    }

    /// Kingfisher's version never calls back if there is no folder, and the system would wait for it in the background.
    override func cleanExpiredDiskCache(completion handler: (@Sendable () -> Void)? = nil) {
        if let handler { DispatchQueue.main.async(execute: handler) }
    }
}

/// Tells the disk half which variant of an image it has. Processes nothing.
nonisolated private struct Processor: Halcyon.ImageProcessor {
    let identifier: String

    func process(
        item: Halcyon.ImageProcessItem, options: Halcyon.KingfisherParsedOptionsInfo
    ) -> Halcyon.KFCrossPlatformImage? { nil }
}

/// A placeholder for a processor of which only the identifier is known.
nonisolated private struct NamedProcessor: Kingfisher.ImageProcessor {
    let identifier: String

    func process(
        item: Kingfisher.ImageProcessItem, options: Kingfisher.KingfisherParsedOptionsInfo
    ) -> Kingfisher.KFCrossPlatformImage? {
        Kingfisher.DefaultImageProcessor.default.process(item: item, options: options)
    }
}

// MARK: - Failures

/// The reason why a store failed on disk, passed as a serializer because Kingfisher's error has no other place for it.
///
/// ```swift
/// if case .failure(.cacheError(reason: .cannotSerializeImage(_, _, let serializer))) = result.diskCacheResult,
///     let failure = serializer as? HalcyonStoreFailure { print(failure.error) }
/// ```
nonisolated public struct HalcyonStoreFailure: Kingfisher.CacheSerializer, CustomStringConvertible {
    /// The real error.
    public let error: Kingfisher.KingfisherError

    public func data(with image: Kingfisher.KFCrossPlatformImage, original: Data?) -> Data? { nil }

    public func image(
        with data: Data, options: Kingfisher.KingfisherParsedOptionsInfo
    ) -> Kingfisher.KFCrossPlatformImage? { nil }

    public var description: String { "none; the disk failed: \(error.localizedDescription)" }
}

nonisolated extension Kingfisher.KingfisherError {
    /// The error itself, or the real error of a ``HalcyonStoreFailure``.
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
            // The disk half receives only our serializer.
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
    /// The options that the disk half needs.
    fileprivate init(_ options: Kingfisher.KingfisherParsedOptionsInfo) {
        self.init(nil)
        processor = Processor(identifier: options.processor.identifier)
        cacheSerializer = Serializer(options: options)
        callbackQueue = .untouch
        loadDiskFileSynchronously = options.loadDiskFileSynchronously
        forcedExtension = options.forcedExtension
        diskStoreWriteOptions = options.diskStoreWriteOptions
        diskCacheExpiration = options.diskCacheExpiration.map(Halcyon.StorageExpiration.init)
        diskCacheAccessExtendingExpiration = Halcyon.ExpirationExtending(options.diskCacheAccessExtendingExpiration)
        // Kingfisher keeps the image in memory.
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

    fileprivate func equals(_ other: Halcyon.StorageExpiration) -> Bool {
        switch (self, other) {
        case (.never, .never), (.expired, .expired): true
        case (.seconds(let seconds), .seconds(let others)): seconds == others
        case (.days(let days), .days(let others)): days == others
        case (.date(let date), .date(let other)): date == other
        default: false
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
