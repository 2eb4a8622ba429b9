/// Where an image is cached.
public enum CacheType: Sendable {
    case none
    case memory
    case disk

    /// Whether it is cached at all.
    public var cached: Bool { self != .none }
}
