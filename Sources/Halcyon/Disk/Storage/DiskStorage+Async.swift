public import Foundation

extension DiskStorage.Backend {
    /// The same calls for tasks.
    ///
    /// ```swift
    /// let data = try await storage.async.value(forKey: "https://example.com/a.png")
    /// ```
    ///
    /// They have a name of their own because a function with an `async` overload of the same name can no longer be called without
    /// `await` in a task.
    public var async: AsyncCalls { AsyncCalls(storage: self) }

    /// The storage's calls for tasks: see ``DiskStorage/Backend/async``.
    ///
    /// Each does its work on one of a few threads that all caches of the process share: as many as there are processors and at least four
    /// for reads, eight for changes. So nothing blocks a thread of the cooperative pool, and no change that waits for another
    /// process's lock holds up a read. Stores that wait at the same time share a commit.
    ///
    /// A task that is cancelled before its call's turn gets `CancellationError`, and nothing has happened. A call that has begun ends.
    public struct AsyncCalls: Sendable {
        let storage: DiskStorage.Backend<T>

        // MARK: Loading

        /// As ``DiskStorage/Backend/value(forKey:forcedExtension:extendingExpiration:)``.
        public func value(
            forKey key: String, forcedExtension: String? = nil,
            extendingExpiration: ExpirationExtending = .cacheTime
        ) async throws -> T? {
            try await BlockingCalls.reads.run { [storage] in
                try storage.value(
                    forKey: key, forcedExtension: forcedExtension, extendingExpiration: extendingExpiration)
            }
        }

        /// As ``DiskStorage/Backend/cachedValue(forKey:forcedExtension:extendingExpiration:)``.
        public func cachedValue(
            forKey key: String, forcedExtension: String? = nil,
            extendingExpiration: ExpirationExtending = .cacheTime
        ) async throws -> DiskStorage.CachedValue<T>? {
            try await BlockingCalls.reads.run { [storage] in
                try storage.cachedValue(
                    forKey: key, forcedExtension: forcedExtension, extendingExpiration: extendingExpiration)
            }
        }

        /// As ``DiskStorage/Backend/fileHandle(forKey:forcedExtension:extendingExpiration:)``.
        public func fileHandle(
            forKey key: String, forcedExtension: String? = nil,
            extendingExpiration: ExpirationExtending = .cacheTime
        ) async throws -> DiskStorage.CachedValue<FileHandle>? {
            try await BlockingCalls.reads.run { [storage] in
                try storage.fileHandle(
                    forKey: key, forcedExtension: forcedExtension, extendingExpiration: extendingExpiration)
            }
        }

        /// As ``DiskStorage/Backend/entry(forKey:forcedExtension:)``.
        public func entry(
            forKey key: String, forcedExtension: String? = nil
        ) async throws -> DiskStorage.EntryInfo? {
            try await BlockingCalls.reads.run { [storage] in
                try storage.entry(forKey: key, forcedExtension: forcedExtension)
            }
        }

        // MARK: Changing

        /// As ``DiskStorage/Backend/store(value:forKey:expiration:writeOptions:forcedExtension:attributes:)``.
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

        /// As ``DiskStorage/Backend/update(_:forKey:forcedExtension:)``.
        @discardableResult
        public func update(
            _ attributes: DiskStorage.EntryAttributes, forKey key: String, forcedExtension: String? = nil
        ) async throws -> Bool {
            try await BlockingCalls.changes.run { [storage] in
                try storage.update(attributes, forKey: key, forcedExtension: forcedExtension)
            }
        }

        /// As ``DiskStorage/Backend/remove(forKey:forcedExtension:)``.
        public func remove(forKey key: String, forcedExtension: String? = nil) async throws {
            try await BlockingCalls.changes.run { [storage] in
                try storage.remove(forKey: key, forcedExtension: forcedExtension)
            }
        }

        /// Removes what has expired, and evicts down to the limits where they are reached: now, and again and again until the task is cancelled.
        ///
        /// A storage that belongs to no ``ImageCache`` keeps its limits only if somebody does this:
        ///
        /// ```swift
        /// let cleaning = Task { try await storage.async.keepLimits() }
        /// ```
        ///
        /// A clean that fails, say because another process has the index locked, is made up for by the next one; the ``DiskStorage/Config/observer``
        /// is told. Between two cleans the cache may be larger than its limit.
        ///
        /// - Parameter seconds: from one clean to the next, at least a hundredth. A minute.
        /// - Throws: `CancellationError`, in the end.
        public func keepLimits(every seconds: TimeInterval = 60) async throws {
            // Also for what is no number.
            let pause = seconds > 0.01 ? min(seconds, 1_000_000) : 0.01
            while true {
                do {
                    try await perform {
                        _ = try $0.removeExpiredValues()
                        _ = try $0.removeSizeExceededValues()
                    }
                } catch {
                    try Task.checkCancellation()
                }
                try await Task.sleep(nanoseconds: UInt64(pause * 1_000_000_000))
            }
        }

        // MARK: Anything else

        /// Runs calls of the storage that have no twin here, one after the other.
        ///
        /// ```swift
        /// let usage = try await storage.async.perform { try $0.usage() }
        /// ```
        ///
        /// - Parameter body: runs on one of the threads for changes. Other tasks wait for it if it takes long.
        /// - Throws: what `body` throws, or `CancellationError` when the task is cancelled before its turn.
        public func perform<Result: Sendable>(
            _ body: @escaping @Sendable (DiskStorage.Backend<T>) throws -> Result
        ) async throws -> Result {
            try await BlockingCalls.changes.run { [storage] in try body(storage) }
        }
    }
}

extension BlockingCalls {
    /// As for images: more would only hold more bytes.
    static let reads = BlockingCalls(
        name: "halcyon.reads", width: max(4, ProcessInfo.processInfo.activeProcessorCount))

    /// More than there are processors: those that wait for the lock share a commit.
    static let changes = BlockingCalls(name: "halcyon.changes", width: 8)
}
