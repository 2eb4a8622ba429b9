/// What a load has found, and where.
public enum ImageCacheResult: Sendable {
    /// Read from the disk, and put into memory by that.
    case disk(KFCrossPlatformImage)
    /// It was in memory: the very object that was stored or loaded before.
    case memory(KFCrossPlatformImage)
    /// Nothing valid is cached under the key, or its bytes are no image.
    case none

    /// The image; nil for a miss.
    public var image: KFCrossPlatformImage? {
        switch self {
        case .disk(let image), .memory(let image): image
        case .none: nil
        }
    }

    /// Where it was found.
    public var cacheType: CacheType {
        switch self {
        case .disk: .disk
        case .memory: .memory
        case .none: .none
        }
    }
}
