/// The calls on a cache that have not ended. Decides what a load returns, and what may enter memory.
///
/// A change of the disk is pending from its call until its turn on the I/O queue ends. A load of the same key returns the result
/// of the latest pending change, without waiting for that turn. If a change overtakes a load, the load ends as it began, no other
/// load joins it, and it puts nothing into memory.
///
/// `Tests/Models/order.py` tries every interleaving of these rules.
final class CallOrder: Sendable {
    /// The source of a load's result.
    enum Source {
        case disk
        case pending(PendingStore)
        /// A removal or a clear is pending.
        case nothing
    }

    /// A change of one blob that has not ended.
    fileprivate struct Change {
        let number: Int
        let name: BlobName
        /// nil for a removal.
        let store: PendingStore?
    }

    /// A removal of many keys' blobs that has not ended.
    fileprivate struct WideRemoval {
        let number: Int
        /// nil for all keys.
        let conditions: KeyConditions?

        func affects(_ blob: DiskLoad.Blob) -> Bool {
            conditions?.admits(key: blob.key.text, baseKey: blob.baseKey) ?? true
        }
    }

    fileprivate struct Key {
        var pending: [Change] = []
        /// Blobs that were stored while an earlier removal of many keys is under way, with the number of the store.
        var stored: [BlobName: Int] = [:]
        var loads: [DiskLoad] = []

        var isIdle: Bool { pending.isEmpty && stored.isEmpty && loads.isEmpty }
    }

    fileprivate struct State {
        var keys: [MemoryKey: Key] = [:]
        /// In the order of their numbers.
        var wideRemovals: [WideRemoval] = []
        /// The numbers of the changes of all of memory that are under way, in ascending order.
        var changing: [Int] = []
        /// Keys that changed in memory meanwhile, with the number of the change.
        var changedMeanwhile: [MemoryKey: Int] = [:]
        /// The number of beginnings of changes, and of ends of changes of all of memory; also numbers the changes.
        var count = 0

        var keyCount: Int { keys.count + changedMeanwhile.count }
    }

    private let state = Locked(State())

    /// The number of keys of which something is noted.
    var keyCount: Int { state.withLock { $0.keyCount } }

    var isIdle: Bool { state.withLock { $0.keyCount == 0 && $0.wideRemovals.isEmpty && $0.changing.isEmpty } }

    // MARK: Changes of the disk

    /// Begins a store or a removal of a blob.
    ///
    /// - Parameters:
    ///   - store: nil for a removal.
    ///   - isWanted: receives the number of the latest change; see ``latestChange(of:)``. False changes nothing. Called under the lock.
    ///   - memory: changes memory too; see ``change(_:ifWanted:_:)``. nil leaves it as it is.
    ///   - enqueue: adds it to the I/O queue. Receives the number for ``endRemoval(_:of:)``. Called under the lock, so that changes
    ///     are queued in the order of their numbers.
    func begin(
        _ blob: DiskLoad.Blob, storing store: PendingStore?, ifWanted isWanted: (Int) -> Bool = { _ in true },
        memory: (() -> Any?)? = nil, enqueue: (Int) -> Void
    ) {
        change(blob, ifWanted: isWanted, changesMemory: memory != nil) { state, number in
            state.keys[blob.key]?.pending.append(Change(number: number, name: blob.name, store: store))
            // Memory first: once it is queued, the disk may have it before this thread goes on.
            let displaced = memory?()
            enqueue(number)
            return displaced
        }
    }

    /// - Parameter isStored: whether the blob is on disk.
    func end(_ store: PendingStore, isStored: Bool) {
        end(store.blob.key, isStored: isStored) { $0.store === store }
    }

    func endRemoval(_ number: Int, of key: MemoryKey) { end(key, isStored: false) { $0.number == number } }

    private func end(_ key: MemoryKey, isStored: Bool, where isEnding: (Change) -> Bool) {
        state.withLock { state in
            let wideRemovals = state.wideRemovals
            state.update(key) { key in
                guard let index = key.pending.firstIndex(where: isEnding) else { return }
                let change = key.pending.remove(at: index)
                guard let store = change.store else { return key.stored[change.name] = nil }
                guard isStored, wideRemovals.contains(where: { $0.affects(store.blob) }) else { return }
                key.stored[change.name] = change.number
            }
        }
    }

    /// Begins a removal of all keys, or of those that match conditions.
    ///
    /// - Parameter enqueue: receives the number for ``endWideRemoval(_:)``. Called under the lock.
    /// - Returns: the number.
    @discardableResult
    func beginWideRemoval(_ conditions: KeyConditions? = nil, enqueue: (Int) -> Void) -> Int {
        state.withLock { state in
            let number = state.overtakeAll()
            state.wideRemovals.append(WideRemoval(number: number, conditions: conditions))
            enqueue(number)
            return number
        }
    }

