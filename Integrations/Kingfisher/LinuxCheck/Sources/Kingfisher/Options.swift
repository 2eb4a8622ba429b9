public import Foundation

public typealias KingfisherOptionsInfo = [KingfisherOptionsInfoItem]

extension Array where Element == KingfisherOptionsInfoItem {
    static var empty: KingfisherOptionsInfo { [] }
}

// The options that a cache reads, and those that decide which cache a manager or prefetcher uses.
public enum KingfisherOptionsInfoItem: Sendable {
    case targetCache(ImageCache)
    case originalCache(ImageCache)
    case downloader(ImageDownloader)
    case downloadPriority(Float)
    case forceRefresh
    case fromMemoryCacheOrRefresh
    case cacheMemoryOnly
    case waitForCache
    case onlyFromCache
    case backgroundDecode
    case callbackQueue(CallbackQueue)
    case scaleFactor(CGFloat)
    case preloadAllAnimationData
    case processor(any ImageProcessor)
    case cacheSerializer(any CacheSerializer)
    case onlyLoadFirstFrame
    case cacheOriginalImage
    case alsoPrefetchToMemory
    case loadDiskFileSynchronously
    case asyncCacheTypeCheck
    case diskStoreWriteOptions(Data.WritingOptions)
    case memoryCacheExpiration(StorageExpiration)
    case memoryCacheAccessExtendingExpiration(ExpirationExtending)
    case diskCacheExpiration(StorageExpiration)
    case diskCacheAccessExtendingExpiration(ExpirationExtending)
    case processingQueue(CallbackQueue)
    case forcedCacheFileExtension(String?)
}

public struct KingfisherParsedOptionsInfo: Sendable {
    public var targetCache: ImageCache?
    public var originalCache: ImageCache?
    public var downloader: ImageDownloader?
    public var downloadPriority: Float = 0.5
    public var forceRefresh = false
    public var fromMemoryCacheOrRefresh = false
    public var cacheMemoryOnly = false
    public var waitForCache = false
    public var onlyFromCache = false
    public var backgroundDecode = false
    public var callbackQueue: CallbackQueue = .mainCurrentOrAsync
    public var scaleFactor: CGFloat = 1.0
    public var preloadAllAnimationData = false
    public var processor: any ImageProcessor = DefaultImageProcessor.default
    public var cacheSerializer: any CacheSerializer = DefaultCacheSerializer.default
    public var onlyLoadFirstFrame = false
    public var cacheOriginalImage = false
    public var alsoPrefetchToMemory = false
    public var loadDiskFileSynchronously = false
    public var asyncCacheTypeCheck = false
    public var diskStoreWriteOptions: Data.WritingOptions = []
    public var memoryCacheExpiration: StorageExpiration?
    public var memoryCacheAccessExtendingExpiration: ExpirationExtending = .cacheTime
    public var diskCacheExpiration: StorageExpiration?
    public var diskCacheAccessExtendingExpiration: ExpirationExtending = .cacheTime
    public var processingQueue: CallbackQueue?
    public var forcedExtension: String?

    /// Checks whether the view still wants the image. Set by the manager; internal in Kingfisher too.
    var sourceTaskIdentifierChecker: (@Sendable () -> Bool)?
    var isSourceTaskStale: Bool { sourceTaskIdentifierChecker?() == false }

    public init(_ info: KingfisherOptionsInfo?) {
        for item in info ?? [] {
            switch item {
            case .targetCache(let cache): targetCache = cache
            case .originalCache(let cache): originalCache = cache
            case .downloader(let downloader): self.downloader = downloader
            case .downloadPriority(let priority): downloadPriority = priority
            case .forceRefresh: forceRefresh = true
            case .fromMemoryCacheOrRefresh: fromMemoryCacheOrRefresh = true
            case .cacheMemoryOnly: cacheMemoryOnly = true
            case .waitForCache: waitForCache = true
            case .onlyFromCache: onlyFromCache = true
            case .backgroundDecode: backgroundDecode = true
            case .callbackQueue(let queue): callbackQueue = queue
            case .scaleFactor(let scale): scaleFactor = scale
            case .preloadAllAnimationData: preloadAllAnimationData = true
            case .processor(let processor): self.processor = processor
            case .cacheSerializer(let serializer): cacheSerializer = serializer
            case .onlyLoadFirstFrame: onlyLoadFirstFrame = true
            case .cacheOriginalImage: cacheOriginalImage = true
            case .alsoPrefetchToMemory: alsoPrefetchToMemory = true
            case .loadDiskFileSynchronously: loadDiskFileSynchronously = true
            case .asyncCacheTypeCheck: asyncCacheTypeCheck = true
            case .diskStoreWriteOptions(let options): diskStoreWriteOptions = options
            case .memoryCacheExpiration(let expiration): memoryCacheExpiration = expiration
            case .memoryCacheAccessExtendingExpiration(let extending): memoryCacheAccessExtendingExpiration = extending
            case .diskCacheExpiration(let expiration): diskCacheExpiration = expiration
            case .diskCacheAccessExtendingExpiration(let extending): diskCacheAccessExtendingExpiration = extending
            case .processingQueue(let queue): processingQueue = queue
            case .forcedCacheFileExtension(let pathExtension): forcedExtension = pathExtension
            }
        }
        originalCache = originalCache ?? targetCache
    }
}

public enum CallbackQueue: Sendable {
    case mainAsync
    case mainCurrentOrAsync
    case untouch
    case dispatch(DispatchQueue)

    public func execute(_ block: @Sendable @escaping () -> Void) {
        switch self {
        case .mainAsync: DispatchQueue.main.async(execute: block)
        case .mainCurrentOrAsync: Thread.isMainThread ? block() : DispatchQueue.main.async(execute: block)
        case .untouch: block()
        case .dispatch(let queue): queue.async(execute: block)
        }
    }
}
