/// Makes times for accesses that put them in order.
///
/// Many accesses fall into one millisecond. Each gets its own time, counted up from the last one, so that "least recently used" is
/// exact within a process. A stamp is at most a tenth of a second ahead of the clock, so a later read by another process counts as
/// later. In longer bursts, several accesses share a stamp.
///
/// If the clock is put back by less than ``tolerance``, stamps go on from the last one, at half the clock's pace, until it has caught up.
/// Equal stamps would leave the order of all accesses in the meantime to chance.
struct StampSource {
    /// How far a stamp may be ahead of the clock.
    static let lead: Int64 = 100
    /// If the last access is further ahead than this, the clock was set back.
    static let tolerance: Int64 = 10_000

    private var last = Timestamp(milliseconds: 0)
    private var pace = Pace()

    mutating func next(at now: Timestamp) -> Timestamp {
        let now = pace.time(at: now)
        let following = last.advanced(by: 1)
        if following <= now || last - now > Self.tolerance {
            last = now
        } else if following - now <= Self.lead {
            last = following
        }
        return last
    }

    /// A clock that never goes back, except by more than ``StampSource/tolerance``.
    private struct Pace {
        private var clock = Timestamp(milliseconds: 0)
        private var time = Timestamp(milliseconds: 0)
        /// When it last fell behind the clock's pace.
        private var start = (clock: Timestamp(milliseconds: 0), time: Timestamp(milliseconds: 0))

        mutating func time(at now: Timestamp) -> Timestamp {
            if now < clock { start = (now, time) }
            clock = now
            let slower = start.time.advanced(by: (now - start.clock) / 2)
            time = slower - now > StampSource.tolerance ? now : max(now, slower)
            if time == now { start = (now, now) }
            return time
        }
    }
}
