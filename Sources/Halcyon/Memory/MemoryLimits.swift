/// How much a memory storage keeps. A limit that is not positive is none, as `NSCache` has it.
struct MemoryLimits: Equatable, Sendable {
    /// In the unit of ``CacheCostCalculable/cacheCost``: bytes, for images.
    var totalCost = 0
    /// Values.
    var count = Int.max

    /// Without a limit the sum of costs still has to fit an `Int`.
    var effectiveTotalCost: Int { totalCost > 0 ? totalCost : .max }
    /// Places are numbered with 32 bits.
    var effectiveCount: Int { count > 0 ? min(count, Int(Int32.max)) : Int(Int32.max) }
}
