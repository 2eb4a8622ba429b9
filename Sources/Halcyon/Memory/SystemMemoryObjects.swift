internal import Foundation

/// Objects in an `NSCache`, which drops any of them when memory runs short, without notice.
///
/// The cache is called without the lock, because it releases objects. Instead, an order keeps names and objects consistent: a
/// store adds the object before its name, and all other functions remove the name before they look. So there may be a surplus
/// name, which the next clean removes, but never an object without a name.
final class SystemMemoryObjects: MemoryObjects, @unchecked Sendable {
    // Sendable because `NSCache` has its own lock, and the objects' expirations are accessed under the lock of `names`.
    private let cache = NSCache<NSString, ExpiringObject>()
    private let names = Locked(Names())
    /// Recursive, because a lower limit releases objects, and they may set a limit themselves.
    private let limitLock = NSRecursiveLock()

    private struct Names {
        var all: Set<MemoryKey> = []
        /// Above this number, a store removes the names of objects that are gone.
        var limit = droppedNameLimit
    }

    func store(_ object: ExpiringObject, forKey key: MemoryKey) -> Any? {
        // The cache might evict everything else for it.
        guard cache.totalCostLimit == 0 || object.cost <= cache.totalCostLimit else { return remove(key) }
        let replaced = self.object(forKey: key)
        cache.setObject(object, forKey: cacheKey(key), cost: object.cost)
        let isCleanDue = names.withLock { names in
            names.all.insert(key)
            return names.all.count > names.limit
        }
        if isCleanDue { forgetDropped() }
        // Objects that the cache evicted for it are already released.
        return replaced
    }

    func use(_ key: MemoryKey, at now: Date, extending: ExpirationExtending) -> ExpiringObject? {
        withObject(key) { object in
            guard object.isUsable(at: now) else { return nil }
            object.extendExpiration(extending, from: now)
            return object
        }
    }

    func hasUsable(_ key: MemoryKey, at now: Date) -> Bool {
        withObject(key) { $0.isUsable(at: now) } ?? false
    }

    /// Calls a function with the object under a key, under the lock that guards its expiration.
    private func withObject<Result>(_ key: MemoryKey, _ body: (ExpiringObject) -> Result?) -> Result? {
        guard let object = object(forKey: key) else { return nil }
        return names.withLock { _ in body(object) }
    }

    func object(forKey key: MemoryKey) -> ExpiringObject? { cache.object(forKey: cacheKey(key)) }

    private func cacheKey(_ key: MemoryKey) -> NSString { NSString(string: key.text) }

    // MARK: Removing

    @discardableResult func remove(_ key: MemoryKey) -> Any? {
        let removed = object(forKey: key)
        names.withLock { _ = $0.all.remove(key) }
        drop(key)
        return removed
    }

    func drop(_ key: MemoryKey) { cache.removeObject(forKey: cacheKey(key)) }

    func removeAll() {
        names.withLock { $0 = Names() }
        cache.removeAllObjects()
    }

    func removeExpired(at now: Date) {
        for key in keys where withObject(key, { $0.isExpired(at: now) }) ?? false { remove(key) }
        forgetDropped()
    }

    private func forgetDropped() {
        for key in keys where object(forKey: key) == nil {
            names.withLock { _ = $0.all.remove(key) }
            // Another thread may have stored it again in between.
            if object(forKey: key) != nil { names.withLock { _ = $0.all.insert(key) } }
        }
        names.withLock { $0.limit = max(droppedNameLimit, 2 * $0.all.count) }
    }

    // MARK: Inspecting

    var keys: Set<MemoryKey> { names.withLock { $0.all } }

    /// O(number of names).
    var totalCost: Int { keys.reduce(0) { $0 &+ (object(forKey: $1)?.cost ?? 0) } }

    var limits: MemoryLimits { MemoryLimits(totalCost: cache.totalCostLimit, count: cache.countLimit) }

    func setLimits(_ change: (inout MemoryLimits) -> Void) {
        limitLock.withLock {
            var limits = limits
            change(&limits)
            cache.totalCostLimit = max(0, limits.totalCost)
            cache.countLimit = max(0, limits.count)
        }
    }
}
