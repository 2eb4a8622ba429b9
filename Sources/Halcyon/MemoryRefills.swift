/// Loads from disk whose images are to be put into memory.
///
/// Between the read and that moment somebody may store another image under the key, or remove it: then the one that was read
/// is out of date, and must not come back. Who changes a key in memory says so here first.
final class MemoryRefills: Sendable {
    private struct Loads {
        var count = 0
        var generation = 0
    }

    /// A load under way.
    struct Ticket: Sendable {
        let key: String
        fileprivate let generation: Int
    }

    private let loads: Locked<[String: Loads]> = Locked([:])

    func begin(_ key: String) -> Ticket {
        loads.withLock { loads in
            loads[key, default: Loads()].count += 1
            return Ticket(key: key, generation: loads[key]?.generation ?? 0)
        }
    }

    /// What is being read for a key is out of date.
    func supersede(_ key: String) {
        loads.withLock { $0[key]?.generation += 1 }
    }

    /// Whatever is being read is out of date.
    func supersedeAll() {
        loads.withLock { loads in
            for key in loads.keys { loads[key]?.generation += 1 }
        }
    }

    /// Ends a load, with `refill` unless it is out of date. Under the lock, so that who supersedes it comes before or after.
    func end(_ ticket: Ticket, refill: () -> Void) {
        loads.withLock { loads in
            guard var load = loads[ticket.key] else { return }
            if load.generation == ticket.generation { refill() }
            load.count -= 1
            loads[ticket.key] = load.count > 0 ? load : nil
        }
    }
}
