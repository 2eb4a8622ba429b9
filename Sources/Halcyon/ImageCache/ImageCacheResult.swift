/// The result of a load, and where it was found.
public enum ImageCacheResult: Sendable {
    /// Read from disk. It is now in memory too, unless a change of its key, or of many keys, has been called meanwhile.
    case disk(KFCrossPlatformImage)
    /// Found in memory: the same object that was stored or loaded before.
    case memory(KFCrossPlatformImage)
    /// Nothing valid is cached under the key, or its bytes are not an image.
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
