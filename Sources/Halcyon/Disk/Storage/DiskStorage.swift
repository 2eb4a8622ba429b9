public import Foundation

/// The disk half of the cache.
public enum DiskStorage {
    /// Stores values as files, with their metadata in a SQLite index.
    ///
    /// You may call all functions from any thread. Each does its disk work on the calling thread. Several backends on one
    /// directory, in one process or many, share one index and see each other's values at once. After a store has returned, its
    /// value survives the end of the process at any time. After a power cut, the values of the last minute may be missing, but none
    /// is wrong.
    ///
    /// ```swift
    /// let storage = try DiskStorage.Backend<Data>(config: .init(name: "thumbnails", sizeLimit: 50_000_000))
    /// try storage.store(value: png, forKey: "https://example.com/a.png")
    /// let data = try storage.value(forKey: "https://example.com/a.png")
    /// let gone = try storage.removeSizeExceededValues()
    /// ```
    ///
    /// Errors are ``KingfisherError/cacheError(reason:)``. If the index fails, the `error` of the reason is a
    /// ``CacheStorageError``. While the index cannot be read, loads are misses. While it cannot be written (another process holds
    /// its lock, the disk is full), stores and removals throw. No data is lost, and the storage works again as soon as the index
    /// does.
    public final class Backend<T: DataTransformable>: @unchecked Sendable where T: Sendable {
        // Sendable because every member is a constant that is Sendable itself.

        /// The directory of the blobs. The index is in its subdirectory `.halcyon`.
        public let directoryURL: URL
        package let store: EntryStore
        private let lease: StoreLease
        private let currentConfig: Locked<Config>
        private let names: RecentNames
        private let readiness: Locked<Bool>
        private let cleaning = Locked(PeriodicCleaning())
        /// Values that are being fetched.
        let flights = SingleFlight<BlobName, Result<T, any Error>>()

        /// What to keep and for how long. You may change it on any thread, and a change applies to the next operation. If two
        /// threads each change one member at the same time, one change may be lost.
        public var config: Config {
            get { currentConfig.withLock { $0 } }
            set {
                let former = currentConfig.withLock { config in
                    let former = config
                    config = newValue
                    names.rename(by: newValue.naming)
                    applyToFolder(newValue)
                    cleaning.withLock { $0.setInterval(newValue.cleanInterval) }
                    return former
                }
                // Released after the lock: objects that its closures have captured may call back.
                withExtendedLifetime(former) {}
            }
        }

        /// Opens or creates a storage. Does not fail if the index is only unavailable at the moment (locked, disk full).
        ///
        /// - Complexity: O(1), a few milliseconds. Lists no directory.
        /// - Throws: ``KingfisherError/CacheErrorReason/cannotCreateDirectory(path:error:)`` if the directory cannot be created, or
        ///   contains an index that this version must not use.
        public convenience init(config: Config) throws {
            try self.init(config: config, environment: StorageEnvironment())
        }

        package convenience init(config: Config, environment: StorageEnvironment) throws {
            self.init(noThrowConfig: config, creatingDirectory: false, environment: environment)
            do { try prepare() } catch {
                throw KingfisherError.cacheError(
                    reason: .cannotCreateDirectory(path: directoryURL.path, error: error))
            }
        }

        /// Opens or creates a storage without throwing.
        ///
        /// - Parameters:
        ///   - config: what to keep, for how long, and where.
        ///   - creatingDirectory: false leaves creating the directory and opening the index to the first operation. If true, and
        ///     the directory cannot be created, storing and loading throw
        ///     ``KingfisherError/CacheErrorReason/diskStorageIsNotReady(cacheURL:)`` until it can be. If true, and the directory
        ///     contains an index that this version must not use, the storage sets that index aside as `index.sqlite.newer` and
        ///     creates another one, unless another process has it open.
        public convenience init(noThrowConfig config: Config, creatingDirectory: Bool) {
            self.init(
                noThrowConfig: config, creatingDirectory: creatingDirectory, environment: StorageEnvironment())
        }

