/// Gives accesses and stores times that put them in order.
///
/// Many fall into one millisecond. Each gets a time of its own, counted up from the last one, so that "least recently
/// used" stays exact within a process; it may run ahead of the clock by ten seconds at most.
struct StampSource {
    /// How far a stamp may be ahead of the clock.
    static let tolerance: Int64 = 10_000

    /// How far it gets ahead of the clock by itself.
    private let lead: Int64
    private var last = Timestamp(milliseconds: 0)

    /// For stores: between what a burst of them reaches and what counts as a clock that jumped, there is room for those who must
    /// come after a ``EntryStore/Moment``.
    static let ofStores = StampSource(lead: 9_000)

    init(lead: Int64 = tolerance) { self.lead = lead }

    /// - Parameter other: the latest stamp of another process, when it is known: the next one comes after it.
    mutating func next(at now: Timestamp, after other: Timestamp? = nil) -> Timestamp {
        if let other, other - now < Self.tolerance { last = max(last, other) }
        let following = last.advanced(by: 1)
        // Ahead by more than the tolerance: the clock has jumped back, or a very long burst is under way.
        let isUsable = following > now && following - now <= lead
        last = isUsable ? following : max(now, last - now <= Self.tolerance ? last : now)
        return last
    }
}
