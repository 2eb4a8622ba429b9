internal import CHalcyonSQLite

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// How long a connection waits for a lock that another connection holds. It retries about every millisecond.
///
/// SQLite's own handler backs off to 100 ms between retries. A writer that waits that long loses to any process that writes
/// in short bursts.
final class BusyPolicy {
    /// Called before each retry with the milliseconds waited so far. Return false to give up.
    var shouldKeepWaiting: @Sendable (Int) -> Bool

    init(milliseconds: Int) { shouldKeepWaiting = { $0 < milliseconds } }

    /// Installs this policy with `sqlite3_busy_handler`. The policy must live as long as the connection.
    func install(on handle: OpaquePointer) {
        sqlite3_busy_handler(
            handle,
            { context, attempt in
                guard let context else { return 0 }
                let policy = Unmanaged<BusyPolicy>.fromOpaque(context).takeUnretainedValue()
                guard policy.shouldKeepWaiting(Int(attempt)) else { return 0 }
                pauseMilliseconds(1)
                return 1
            }, Unmanaged.passUnretained(self).toOpaque())
    }
}

/// Sleeps the calling thread.
func pauseMilliseconds(_ milliseconds: Int) {
    var rest = timespec(tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
    while true {
        var pause = rest
        guard nanosleep(&pause, &rest) == -1, errno == EINTR else { return }
    }
}
