internal import HalcyonSQLite

/// How long the calls of this process wait while another one has the write lock.
///
/// One clock for all of them. It begins when the lock is refused, goes on while anybody asks again, and ends when anybody gets it. So
/// however many wait behind each other, and however many transactions a call takes, a store waits for ``Tuning/writerTimeout`` at most.
/// After one that has waited so long in vain, each next one tries for ``Tuning/retryTimeout``, until one gets the lock.
final class LockPatience: Sendable {
    /// Whether the calling thread does what can be made up for later: lookups, queries, opening, closing and housekeeping.
    private static let brevity = TaskLocal(wrappedValue: false)

    fileprivate struct Refusal {
        var since: MonotonicTime
        var last: MonotonicTime
    }

    fileprivate struct State {
        var refusal: Refusal?
        /// A store has waited in vain, and nobody has had the lock since.
        var isExhausted = false
    }

    private let state = Locked(State())
    private let tuning: Tuning
    /// Called with milliseconds, under the writer's lock.
    private let didWait: @Sendable (Int) -> Void

    init(_ tuning: Tuning, didWait: @escaping @Sendable (Int) -> Void) {
        (self.tuning, self.didWait) = (tuning, didWait)
    }

    /// Runs `body` so that it waits for ``Tuning/briefTimeout`` at most, and not at all while a store waits for longer.
    static func briefly<Result>(_ body: () throws -> Result) rethrows -> Result {
        try brevity.withValue(true, operation: body)
    }

    static var isBrief: Bool { brevity.get() }

    /// Asked about every millisecond while the lock is refused.
    ///
    /// - Parameter waited: milliseconds.
    func keepsWaiting(_ waited: Int) -> Bool {
        state.withLock { state in
            let refused = state.millisecondsRefused()
            if Self.isBrief { return !state.isExhausted && refused < tuning.briefTimeout }
            if refused >= tuning.writerTimeout { state.isExhausted = true }
            return !state.isExhausted || waited < tuning.retryTimeout
        }
    }

    func didGetLock() {
        let refusal = state.withLock { state in
            defer { state = State() }
            return state.refusal
        }
        if let refusal { didWait(refusal.milliseconds) }
    }

    /// Seconds that a brief call waits for another thread of this process, which may be waiting for the lock.
    var briefSeconds: Double {
        let refused = state.withLock { $0.refusal?.milliseconds ?? 0 }
        // The lock may be free again, and nobody has tried.
        return Double(max(tuning.briefTimeout - refused, min(tuning.retryTimeout, tuning.briefTimeout))) / 1000
    }
}

extension LockPatience.State {
    /// Milliseconds between two askings that are parts of one wait, on a busy machine.
    private static let gap = 100

    /// Notes a refusal.
    ///
    /// - Returns: for how long the lock has been asked for.
    fileprivate mutating func millisecondsRefused() -> Int {
        let now = MonotonicTime.now
        var refusal = self.refusal ?? .init(since: now, last: now)
        if now.milliseconds(since: refusal.last) > Self.gap { refusal.since = now }
        refusal.last = now
        self.refusal = refusal
        return now.milliseconds(since: refusal.since)
    }
}

extension LockPatience.Refusal {
    fileprivate var milliseconds: Int { last.milliseconds(since: since) }
}
