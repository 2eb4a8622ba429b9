public import Foundation

extension DiskStorage.Backend {
    /// The storage's calls as `async` functions.
    ///
    /// ```swift
    /// let data = try await storage.async.value(forKey: "https://example.com/a.png")
    /// ```
    ///
    /// They are separate because a function with an `async` overload of the same name can no longer be called without `await` in a task.
    public var async: AsyncCalls { AsyncCalls(storage: self) }

    /// The storage's calls as `async` functions: see ``DiskStorage/Backend/async``.
    ///
    /// Each call runs on one of a few threads that all caches of the process share. Reads have one per processor, at least four;
    /// changes have eight. So no call blocks a thread of the cooperative pool, and a change that waits for another process's lock
    /// does not delay reads. Stores that wait at the same time share a commit.
    ///
    /// If you cancel a task before its call begins, the call throws `CancellationError` and does nothing. A call that has begun completes.
    public struct AsyncCalls: Sendable {
        let storage: DiskStorage.Backend<T>

        // MARK: Loading

        /// Like ``DiskStorage/Backend/value(forKey:forcedExtension:extendingExpiration:)``.
        public func value(
            forKey key: String, forcedExtension: String? = nil,
            extendingExpiration: ExpirationExtending = .cacheTime
        ) async throws -> T? {
            try await BlockingCalls.reads.run { [storage] in
                try storage.value(
                    forKey: key, forcedExtension: forcedExtension, extendingExpiration: extendingExpiration)
            }
        }

        /// Like ``DiskStorage/Backend/cachedValue(forKey:forcedExtension:extendingExpiration:)``.
        public func cachedValue(
            forKey key: String, forcedExtension: String? = nil,
            extendingExpiration: ExpirationExtending = .cacheTime
        ) async throws -> DiskStorage.CachedValue<T>? {
            try await BlockingCalls.reads.run { [storage] in
                try storage.cachedValue(
                    forKey: key, forcedExtension: forcedExtension, extendingExpiration: extendingExpiration)
            }
        }

        /// Like ``DiskStorage/Backend/fileHandle(forKey:forcedExtension:extendingExpiration:)``.
        public func fileHandle(
            forKey key: String, forcedExtension: String? = nil,
            extendingExpiration: ExpirationExtending = .cacheTime
        ) async throws -> DiskStorage.CachedValue<FileHandle>? {
            try await BlockingCalls.reads.run { [storage] in
                try storage.fileHandle(
                    forKey: key, forcedExtension: forcedExtension, extendingExpiration: extendingExpiration)
            }
        }

        /// Like ``DiskStorage/Backend/entry(forKey:forcedExtension:)``.
        public func entry(
            forKey key: String, forcedExtension: String? = nil
        ) async throws -> DiskStorage.EntryInfo? {
            try await BlockingCalls.queries.run { [storage] in
                try storage.entry(forKey: key, forcedExtension: forcedExtension)
            }
        }

        /// Like ``DiskStorage/Backend/isCached(forKey:forcedExtension:)``.
        public func isCached(forKey key: String, forcedExtension: String? = nil) async throws -> Bool {
            try await BlockingCalls.reads.run { [storage] in
                storage.isCached(forKey: key, forcedExtension: forcedExtension)
            }
        }

        // MARK: Changing

        /// Like ``DiskStorage/Backend/store(value:forKey:expiration:writeOptions:forcedExtension:attributes:)``.
        public func store(
            value: T, forKey key: String, expiration: StorageExpiration? = nil,
            writeOptions: Data.WritingOptions = [], forcedExtension: String? = nil,
            attributes: DiskStorage.EntryAttributes = .init()
        ) async throws {
            try await BlockingCalls.changes.run { [storage] in
                try storage.store(
                    value: value, forKey: key, expiration: expiration, writeOptions: writeOptions,
                    forcedExtension: forcedExtension, attributes: attributes)
            }
        }

        /// Like ``DiskStorage/Backend/update(_:forKey:forcedExtension:)``.
        @discardableResult
        public func update(
            _ attributes: DiskStorage.EntryAttributes, forKey key: String, forcedExtension: String? = nil
        ) async throws -> Bool {
            try await perform { try $0.update(attributes, forKey: key, forcedExtension: forcedExtension) }
        }

