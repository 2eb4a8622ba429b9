internal import Foundation

/// The objects of a memory storage in the order of their last use, and the names of stored objects.
///
/// You may call all functions from any thread. Each takes a single lock once, and releases no object under it, because a value's
/// deinit may call the storage.
///
/// Instead of `NSCache`: on Apple's systems the order in which that evicts is not documented, and on Linux it evicts what costs
/// least, and its stores are O(n).
final class MemoryObjects: Sendable {
    /// The number of names of dropped objects to keep. Beyond it they are forgotten before the next clean, so that a busy cache does
    /// not fill the memory with names.
    static let droppedNameLimit = 16_384

    private struct State {
        var cache = LeastRecentlyUsedCache<MemoryKey, ExpiringObject>()
        /// The names of objects dropped by limits. A name may be here and in the cache.
        var droppedNames: Set<MemoryKey> = []

        mutating func note(_ evicted: [LeastRecentlyUsedCache<MemoryKey, ExpiringObject>.Entry]) {
            guard !evicted.isEmpty else { return }
            if droppedNames.count + evicted.count > MemoryObjects.droppedNameLimit { droppedNames = [] }
            for entry in evicted.suffix(MemoryObjects.droppedNameLimit) { droppedNames.insert(entry.key) }
        }
    }

    private let state = Locked(State())
    /// The number of slots that a clean checks before it releases the lock.
    private let batchSize = 1_024

    // Each closure returns the objects it removes, so that they are released after the lock.

    /// - Returns: the displaced objects. A caller that holds a lock releases them after the lock.
    @discardableResult func store(_ object: ExpiringObject, forKey key: MemoryKey) -> Any? {
        state.withLock { state in
            let displaced = state.cache.store(object, forKey: key, cost: object.cost)
            state.note(displaced.evicted)
            return displaced
        }
    }

    /// The object under a key unless it has expired. Extends its expiration and counts as a use.
    func use(_ key: MemoryKey, at now: Date, extending: ExpirationExtending) -> ExpiringObject? {
        state.withLock { state in
            let object = state.cache.use(key) { !$0.isExpired(at: now) }
            object?.extendExpiration(extending, from: now)
            return object
        }
    }

    /// Whether there is an object that has not expired.
    func hasUsable(_ key: MemoryKey, at now: Date) -> Bool {
        state.withLock { $0.cache.peek(key)?.isExpired(at: now) == false }
    }

    /// The object under a key, expired or not. Does not count as a use.
    func object(forKey key: MemoryKey) -> ExpiringObject? { state.withLock { $0.cache.peek(key) } }

    // MARK: Removing

    /// - Returns: the removed object. A caller that holds a lock releases it after the lock.
    @discardableResult func remove(_ key: MemoryKey) -> Any? {
        state.withLock { state in
            if !state.droppedNames.isEmpty { state.droppedNames.remove(key) }
            return state.cache.remove(key)
        }
    }

    /// Removes an object as a limit would: its name stays until the next ``removeExpired(at:)``.
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

    /// Removes expired objects, and the names of objects that are gone.
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

    /// The names of stored objects, except those removed by ``remove(_:)`` or ``removeExpired(at:)``.
    var keys: Set<MemoryKey> { state.withLock { $0.droppedNames.union($0.cache.keys) } }

    /// The sum of the costs of all objects.
    var totalCost: Int { state.withLock { $0.cache.totalCost } }

    var limits: MemoryLimits { state.withLock { $0.cache.limits } }

    /// Changes the limits and applies them at once. The closure runs under a lock and must not call back.
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
