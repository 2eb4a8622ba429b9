internal import Foundation

/// The objects of a memory storage, which may drop them by itself, and the names of stored objects.
///
/// You may call all functions from any thread. Conforming types release no object under their lock, because a value's deinit may
/// call the storage.
protocol MemoryObjects: AnyObject, Sendable {
    /// - Returns: the displaced object, if known. A caller that holds a lock releases it after the lock.
    @discardableResult func store(_ object: ExpiringObject, forKey key: MemoryKey) -> Any?
    /// The object under a key if it is usable. Extends its expiration and counts as a use.
    func use(_ key: MemoryKey, at now: Date, extending: ExpirationExtending) -> ExpiringObject?
    /// Whether the object under a key is usable.
    func hasUsable(_ key: MemoryKey, at now: Date) -> Bool
    /// The object under a key, expired or not.
    func object(forKey key: MemoryKey) -> ExpiringObject?

    /// - Returns: the removed object. A caller that holds a lock releases it after the lock.
    @discardableResult func remove(_ key: MemoryKey) -> Any?
    /// Removes an object as a limit would: its name stays until the next ``removeExpired(at:)``.
    func drop(_ key: MemoryKey)
    func removeAll()
    /// Removes expired objects, and the names of objects that are gone.
    func removeExpired(at now: Date)

    /// The names of stored objects, except those removed by ``remove(_:)`` or ``removeExpired(at:)``.
    var keys: Set<MemoryKey> { get }
    /// The sum of the costs of all objects.
    var totalCost: Int { get }
    var limits: MemoryLimits { get }
    /// Changes the limits and applies them at once. The closure runs under a lock and must not call back.
    func setLimits(_ change: (inout MemoryLimits) -> Void)
}

/// The number of names of dropped objects to keep. Beyond it they are forgotten before the next clean, so that a busy cache does
/// not fill the memory with names.
let droppedNameLimit = 16_384

#if canImport(Darwin)
    typealias PlatformMemoryObjects = SystemMemoryObjects
#else
    // Here, Foundation's NSCache has no order of use, and its stores are O(n).
    typealias PlatformMemoryObjects = RecentMemoryObjects
#endif
