internal import Foundation

/// The objects under a memory storage: a store that may drop them by itself, and the names of what was put there.
///
/// All functions may be called from any thread. No object is released under a lock of the conforming type: a value's
/// deinit may call the storage.
protocol MemoryObjects: AnyObject, Sendable {
    /// - Returns: what it has pushed out, where that is known: a caller who holds a lock lets go of it first.
    @discardableResult func store(_ object: ExpiringObject, forKey key: MemoryKey) -> Any?
    /// The object under a key, if it can be used; its expiration is extended, and the read counts as a use.
    func use(_ key: MemoryKey, at now: Date, extending: ExpirationExtending) -> ExpiringObject?
    /// Whether the object under a key can be used.
    func hasUsable(_ key: MemoryKey, at now: Date) -> Bool
    /// The object under a key, expired or not.
    func object(forKey key: MemoryKey) -> ExpiringObject?

    /// - Returns: what was there: a caller who holds a lock lets go of it first.
    @discardableResult func remove(_ key: MemoryKey) -> Any?
    /// Removes an object as a limit does: its name stays until the next ``removeExpired(at:)``.
    func drop(_ key: MemoryKey)
    func removeAll()
    /// Removes what has expired, and the names of what is not there any more.
    func removeExpired(at now: Date)

    /// The names of what was stored, and not removed by ``remove(_:)`` or ``removeExpired(at:)``.
    var keys: Set<MemoryKey> { get }
    /// The sum of the costs of what is there.
    var totalCost: Int { get }
    var limits: MemoryLimits { get }
    /// Changes the limits and applies them at once. The closure runs under a lock and must not come back.
    func setLimits(_ change: (inout MemoryLimits) -> Void)
}

/// Names of objects that were dropped are kept up to this number; beyond it they are forgotten without waiting for a clean,
/// so that a cache under load does not fill the memory with names.
let droppedNameLimit = 16_384

#if canImport(Darwin)
    typealias PlatformMemoryObjects = SystemMemoryObjects
#else
    // Foundation's NSCache has no order of use here, and needs O(n) for a store.
    typealias PlatformMemoryObjects = RecentMemoryObjects
#endif
