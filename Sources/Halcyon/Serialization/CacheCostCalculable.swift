/// A value that knows what it costs to keep in memory.
public protocol CacheCostCalculable {
    /// Bytes, for images of the decoded bitmap.
    var cacheCost: Int { get }
}
