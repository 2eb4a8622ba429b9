/// Where an image is cached.
public enum CacheType: Sendable {
    /// Not cached, or only as an expired entry.
    case none
    /// In memory, and possibly on disk too.
    case memory
    /// On disk only.
    case disk

    /// Whether it is cached at all.
    public var cached: Bool { self != .none }
}
