/// Loads from disk whose images are to be put into memory.
///
/// Between the read and that moment somebody may store another image under the key, or remove it: then the one that was read
/// is out of date, and must not come back. Who changes memory does it within ``change(_:thenRemove:_:)`` or ``changeAll(_:)``.
///
/// A removal from the disk waits for its turn on the I/O queue. A load that waits there too comes after it; one on another
/// thread still reads what is to go, and so is out of date from the beginning.
final class MemoryRefills: Sendable {
    /// What makes loads out of date; of one key, or of all.
    fileprivate struct Changes {
        var generation = 0
        /// In memory, not yet done.
        var underWay = 0
        /// From the disk, waiting for their turn.
        var removals = 0

        var isIdle: Bool { underWay == 0 && removals == 0 }

        func admitLoad(thatWaitsItsTurn waits: Bool) -> Bool { underWay == 0 && (waits || removals == 0) }
    }

    fileprivate struct Key {
        var loads = 0
        var changes = Changes()
    }

    fileprivate struct State {
        var keys: [String: Key] = [:]
        var all = Changes()
        var batched = BatchedRemovals()
    }

    /// Removals from the disk that let others in between their batches.
    fileprivate struct BatchedRemovals {
        var underWay = 0
        /// Keys that were changed in memory meanwhile, and at which change.
        var changes: [MemoryKey: Int] = [:]
        var changeCount = 0
    }

    /// A load under way.
    struct Ticket: Sendable {
        let key: String
        /// nil when the load is out of date from the beginning.
        fileprivate let generations: [Int]?
    }

    private let state = Locked(State())

    var isIdle: Bool { state.withLock { $0.keys.isEmpty && $0.all.isIdle && $0.batched.changes.isEmpty } }

    // MARK: Loads

    /// - Parameter waitsItsTurn: whether the load reads on the I/O queue.
    func begin(_ key: String, waitsItsTurn: Bool) -> Ticket {
        state.withLock { state in
            state.keys[key, default: Key()].loads += 1
            let isCurrent = [state.all, state.keys[key]?.changes].allSatisfy {
                $0?.admitLoad(thatWaitsItsTurn: waitsItsTurn) ?? true
            }
            return Ticket(key: key, generations: isCurrent ? state.generations(of: key) : nil)
        }
    }

    /// Ends a load, with `refill` unless it is out of date. Under the lock, so that who changes the key comes before or after.
    ///
    /// - Parameter refill: returns what it has pushed out, to be released after the lock: a deinit may come back.
    func end(_ ticket: Ticket, refill: () -> Any? = { nil }) {
        let displaced = state.withLock { state in
            defer { state.update(ticket.key) { $0.loads -= 1 } }
            return ticket.generations == state.generations(of: ticket.key) ? refill() : nil
        }
        withExtendedLifetime(displaced) {}
    }

    // MARK: Changes

    /// Changes a key in memory: what is being read for it, or begins to be read meanwhile, is out of date.
    ///
    /// - Parameter enqueueRemoval: puts its removal from the disk into the I/O queue, which ends with ``endRemoval(_:)``. Called
    ///   under the lock, so that a load that begins after this change waits behind it.
    func change(_ key: String, thenRemove enqueueRemoval: (() -> Void)? = nil, _ body: () -> Void) {
        state.withLock { state in
            state.update(key) { $0.changes.begin() }
            state.batched.note(key)
        }
        body()
        state.withLock { state in
            state.update(key) { key in
                if enqueueRemoval != nil { key.changes.removals += 1 }
                key.changes.underWay -= 1
            }
            enqueueRemoval?()
        }
    }

    func endRemoval(_ key: String) {
        state.withLock { state in state.update(key) { $0.changes.removals -= 1 } }
    }

    /// Changes any keys in memory.
    func changeAll(_ body: () -> Void) {
        beginChangeOfAll()
        body()
        endChangeOfAll()
    }

    func beginChangeOfAll() { state.withLock { $0.all.begin() } }
    func endChangeOfAll() { state.withLock { $0.all.underWay -= 1 } }

    /// All keys are going to be removed from the disk. Said within ``changeAll(_:)``.
    func beginRemovalOfAll() { state.withLock { $0.all.removals += 1 } }
    func endRemovalOfAll() { state.withLock { $0.all.removals -= 1 } }

    // MARK: Removals in batches

    /// Any keys are going to be removed from the disk, in batches between which loads read what is to go: until it ends nothing
    /// that is read gets into memory.
    ///
    /// - Returns: for ``remove(_:unlessChangedSince:_:)``.
    func beginBatchedRemoval() -> Int {
        state.withLock { state in
            state.all.begin()
            state.batched.underWay += 1
            return state.batched.changeCount
        }
    }

    func endBatchedRemoval() {
        state.withLock { state in
            state.all.underWay -= 1
            state.batched.underWay -= 1
            if state.batched.underWay == 0 { state.batched.changes = [:] }
        }
    }

    /// Removes a key that has gone from the disk, unless another image was stored under it since the removal began.
    ///
    /// - Parameter body: returns what it has taken out, to be released after the lock: a deinit may come back.
    func remove(_ key: String, unlessChangedSince begin: Int, _ body: () -> Any?) {
        let removed = state.withLock { state in
            state.batched.changes[MemoryKey(key)] ?? 0 <= begin ? body() : nil
        }
        withExtendedLifetime(removed) {}
    }
}

extension MemoryRefills.BatchedRemovals {
    fileprivate mutating func note(_ key: String) {
        guard underWay > 0 else { return }
        changeCount += 1
        changes[MemoryKey(key)] = changeCount
    }
}

extension MemoryRefills.Changes {
    fileprivate mutating func begin() {
        generation += 1
        underWay += 1
    }
}

extension MemoryRefills.State {
    fileprivate func generations(of key: String) -> [Int] { [all.generation, keys[key]?.changes.generation ?? 0] }

    /// Nothing is kept of a key for which nothing is under way.
    fileprivate mutating func update(_ name: String, _ change: (inout MemoryRefills.Key) -> Void) {
        var key = keys[name] ?? MemoryRefills.Key()
        change(&key)
        keys[name] = key.loads == 0 && key.changes.isIdle ? nil : key
    }
}
