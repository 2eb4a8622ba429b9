/// Where an image is cached.
public enum CacheType: Sendable {
    /// Nowhere, or only an entry that has expired.
    case none
    /// In memory; on disk perhaps too.
    case memory
    /// On disk alone.
    case disk

    /// Whether it is cached at all.
    public var cached: Bool { self != .none }
}
