public import Foundation

/// Parsed options, one property each; see ``KingfisherOptionsInfoItem`` for details.
public struct KingfisherParsedOptionsInfo: Sendable {
    /// Whether a load that finds nothing in memory skips the disk. Default: off.
    public var fromMemoryCacheOrRefresh = false
    /// Whether a load from disk decodes the pixels before it calls back. Default: off.
    public var backgroundDecode = false
    /// The queue of a store's completion handler. Default: the main queue; called at once if you are on it.
    public var callbackQueue: CallbackQueue = .mainCurrentOrAsync
    /// Pixels per point of an image made from data. Default: 1.
    public var scaleFactor: CGFloat = 1.0
    /// Whether a load decodes all pictures of an animation. Default: off.
    public var preloadAllAnimationData = false
    /// Whether an animation becomes a still image of its first picture. Default: off.
    public var onlyLoadFirstFrame = false
    /// The processor, whose identifier is part of the key. The default one has an empty identifier.
    public var processor: any ImageProcessor = DefaultImageProcessor.default
    /// Converts images to bytes and back.
    public var cacheSerializer: any CacheSerializer = DefaultCacheSerializer.default
    /// Whether a load from disk runs on the caller's thread, before the call returns. Default: off.
    public var loadDiskFileSynchronously = false
    /// Write options for the blob. Default: none.
    public var diskStoreWriteOptions: Data.WritingOptions = []
    /// How long an image lives in memory. nil for ``MemoryStorage/Config/expiration``.
    public var memoryCacheExpiration: StorageExpiration?
    /// How a load extends the expiration in memory. Default: its duration restarts.
    public var memoryCacheAccessExtendingExpiration: ExpirationExtending = .cacheTime
    /// How long a blob lives on disk. nil for ``DiskStorage/Config/expiration``.
    public var diskCacheExpiration: StorageExpiration?
    /// How a load extends the expiration on disk. Default: its duration restarts.
    public var diskCacheAccessExtendingExpiration: ExpirationExtending = .cacheTime
    /// The file name extension of the blob, part of the entry's identity. nil for ``DiskStorage/Config/pathExtension``.
    public var forcedExtension: String?

    /// The cache for results. Not read by the cache itself.
    public var targetCache: ImageCache?
    /// The cache for originals; the target cache if not set. Not read by the cache itself.
    public var originalCache: ImageCache?
    /// Whether results are kept off the disk. Not read by the cache itself.
    public var cacheMemoryOnly = false
    /// Whether a result is delivered only once it is cached. Not read by the cache itself.
    public var waitForCache = false
    /// Whether downloads are off. Not read by the cache itself.
    public var onlyFromCache = false
    /// Whether the original is cached in addition to the processed image. Not read by the cache itself.
    public var cacheOriginalImage = false
    /// Whether the cache type is checked off the caller's thread. Not read by the cache itself.
    public var asyncCacheTypeCheck = false
    /// The queue that processes images. Not read by the cache itself.
    public var processingQueue: CallbackQueue?
    /// Whether to ignore cached images. Not read by the cache itself.
    public var forceRefresh = false
    /// The priority of a download, from 0 to 1. Default: 0.5. Not read by the cache itself.
    public var downloadPriority: Float = 0.5
    /// Whether a prefetch puts images it finds on disk into memory. Not read by the cache itself.
    public var alsoPrefetchToMemory = false
    /// Whether an image view keeps its image while the next one loads. Not read by the cache itself.
    public var keepCurrentImageWhileLoading = false
    /// Whether cached images get a transition too. Not read by the cache itself.
    public var forceTransition = false
    /// The image to show after a failure; may be set to nil explicitly. Not read by the cache itself.
    public var onFailureImage: KFCrossPlatformImage??

    /// Parses a list of options. If an option occurs more than once, the last one counts.
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