        package init(noThrowConfig config: Config, creatingDirectory: Bool, environment: StorageEnvironment) {
            var config = config
            directoryURL = config.takeFolder()
            currentConfig = Locked(config)
            names = RecentNames(config.naming)
            readiness = Locked(true)
            lease = StoreLease.shared(directory: BlobStore.path(of: directoryURL), environment: environment)
            store = lease.store
            applyToFolder(config)
            // The next operation creates a missing directory, or throws if it cannot.
            if creatingDirectory {
                store.index.replacesNewer.withLock { $0 = true }
                try? prepare()
            }
        }

        deinit {
            store.observers.set(nil, seesKeys: false, for: ObjectIdentifier(self))
            store.condition.set(nil, for: ObjectIdentifier(self), at: store.environment.now())
        }

        private func applyToFolder(_ config: Config) {
            let settings = FolderCondition.Settings(
                adoptionExpiration: config.expiration, namesAreHashed: config.usesHashedFileName,
                storesKeys: config.storesKeys, evictionOrder: config.evictionOrder)
            store.condition.set(settings, for: ObjectIdentifier(self), at: store.environment.now())
            store.observers.set(config.observer, seesKeys: config.observesKeys, for: ObjectIdentifier(self))
            // Removes the keys stored so far, and takes over files whose names can be keys only now.
            if !config.storesKeys || store.condition.isSearching { store.housekeeping.request(.sweep) }
        }

        /// Creates the directory and opens the index. Does not throw if the index is only unavailable at the moment.
        private func prepare() throws(CacheStorageError) {
            do {
                // `open` creates the cache directory itself, for this user alone.
                try config.fileManager.createDirectory(
                    atPath: store.blobs.parentDirectory, withIntermediateDirectories: true)
            } catch {
                readiness.withLock { $0 = false }
                throw CacheStorageError(error)
            }
            do {
                try store.open()
            } catch {
                let cause = CacheStorageError(error)
                if cause.code == .fileSystem { readiness.withLock { $0 = false } }
                guard [.indexUnavailable, .diskFull, .suspended].contains(cause.code) else { throw cause }
            }
            readiness.withLock { $0 = true }
        }

        func requireReadiness() throws {
            guard !readiness.withLock({ $0 }) else { return }
            do {
                // The obstacle may be gone.
                try prepare()
            } catch {
                note(error)
                throw KingfisherError.cacheError(reason: .diskStorageIsNotReady(cacheURL: directoryURL))
            }
        }

        /// Calls `clean` every ``Config/cleanInterval`` seconds, on a global queue. If there are several owners, calls only the
        /// latest one's closure.
        package func cleanPeriodically(for owner: AnyObject, _ clean: @escaping @Sendable () -> Void) {
            let owner = ObjectIdentifier(owner)
            currentConfig.withLock { config in
                cleaning.withLock { $0.begin(owner: owner, interval: config.cleanInterval, clean) }
            }
        }

        /// Ends the calls for an owner. The latest owner that remains is called from now on.
        package func stopCleaning(for owner: AnyObject) {
            let owner = ObjectIdentifier(owner)
            cleaning.withLock { $0.end(owner: owner) }
        }

        // MARK: Storing

