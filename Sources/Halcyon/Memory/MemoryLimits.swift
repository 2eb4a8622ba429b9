/// The limits of a memory storage. As in `NSCache`, a limit that is not positive means no limit.
struct MemoryLimits: Equatable, Sendable {
    /// In units of ``CacheCostCalculable/cacheCost``: bytes, for images.
    var totalCost = 0
    /// The number of values.
    var count = Int.max

    /// Without a limit, the sum of costs must still fit in an `Int`.
    var effectiveTotalCost: Int { totalCost > 0 ? totalCost : .max }
    /// Slot numbers have 32 bits.
    var effectiveCount: Int { count > 0 ? min(count, Int(Int32.max)) : Int(Int32.max) }
}
