/// Gives accesses and stores times that put them in order.
///
/// Many fall into one millisecond. Each gets a time of its own, counted up from the last one, so that "least recently
/// used" stays exact within a process; it may run ahead of the clock by ten seconds at most.
struct StampSource {
    /// How far a stamp may be ahead of the clock.
    static let tolerance: Int64 = 10_000

    private var last = Timestamp(milliseconds: 0)

    /// - Parameter other: the latest stamp of another process, when it is known: the next one comes after it.
    mutating func next(at now: Timestamp, after other: Timestamp? = nil) -> Timestamp {
        if let other, other - now < Self.tolerance { last = max(last, other) }
        let following = last.advanced(by: 1)
        // Ahead by more than the tolerance: the clock has jumped back, or a very long burst is under way.
        let isUsable = following > now && following - now <= Self.tolerance
        last = isUsable ? following : max(now, last - now <= Self.tolerance ? last : now)
        return last
    }
}
