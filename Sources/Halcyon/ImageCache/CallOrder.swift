internal import Foundation

/// What has been called on a cache and has not ended: it decides what a load is answered from, and what gets into memory.
///
/// A change of the disk is pending from its call until its turn on the I/O queue is over. A load of the same key is answered from the
/// latest pending change, without waiting for that turn. A load that a change overtakes ends as it has begun, is joined by none, and puts
/// nothing into memory.
///
/// `Tests/Models/order.py` tries every interleaving of these rules.
final class CallOrder: Sendable {
    /// What a load is answered from.
    enum Source {
        case disk
        case pending(PendingStore)
        /// A removal or a clear is pending.
        case nothing
    }

    /// A change of a blob, not ended.
    fileprivate struct Change {
        let number: Int
        let name: BlobName
        /// nil for a removal.
        let store: PendingStore?
    }

    /// A change of many keys' blobs, not ended.
    fileprivate struct WideRemoval {
        let number: Int
        /// nil for all keys.
        let conditions: KeyConditions?

        func affects(_ key: MemoryKey) -> Bool { conditions?.admit(key: key.text) ?? true }
    }

    fileprivate struct Key {
        var pending: [Change] = []
        /// Changes of memory under way.
        var changing = 0
        var loads: [DiskLoad] = []

        var isIdle: Bool { pending.isEmpty && changing == 0 && loads.isEmpty }
    }

    fileprivate struct State {
        var keys: [MemoryKey: Key] = [:]
        var wideRemovals: [WideRemoval] = []
        /// Changes of all of memory under way.
        var changing = 0
        /// Counts the beginnings and ends of changes, and so numbers them.
        var count = 0
        var batched = BatchedRemovals()
    }

    /// Removals from the disk that let others in between their batches.
    fileprivate struct BatchedRemovals {
        var underWay = 0
        /// Keys that were changed in memory meanwhile, and at which change.
        var changes: [MemoryKey: Int] = [:]
    }

    private let state = Locked(State())

    var isIdle: Bool {
        state.withLock { state in
            state.keys.isEmpty && state.wideRemovals.isEmpty && state.changing == 0 && state.batched.changes.isEmpty
        }
    }

    // MARK: Changes of the disk

    /// A store is called.
    ///
    /// - Parameter enqueue: puts it into the I/O queue. Called under the lock, so that changes get there in the order of their numbers.
    func begin(_ store: PendingStore, enqueue: () -> Void) {
        state.withLock { state in
            let number = state.begin(store.key)
            state.keys[store.key]?.pending.append(Change(number: number, name: store.name, store: store))
            enqueue()
        }
    }

    func end(_ store: PendingStore) {
        state.withLock { state in state.update(store.key) { $0.pending.removeAll { $0.store === store } } }
    }

    /// A removal is called.
    ///
    /// - Parameter enqueue: is given the number that ``endRemoval(_:of:)`` takes. Called under the lock.
    func beginRemoval(of name: BlobName, key: MemoryKey, enqueue: (Int) -> Void) {
        state.withLock { state in
            let number = state.begin(key)
            state.keys[key]?.pending.append(Change(number: number, name: name, store: nil))
            enqueue(number)
        }
    }

    func endRemoval(_ number: Int, of key: MemoryKey) {
        state.withLock { state in state.update(key) { $0.pending.removeAll { $0.number == number } } }
    }

    /// A removal of all keys is called, or of all that meet conditions.
    ///
    /// - Parameter enqueue: is given the number that ``endWideRemoval(_:)`` takes. Called under the lock.
    func beginWideRemoval(_ conditions: KeyConditions? = nil, enqueue: (Int) -> Void) {
        state.withLock { state in
            let number = state.beginChangeOfAll()
            state.wideRemovals.append(WideRemoval(number: number, conditions: conditions))
            enqueue(number)
        }
    }

    func endWideRemoval(_ number: Int) {
        state.withLock { state in state.wideRemovals.removeAll { $0.number == number } }
    }

    /// What is to be said of a blob now.
    func source(of name: BlobName, key: MemoryKey) -> Source { state.withLock { $0.source(of: name, key: key).source } }

    // MARK: Changes of memory

    /// Changes a key in memory. A load that is under way meanwhile puts nothing there.
    func change(_ key: MemoryKey, _ body: () -> Void) {
        state.withLock { state in
            let number = state.begin(key)
            state.keys[key]?.changing += 1
            if state.batched.underWay > 0 { state.batched.changes[key] = number }
        }
        body()
        state.withLock { state in
            state.count += 1
            state.update(key) { $0.changing -= 1 }
        }
    }

    /// Changes any keys in memory.
    func changeAll(_ body: () -> Void) {
        beginChangeOfAll()
        body()
        endChangeOfAll()
    }

    func beginChangeOfAll() {
        state.withLock { state in
            _ = state.beginChangeOfAll()
            state.changing += 1
        }
    }

    func endChangeOfAll() {
        state.withLock { state in
            state.count += 1
            state.changing -= 1
        }
    }

    // MARK: Removals in batches

