internal import Foundation

/// The memory half of the cache.
public enum MemoryStorage {
    /// Keeps values in memory, for as long as they are used, within limits of cost and number.
    ///
    /// All functions may be called from any thread, also from the deinit of a value. On Linux the least recently used
    /// values are evicted first and each function takes O(1) if nothing else is said; on Apple platforms `NSCache`
    /// decides, and drops values also when the system runs short of memory.
    ///
    /// ```swift
    /// let storage = MemoryStorage.Backend<Picture>(config: .init(totalCostLimit: 50_000_000))
    /// storage.store(value: picture, forKey: "https://example.com/a.png", expiration: .seconds(60))
    /// let found = storage.value(forKey: "https://example.com/a.png")
    /// ```
    ///
    /// Keys are told apart by their UTF-8 bytes: the two Unicode forms of "é" are two keys. An expired value is never
    /// returned, and stays in memory until ``removeExpired()``, which a timer calls.
    public final class Backend<T: CacheCostCalculable>: @unchecked Sendable where T: Sendable {
        // Sendable because its members are constants, and `objects` and `settings` have a lock each.
        private let objects: any MemoryObjects
        private let settings: Locked<Settings>
        private let now: @Sendable () -> Date
        /// Kept, because for a type that this module does not know it would be searched for at each store.
        private let objectType = StorageObject<T>.self

        private struct Settings {
            var config: Config
            var timer: CleanTimer?
        }

        /// What is kept and for how long. Setting it applies the limits at once, which may evict (O(evicted)), and begins
        /// the clean interval again. Safe from any thread; two threads that change one member each may lose a change.
        public var config: Config {
            get { settings.withLock { $0.config } }
            set { apply(newValue) }
        }

        /// Makes an empty storage.
        public convenience init(config: Config) {
            self.init(config: config, objects: PlatformMemoryObjects(), now: { Date() })
        }

        init(config: Config, objects: any MemoryObjects, now: @escaping @Sendable () -> Date) {
            self.objects = objects
            self.now = now
            settings = Locked(Settings(config: config))
            apply(config)
        }

        private func apply(_ config: Config) {
            let timer = CleanTimer(interval: config.cleanInterval) { [weak self] in self?.removeExpired() }
            // The old timer is released after the lock.
            _ = settings.replace(with: Settings(config: config, timer: timer))
            // The settings are asked when it is this thread's turn, so that the newest ones are applied last.
            objects.setLimits { [settings] limits in limits = settings.withLock { $0.config.limits } }
        }

        // MARK: Storing and loading

        /// Stores a value under a key, in place of the one that is there, as the most recently used.
        ///
        /// Storing a value that is already expired does nothing. One that is dearer than the whole cost limit is not
        /// kept; the one it was to replace goes all the same.
        ///
        /// - Parameters:
        ///   - value: asked for its cost once, now.
        ///   - key: any text. It is told apart by its UTF-8 bytes.
        ///   - expiration: nil for ``Config/expiration``.
        /// - Complexity: O(1), and O(evicted).
        public func store(value: T, forKey key: String, expiration: StorageExpiration? = nil) {
            storeNoThrow(value: value, forKey: key, expiration: expiration)
        }

        /// - Returns: as ``MemoryObjects/store(_:forKey:)``.
        @discardableResult func storeNoThrow(
            value: T, forKey key: String, expiration: StorageExpiration? = nil
        ) -> Any? {
            let now = now()
            let object = makeObject(value, expiration: expiration, now: now)
            guard !object.isExpired(at: now) else { return nil }
            return objects.store(object, forKey: MemoryKey(key))
        }

        private func makeObject(_ value: T, expiration: StorageExpiration?, now: Date) -> StorageObject<T> {
            let cost = value.cacheCost
            #if canImport(Darwin)
                let type = config.keepWhenEnteringBackground ? BackgroundKeepingStorageObject<T>.self : objectType
            #else
                let type = objectType
            #endif
            return type.init(value, expiration: expiration ?? config.expiration, cost: cost, now: now)
        }

        /// The value under a key; nil when there is none or it has expired. Counts as a use.
        ///
        /// - Parameters:
        ///   - key: the one it was stored under.
        ///   - extendingExpiration: what the read does to the expiration. ``ExpirationExtending/cacheTime`` evaluates the value's
        ///     own expiration again: a duration begins anew, and a date stays where it is.
        public func value(forKey key: String, extendingExpiration: ExpirationExtending = .cacheTime) -> T? {
            let key = MemoryKey(key)
            guard let object = objects.use(key, at: now(), extending: extendingExpiration) else { return nil }
            // Nobody else puts objects there.
            return unsafeDowncast(object, to: StorageObject<T>.self).value
        }

        /// Whether a valid value is under a key. Extends nothing.
        public func isCached(forKey key: String) -> Bool { objects.hasUsable(MemoryKey(key), at: now()) }

        // MARK: Removing

        /// Removes the value under a key. None there is no error.
        public func remove(forKey key: String) { objects.remove(MemoryKey(key)) }

        /// - Returns: as ``MemoryObjects/remove(_:)``.
        func take(forKey key: String) -> Any? { objects.remove(MemoryKey(key)) }

        /// Removes the values whose keys meet a condition.
        ///
        /// - Complexity: O(values), others are not kept waiting.
        func removeAll(where condition: (String) -> Bool) {
            for key in objects.keys where condition(key.text) { objects.remove(key) }
        }

        /// Removes everything, and gives the memory back.
        ///
        /// - Complexity: O(values), to release them; others are not kept waiting.
        public func removeAll() { objects.removeAll() }

        /// Removes expired values, and forgets the names of those that limits have dropped.
        ///
        /// - Complexity: O(values), in batches between which other callers get in.
        public func removeExpired() { objects.removeExpired(at: now()) }

        // MARK: Looking

        /// The sum of the costs of the values in memory, expired ones included, as they were when stored.
        ///
        /// - Complexity: O(1); on Apple platforms O(values).
        public func totalCacheCost() -> Int { objects.totalCost }

        var storage: UnderlyingStorage<T> { UnderlyingStorage(objects: objects) }

        /// The names of what was stored and not removed. Those that limits have dropped are among them until the next
        /// ``removeExpired()``, or until there are too many of them.
        ///
        /// A set of strings cannot tell canonically equivalent keys apart: of these it has one.
        var keys: Set<String> { Set(objects.keys.lazy.map(\.text)) }

        var cleanTimer: CleanTimer? { settings.withLock { $0.timer } }
    }
}
