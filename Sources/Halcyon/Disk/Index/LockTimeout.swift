internal import HalcyonSQLite

/// How long the calls of this process wait while another process holds the write lock.
///
/// Stores, other changes and queries share one clock, brief calls another. A clock starts when SQLite refuses the lock, runs
/// while any of its calls retries, and stops when any call gets the lock. So a store waits for at most
/// ``Tuning/writerTimeout``, however many stores wait in line and however many transactions it takes. After one has timed out,
/// each further one tries for ``Tuning/retryTimeout``, until one gets the lock.
final class LockTimeout: Sendable {
    /// Whether the calling thread does work that can be deferred: lookups, openings, closes, housekeeping, and the flush before
    /// a query.
    private static let brevity = TaskLocal(wrappedValue: false)

    private struct Refusal {
        /// The most milliseconds between two retries of one wait, on a busy machine.
        private static let gap = 100

        var since: MonotonicTime
        var last: MonotonicTime

        var milliseconds: Int { last.milliseconds(since: since) }

        /// Whether no call has retried for so long that none waits.
        var hasLapsed: Bool { MonotonicTime.now.milliseconds(since: last) > Self.gap }

        /// Records a refusal.
        ///
        /// - Returns: the milliseconds for which calls have been waiting for the lock.
        static func note(_ noted: inout Refusal?) -> Int {
            let now = MonotonicTime.now
            var refusal = noted ?? Refusal(since: now, last: now)
            if refusal.hasLapsed { refusal.since = now }
            refusal.last = now
            noted = refusal
            return refusal.milliseconds
        }
    }

    private struct State {
        /// For calls that wait as long as a store.
        var refusal: Refusal?
        /// For brief calls, which must not shorten the wait of a later store.
        var briefRefusal: Refusal?
        /// For brief calls that wait for another thread.
        var threadWait: Refusal?
        /// A store has timed out, and no call has got the lock since.
        var isExhausted = false
    }

    private let state = Locked(State())
    private let tuning: Tuning
    private let observers: Observers

    init(_ tuning: Tuning, _ observers: Observers) { (self.tuning, self.observers) = (tuning, observers) }

    /// Runs `body` so that it waits for at most ``Tuning/briefTimeout``, and not at all if another call has already waited that
    /// long.
    static func briefly<Result>(_ body: () throws -> Result) rethrows -> Result {
        try brevity.withValue(true, operation: body)
    }

    /// Runs `body` so that it waits as long as a store, whatever calls it.
    static func patiently<Result>(_ body: () throws -> Result) rethrows -> Result {
        try brevity.withValue(false, operation: body)
    }

    static var isBrief: Bool { brevity.get() }

    /// Whether to retry. SQLite asks about every millisecond while it refuses the lock.
    ///
    /// - Parameter waited: milliseconds that this call has waited.
    func shouldKeepWaiting(_ waited: Int) -> Bool {
        state.withLock { state in
            if Self.isBrief {
                let refused = max(Refusal.note(&state.briefRefusal), state.refusal?.milliseconds ?? 0, waited)
                return !state.isExhausted && refused < tuning.briefTimeout
            }
            let refused = max(Refusal.note(&state.refusal), waited)
            if refused >= tuning.writerTimeout { state.isExhausted = true }
            return !state.isExhausted || waited < tuning.retryTimeout
        }
    }

    func didGetLock() {
        let former = state.replace(with: State())
        let refusals = [former.refusal, former.briefRefusal].compactMap(\.self)
        // A wait that timed out was reported as a failure.
        guard !former.isExhausted, let refusal = refusals.first(where: { !$0.hasLapsed }) else { return }
        observers.notifyLater(.init(kind: .wait, count: 0, seconds: Double(refusal.milliseconds) / 1000))
    }

    /// Whether calls that wait as long as a store have been refused the lock for longer than a brief call waits.
    var isRefused: Bool { state.withLock { $0.refusal?.milliseconds ?? 0 } >= tuning.briefTimeout }

    /// Whether a brief call keeps waiting for another thread of this process, which may be opening or closing the index: not if that
    /// thread waits for another process. All such calls share one clock. Ask every 20 milliseconds.
    func shouldKeepWaitingForThread() -> Bool {
        state.withLock { state in
            state.refusal == nil && state.briefRefusal == nil
                && Refusal.note(&state.threadWait) < tuning.openingTimeout
        }
    }

    /// Seconds that a brief call waits for another thread of this process, which may itself wait for the lock.
    var briefSeconds: Double {
        let refused = state.withLock { max($0.refusal?.milliseconds ?? 0, $0.briefRefusal?.milliseconds ?? 0) }
        // Not zero: the lock may have become free without any call having tried.
        return Double(max(tuning.briefTimeout - refused, min(tuning.retryTimeout, tuning.briefTimeout))) / 1000
    }
}