        /// Like ``DiskStorage/Backend/update(forKey:forcedExtension:_:)``.
        @discardableResult
        public func update(
            forKey key: String, forcedExtension: String? = nil,
            _ change: @escaping @Sendable (DiskStorage.EntryInfo) throws -> DiskStorage.EntryAttributes
        ) async throws -> Bool {
            try await perform { try $0.update(forKey: key, forcedExtension: forcedExtension, change) }
        }

        /// Like ``DiskStorage/Backend/remove(forKey:forcedExtension:)``.
        public func remove(forKey key: String, forcedExtension: String? = nil) async throws {
            try await perform { try $0.remove(forKey: key, forcedExtension: forcedExtension) }
        }

        /// Removes expired values and evicts down to the limits, now and repeatedly until the task is cancelled.
        ///
        /// A storage that does not belong to an ``ImageCache`` keeps its limits only if you run this:
        ///
        /// ```swift
        /// let cleaning = Task { try await storage.async.keepLimits() }
        /// ```
        ///
        /// If a clean fails, for example because another process has the index locked, the next one makes up for it, and the
        /// ``DiskStorage/Config/observer`` gets an event. Between two cleans the cache may be larger than its limit.
        ///
        /// After ``DiskStorage/Backend/close()``, or after the directory was deleted, it waits until another call opens the index.
        ///
        /// - Parameter seconds: the time between two cleans; by default a minute, at least a hundredth of a second.
        /// - Throws: `CancellationError` when the task is cancelled.
        public func keepLimits(every seconds: TimeInterval = 60) async throws {
            // The minimum also replaces NaN.
            let pause = seconds > 0.01 ? min(seconds, 1_000_000) : 0.01
            try await perform { storage in _ = storage.noting { try storage.store.index.openForChange() } }
            while true {
                try await BlockingCalls.cleans.run { [storage] in
                    _ = storage.store.index.unlessClosed(storage.keepLimits)
                }
                try await Task.sleep(nanoseconds: UInt64(pause * 1_000_000_000))
            }
        }

        // MARK: Anything else

        /// Runs a function that calls the storage, for calls that have no `async` version here.
        ///
        /// ```swift
        /// let usage = try await storage.async.perform { try $0.usage() }
        /// ```
        ///
        /// - Parameter body: runs on one of the threads for changes. If it takes long, other tasks wait.
        /// - Throws: the error of `body`, or `CancellationError` if the task is cancelled before it begins.
        public func perform<Result: Sendable>(
            _ body: @escaping @Sendable (DiskStorage.Backend<T>) throws -> Result
        ) async throws -> Result {
            try await BlockingCalls.changes.run { [storage] in try body(storage) }
        }
    }
}

extension DiskStorage.Backend {
    /// Removes what has expired, then evicts. Without the URLs: half of a million entries may go at once.
    fileprivate func keepLimits() {
        let (evictor, limits) = (store.evictor, config.limits)
        var found: [Int64] = []
        _ = noting { try evictor.removeExpired(at: evictor.now, found: &found).namesOrFailure() }
        // An expired blob that cannot be removed must not keep the others above the limit.
        guard !limits.isUnlimited else { return }
        _ = noting { try evictor.evict(limits, keepingNames: false).namesOrFailure() }
    }
}

extension BlockingCalls {
    /// As many as for images: more threads would only hold more bytes.
    static let reads = BlockingCalls(
        name: "halcyon.reads", width: max(4, ProcessInfo.processInfo.activeProcessorCount))

    /// More than there are processors, because stores that wait for the lock share a commit.
    static let changes = BlockingCalls(name: "halcyon.changes", width: 8)
    /// Neither before reads nor behind changes: both may wait for a lock.
    static let queries = BlockingCalls(name: "halcyon.queries", width: 4)
    /// A clean of many entries takes seconds, and no store waits for it.
    static let cleans = BlockingCalls(name: "halcyon.cleans", width: 2)
}
