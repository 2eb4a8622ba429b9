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
    /// with the highest priority that one of the waiting tasks had when it called.
    ///
    /// If the key is removed while `fetch` runs, the waiting tasks get the value, but it is not stored. A later task runs `fetch`
    /// again. If you store another value under the key meanwhile, yours stays, and later tasks get it. Changes by another process are
    /// not noticed.
    ///
    /// This applies to one storage object. Another one on the same directory, or another process, may fetch the same key; the value
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
    ///   key, directly or through other keys of this storage. A `Task` that `fetch` creates counts as a part of it, even if `fetch` does not
    ///   wait for it. Cycles through detached tasks or other storages are not noticed: they wait forever.
    public func value(
        forKey key: String, forcedExtension: String? = nil, extendingExpiration: ExpirationExtending = .cacheTime,
        orStore fetch: @escaping @Sendable () async throws -> DiskStorage.NewValue<T>
    ) async throws -> T {
        let entry = KeyedValue(
            storage: storage, key: key, forcedExtension: forcedExtension,
            name: storage.blobName(forKey: key, forcedExtension: forcedExtension))
        let cached = try await readable {
            try await value(forKey: key, forcedExtension: forcedExtension, extendingExpiration: extendingExpiration)
        }
        if let cached { return cached }
        return try await entry.renewedValue(nil, orStore: fetch).get()
    }

    /// Returns the value under a key, and renews it if its validators say that it is stale.
    ///
    /// ```swift
    /// let png = try await storage.async.value(forKey: key) {
    ///     let (data, response) = try await download(url, ifNoneMatch: nil)
    ///     guard response.statusCode == 200 else { throw NoSuchPicture() }
    ///     let expiration: StorageExpiration? = response.isStorable ? nil : .expired
    ///     return .init(data, expiration: expiration, attributes: .init(validators: .init(response)))
    /// } renewing: { stale in
    ///     let (data, response) = try await download(url, ifNoneMatch: stale.info.validators?.etag)
    ///     if response.statusCode == 304 { return .unchanged(response) }
    ///     if [401, 403, 404, 410].contains(response.statusCode) { return .gone(NoSuchPicture()) }
    ///     guard response.statusCode == 200 else { throw NoSuchPicture() }
    ///     let expiration: StorageExpiration? = response.isStorable ? nil : .expired
    ///     return .new(.init(data, expiration: expiration, attributes: .init(validators: .init(response))))
    /// }
    /// ```
    ///
    /// | the entry | you get |
    /// |---|---|
    /// | is fresh, or has no validators | its value |
    /// | is stale, within `stale-while-revalidate` | its value at once; one task renews it meanwhile |
    /// | is stale | the renewed value; if `renew` throws, the old one, unless the validators forbid that (`must-revalidate`) |
    /// | is stale, and `renew` returns ``DiskStorage/Renewal/gone(_:)`` | that error; the entry is removed |
    /// | is missing | what `fetch` returns, as in ``value(forKey:forcedExtension:extendingExpiration:orStore:)`` |
    ///
    /// Tasks that run at the same time share one call of `fetch` or `renew`, and its answer, even if that is `private`. If a closure
    /// sends a cookie or `Authorization` for one caller, add the identity of that caller to the key.
    ///
    /// If `renew` throws, the entry stays unchanged. If it returns a value that has expired already, the old one is removed, and
    /// nothing is stored. If it returns a 304 that forbids your cache to keep the bytes, you get the old value, and the entry is removed.
    /// If an entry cannot be removed, it stays, and the ``DiskStorage/Config/observer`` gets the failure.
    /// If it returns a 304 with the `ETag` of other bytes, `fetch` is called, because that response confirms nothing. The same
    /// applies if the entry was evicted meanwhile, or removed together with others.
    ///
    /// A renewal within `stale-while-revalidate` runs in a task of its own, which nothing cancels: give your requests a deadline.
    ///
    /// - Throws: what `fetch` throws, what `renew` throws if the old value must not be used, the error of
    ///   ``DiskStorage/Renewal/gone(_:)``, and the same errors as
    ///   ``value(forKey:forcedExtension:extendingExpiration:orStore:)``, always also ``CacheStorageError/Code/cyclicFetch``.
    public func value(
        forKey key: String, forcedExtension: String? = nil, extendingExpiration: ExpirationExtending = .cacheTime,
        orStore fetch: @escaping @Sendable () async throws -> DiskStorage.NewValue<T>,
        renewing renew: @escaping @Sendable (DiskStorage.CachedValue<T>) async throws -> DiskStorage.Renewal<T>
    ) async throws -> T {
        let entry = KeyedValue(
            storage: storage, key: key, forcedExtension: forcedExtension,
            name: storage.blobName(forKey: key, forcedExtension: forcedExtension))
        let cached = try await readable {
            try await cachedValue(
                forKey: key, forcedExtension: forcedExtension, extendingExpiration: extendingExpiration)
        }
        guard let cached else { return try await entry.renewedValue(nil, orStore: fetch).get() }
        let (now, validators) = (entry.now, cached.info.validators)
        guard let validators, !validators.isFresh(at: now) else { return cached.value }
        guard !validators.isUsable(at: now) else {
            entry.startRenewing(renew, orStore: fetch)
            return cached.value
        }
        let renewed: Result<T, any Error>
        do {
            renewed = try await entry.renewedValue(renew, orStore: fetch)
        } catch let error as CacheStorageError where error.code == .cyclicFetch {
            throw error
        } catch  where !validators.mustRevalidate && !Task.isCancelled {
            return cached.value
        }
        return try renewed.get()
    }

    private typealias Fetch = @Sendable () async throws -> DiskStorage.NewValue<T>
    private typealias Renew = @Sendable (DiskStorage.CachedValue<T>) async throws -> DiskStorage.Renewal<T>

    /// The entry that a call reads and writes.
    private struct KeyedValue: Sendable {
        let storage: DiskStorage.Backend<T>
        let key: String
        let forcedExtension: String?

        var now: Date { storage.store.environment.now().date }

        /// Fixed, even if the app renames all files meanwhile: see ``RunningFetches``.
        let name: BlobName

        // MARK: Fetching

        /// - Parameter renew: nil to return a stored value however old it is.
        /// - Returns: the value, or the error of ``DiskStorage/Renewal/gone(_:)``.
        func renewedValue(
            _ renew: Renew?, orStore fetch: @escaping Fetch
        ) async throws -> Result<T, any Error> {
            do {
                return try await storage.flights.value(for: name) { try await renewal(renew, orStore: fetch) }
            } catch is Removed {
                // It has joined a renewal without callers.
                return try await renewedValue(renew, orStore: fetch)
            }
        }

        /// The key was removed between the read of a stale value and the beginning of its renewal.
        private struct Removed: Error {}

        func startRenewing(_ renew: @escaping Renew, orStore fetch: @escaping Fetch) {
            // Registered now: the next call may remove the key before the task begins.
            storage.flights.start(name, priority: .utility) { flight in
                storage.store.fetches.add(flight, name, key: key, baseKey: key, of: storage.flights)
            } _: {
                try await renewal(renew, orStore: fetch, isNeeded: false)
            }
        }

        /// - Parameter isNeeded: false if no caller waits, so that nothing is fetched for a value that is gone.
        private func renewal(
            _ renew: Renew?, orStore fetch: Fetch, isNeeded: Bool = true
        ) async throws -> Result<T, any Error> {
            try await storage.store.fetches.during(name, key: key, baseKey: key, of: storage.flights) { isWanted in
                // A second lookup, which counts as neither a hit nor a miss.
                guard let cached = try await BlockingCalls.reads.run({ [self] in storage.peek(name) }) else {
                    guard isNeeded else { throw Removed() }
                    return await store(try await fetch(), if: isWanted)
                }
                // Another task may have stored or renewed it between the caller's lookup and this one.
                guard let renew, let validators = cached.info.validators, !validators.isFresh(at: now) else {
                    return .success(cached.value)
                }
                switch try await renew(cached) {
                case .new(let new): return await store(new, over: cached.info, if: isWanted)
                case .unchanged(let response) where validators.areConfirmed(by: response):
                    if response.forbidsKeeping {
                        await remove(cached.info)
                    } else if await !note(response, of: cached.info), isWanted() {
                        // A removal of many entries was under way. Later callers have joined, and must not get the value.
                        guard isNeeded else { throw Removed() }
                        return await store(try await fetch(), if: isWanted)
                    }
                    return .success(cached.value)
                case .unchanged: return await store(try await fetch(), over: cached.info, if: isWanted)
                case .gone(let error):
                    await remove(cached.info)
                    return .failure(error)
                }
            }
        }

        // MARK: Writing

        /// Returns the value even if it cannot be stored.
        private func store(
            _ new: DiskStorage.NewValue<T>, over cached: DiskStorage.EntryInfo? = nil,
            if isWanted: @escaping @Sendable () -> Bool
        ) async -> Result<T, any Error> {
            // It replaces the old one even if it must not be stored.
            if let cached, (new.expiration ?? storage.config.expiration).isExpired { await remove(cached) }
            try? await BlockingCalls.changes.run { [self] in
                let request = try storage.request(
                    toStore: new.value, forKey: key, named: name, origin: KeyOrigin(baseKey: key),
                    expiration: new.expiration, writeOptions: [], attributes: new.attributes)
                guard var request else { return }
                request.isWanted = isWanted
                try storage.store(request)
            }
            return .success(new.value)
        }

        /// Does nothing if other bytes have been stored since.
        private func remove(_ cached: DiskStorage.EntryInfo) async {
            try? await BlockingCalls.changes.run { [self] in
                _ = storage.noting {
                    try storage.store.remove(name, counting: \.removals) { $0.token == cached.token }
                }
            }
        }

        /// Does nothing if other bytes have been stored since, because the response does not describe them.
        ///
        /// - Returns: false if the entry has been removed.
        private func note(_ response: HTTPFreshness, of cached: DiskStorage.EntryInfo) async -> Bool {
            let isThere = try? await BlockingCalls.changes.run { [self] in
                try storage.update(name, forKey: key) { info in
                    guard info.token == cached.token else { return .init() }
                    return .init(validators: info.validators?.renewed(by: response))
                }
            }
            return isThere != false
        }
    }
}

/// Returns nil also if what is cached cannot be read.
func readable<Value>(_ read: () async throws -> Value?) async throws -> Value? {
    do {
        return try await read()
    } catch is KingfisherError {
        return nil
    }
}