    func endWideRemoval(_ number: Int) {
        state.withLock { state in
            state.wideRemovals.removeAll { $0.number == number }
            // Not only when none is left: if removals always overlap, that never happens.
            let oldest = state.wideRemovals.first?.number ?? .max
            for key in state.keys.keys where state.keys[key]?.stored.isEmpty == false {
                state.update(key) { $0.stored = $0.stored.filter { $0.value > oldest } }
            }
        }
    }

    /// The number of the latest store or removal of the blob that has not ended; 0 if there is none.
    func latestChange(of blob: DiskLoad.Blob) -> Int { state.withLock { $0.latestChange(of: blob) } }

    /// The source of a load of the blob, as of now.
    ///
    /// - Parameter waits: whether the caller waits for a store that is not serialized yet. If false, such a store is skipped.
    func source(of blob: DiskLoad.Blob, waits: Bool = true) -> Source {
        state.withLock { $0.source(of: blob, waits: waits).source }
    }

    // MARK: Changes of memory

    /// Changes a key in memory. Loads under way put nothing there.
    ///
    /// - Parameters:
    ///   - isWanted: see ``begin(_:storing:ifWanted:memory:enqueue:)``.
    ///   - body: called under the lock, so that memory and disk change in the same order. Returns the displaced object, which is
    ///     released after the lock: its deinit may call back.
    func change(_ blob: DiskLoad.Blob, ifWanted isWanted: (Int) -> Bool = { _ in true }, _ body: () -> Any?) {
        change(blob, ifWanted: isWanted, changesMemory: true) { _, _ in body() }
    }

    private func change(
        _ blob: DiskLoad.Blob, ifWanted isWanted: (Int) -> Bool, changesMemory: Bool,
        _ body: (inout State, Int) -> Any?
    ) {
        let displaced: Any? = state.withLock { state in
            guard isWanted(state.latestChange(of: blob)) else { return nil }
            state.count += 1
            state.keys[blob.key, default: Key()].overtakeLoads()
            let number = state.count
            if !state.changing.isEmpty, changesMemory { state.changedMeanwhile[blob.key] = number }
            let displaced = body(&state, number)
            state.update(blob.key) { _ in }
            return displaced
        }
        withExtendedLifetime(displaced) {}
    }

    /// Changes any keys in memory.
    func changeAll(_ body: () -> Void) {
        let number = beginChangeOfAll()
        body()
        endChangeOfAll(number)
    }

    /// Begins a change of any keys in memory. Loads that run during a removal in batches may put entries into memory that a later
    /// batch removes, so remove those at the end: see ``remove(_:unlessChangedSince:_:)``.
    ///
    /// - Parameter enqueue: receives the number. Called under the lock.
    /// - Returns: the number for ``remove(_:unlessChangedSince:_:)`` and ``endChangeOfAll(_:)``.
    @discardableResult
    func beginChangeOfAll(enqueue: (Int) -> Void = { _ in }) -> Int {
        state.withLock { state in
            let number = state.overtakeAll()
            state.changing.append(number)
            enqueue(number)
            return number
        }
    }

    /// Later calls see the whole change, so they do not join loads that ran during it.
    func endChangeOfAll(_ number: Int) {
        state.withLock { state in
            _ = state.overtakeAll()
            state.changing.removeAll { $0 == number }
            // As at the end of a wide removal.
            let oldest = state.changing.first ?? .max
            state.changedMeanwhile = state.changedMeanwhile.filter { $0.value > oldest }
        }
    }

    /// Removes from memory a key that was removed from the disk, unless another image was stored under it since the change of all
    /// began.
    ///
    /// - Parameter body: returns the removed object, which is released after the lock: its deinit may call back.
    func remove(_ key: MemoryKey, unlessChangedSince begin: Int, _ body: () -> Any?) {
        let removed = state.withLock { state in
            state.changedMeanwhile[key] ?? 0 <= begin ? body() : nil
        }
        withExtendedLifetime(removed) {}
    }
}

// MARK: - Loads

extension CallOrder {
    /// The number of beginnings and ends of changes: see ``admit(_:of:since:)``.
    var changeCount: Int { state.withLock { $0.count } }