        /// Stores a value under a key, in place of an existing one.
        ///
        /// The new bytes replace the old ones in one atomic step, so a reader gets the old value or the new one. Storing a value
        /// that is already expired does nothing.
        ///
        /// - Parameters:
        ///   - value: the value to store, as the bytes that ``DataTransformable/toData()`` returns.
        ///   - key: any text. Keys are compared by their UTF-8 bytes.
        ///   - expiration: nil for ``Config/expiration``.
        ///   - writeOptions: `.withoutOverwriting` refuses to replace a valid entry. `.atomic` has no effect: every store is
        ///     atomic. File protection is set on the blob before its first byte is written, except on macOS and Linux; if the
        ///     system refuses it, the store fails. The index, with the keys, can be read from the first unlock on.
        ///   - forcedExtension: part of the file name, and so of the entry's identity; nil for ``Config/pathExtension``.
        /// - Throws: ``KingfisherError/CacheErrorReason/cannotConvertToData(object:error:)``,
        ///   ``KingfisherError/CacheErrorReason/cannotCreateCacheFile(fileURL:key:data:error:)``, or
        ///   ``KingfisherError/CacheErrorReason/diskStorageIsNotReady(cacheURL:)`` if the initializer could not create the directory.
        ///   The previous value is then still there.
        /// - Complexity: writes one file and commits one transaction, regardless of the number of entries.
        public func store(
            value: T, forKey key: String, expiration: StorageExpiration? = nil,
            writeOptions: Data.WritingOptions = [], forcedExtension: String? = nil
        ) throws {
            try store(
                value: value, forKey: key, expiration: expiration, writeOptions: writeOptions,
                forcedExtension: forcedExtension, attributes: EntryAttributes())
        }

        /// Like ``store(value:forKey:expiration:writeOptions:forcedExtension:)``, with attributes to note for the entry.
        ///
        /// - Throws: also ``CacheStorageError/Code/invalidAttributes``, as the `error` of
        ///   ``KingfisherError/CacheErrorReason/cannotCreateCacheFile(fileURL:key:data:error:)``.
        public func store(
            value: T, forKey key: String, expiration: StorageExpiration? = nil,
            writeOptions: Data.WritingOptions = [], forcedExtension: String? = nil, attributes: EntryAttributes
        ) throws {
            try store(
                value: value, forKey: key, origin: KeyOrigin(baseKey: key), expiration: expiration,
                writeOptions: writeOptions, forcedExtension: forcedExtension, attributes: attributes)
        }

        /// - Parameter origin: the image that the entry is a variant of.
        @_spi(HalcyonTool) public func store(
            value: T, forKey key: String, origin: KeyOrigin, expiration: StorageExpiration?,
            writeOptions: Data.WritingOptions, forcedExtension: String?, attributes: EntryAttributes
        ) throws {
            let name = blobName(forKey: key, forcedExtension: forcedExtension)
            let request = try request(
                toStore: value, forKey: key, named: name, origin: origin, expiration: expiration,
                writeOptions: writeOptions, attributes: attributes)
            if let request { try store(request) }
        }

        func store(_ request: EntryStore.StoreRequest) throws {
            do {
                try store.store(request)
            } catch is EntryStore.Overtaken {
            } catch {
                throw fileError(error, request)
            }
        }

        /// Returns nil if the value has already expired.
        ///
        /// - Parameter name: the blob's name: see ``blobName(forKey:forcedExtension:)``.
        package func request(
            toStore value: T, forKey key: String, named name: BlobName, origin: KeyOrigin,
            expiration: StorageExpiration?, writeOptions: Data.WritingOptions, attributes: EntryAttributes
        ) throws -> EntryStore.StoreRequest? {
            try requireReadiness()
            let (config, now) = (config, store.environment.now())
            var lifetime = Lifetime(expiration ?? config.expiration, from: now)
            if attributes.keepsExpiration ?? config.keepsExpiration { lifetime = lifetime.fixed }
            guard !lifetime.isExpired(at: now) else { return nil }
            return EntryStore.StoreRequest(
                data: try data(of: value), name: name, key: key, origin: origin, lifetime: lifetime,
                options: writeOptions, attributes: attributes)
        }

        /// Commits staged values in this order.
        package func commit(_ groups: [EntryStore.StagedGroup]) -> [Result<(), KingfisherError>] {
            zip(groups.flatMap(\.requests), store.commit(groups)).map { request, result in
                result.mapError { fileError($0, request) }
            }
        }

        private func data(of value: T) throws -> Data {
            do {
                return try value.toData()
            } catch {
                note(CacheStorageError(converting: error))
                throw KingfisherError.cacheError(reason: .cannotConvertToData(object: value, error: error))
            }
        }

