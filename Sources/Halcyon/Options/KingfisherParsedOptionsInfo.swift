public import Foundation

/// Options with a place for each; see ``KingfisherOptionsInfoItem`` for what they mean.
public struct KingfisherParsedOptionsInfo: Sendable {
    public var fromMemoryCacheOrRefresh = false
    public var backgroundDecode = false
    public var callbackQueue: CallbackQueue = .mainCurrentOrAsync
    public var scaleFactor: CGFloat = 1.0
    public var preloadAllAnimationData = false
    public var onlyLoadFirstFrame = false
    public var processor: any ImageProcessor = DefaultImageProcessor.default
    public var cacheSerializer: any CacheSerializer = DefaultCacheSerializer.default
    public var loadDiskFileSynchronously = false
    public var diskStoreWriteOptions: Data.WritingOptions = []
    public var memoryCacheExpiration: StorageExpiration?
    public var memoryCacheAccessExtendingExpiration: ExpirationExtending = .cacheTime
    public var diskCacheExpiration: StorageExpiration?
    public var diskCacheAccessExtendingExpiration: ExpirationExtending = .cacheTime
    public var forcedExtension: String?

    public var targetCache: ImageCache?
    public var originalCache: ImageCache?
    public var cacheMemoryOnly = false
    public var waitForCache = false
    public var onlyFromCache = false
    public var cacheOriginalImage = false
    public var asyncCacheTypeCheck = false
    public var processingQueue: CallbackQueue?

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
        }
    }

    var imageCreatingOptions: ImageCreatingOptions {
        ImageCreatingOptions(
            scale: scaleFactor, duration: 0, preloadAll: preloadAllAnimationData, onlyFirstFrame: onlyLoadFirstFrame)
    }
}
