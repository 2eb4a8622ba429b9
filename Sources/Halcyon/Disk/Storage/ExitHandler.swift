internal import Foundation
internal import HalcyonSQLite

/// Writes at an ordinary end of the process (`exit`, or the return of `main`) what reads have noted in its last seconds.
///
/// `exit` may be called from anywhere, also from a closure that the cache calls under a lock. So nothing here waits for a queue, each
/// lock is tried until a common moment and then given up, and what is not open is not opened.
enum ExitHandler {
    /// Milliseconds, for all storages together.
    private static let patience = 250

    private struct State {
        /// Whose connections they are. A copy of the process (`fork`) has them too, and must not touch them.
        var process: pid_t = 0
        var leases: [ObjectIdentifier: Weak] = [:]
    }

    private struct Weak {
        weak var lease: StoreLease?
    }

    private static let state = Locked(State())
    /// Never let go of: whoever is the last one to hold a store closes it, and that may take long.
    private static let held: Locked<[StoreLease]> = Locked([])
    private static let isRegistered = atexit { ExitHandler.run() } == 0

    static func add(_ lease: StoreLease) {
        // Without a handler what was noted in the last ten seconds is lost at the end, and nothing else.
        _ = isRegistered
        state.withLock { state in
            if state.process != getpid() { state = State(process: getpid()) }
            state.leases[ObjectIdentifier(lease)] = Weak(lease: lease)
        }
    }

    static func remove(_ lease: StoreLease) { state.withLock { $0.leases[ObjectIdentifier(lease)] = nil } }

    private static func run() {
        let end = MonotonicTime.now.adding(milliseconds: patience)
        let leases = state.withLock(within: end.secondsLeft) { state in
            state.process == getpid() ? state.leases.values.compactMap(\.lease) : []
        }
        guard let leases else { return }
        _ = held.replace(with: leases)
        // First those that nobody holds up.
        let rest = leases.filter { !$0.store.recorder.flush(beforeExitAt: .now) }
        for lease in rest { _ = lease.store.recorder.flush(beforeExitAt: end) }
    }
}
