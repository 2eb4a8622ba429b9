public import Foundation

public typealias KingfisherOptionsInfo = [KingfisherOptionsInfoItem]

// Those that the cache reads.
public enum KingfisherOptionsInfoItem: Sendable {
    case fromMemoryCacheOrRefresh
    case backgroundDecode
    case callbackQueue(CallbackQueue)
    case scaleFactor(CGFloat)
    case preloadAllAnimationData
    case processor(any ImageProcessor)
    case cacheSerializer(any CacheSerializer)
    case loadDiskFileSynchronously
    case diskStoreWriteOptions(Data.WritingOptions)
    case memoryCacheExpiration(StorageExpiration)
    case memoryCacheAccessExtendingExpiration(ExpirationExtending)
    case diskCacheExpiration(StorageExpiration)
    case diskCacheAccessExtendingExpiration(ExpirationExtending)
    case forcedCacheFileExtension(String?)
}

public struct KingfisherParsedOptionsInfo: Sendable {
    public var fromMemoryCacheOrRefresh = false
    public var backgroundDecode = false
    public var callbackQueue: CallbackQueue = .mainCurrentOrAsync
    public var scaleFactor: CGFloat = 1.0
    public var preloadAllAnimationData = false
    public var processor: any ImageProcessor = DefaultImageProcessor.default
    public var cacheSerializer: any CacheSerializer = DefaultCacheSerializer.default
    public var loadDiskFileSynchronously = false
    public var diskStoreWriteOptions: Data.WritingOptions = []
    public var memoryCacheExpiration: StorageExpiration?
    public var memoryCacheAccessExtendingExpiration: ExpirationExtending = .cacheTime
    public var diskCacheExpiration: StorageExpiration?
    public var diskCacheAccessExtendingExpiration: ExpirationExtending = .cacheTime
    public var forcedExtension: String?

    public init(_ info: KingfisherOptionsInfo?) {
        for item in info ?? [] {
            switch item {
            case .fromMemoryCacheOrRefresh: fromMemoryCacheOrRefresh = true
            case .backgroundDecode: backgroundDecode = true
            case .callbackQueue(let queue): callbackQueue = queue
            case .scaleFactor(let scale): scaleFactor = scale
            case .preloadAllAnimationData: preloadAllAnimationData = true
            case .processor(let processor): self.processor = processor
            case .cacheSerializer(let serializer): cacheSerializer = serializer
            case .loadDiskFileSynchronously: loadDiskFileSynchronously = true
            case .diskStoreWriteOptions(let options): diskStoreWriteOptions = options
            case .memoryCacheExpiration(let expiration): memoryCacheExpiration = expiration
            case .memoryCacheAccessExtendingExpiration(let extending): memoryCacheAccessExtendingExpiration = extending
            case .diskCacheExpiration(let expiration): diskCacheExpiration = expiration
            case .diskCacheAccessExtendingExpiration(let extending): diskCacheAccessExtendingExpiration = extending
            case .forcedCacheFileExtension(let pathExtension): forcedExtension = pathExtension
            }
        }
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