        // MARK: Loading

        /// Returns the value under a key; nil if there is none, if it has expired, or if its blob is missing.
        ///
        /// - Parameters:
        ///   - key: the key that it was stored under.
        ///   - forcedExtension: the extension that it was stored with.
        ///   - extendingExpiration: how the read moves the expiration. Any read counts as an access.
        /// - Throws: ``KingfisherError/CacheErrorReason/cannotLoadDataFromDisk(url:error:)`` if the blob exists and cannot be read,
        ///   or its bytes are not a value; ``KingfisherError/CacheErrorReason/diskStorageIsNotReady(cacheURL:)`` if the directory
        ///   could not be created.
        /// - Complexity: reads one row and one file. Takes no write lock, and never waits for a clean.
        public func value(
            forKey key: String, forcedExtension: String? = nil, extendingExpiration: ExpirationExtending = .cacheTime
        ) throws -> T? {
            try value(
                forKey: key, forcedExtension: forcedExtension, extendingExpiration: extendingExpiration,
                origin: KeyOrigin(baseKey: key))
        }

        /// - Parameter origin: the image that the entry is a variant of.
        func value(
            forKey key: String, forcedExtension: String?, extendingExpiration: ExpirationExtending,
            origin: @autoclosure () -> KeyOrigin
        ) throws -> T? {
            let name = blobName(forKey: key, forcedExtension: forcedExtension)
            let found = try read(name, forKey: key, extendingExpiration: extendingExpiration, origin: origin())
            guard let data = found?.content else { return nil }
            do { return try T.fromData(data) } catch { throw loadError(error, name) }
        }

        /// Reads the bytes under a name, with their row.
        func read(
            _ name: BlobName, forKey key: String, extendingExpiration: ExpirationExtending,
            origin: @autoclosure () -> KeyOrigin
        ) throws -> EntryStore.Match<Data>? {
            try requireReadiness()
            // Not with ``loading(_:_:)``, whose generic result would take a tenth of the time of a hit.
            do {
                return try store.read(
                    name, key: key, origin: origin(), at: store.environment.now(), extending: extendingExpiration)
            } catch {
                throw loadError(error, name)
            }
        }

        /// Whether there is a valid value under a key. Reads its row and calls `stat` once: fast enough for a main thread. Records
        /// no access.
        public func isCached(forKey key: String, forcedExtension: String? = nil) -> Bool {
            validName(forKey: key, at: store.now, forcedExtension) != nil
        }

        /// Whether the value under a key is valid at a date. Otherwise like ``isCached(forKey:forcedExtension:)``.
        public func isCached(forKey key: String, referenceDate: Date, forcedExtension: String? = nil) -> Bool {
            validName(forKey: key, at: Timestamp(reference: referenceDate), forcedExtension) != nil
        }

        private func validName(forKey key: String, at time: Timestamp, _ forcedExtension: String?) -> BlobName? {
            guard readiness.withLock({ $0 }) else { return nil }
            return store.validName(blobName(forKey: key, forcedExtension: forcedExtension), at: time)
        }

        /// The URL of the blob of a valid value; nil if there is none.
        @_spi(HalcyonTool) public func fileURLIfCached(forKey key: String, forcedExtension: String?) -> URL? {
            validName(forKey: key, at: store.now, forcedExtension).map(url(of:))
        }

        // MARK: Removing

        /// Removes the value under a key, even if it is pinned. A missing value is not an error.
        ///
        /// - Complexity: one transaction and one rename. Another thread unlinks the file.
        /// - Throws: ``KingfisherError/CacheErrorReason/invalidURLResource(error:key:url:)``. The value is then still there.
        public func remove(forKey key: String, forcedExtension: String? = nil) throws {
            try remove(blobName(forKey: key, forcedExtension: forcedExtension), forKey: key)
        }