    /// Any keys are going to be removed from the disk, in batches between which loads read what is to go: until it ends nothing
    /// that is read gets into memory.
    ///
    /// - Returns: for ``remove(_:unlessChangedSince:_:)``.
    func beginBatchedRemoval() -> Int {
        beginChangeOfAll()
        return state.withLock { state in
            state.batched.underWay += 1
            return state.count
        }
    }

    func endBatchedRemoval() {
        endChangeOfAll()
        state.withLock { state in
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

// MARK: - Loads

extension CallOrder {
    /// What becomes of a load that is called.
    enum Admission {
        /// It is to be started.
        case leads(DiskLoad)
        /// Another one reads for it.
        case joins(DiskLoad)
        /// Something has changed since the caller looked into memory.
        case isToLookAgain
    }

    /// Counts changes: see ``admit(_:of:since:)``.
    var changeCount: Int { state.withLock { $0.count } }

    /// - Parameter count: of changes before the caller has found nothing in memory; nil if it does not look there.
    func admit(_ member: DiskLoad.Member, of blob: DiskLoad.Blob, since count: Int?) -> Admission {
        state.withLock { state in
            guard count == nil || state.count == count else { return .isToLookAgain }
            if let load = state.keys[blob.key]?.loads.first(where: { $0.isJoined(by: member, of: blob) }) {
                load.members.append(member)
                return .joins(load)
            }
            return .leads(state.add(member, of: blob, waits: true))
        }
    }

    /// As ``admit(_:of:since:)``, for a load on its caller's thread, which waits for nobody and which nobody joins.
    func admitAlone(_ member: DiskLoad.Member, of blob: DiskLoad.Blob, since count: Int?) -> DiskLoad? {
        state.withLock { state in
            count == nil || state.count == count ? state.add(member, of: blob, waits: false) : nil
        }
    }

    /// A load's turn has come.
    ///
    /// - Returns: the first one's options; nil when all have been taken back.
    func begin(_ load: DiskLoad) -> KingfisherParsedOptionsInfo? {
        state.withLock { state in
            load.hasBegun = true
            if load.members.isEmpty { state.update(load.blob.key) { $0.loads.removeAll { $0 === load } } }
            return load.members.first?.options
        }
    }

    /// Takes a member back.
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
    /// - Parameter refill: puts what was read into memory for a member; left out when a change has overtaken the load. Called under the
    ///   lock, so that a change comes before or after. Returns what it has pushed out, to be released after the lock: a deinit may come
    ///   back.
    /// - Returns: those who are to be answered.
    func end(_ load: DiskLoad, refill: (DiskLoad.Member) -> Any?) -> [DiskLoad.Member] {
        let (members, displaced) = state.withLock { state in
            let isCurrent = load.isCurrent
            state.update(load.blob.key) { $0.loads.removeAll { $0 === load } }
            load.isCurrent = false
            return (load.members, isCurrent ? load.members.map(refill) : [])
        }
        withExtendedLifetime(displaced) {}
        return members
    }
}

extension CallOrder.State {
    /// - Returns: the change's number.
    fileprivate mutating func begin(_ key: MemoryKey) -> Int {
        count += 1
        keys[key, default: CallOrder.Key()].overtakeLoads()
        return count
    }

    /// - Returns: the change's number.
    fileprivate mutating func beginChangeOfAll() -> Int {
        count += 1
        for key in keys.keys where keys[key]?.loads.isEmpty == false { update(key) { $0.overtakeLoads() } }
        return count
    }

    /// The latest pending change of a blob.
    ///
    /// - Parameter waits: whether the asker waits for a store that is not serialized yet. If not, such a store is passed over.
    fileprivate func source(of name: BlobName, key: MemoryKey, waits: Bool = true) -> (
        source: CallOrder.Source, isLatest: Bool
    ) {
        let removal = wideRemovals.last { $0.affects(key) }
        var isLatest = true
        for change in keys[key]?.pending.reversed() ?? [] where change.name == name {
            guard change.number > removal?.number ?? 0, let store = change.store else { return (.nothing, isLatest) }
            if waits || store.isSerialized { return (.pending(store), isLatest) }
            isLatest = false
        }
        return (removal == nil ? .disk : .nothing, isLatest)
    }

    fileprivate mutating func add(_ member: DiskLoad.Member, of blob: DiskLoad.Blob, waits: Bool) -> DiskLoad {
        let (source, isLatest) = source(of: blob.name, key: blob.key, waits: waits)
        let load = DiskLoad(of: blob, from: source, for: member)
        load.isCurrent = isLatest && changing == 0 && keys[blob.key]?.changing ?? 0 == 0
        load.hasBegun = !waits
        if load.isCurrent { keys[blob.key, default: CallOrder.Key()].loads.append(load) }
        return load
    }

    /// Nothing is kept of a key for which nothing is under way.
    fileprivate mutating func update(_ name: MemoryKey, _ change: (inout CallOrder.Key) -> Void) {
        guard var key = keys[name] else { return }
        change(&key)
        keys[name] = key.isIdle ? nil : key
    }
}

extension CallOrder.Key {
    /// A load that is not in the list is joined by none.
    fileprivate mutating func overtakeLoads() {
        for load in loads { load.isCurrent = false }
        loads = []
    }
}