    /// Adds a member to the load under way that reads the same, or else to a new one, which the caller starts. A load on the
    /// caller's thread joins no other.
    ///
    /// - Parameter count: the change count before the caller looked in memory and found nothing; nil if it does not look there.
    /// - Returns: nil if a key has changed since, so that the caller must look again.
    func admit(
        _ member: DiskLoad.Member, of blob: DiskLoad.Blob, since count: Int?
    ) -> (load: DiskLoad, isNew: Bool)? {
        state.withLock { state in
            guard count == nil || state.count == count else { return nil }
            if let load = state.keys[blob.key]?.loads.first(where: { $0.isJoined(by: member, of: blob) }) {
                load.members.append(member)
                return (load, false)
            }
            return (state.add(member, of: blob), true)
        }
    }

    /// Begins a load when its turn comes.
    ///
    /// - Returns: the first member; nil if all were withdrawn.
    func begin(_ load: DiskLoad) -> DiskLoad.Member? {
        state.withLock { state in
            load.hasBegun = true
            if load.members.isEmpty { state.update(load.blob.key) { $0.loads.removeAll { $0 === load } } }
            return load.members.first
        }
    }

    /// Withdraws a member.
    ///
    /// - Returns: false if its load has begun.
    func cancel(_ member: DiskLoad.Member, of load: DiskLoad) -> Bool {
        state.withLock { _ in
            guard !load.hasBegun else { return false }
            load.members.removeAll { $0 === member }
            return true
        }
    }

    /// Ends a load.
    ///
    /// - Parameter refill: puts the image into memory for a member; not called if a change has overtaken the load. Called under
    ///   the lock, so that a change happens before or after it. Returns the displaced object, which is released after the lock:
    ///   its deinit may call back.
    /// - Returns: the members to answer.
    func end(_ load: DiskLoad, refill: (DiskLoad.Member) -> Any?) -> [DiskLoad.Member] {
        let (members, displaced) = state.withLock { state in
            state.update(load.blob.key) { $0.loads.removeAll { $0 === load } }
            return (load.members, load.isCurrent ? load.members.map(refill) : [])
        }
        withExtendedLifetime(displaced) {}
        return members
    }
}

extension CallOrder.State {
    /// Overtakes all loads.
    ///
    /// - Returns: the change's number.
    fileprivate mutating func overtakeAll() -> Int {
        count += 1
        for key in keys.keys where keys[key]?.loads.isEmpty == false { update(key) { $0.overtakeLoads() } }
        return count
    }

    fileprivate func latestChange(of blob: DiskLoad.Blob) -> Int {
        let own = keys[blob.key]?.pending.last { $0.name == blob.name }
        let wide = wideRemovals.last { $0.affects(blob) }
        return max(own?.number ?? 0, wide?.number ?? 0)
    }

    /// Returns the source of a blob after its latest pending change.
    ///
    /// - Parameter waits: whether the caller waits for a store that is not serialized yet. If false, such a store is skipped.
    fileprivate func source(of blob: DiskLoad.Blob, waits: Bool) -> (source: CallOrder.Source, isLatest: Bool) {
        let removal = wideRemovals.last { $0.affects(blob) }
        var isLatest = true
        for change in keys[blob.key]?.pending.reversed() ?? [] where change.name == blob.name {
            guard change.number > removal?.number ?? 0, let store = change.store else { return (.nothing, isLatest) }
            // It changes nothing on disk.
            if store.hasFailed { continue }
            if waits || store.isSerialized { return (.pending(store), isLatest) }
            isLatest = false
        }
        // The removal deletes what was there before it.
        let isOnDisk = removal.map { keys[blob.key]?.stored[blob.name] ?? 0 > $0.number } ?? true
        return (isOnDisk ? .disk : .nothing, isLatest)
    }

    fileprivate mutating func add(_ member: DiskLoad.Member, of blob: DiskLoad.Blob) -> DiskLoad {
        let (source, isLatest) = source(of: blob, waits: member.waits)
        let load = DiskLoad(of: blob, from: source, for: member)
        load.isCurrent = isLatest
        if isLatest { keys[blob.key, default: CallOrder.Key()].loads.append(load) }
        return load
    }

    /// Drops the key if it is idle.
    fileprivate mutating func update(_ name: MemoryKey, _ change: (inout CallOrder.Key) -> Void) {
        guard let index = keys.index(forKey: name) else { return }
        // In place: a copy of a key's pending changes takes as long as there are changes.
        change(&keys.values[index])
        if keys.values[index].isIdle { keys.remove(at: index) }
    }
}

extension CallOrder.Key {
    /// Loads that are not in the list cannot be joined.
    fileprivate mutating func overtakeLoads() {
        for load in loads { load.isCurrent = false }
        loads = []
    }
}
