internal import Foundation
internal import HalcyonSQLite

/// Writes what reads have noted in the last seconds when the process ends normally (`exit`, or a return from `main`).
///
/// Any code may call `exit`, even a closure that the cache calls under a lock. So nothing here waits for a queue, every lock is
/// tried until a common deadline, and nothing is opened.
enum ExitHandler {
    /// Milliseconds, for all storages together.
    private static let patience = 250

    /// Never released: the release of the last reference closes a store, which may take long.
    private static let held: Locked<[StoreLease]> = Locked([])
    private static let isRegistered = atexit { ExitHandler.run() } == 0

    /// Without a handler, only the notes of the last ten seconds are lost at exit.
    static func register() { _ = isRegistered }

    private static func run() {
        let end = MonotonicTime.now.adding(milliseconds: patience)
        guard let leases = StoreLease.all(within: end.secondsLeft) else { return }
        _ = held.replace(with: leases)
        // First the stores whose locks are free.
        let rest = leases.filter { !$0.store.recorder.flush(beforeExitAt: end, waits: false) }
        for lease in rest { _ = lease.store.recorder.flush(beforeExitAt: end, waits: true) }
    }
}
