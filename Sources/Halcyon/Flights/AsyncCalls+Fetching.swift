internal import Foundation

/// Fetches values that are missing or stale, once for all tasks that need them at the same time.
extension DiskStorage.Backend.AsyncCalls {
    /// Returns the value under a key. If there is none, stores and returns the value that `fetch` returns.
    ///
    /// ```swift
    /// let png = try await storage.async.value(forKey: url.absoluteString) {
    ///     .init(try await download(url), expiration: .days(1))
    /// }
    /// ```
    ///
    /// If several tasks need a missing key at the same time, `fetch` runs once, and all get its value or its error. Errors are
    /// not kept: the next task runs `fetch` again. A cancelled task throws `CancellationError` at once, and the others keep
    /// waiting. If all are cancelled, the task that runs `fetch` is cancelled too, and a later task starts its own. `fetch` runs
    /// with the highest priority of the waiting tasks.
    ///
    /// This applies to one storage object. Another one on the same folder, or another process, may fetch the same key; the value
    /// stored last remains.
    ///
    /// If the value cannot be stored, you still get it. If an entry cannot be read, it is fetched again.
    ///
    /// - Parameters:
    ///   - key: the key that the value is or will be stored under.
    ///   - forcedExtension: part of the file name, and so of the entry's identity.
    ///   - extendingExpiration: how the read extends the expiration of an existing value.
    ///   - fetch: called if there is no value. It must not request the same key.
    /// - Throws: what `fetch` throws; `CancellationError`; ``CacheStorageError/Code/cyclicFetch`` if `fetch` waits for its own
    ///   key, directly or through other keys.
    public func value(
        forKey key: String, forcedExtension: String? = nil, extendingExpiration: ExpirationExtending = .cacheTime,
        orStore fetch: @escaping @Sendable () async throws -> DiskStorage.NewValue<T>
    ) async throws -> T {
        let entry = KeyedValue(
            storage: storage, key: key, forcedExtension: forcedExtension, extending: extendingExpiration)
        if let value = try await entry.value() { return value }
        return try await entry.fetchedValue(fetch)
    }

    /// Returns the value under a key, and renews it if its validators say that it is stale.
    ///
    /// ```swift
    /// let png = try await storage.async.value(forKey: key) {
    ///     let (data, response) = try await download(url, ifNoneMatch: nil)
    ///     return .init(data, attributes: .init(validators: .init(response)))
    /// } renewing: { stale in
    ///     let (data, response) = try await download(url, ifNoneMatch: stale.info.validators?.etag)
    ///     guard response.statusCode != 304 else { return .unchanged(response) }
    ///     return .new(.init(data, attributes: .init(validators: .init(response))))
    /// }
    /// ```
    ///
    /// | the entry | you get |
    /// |---|---|
    /// | is fresh, or has no validators | its value |
    /// | is stale, within `stale-while-revalidate` | its value at once; one task renews it meanwhile |
    /// | is stale | the renewed value; if `renew` throws, the old one, unless the validators forbid that (`must-revalidate`) |
    /// | is missing | what `fetch` returns, as in ``value(forKey:forcedExtension:extendingExpiration:orStore:)`` |
    ///
    /// Tasks that run at the same time share one call of `fetch` or `renew`. A failed renewal leaves the entry unchanged.
    ///
    /// - Throws: what `fetch` throws, what `renew` throws if the old value must not be used, and the same errors as
    ///   ``value(forKey:forcedExtension:extendingExpiration:orStore:)``.
    public func value(
        forKey key: String, forcedExtension: String? = nil, extendingExpiration: ExpirationExtending = .cacheTime,
        orStore fetch: @escaping @Sendable () async throws -> DiskStorage.NewValue<T>,
        renewing renew: @escaping @Sendable (DiskStorage.CachedValue<T>) async throws -> DiskStorage.Renewal<T>
    ) async throws -> T {
        let entry = KeyedValue(
            storage: storage, key: key, forcedExtension: forcedExtension, extending: extendingExpiration)
        guard let cached = try await entry.cachedValue() else { return try await entry.fetchedValue(fetch) }
        let (now, validators) = (entry.now, cached.info.validators)
        guard let validators, !validators.isFresh(at: now) else { return cached.value }
        guard !validators.isUsable(at: now) else {
            Task(priority: .utility) { try await entry.renewedValue(renew, orStore: fetch) }
            return cached.value
        }
        do {
            return try await entry.renewedValue(renew, orStore: fetch)
        } catch  where !validators.mustRevalidate && !Task.isCancelled {
            return cached.value
        }
    }

    private typealias Fetch = @Sendable () async throws -> DiskStorage.NewValue<T>
    private typealias Renew = @Sendable (DiskStorage.CachedValue<T>) async throws -> DiskStorage.Renewal<T>

    /// The entry that a call reads and writes.
    private struct KeyedValue: Sendable {
        let storage: DiskStorage.Backend<T>
        let key: String
        let forcedExtension: String?
        let extending: ExpirationExtending

        var now: Date { storage.store.environment.now().date }

        private var name: BlobName { storage.blobName(forKey: key, forcedExtension: forcedExtension) }

        // MARK: Reading

        /// Returns nil also if the entry cannot be read.
        func value() async throws -> T? {
            try await readable {
                try await storage.async.value(
                    forKey: key, forcedExtension: forcedExtension, extendingExpiration: extending)
            }
        }

        func cachedValue() async throws -> DiskStorage.CachedValue<T>? {
            try await readable {
                try await storage.async.cachedValue(
                    forKey: key, forcedExtension: forcedExtension, extendingExpiration: extending)
            }
        }

        private func readable<Value>(_ read: () async throws -> Value?) async throws -> Value? {
            do {
                return try await read()
            } catch is KingfisherError {
                return nil
            }
        }

        /// For a second lookup after a miss; does not count as another one.
        private func isCached() async throws -> Bool {
            try await BlockingCalls.reads.run { [self] in
                storage.isCached(forKey: key, forcedExtension: forcedExtension)
            }
        }

        // MARK: Fetching

        func fetchedValue(_ fetch: @escaping Fetch) async throws -> T {
            try await storage.flights.value(for: name) {
                // Another task may have stored it between the caller's lookup and this one.
                if try await isCached(), let value = try await value() { return value }
                return await store(try await fetch())
            }
        }

        func renewedValue(_ renew: @escaping Renew, orStore fetch: @escaping Fetch) async throws -> T {
            try await storage.flights.value(for: name) {
                guard try await isCached(), let cached = try await cachedValue() else {
                    return await store(try await fetch())
                }
                // Another task may have renewed it since.
                guard let validators = cached.info.validators, !validators.isFresh(at: now) else { return cached.value }
                switch try await renew(cached) {
                case .new(let new): return await store(new)
                case .unchanged(let response):
                    await note(response, of: cached.info)
                    return cached.value
                }
            }
        }

        /// Returns the value even if it cannot be stored.
        private func store(_ new: DiskStorage.NewValue<T>) async -> T {
            try? await storage.async.store(
                value: new.value, forKey: key, expiration: new.expiration, forcedExtension: forcedExtension,
                attributes: new.attributes)
            return new.value
        }

        /// Does nothing if other bytes have been stored since, because the response does not describe them.
        private func note(_ response: HTTPFreshness, of cached: DiskStorage.EntryInfo) async {
            _ = try? await BlockingCalls.changes.run { [self] in
                try storage.update(forKey: key, forcedExtension: forcedExtension) { info in
                    guard info.created == cached.created else { return .init() }
                    return .init(validators: info.validators?.renewed(by: response))
                }
            }
        }
    }
}
