internal import Foundation
internal import HalcyonSQLite

/// Writes what reads have noted in the last seconds when the process ends normally (`exit`, or a return from `main`).
///
/// Any code may call `exit`, even a closure that the cache calls under a lock. So nothing here waits for a queue, every lock is
/// tried until a common deadline, and nothing is opened.
enum ExitHandler {
    /// Milliseconds, for all storages together.
    private static let patience = 250

    private struct State {
        /// The process that owns the connections. A child of `fork` has copies, and must not use them.
        var process: pid_t = 0
        var leases: [ObjectIdentifier: Weak] = [:]
    }

    private struct Weak {
        weak var lease: StoreLease?
    }

    private static let state = Locked(State())
    /// Never released: the release of the last reference closes a store, which may take long.
    private static let held: Locked<[StoreLease]> = Locked([])
    private static let isRegistered = atexit { ExitHandler.run() } == 0

    static func add(_ lease: StoreLease) {
        // Without a handler, only the notes of the last ten seconds are lost at exit.
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
        // First the stores whose locks are free.
        let rest = leases.filter { !$0.store.recorder.flush(beforeExitAt: .now) }
        for lease in rest { _ = lease.store.recorder.flush(beforeExitAt: end) }
    }
}
