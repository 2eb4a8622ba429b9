internal import Foundation

/// Objects in an `NSCache`, which drops what it likes when memory runs short, and tells nobody.
///
/// The cache is called without the lock, because it releases objects. What keeps names and objects together without it is
/// an order: a store puts the object in before its name, everything else takes the name out before it looks. So there
/// may be a name too many, which the next clean removes, and never an object without a name.
final class SystemMemoryObjects: MemoryObjects, @unchecked Sendable {
    // Sendable because `NSCache` has a lock of its own, and objects' expirations are touched under the lock of `names`.
    private let cache = NSCache<NSString, ExpiringObject>()
    private let names = Locked(Names())

    private struct Names {
        var all: Set<MemoryKey> = []
        /// From this number on a store removes the names of what is gone.
        var limit = droppedNameLimit
    }

    func store(_ object: ExpiringObject, forKey key: MemoryKey) -> Any? {
        let replaced = self.object(forKey: key)
        cache.setObject(object, forKey: cacheKey(key), cost: object.cost)
        let isCleanDue = names.withLock { names in
            names.all.insert(key)
            return names.all.count > names.limit
        }
        if isCleanDue { forgetDropped() }
        // What the cache has dropped for it, it has let go of by itself.
        return replaced
    }

    func use(_ key: MemoryKey, at now: Date, extending: ExpirationExtending) -> ExpiringObject? {
        guard let object = object(forKey: key) else { return nil }
        return names.withLock { _ in
            guard object.isUsable(at: now) else { return nil }
            object.extendExpiration(extending, from: now)
            return object
        }
    }

    func hasUsable(_ key: MemoryKey, at now: Date) -> Bool {
        guard let object = object(forKey: key) else { return false }
        return names.withLock { _ in object.isUsable(at: now) }
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
        for key in keys where isExpired(key, at: now) { remove(key) }
        forgetDropped()
    }

    private func isExpired(_ key: MemoryKey, at now: Date) -> Bool {
        guard let object = object(forKey: key) else { return false }
        return names.withLock { _ in object.isExpired(at: now) }
    }

    private func forgetDropped() {
        for key in keys where object(forKey: key) == nil {
            names.withLock { _ = $0.all.remove(key) }
            // It may have been stored again in between.
            if object(forKey: key) != nil { names.withLock { _ = $0.all.insert(key) } }
        }
        names.withLock { $0.limit = max(droppedNameLimit, 2 * $0.all.count) }
    }

    // MARK: Looking

    var keys: Set<MemoryKey> { names.withLock { $0.all } }

    /// O(number of names).
    var totalCost: Int { keys.reduce(0) { $0 &+ (object(forKey: $1)?.cost ?? 0) } }

    var limits: MemoryLimits { MemoryLimits(totalCost: cache.totalCostLimit, count: cache.countLimit) }

    func setLimits(_ change: (inout MemoryLimits) -> Void) {
        var limits = limits
        change(&limits)
        cache.totalCostLimit = max(0, limits.totalCost)
        cache.countLimit = max(0, limits.count)
    }
}
