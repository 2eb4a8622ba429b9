internal import HalcyonSQLite

/// The open connections to an index, so that another thread can interrupt them.
final class OpenConnections: Sendable {
    private struct Weak: @unchecked Sendable {
        // Sendable because only `interrupt()` is called through it.
        weak var connection: Connection?
    }

    private let all: Locked<[Weak]> = Locked([])

    func add(_ connection: Connection) {
        let weak = Weak(connection: connection)
        all.withLock { all in
            all.removeAll { $0.connection == nil }
            all.append(weak)
        }
    }

    func interrupt() {
        for one in all.withLock({ $0 }) { one.connection?.interrupt() }
    }
}
