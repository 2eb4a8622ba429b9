/// What a load has found, and where.
public enum ImageCacheResult: Sendable {
    case disk(KFCrossPlatformImage)
    case memory(KFCrossPlatformImage)
    /// Nothing valid is cached under the key, or its bytes are no image.
    case none

    public var image: KFCrossPlatformImage? {
        switch self {
        case .disk(let image), .memory(let image): image
        case .none: nil
        }
    }

    public var cacheType: CacheType {
        switch self {
        case .disk: .disk
        case .memory: .memory
        case .none: .none
        }
    }
}
