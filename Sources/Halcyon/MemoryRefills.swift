/// Loads from disk whose images are to be put into memory.
///
/// Between the read and that moment somebody may store another image under the key, or remove it: then the one that was read
/// is out of date, and must not come back. Who changes a key in memory says so here first.
///
/// A removal from the disk waits for its turn on the I/O queue. A load that waits there too comes after it; one on another
/// thread still reads what is to go, and so is out of date from the beginning.
final class MemoryRefills: Sendable {
    fileprivate struct Loads {
        var count = 0
        var generation = 0
        var removals = 0
    }

    fileprivate struct State {
        var loads: [String: Loads] = [:]
        /// The same of all keys.
        var generation = 0
        var removals = 0
    }

    /// A load under way.
    struct Ticket: Sendable {
        let key: String
        /// nil when the load is out of date from the beginning.
        fileprivate let generations: [Int]?
    }

    private let state = Locked(State())

    var isIdle: Bool { state.withLock { $0.loads.isEmpty && $0.removals == 0 } }

    /// - Parameter waitsItsTurn: whether the load reads on the I/O queue.
    func begin(_ key: String, waitsItsTurn: Bool) -> Ticket {
        state.withLock { state in
            state.loads[key, default: Loads()].count += 1
            let isCurrent = waitsItsTurn || (state.removals == 0 && state.loads[key]?.removals == 0)
            return Ticket(key: key, generations: isCurrent ? state.generations(of: key) : nil)
        }
    }

    /// What is being read for a key is out of date.
    func supersede(_ key: String) {
        state.withLock { $0.loads[key]?.generation += 1 }
    }

    /// Whatever is being read is out of date.
    func supersedeAll() {
        state.withLock { $0.generation += 1 }
    }

    /// What is being read for a key is out of date, and is going to be removed from the disk.
    func beginRemoval(_ key: String) {
        state.withLock { state in
            state.loads[key, default: Loads()].removals += 1
            state.loads[key]?.generation += 1
        }
    }

    func endRemoval(_ key: String) {
        state.withLock { state in
            state.loads[key]?.removals -= 1
            state.forgetIdle(key)
        }
    }

    /// Whatever is being read is out of date, and is going to be removed from the disk.
    func beginRemovalOfAll() {
        state.withLock { state in
            state.removals += 1
            state.generation += 1
        }
    }

    func endRemovalOfAll() {
        state.withLock { $0.removals -= 1 }
    }

    /// Ends a load, with `refill` unless it is out of date. Under the lock, so that who supersedes it comes before or after.
    func end(_ ticket: Ticket, refill: () -> Void) {
        state.withLock { state in
            if ticket.generations == state.generations(of: ticket.key) { refill() }
            state.loads[ticket.key]?.count -= 1
            state.forgetIdle(ticket.key)
        }
    }
}

extension MemoryRefills.State {
    fileprivate func generations(of key: String) -> [Int] { [generation, loads[key]?.generation ?? 0] }

    fileprivate mutating func forgetIdle(_ key: String) {
        if let loads = loads[key], loads.count == 0, loads.removals == 0 { self.loads[key] = nil }
    }
}