        func remove(_ name: BlobName, forKey key: String) throws {
            _ = try mappingErrors(of: key, at: url(of: name)) { try store.remove(name, key: key) }
        }

        /// Removes all values that are stored now, including pinned ones. Values stored meanwhile remain. The index file shrinks, and
        /// `index.sqlite.damaged` is deleted.
        ///
        /// - Complexity: O(entries), in batches between which other callers get in.
        /// - Throws: ``KingfisherError/CacheErrorReason/invalidURLResource(error:key:url:)``. Some values may be removed by then;
        ///   the others are unchanged.
        public func removeAll() throws { try removeAll(skipCreatingDirectory: false) }

        /// - Parameter skipCreatingDirectory: true also closes the index and removes the empty directory, unless another process may use it. The
        ///   next store creates it again.
        func removeAll(skipCreatingDirectory: Bool) throws {
            let remove = try beginRemovingAll()
            try mappingErrors {
                try remove()
                if skipCreatingDirectory { store.removeFolder() }
            }
        }

        /// Turns everything stored now into misses. Call the result, on any thread, to remove it in batches between which other
        /// callers get in.
        func beginRemovingAll(
            _ progress: @escaping @Sendable (Int) -> Void = { _ in }
        ) throws -> @Sendable () throws -> Void {
            let isHashed = config.usesHashedFileName
            let clearing = try mappingErrors { try Clearing(of: store) }
            return {
                try clearing.remove(isBlobName: { BlobName.isBlobOrLegacyName($0, isHashed: isHashed) }, progress)
            }
        }

        /// Removes expired values, except pinned ones.
        ///
        /// - Returns: the former URLs of their blobs.
        /// - Throws: ``KingfisherError/CacheErrorReason/invalidURLResource(error:key:url:)`` if values have expired and none could
        ///   be removed.
        /// - Complexity: a few microseconds if nothing has expired. Otherwise O(entries), some 0.1 µs each, to find what has, and
        ///   O(expired entries) to remove it, in batches between which other callers run.
        public func removeExpiredValues() throws -> [URL] {
            try removeExpiredValues(referenceDate: store.environment.now().date)
        }

        func removeExpiredValues(referenceDate: Date) throws -> [URL] {
            var found: [Int64] = []
            return try mappingErrors {
                let removal = try store.evictor.removeExpired(at: Timestamp(reference: referenceDate), found: &found)
                return try removal.namesOrFailure().map(url(of:))
            }
        }

        /// Evicts the least recently used values if a limit is reached.
        ///
        /// Evicts down to half (``Config/lowWaterRatio``) of ``Config/sizeLimit`` once the total has reached it, or of
        /// ``Config/countLimit`` once there are more entries. Also evicts while the volume has less than ``Config/keepFreeBytes``
        /// left. Pinned values stay; ``usage()`` tells how much they take up.
        ///
        /// A value that is larger than the whole limit is evicted in its turn, after all that were used before it. ``ImageCache``
        /// removes such a value right after its store instead, unless it is pinned.
        ///
        /// - Returns: the former URLs of their blobs; empty without a limit or below it.
        /// - Throws: ``KingfisherError/CacheErrorReason/invalidURLResource(error:key:url:)`` if values have to be evicted and none
        ///   could be.
        /// - Complexity: O(evicted entries), in batches between which other callers get in.
        public func removeSizeExceededValues() throws -> [URL] {
            let limits = config.limits
            guard !limits.isUnlimited else { return [] }
            return try mappingErrors { try store.evictor.evict(limits).namesOrFailure().map(url(of:)) }
        }

        // MARK: Ending

