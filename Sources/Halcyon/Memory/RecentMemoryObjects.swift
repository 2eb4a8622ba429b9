internal import Foundation

/// Objects in true least-recently-used order. Each operation takes a single lock once.
final class RecentMemoryObjects: MemoryObjects {
    private struct State {
        var cache = LeastRecentlyUsedCache<MemoryKey, ExpiringObject>()
        /// The names of objects dropped by limits. A name may be here and in the cache.
        var droppedNames: Set<MemoryKey> = []

        mutating func note(_ evicted: [LeastRecentlyUsedCache<MemoryKey, ExpiringObject>.Entry]) {
            guard !evicted.isEmpty else { return }
            if droppedNames.count + evicted.count > droppedNameLimit { droppedNames = [] }
            for entry in evicted.suffix(droppedNameLimit) { droppedNames.insert(entry.key) }
        }
    }

    private let state = Locked(State())
    /// The number of slots that a clean checks before it releases the lock.
    private let batchSize = 1_024

    // Each closure returns the objects it removes, so that they are released after the lock.

    func store(_ object: ExpiringObject, forKey key: MemoryKey) -> Any? {
        state.withLock { state in
            let displaced = state.cache.store(object, forKey: key, cost: object.cost)
            state.note(displaced.evicted)
            return displaced
        }
    }

    func use(_ key: MemoryKey, at now: Date, extending: ExpirationExtending) -> ExpiringObject? {
        state.withLock { state in
            let object = state.cache.use(key) { $0.isUsable(at: now) }
            object?.extendExpiration(extending, from: now)
            return object
        }
    }

    func hasUsable(_ key: MemoryKey, at now: Date) -> Bool {
        state.withLock { $0.cache.peek(key)?.isUsable(at: now) ?? false }
    }

    func object(forKey key: MemoryKey) -> ExpiringObject? { state.withLock { $0.cache.peek(key) } }

    // MARK: Removing

    @discardableResult func remove(_ key: MemoryKey) -> Any? {
        state.withLock { state in
            if !state.droppedNames.isEmpty { state.droppedNames.remove(key) }
            return state.cache.remove(key)
        }
    }

    func drop(_ key: MemoryKey) {
        let dropped = state.withLock { state in
            let object = state.cache.remove(key)
            if let object { state.note([.init(key: key, value: object, cost: object.cost)]) }
            return object
        }
        withExtendedLifetime(dropped) {}
    }

    func removeAll() {
        let old = state.withLock { state in
            defer { state = State(cache: .init(limits: state.cache.limits)) }
            return state
        }
        withExtendedLifetime(old) {}
    }

    func removeExpired(at now: Date) {
        var begin = 0
        while removeExpired(inSlotsFrom: begin, at: now) { begin += batchSize }
        let names = state.withLock { state in
            // Replacing an empty cache frees the memory of its slots.
            if state.cache.count == 0 { state.cache = .init(limits: state.cache.limits) }
            defer { state.droppedNames = [] }
            return state.droppedNames
        }
        withExtendedLifetime(names) {}
    }

    /// - Returns: whether there are more slots.
    private func removeExpired(inSlotsFrom begin: Int, at now: Date) -> Bool {
        let end = begin + batchSize
        let (expired, slotCount) = state.withLock { state in
            (state.cache.removeAll(inSlots: begin..<end) { $0.isExpired(at: now) }, state.cache.slotCount)
        }
        withExtendedLifetime(expired) {}
        return end < slotCount
    }

    // MARK: Inspecting

    var keys: Set<MemoryKey> { state.withLock { $0.droppedNames.union($0.cache.keys) } }

    var totalCost: Int { state.withLock { $0.cache.totalCost } }

    var limits: MemoryLimits { state.withLock { $0.cache.limits } }

    func setLimits(_ change: (inout MemoryLimits) -> Void) {
        let evicted = state.withLock { state in
            change(&state.cache.limits)
            let evicted = state.cache.evict()
            state.note(evicted)
            return evicted
        }
        withExtendedLifetime(evicted) {}
    }
}
