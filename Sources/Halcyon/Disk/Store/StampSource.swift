/// Gives accesses times that put them in order.
///
/// Many fall into one millisecond. Each gets a time of its own, counted up from the last one, so that "least recently used" is
/// exact within a process. A stamp runs ahead of the clock by a tenth of a second at most: what another process reads later
/// than that counts as later. In a longer burst stamps of one millisecond are the same.
struct StampSource {
    /// How far a stamp may be ahead of the clock.
    static let lead: Int64 = 100
    /// An access that is further ahead than this was made before the clock was put back.
    static let tolerance: Int64 = 10_000

    private var last = Timestamp(milliseconds: 0)

    mutating func next(at now: Timestamp) -> Timestamp {
        let following = last.advanced(by: 1)
        if following <= now || last - now > Self.tolerance {
            last = now
        } else if following - now <= Self.lead {
            last = following
        }
        return last
    }
}
