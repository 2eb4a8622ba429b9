/// A value with a memory cost.
public protocol CacheCostCalculable: SendableMetatype {
    /// The cost: for images, the bytes of the decoded bitmap.
    var cacheCost: Int { get }
}
