internal import Foundation

/// The memory part of the cache.
public enum MemoryStorage {
    /// Keeps values in memory while they are used, within limits of cost and number.
    ///
    /// You may call all functions from any thread, even from the deinit of a value. The least recently used values are evicted first,
    /// and each function is O(1) unless stated otherwise. On Apple platforms all values are dropped if the system runs short of memory,
    /// and when an app with UIKit enters the background, unless you set ``Config/keepWhenEnteringBackground``.
    ///
    /// ```swift
    /// let storage = MemoryStorage.Backend<Picture>(config: .init(totalCostLimit: 50_000_000))
    /// storage.store(value: picture, forKey: "https://example.com/a.png", expiration: .seconds(60))
    /// let found = storage.value(forKey: "https://example.com/a.png")
    /// ```
    ///
    /// Keys are compared by their UTF-8 bytes: the two Unicode forms of "é" are two keys. An expired value is never returned, but
    /// stays in memory until ``removeExpired()``, which a timer calls.
    public final class Backend<T: CacheCostCalculable>: @unchecked Sendable where T: Sendable {
        // Sendable because its members are constants, and `objects` and `settings` each have their own lock.
        private let objects = MemoryObjects()
        private let settings: Locked<Settings>
        private let now: @Sendable () -> Date
        /// Cached, because otherwise each store would look up the metadata of a type from another module.
        private let objectType = StorageObject<T>.self
        #if canImport(Darwin)
            private let pressure: MemoryPressure
        #endif

        private struct Settings {
            var config: Config
            var timer: CleanTimer?
        }

        /// The limits and expiration. Setting it applies the limits at once, which may evict (O(evicted)), and restarts the clean
        /// interval. Safe on any thread, but if two threads each change a member, one change may be lost.
        public var config: Config {
            get { settings.withLock { $0.config } }
            set { apply(newValue) }
        }

        /// Creates an empty storage.
        public convenience init(config: Config) {
            self.init(config: config, now: { Date() })
        }

        init(config: Config, now: @escaping @Sendable () -> Date) {
            self.now = now
            settings = Locked(Settings(config: config))
            #if canImport(Darwin)
                pressure = MemoryPressure { [weak objects] in
                    objects?.removeAll()
                } didEnterBackground: { [weak objects, settings] in
                    if !settings.withLock({ $0.config.keepWhenEnteringBackground }) { objects?.removeAll() }
                }
            #endif
            apply(config)
        }

        private func apply(_ config: Config) {
            let timer = CleanTimer(interval: config.cleanInterval) { [weak self] in self?.removeExpired() }
            // The old timer is released after the lock.
            _ = settings.replace(with: Settings(config: config, timer: timer))
            // Reads the settings only when `objects` applies them, so that the newest settings are applied last.
            objects.setLimits { [settings] limits in limits = settings.withLock { $0.config.limits } }
        }

        // MARK: Storing and loading

        /// Stores a value under a key as the most recently used, and replaces the old one.
        ///
        /// Storing a value that has already expired does nothing. A value that costs more than the whole limit is not kept, but
        /// still removes the one it replaces.
        ///
        /// - Parameters:
        ///   - value: its cost is read once, now.
        ///   - key: any text, compared by its UTF-8 bytes.
        ///   - expiration: nil for ``Config/expiration``.
        /// - Complexity: O(1), plus O(evicted).
        public func store(value: T, forKey key: String, expiration: StorageExpiration? = nil) {
            storeNoThrow(value: value, forKey: key, expiration: expiration)
        }

        /// - Parameter removesOld: whether a value that has already expired removes the one it replaces.
        /// - Returns: the same as ``MemoryObjects/store(_:forKey:)``.
        @discardableResult func storeNoThrow(
            value: T, forKey key: String, expiration: StorageExpiration? = nil, removesOld: Bool = false
        ) -> Any? {
            let now = now()
            let (key, expiration) = (MemoryKey(key), expiration ?? config.expiration)
            let object = objectType.init(value, expiration: expiration, cost: value.cacheCost, now: now)
            if object.isExpired(at: now) { return removesOld ? objects.remove(key) : nil }
            return objects.store(object, forKey: key)
        }

        /// Returns the value under a key, or nil if there is none or it has expired. Counts as a use.
        ///
        /// - Parameters:
        ///   - key: the key it was stored under.
        ///   - extendingExpiration: how the read extends the expiration. ``ExpirationExtending/cacheTime`` evaluates the value's
        ///     own expiration again: a duration restarts, and a date stays.
        public func value(forKey key: String, extendingExpiration: ExpirationExtending = .cacheTime) -> T? {
            let key = MemoryKey(key)
            guard let object = objects.use(key, at: now(), extending: extendingExpiration) else { return nil }
            // Only this storage puts objects there.
            return unsafeDowncast(object, to: StorageObject<T>.self).value
        }

        /// Whether there is a valid value under a key. Extends nothing.
        public func isCached(forKey key: String) -> Bool { objects.hasUsable(MemoryKey(key), at: now()) }

        // MARK: Removing

        /// Removes the value under a key. A missing value is not an error.
        public func remove(forKey key: String) { objects.remove(MemoryKey(key)) }

        /// - Returns: the same as ``MemoryObjects/remove(_:)``.
        func take(_ key: MemoryKey) -> Any? { objects.remove(key) }

        /// Removes the values whose keys satisfy a condition.
        ///
        /// - Complexity: O(values), without blocking other threads meanwhile.
        func removeAll(where condition: (String) -> Bool) {
            for key in objects.keys where condition(key.text) { objects.remove(key) }
        }

        /// Removes everything and frees the memory.
        ///
        /// - Complexity: O(values) to release them, without blocking other threads meanwhile.
        public func removeAll() { objects.removeAll() }

        /// Removes expired values, and the names of values dropped by limits.
        ///
        /// - Complexity: O(values), in batches between which other threads run.
        public func removeExpired() { objects.removeExpired(at: now()) }

        // MARK: Inspecting

        /// The sum of the costs of the values in memory, including expired ones, as of their stores.
        public func totalCacheCost() -> Int { objects.totalCost }

        var storage: UnderlyingStorage<T> { UnderlyingStorage(objects: objects) }

        /// The keys of values that were stored and not removed. Includes those dropped by limits until the next
        /// ``removeExpired()``, or until there are too many of them.
        var names: Set<MemoryKey> { objects.keys }

        /// Like ``names``. A set of strings cannot distinguish canonically equivalent keys and contains only one of them.
        var keys: Set<String> { Set(names.lazy.map(\.text)) }

        var cleanTimer: CleanTimer? { settings.withLock { $0.timer } }
    }
}
