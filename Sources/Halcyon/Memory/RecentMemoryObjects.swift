internal import Foundation

/// Objects in true least-recently-used order. Each operation takes a single lock once.
///
/// - Complexity: O(1) for each object stored, used, removed or evicted (amortized, like the dictionary).
final class RecentMemoryObjects: MemoryObjects {
    private let state = Locked(State())

    // Each closure returns the objects it removes, so that they are released after the lock.

    @discardableResult func store(_ object: ExpiringObject) -> Any? { state.withLock { $0.store(object) } }

    func use(_ key: MemoryKey, at now: Date, extending: ExpirationExtending) -> ExpiringObject? {
        state.withLock { state in
            guard let object = state.objects[key], object.isUsable(at: now) else { return nil }
            state.makeNewest(object)
            object.extendExpiration(extending, from: now)
            return object
        }
    }

    func hasUsable(_ key: MemoryKey, at now: Date) -> Bool {
        state.withLock { $0.objects[key]?.isUsable(at: now) ?? false }
    }

    func object(forKey key: MemoryKey) -> ExpiringObject? { state.withLock { $0.objects[key] } }

    // MARK: Removing

    @discardableResult func remove(_ key: MemoryKey) -> Any? {
        state.withLock { state in
            if !state.droppedNames.isEmpty { state.droppedNames.remove(key) }
            return state.take(key)
        }
    }

    func drop(_ key: MemoryKey) {
        let dropped = state.withLock { $0.drop(key) }
        withExtendedLifetime(dropped) {}
    }

    func removeAll() {
        let old = state.withLock { state in
            defer { state = State(limits: state.limits) }
            return state
        }
        withExtendedLifetime(old) {}
    }

    func removeExpired(at now: Date) {
        for key in state.withLock({ Array($0.objects.keys) }) {
            let expired = state.withLock { $0.objects[key]?.isExpired(at: now) == true ? $0.take(key) : nil }
            withExtendedLifetime(expired) {}
        }
        let names = state.withLock { state in
            // Replacing an empty dictionary frees its memory.
            if state.objects.isEmpty { state.objects = [:] }
            defer { state.droppedNames = [] }
            return state.droppedNames
        }
        withExtendedLifetime(names) {}
    }

    // MARK: Inspecting

    var keys: Set<MemoryKey> { state.withLock { $0.droppedNames.union($0.objects.keys) } }

    var totalCost: Int { state.withLock { $0.totalCost } }

    var limits: MemoryLimits { state.withLock { $0.limits } }

    func setLimits(_ change: (inout MemoryLimits) -> Void) {
        let evicted = state.withLock { state in
            change(&state.limits)
            return state.evict()
        }
        withExtendedLifetime(evicted) {}
    }
}

/// The objects by their keys, linked in the order of their last use.
private struct State {
    var limits = MemoryLimits()
    var objects: [MemoryKey: ExpiringObject] = [:]
    /// The sum of the costs of all objects.
    private(set) var totalCost = 0
    /// The names of objects dropped by limits. There may also be an object of that name.
    var droppedNames: Set<MemoryKey> = []
    // Unowned like the links of the objects: the dictionary owns them all.
    unowned(unsafe) private var newest: ExpiringObject?
    unowned(unsafe) private var oldest: ExpiringObject?

    init(limits: MemoryLimits = MemoryLimits()) { self.limits = limits }

    /// Stores an object as the most recently used, and evicts the least recently used ones to meet the limits.
    ///
    /// An object that costs more than the whole limit is not kept and evicts no others, but the old object of its key is removed
    /// because it is outdated.
    mutating func store(_ object: ExpiringObject) -> (replaced: ExpiringObject?, evicted: [ExpiringObject]) {
        guard object.cost <= limits.effectiveTotalCost else {
            noteDropped(object.key)
            return (take(object.key), [])
        }
        let replaced = objects.updateValue(object, forKey: object.key)
        if let replaced { forget(replaced) }
        // The object has no links yet, so it is not evicted itself.
        let evicted = evict(leavingRoomFor: object.cost)
        totalCost += object.cost
        linkAsNewest(object)
        return (replaced, evicted)
    }

    mutating func makeNewest(_ object: ExpiringObject) {
        guard object !== newest else { return }
        unlink(object)
        linkAsNewest(object)
    }

    /// Evicts the least recently used objects until the limits are met.
    mutating func evict(leavingRoomFor cost: Int = 0) -> [ExpiringObject] {
        var evicted: [ExpiringObject] = []
        while let oldest, totalCost > limits.effectiveTotalCost - cost || objects.count > limits.effectiveCount {
            evicted.append(oldest)
            _ = drop(oldest.key)
        }
        return evicted
    }

    /// Removes an object and keeps its name.
    mutating func drop(_ key: MemoryKey) -> ExpiringObject? {
        let dropped = take(key)
        if dropped != nil { noteDropped(key) }
        return dropped
    }

    mutating func take(_ key: MemoryKey) -> ExpiringObject? {
        let taken = objects.removeValue(forKey: key)
        if let taken { forget(taken) }
        return taken
    }

    private mutating func noteDropped(_ key: MemoryKey) {
        if droppedNames.count >= droppedNameLimit { droppedNames = [] }
        droppedNames.insert(key)
    }

    // MARK: Links

    private mutating func forget(_ object: ExpiringObject) {
        unlink(object)
        totalCost -= object.cost
    }

    private mutating func linkAsNewest(_ object: ExpiringObject) {
        (object.newer, object.older) = (nil, newest)
        if let newest { newest.newer = object } else { oldest = object }
        newest = object
    }

    private mutating func unlink(_ object: ExpiringObject) {
        if let newer = object.newer { newer.older = object.older } else { newest = object.older }
        if let older = object.older { older.newer = object.newer } else { oldest = object.newer }
    }
}
