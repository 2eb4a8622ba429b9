/// Makes times for accesses that put them in order.
///
/// Many accesses fall into one millisecond. Each gets its own time, counted up from the last one, so that "least recently used" is
/// exact within a process. A stamp is at most a tenth of a second ahead of the clock, so a later read by another process counts as
/// later. In longer bursts, several accesses share a stamp.
///
/// If the clock is set back, stamps follow it at once: those of other processes do too.
struct StampSource {
    /// How far a stamp may be ahead of the clock.
    static let lead: Int64 = 100
    /// How far stamps of another process may be ahead of this process's clock. Those further ahead are from before it was set back.
    static let tolerance: Int64 = 10_000

    private var last = Timestamp(milliseconds: 0)

    mutating func next(at now: Timestamp) -> Timestamp {
        let following = last.advanced(by: 1)
        if following <= now || last - now > Self.lead {
            last = now
        } else if following - now <= Self.lead {
            last = following
        }
        return last
    }
}