        /// Writes pending changes from memory to the index: access times, extended expirations and statistics.
        ///
        /// Without this call, they are written ten seconds after the first of them, after reads of 12,000 entries, at once if a
        /// read extends an entry that would expire before that, before an eviction, a query or a change of an entry's attributes, in
        /// ``close()`` and ``suspend()``, when the last storage on the directory is released, and when the process ends normally
        /// (`exit`), unless another process holds the index at that moment. Stores and removals do not need a flush: they are in the
        /// index when the call returns.
        ///
        /// - Throws: ``KingfisherError/CacheErrorReason/invalidURLResource(error:key:url:)`` with
        ///   ``CacheStorageError/Code/indexUnavailable`` if another process keeps the index locked for five seconds,
        ///   ``CacheStorageError/Code/diskFull`` or ``CacheStorageError/Code/suspended``. What could not be written stays noted for
        ///   the next flush.
        public func flush() throws {
            try mappingErrors {
                try store.adoptEarlyReads()
                try store.recorder.flush()
            }
        }

        /// Flushes like ``flush()``, deletes the files of removed entries, and closes the index. A later use opens it again.
        ///
        /// Waits for the operation under way, so call it off the main thread. Waits a tenth of a second at most for other
        /// processes. Affects all storages of this process on the directory: a query that is taking over files throws
        /// ``CacheStorageError/Code/indexUnavailable``. What cannot be written stays noted while the storage exists, and is lost with
        /// it. If that matters, call ``flush()`` first.
        public func close() { store.close() }

        // MARK: Pausing

        /// Writes what is pending and closes the index until ``resume()``. Until then it holds and takes no lock, loads are misses,
        /// and stores and removals throw ``CacheStorageError/Code/suspended``.
        ///
        /// Use it for a directory in an app group's container: iOS ends a suspended process (0xdead10cc) that holds a file lock
        /// there. Waits for the operation under way, so call it off the main thread. Affects all storages of this process on the
        /// directory, so the queued work of an ``ImageCache`` there fails too: if there is one, call
        /// ``ImageCache/suspend(completion:)`` instead. Everything stored before is available after `resume()`.
        public func suspend() { store.suspend() }

        /// Ends ``suspend()``. The next use opens the index.
        public func resume() { store.index.resume() }

        /// Whether app extensions may share the directory, judging by where the system puts such directories.
        var isInAppGroup: Bool { FileFlags.isInAppGroup(directoryURL.path) }

        // MARK: Inspecting

        /// The size of all blobs in bytes, including expired ones; 0 if the directory is gone.
        ///
        /// - Complexity: O(1), one row. If files that Kingfisher stored are still being adopted, finishes that first.
        /// - Throws: ``KingfisherError/CacheErrorReason/invalidURLResource(error:key:url:)`` if the index cannot be read.
        public func totalSize() throws -> UInt {
            try mappingErrors { UInt(clamping: try store.evictor.totals().bytes) }
        }

        /// The URL of a key's blob, whether it exists or not. Needs no disk access, except that the first call may check whether
        /// the volume ignores case.
        public func cacheFileURL(forKey key: String, forcedExtension: String? = nil) -> URL {
            url(of: blobName(forKey: key, forcedExtension: forcedExtension))
        }

        func cacheFileName(forKey key: String, forcedExtension: String? = nil) -> String {
            blobName(forKey: key, forcedExtension: forcedExtension).text
        }

        /// Work on this queue runs after all accesses recorded before it are written.
        var metaChangingQueue: DispatchQueue {
            store.recorder.flushAccessLog()
            return store.housekeeping.records.queue
        }

        /// Compares the index with the files, and repairs it on request; see ``CheckReport``.
        @_spi(HalcyonTool) public func check(repair: Bool = false, progress: (Int) throws -> Void = { _ in }) throws
            -> CheckReport
        {
            let caller = CallerError()
            do {
                return try store.check(repair: repair) { count in try caller.noting { try progress(count) } }
            } catch {
                throw caller.error ?? CacheStorageError(error)
            }
        }

        package func blobName(forKey key: String, forcedExtension: String?) -> BlobName {
            names.name(forKey: key, forcedExtension: forcedExtension, isFolding: store.blobs.foldsNames)
        }

        func url(of name: BlobName) -> URL {
            directoryURL.appendingPathComponent(name.text, isDirectory: false)
        }
    }
}
