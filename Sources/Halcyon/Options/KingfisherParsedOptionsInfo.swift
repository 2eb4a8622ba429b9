public import Foundation

/// Options with a place for each; see ``KingfisherOptionsInfoItem`` for what they mean.
public struct KingfisherParsedOptionsInfo: Sendable {
    /// A load that finds nothing in memory does not look on the disk. Off.
    public var fromMemoryCacheOrRefresh = false
    /// A load from disk decodes the pixels before it calls back, off the caller's thread. Off.
    public var backgroundDecode = false
    /// Where the completion handler of a store is called. The main queue, at once if this is it.
    public var callbackQueue: CallbackQueue = .mainCurrentOrAsync
    /// Pixels per point of an image that is made of data. 1.
    public var scaleFactor: CGFloat = 1.0
    /// An animation's pictures are all decoded when it is loaded. Off.
    public var preloadAllAnimationData = false
    /// An animation becomes a still image of its first picture. Off.
    public var onlyLoadFirstFrame = false
    /// Its identifier is part of the key. The default one has none.
    public var processor: any ImageProcessor = DefaultImageProcessor.default
    /// Turns images into bytes and back.
    public var cacheSerializer: any CacheSerializer = DefaultCacheSerializer.default
    /// A load from disk happens on the caller's thread, before the call returns. Off.
    public var loadDiskFileSynchronously = false
    /// For the blob. None.
    public var diskStoreWriteOptions: Data.WritingOptions = []
    /// How long an image lives in memory. nil for ``MemoryStorage/Config/expiration``.
    public var memoryCacheExpiration: StorageExpiration?
    /// What a load does to the expiration in memory. Its duration begins anew.
    public var memoryCacheAccessExtendingExpiration: ExpirationExtending = .cacheTime
    /// How long a blob lives on disk. nil for ``DiskStorage/Config/expiration``.
    public var diskCacheExpiration: StorageExpiration?
    /// What a load does to the expiration on disk. Its duration begins anew.
    public var diskCacheAccessExtendingExpiration: ExpirationExtending = .cacheTime
    /// The extension of the blob's file name; part of the entry's identity. nil for ``DiskStorage/Config/pathExtension``.
    public var forcedExtension: String?

    /// The cache for results. Not read by the cache itself.
    public var targetCache: ImageCache?
    /// The cache for originals; the target cache if none was named. Not read by the cache itself.
    public var originalCache: ImageCache?
    /// Results are not stored on disk. Not read by the cache itself.
    public var cacheMemoryOnly = false
    /// A result is handed over once it is cached. Not read by the cache itself.
    public var waitForCache = false
    /// Nothing is downloaded. Not read by the cache itself.
    public var onlyFromCache = false
    /// The original is cached besides the processed image. Not read by the cache itself.
    public var cacheOriginalImage = false
    /// Whether something is cached is asked off the caller's thread. Not read by the cache itself.
    public var asyncCacheTypeCheck = false
    /// Where images are processed. Not read by the cache itself.
    public var processingQueue: CallbackQueue?
    /// What is cached is not asked for. Not read by the cache itself.
    public var forceRefresh = false
    /// Of a download, from 0 to 1. 0.5. Not read by the cache itself.
    public var downloadPriority: Float = 0.5
    /// A prefetch puts what it finds on disk into memory. Not read by the cache itself.
    public var alsoPrefetchToMemory = false
    /// An image view keeps what it shows while the next image loads. Not read by the cache itself.
    public var keepCurrentImageWhileLoading = false
    /// A transition also for an image that was cached. Not read by the cache itself.
    public var forceTransition = false
    /// The image to show where none could be had: given, and perhaps given as none. Not read by the cache itself.
    public var onFailureImage: KFCrossPlatformImage??

    /// The options of a list; of one that is given twice the last one counts.
    ///
    /// - Parameter info: nil for the defaults.
    public init(_ info: KingfisherOptionsInfo?) {
        info?.forEach { apply($0) }
        originalCache = originalCache ?? targetCache
    }

    private mutating func apply(_ item: KingfisherOptionsInfoItem) {
        switch item {
        case .fromMemoryCacheOrRefresh: fromMemoryCacheOrRefresh = true
        case .backgroundDecode: backgroundDecode = true
        case .callbackQueue(let queue): callbackQueue = queue
        case .scaleFactor(let scale): scaleFactor = scale
        case .preloadAllAnimationData: preloadAllAnimationData = true
        case .onlyLoadFirstFrame: onlyLoadFirstFrame = true
        case .processor(let processor): self.processor = processor
        case .cacheSerializer(let serializer): cacheSerializer = serializer
        case .loadDiskFileSynchronously: loadDiskFileSynchronously = true
        case .diskStoreWriteOptions(let options): diskStoreWriteOptions = options
        case .memoryCacheExpiration(let expiration): memoryCacheExpiration = expiration
        case .memoryCacheAccessExtendingExpiration(let extending): memoryCacheAccessExtendingExpiration = extending
        case .diskCacheExpiration(let expiration): diskCacheExpiration = expiration
        case .diskCacheAccessExtendingExpiration(let extending): diskCacheAccessExtendingExpiration = extending
        case .forcedCacheFileExtension(let pathExtension): forcedExtension = pathExtension
        case .targetCache(let cache): targetCache = cache
        case .originalCache(let cache): originalCache = cache
        case .cacheMemoryOnly: cacheMemoryOnly = true
        case .waitForCache: waitForCache = true
        case .onlyFromCache: onlyFromCache = true
        case .cacheOriginalImage: cacheOriginalImage = true
        case .asyncCacheTypeCheck: asyncCacheTypeCheck = true
        case .processingQueue(let queue): processingQueue = queue
        case .forceRefresh: forceRefresh = true
        case .downloadPriority(let priority): downloadPriority = priority
        case .alsoPrefetchToMemory: alsoPrefetchToMemory = true
        case .keepCurrentImageWhileLoading: keepCurrentImageWhileLoading = true
        case .forceTransition: forceTransition = true
        case .onFailureImage(let image): onFailureImage = .some(image)
        }
    }

    var imageCreatingOptions: ImageCreatingOptions {
        ImageCreatingOptions(
            scale: scaleFactor, duration: 0, preloadAll: preloadAllAnimationData, onlyFirstFrame: onlyLoadFirstFrame)
    }
}
