public import Foundation

/// The disk half of the cache.
public enum DiskStorage {
    /// Keeps values as files, and what is known of them in a SQLite index beside them.
    ///
    /// All functions may be called from any thread; each does its disk work on the calling thread. Several backends on
    /// one folder, in one process or many, work on one index and see each other's values at once. A store that has
    /// returned survives the end of the process at any later moment; after a power cut the last minute's values may be
    /// missing, and none is wrong.
    ///
    /// ```swift
    /// let storage = try DiskStorage.Backend<Data>(config: .init(name: "thumbnails", sizeLimit: 50_000_000))
    /// try storage.store(value: png, forKey: "https://example.com/a.png")
    /// let data = try storage.value(forKey: "https://example.com/a.png")
    /// let gone = try storage.removeSizeExceededValues()
    /// ```
    ///
    /// Errors are ``KingfisherError/cacheError(reason:)``. A failure of the index travels as the `error` of its reason,
    /// as ``CacheStorageError``. While the index cannot be used (locked, unreadable, disk full) loads are misses and
    /// stores throw; nothing is dropped for it, and service resumes by itself.
    public final class Backend<T: DataTransformable>: @unchecked Sendable where T: Sendable {
        // Sendable because every member is a constant that is Sendable itself.

        /// The folder of the blobs. The index is in `.halcyon` in it.
        public let directoryURL: URL
        package let store: EntryStore
        private let lease: StoreLease
        private let currentConfig: Locked<Config>
        private let readiness: Locked<Bool>
        private let cleaning = Locked(PeriodicCleaning())
        /// Values that are being fetched.
        let flights = SingleFlight<BlobName, T>()

        /// What is kept and for how long. A change applies at the next operation; safe from any thread. Two threads that change one
        /// member each may lose a change.
        public var config: Config {
            get { currentConfig.withLock { $0 } }
            set {
                // The old one is released after the lock: what its closures have captured may come back.
                _ = currentConfig.replace(with: newValue)
                applyToFolder(newValue)
                cleaning.withLock { $0.setInterval(newValue.cleanInterval) }
            }
        }

        /// Opens or makes a storage. An index that is only unavailable now (locked, no room) is no reason to fail.
        ///
        /// - Complexity: O(1), a few milliseconds: nothing is listed on the way.
        /// - Throws: ``KingfisherError/CacheErrorReason/cannotCreateDirectory(path:error:)`` when the folder cannot be
        ///   made, or holds an index that this version must not use.
        public convenience init(config: Config) throws {
            try self.init(config: config, environment: StorageEnvironment())
        }

        package convenience init(config: Config, environment: StorageEnvironment) throws {
            self.init(noThrowConfig: config, creatingDirectory: false, environment: environment)
            try prepare()
        }

        /// Never throws. When the folder cannot be made, storing and loading throw
        /// ``KingfisherError/CacheErrorReason/diskStorageIsNotReady(cacheURL:)``.
        ///
        /// - Parameters:
        ///   - config: what is kept, for how long, and where.
        ///   - creatingDirectory: false leaves making the folder and opening the index to the first operation.
        public convenience init(noThrowConfig config: Config, creatingDirectory: Bool) {
            self.init(
                noThrowConfig: config, creatingDirectory: creatingDirectory, environment: StorageEnvironment())
        }

        package init(noThrowConfig config: Config, creatingDirectory: Bool, environment: StorageEnvironment) {
            var config = config
            directoryURL = config.takeFolder()
            currentConfig = Locked(config)
            readiness = Locked(true)
            lease = StoreLease.shared(directory: BlobStore.path(of: directoryURL), environment: environment)
            store = lease.store
            applyToFolder(config)
            // The next operation makes a missing folder, and says what is wrong if it cannot.
            if creatingDirectory {
                store.index.replacesNewer.withLock { $0 = true }
                try? prepare()
            }
        }

        deinit { store.observers.set(nil, seesKeys: false, for: ObjectIdentifier(self)) }

        private func applyToFolder(_ config: Config) {
            store.condition.settings = .init(
                adoptionExpiration: config.expiration, namesAreHashed: config.usesHashedFileName,
                storesKeys: config.storesKeys, evictionOrder: config.evictionOrder)
            store.observers.set(config.observer, seesKeys: config.observesKeys, for: ObjectIdentifier(self))
            // Keys that were kept until now.
            if !config.storesKeys { store.housekeeping.request(.sweep) }
        }

        /// Makes the folder and opens the index. An index that is only unavailable now is no reason to fail.
        private func prepare() throws {
            do {
                // The folder itself is made below, for this user alone.
                try config.fileManager.createDirectory(
                    atPath: store.blobs.parentDirectory, withIntermediateDirectories: true)
            } catch {
                readiness.withLock { $0 = false }
                throw folderError(error)
            }
            do {
                try store.open()
            } catch {
                let cause = CacheStorageError(error)
                if cause.code == .fileSystem { readiness.withLock { $0 = false } }
                guard [.indexUnavailable, .diskFull, .suspended].contains(cause.code) else { throw folderError(cause) }
            }
            readiness.withLock { $0 = true }
        }

        private func folderError(_ error: any Error) -> KingfisherError {
            .cacheError(reason: .cannotCreateDirectory(path: directoryURL.path, error: error))
        }

        func requireReadiness() throws {
            // What was in the way may have gone.
            guard readiness.withLock({ $0 }) || (try? prepare()) != nil else {
                throw KingfisherError.cacheError(reason: .diskStorageIsNotReady(cacheURL: directoryURL))
            }
        }

        /// Calls `clean` every ``Config/cleanInterval`` seconds, on a queue of the system. The last one who asks is called.
        package func cleanPeriodically(for owner: AnyObject, _ clean: @escaping @Sendable () -> Void) {
            let interval = config.cleanInterval
            cleaning.withLock { $0.begin(owner: ObjectIdentifier(owner), interval: interval, clean) }
        }

        /// Ends it; whoever asked before and is still there is called again.
        package func stopCleaning(for owner: AnyObject) {
            let owner = ObjectIdentifier(owner)
            cleaning.withLock { $0.end(owner: owner) }
        }

        // MARK: Storing

        /// Stores a value under a key, in place of the one that is there.
        ///
        /// The bytes are written aside and take their place in one step: a reader gets the old value or the new one.
        /// Storing a value that is already expired does nothing.
        ///
        /// - Parameters:
        ///   - value: what ``DataTransformable/toData()`` makes of it is stored.
        ///   - key: any text. It is told apart by its UTF-8 bytes.
        ///   - expiration: nil for ``Config/expiration``.
        ///   - writeOptions: `.withoutOverwriting` refuses to replace a valid entry; `.atomic` is what always happens. File
        ///     protection is set on the blob before its first byte is written, except on macOS and Linux; if the system refuses
        ///     it the store fails. The index, with the keys, can be read from the first unlock on.
        ///   - forcedExtension: part of the file name, and so of the entry's identity. nil for ``Config/pathExtension``.
        /// - Throws: ``KingfisherError/CacheErrorReason/cannotConvertToData(object:error:)``, or
        ///   ``KingfisherError/CacheErrorReason/cannotCreateCacheFile(fileURL:key:data:error:)``. The value stored
        ///   before is still there.
        /// - Complexity: one file written and one transaction; independent of the number of entries.
        public func store(
            value: T, forKey key: String, expiration: StorageExpiration? = nil,
            writeOptions: Data.WritingOptions = [], forcedExtension: String? = nil
        ) throws {
            try store(
                value: value, forKey: key, origin: KeyOrigin(baseKey: key), expiration: expiration,
                writeOptions: writeOptions,
                forcedExtension: forcedExtension, attributes: EntryAttributes())
        }

        /// As ``store(value:forKey:expiration:writeOptions:forcedExtension:)``, with what is to be remembered of the entry.
        ///
        /// - Throws: also ``CacheStorageError/Code/invalidAttributes``, as the `error` of
        ///   ``KingfisherError/CacheErrorReason/cannotCreateCacheFile(fileURL:key:data:error:)``.
        public func store(
            value: T, forKey key: String, expiration: StorageExpiration? = nil,
            writeOptions: Data.WritingOptions = [], forcedExtension: String? = nil, attributes: EntryAttributes
        ) throws {
            try store(
                value: value, forKey: key, origin: KeyOrigin(baseKey: key), expiration: expiration,
                writeOptions: writeOptions,
                forcedExtension: forcedExtension, attributes: attributes)
        }

        /// - Parameter origin: which image the entry is a variant of.
        @_spi(HalcyonTool) public func store(
            value: T, forKey key: String, origin: KeyOrigin, expiration: StorageExpiration?,
            writeOptions: Data.WritingOptions, forcedExtension: String?, attributes: EntryAttributes
        ) throws {
            let request = try request(
                toStore: value, forKey: key, named: blobName(forKey: key, forcedExtension: forcedExtension),
                origin: origin,
                expiration: expiration, writeOptions: writeOptions, attributes: attributes)
            guard let request else { return }
            do {
                try store.store(request)
            } catch {
                throw fileError(error, request)
            }
        }

        /// nil for a value that has expired already.
        ///
        /// - Parameter name: of the blob: see ``blobName(forKey:forcedExtension:)``.
        func request(
            toStore value: T, forKey key: String, named name: BlobName, origin: KeyOrigin,
            expiration: StorageExpiration?, writeOptions: Data.WritingOptions, attributes: EntryAttributes
        ) throws -> EntryStore.StoreRequest? {
            try requireReadiness()
            let (config, now) = (config, store.environment.now())
            var lifetime = Lifetime(expiration ?? config.expiration, from: now)
            if attributes.keepsExpiration == true { lifetime = lifetime.fixed }
            guard !lifetime.isExpired(at: now) else { return nil }
            return EntryStore.StoreRequest(
                data: try data(of: value), name: name, key: key, origin: origin, lifetime: lifetime,
                options: writeOptions, attributes: attributes)
        }

        /// As several calls of ``store(value:forKey:expiration:writeOptions:forcedExtension:)``, for tests of what happens between.
        package func storeTogether(_ values: [(key: String, value: T)]) throws -> [Result<(), KingfisherError>] {
            store(
                try values.compactMap { key, value in
                    try request(
                        toStore: value, forKey: key, named: blobName(forKey: key, forcedExtension: nil),
                        origin: KeyOrigin(baseKey: key), expiration: .days(9), writeOptions: [],
                        attributes: EntryAttributes())
                })
        }

        /// Stores several values in this order, with one commit for as many of them as can share it.
        func store(_ requests: [EntryStore.StoreRequest]) -> [Result<(), KingfisherError>] {
            zip(requests, store.store(requests)).map { request, result in result.mapError { fileError($0, request) } }
        }

        private func fileError(_ error: any Error, _ request: EntryStore.StoreRequest) -> KingfisherError {
            .cacheError(
                reason: .cannotCreateCacheFile(
                    fileURL: url(of: request.name), key: request.key, data: request.data, error: observed(error)))
        }

        /// A failure, of which the observer is told.
        private func observed(_ error: any Error) -> CacheStorageError {
            let error = CacheStorageError(error)
            store.observers.tell(.init(.failure, error: error))
            return error
        }

        private func data(of value: T) throws -> Data {
            do {
                return try value.toData()
            } catch {
                throw KingfisherError.cacheError(reason: .cannotConvertToData(object: value, error: error))
            }
        }

        // MARK: Loading

        /// The value under a key; nil when there is none, when it has expired, or when its blob is gone.
        ///
        /// - Parameters:
        ///   - key: the one it was stored under.
        ///   - forcedExtension: the one it was stored with.
        ///   - extendingExpiration: what the read does to the expiration. It counts as an access always.
        /// - Throws: ``KingfisherError/CacheErrorReason/cannotLoadDataFromDisk(url:error:)`` when the blob exists and
        ///   cannot be read, or its bytes are no value.
        /// - Complexity: one row and one file; takes no write lock and never waits for cleaning.
        public func value(
            forKey key: String, forcedExtension: String? = nil, extendingExpiration: ExpirationExtending = .cacheTime
        ) throws -> T? {
            try value(
                forKey: key, forcedExtension: forcedExtension, extendingExpiration: extendingExpiration,
                origin: KeyOrigin(baseKey: key))
        }

        /// Notes one more read of a value that has just been read for somebody else.
        func noteUse(
            forKey key: String, forcedExtension: String?, bytes: Int, extendingExpiration: ExpirationExtending
        ) {
            store.noteUse(
                of: blobName(forKey: key, forcedExtension: forcedExtension), key: key, bytes: bytes,
                at: store.environment.now(), extending: extendingExpiration)
        }

        /// Counts a read that was answered without the index: a hit of so many bytes, or a miss.
        func countUse(bytes: Int?) { store.countUse(bytes: bytes) }

        /// - Parameter origin: which image the entry is a variant of.
        func value(
            forKey key: String, forcedExtension: String?, extendingExpiration: ExpirationExtending,
            origin: @autoclosure () -> KeyOrigin
        ) throws -> T? {
            try requireReadiness()
            let name = blobName(forKey: key, forcedExtension: forcedExtension)
            do {
                return try store.value(
                    of: name, key: key, origin: origin(), at: store.environment.now(), extending: extendingExpiration
                ).map(T.fromData)
            } catch {
                throw loadError(error, url: url(of: name))
            }
        }

        func loadError(_ error: any Error, url: URL) -> KingfisherError {
            let failure = observed(error)
            let cause: any Error = error is SystemError ? failure : error
            return .cacheError(reason: .cannotLoadDataFromDisk(url: url, error: cause))
        }

        /// Whether a valid value is under a key. Its row and one `stat`: fit for a main thread. Records no access.
        public func isCached(forKey key: String, forcedExtension: String? = nil) -> Bool {
            isCached(forKey: key, at: store.environment.now(), forcedExtension: forcedExtension)
        }

        /// Whether the value under a key is valid at a date. As ``isCached(forKey:forcedExtension:)`` otherwise.
        public func isCached(forKey key: String, referenceDate: Date, forcedExtension: String? = nil) -> Bool {
            isCached(forKey: key, at: Timestamp(referenceDate), forcedExtension: forcedExtension)
        }

        private func isCached(forKey key: String, at time: Timestamp, forcedExtension: String?) -> Bool {
            guard readiness.withLock({ $0 }) else { return false }
            return store.contains(blobName(forKey: key, forcedExtension: forcedExtension), at: time)
        }

        /// Where the blob of a valid value is; nil where there is none.
        @_spi(HalcyonTool) public func fileURLIfCached(forKey key: String, forcedExtension: String?) -> URL? {
            guard readiness.withLock({ $0 }) else { return nil }
            let name = blobName(forKey: key, forcedExtension: forcedExtension)
            return store.validName(name, at: store.environment.now()).map(url(of:))
        }

        // MARK: Removing

        /// Removes the value under a key, pinned or not. None there is no error.
        ///
        /// - Complexity: one transaction and one rename; the file is unlinked off the caller's path.
        /// - Throws: ``KingfisherError/CacheErrorReason/invalidURLResource(error:key:url:)``; then it is still there.
        public func remove(forKey key: String, forcedExtension: String? = nil) throws {
            let name = blobName(forKey: key, forcedExtension: forcedExtension)
            do {
                try store.remove(name)
            } catch {
                throw resourceError(error, key: key, url: url(of: name))
            }
        }

        /// Removes everything that is stored now, pinned values included; what is stored meanwhile stays. The index file shrinks.
        ///
        /// - Complexity: O(entries), in batches between which other callers get in.
        /// - Throws: ``KingfisherError/CacheErrorReason/invalidURLResource(error:key:url:)``. What went by then is gone; the rest is
        ///   as it was.
        public func removeAll() throws { try removeAll(skipCreatingDirectory: false) }

        /// - Parameter skipCreatingDirectory: also closes the index and takes the empty folder away; the next store makes
        ///   it again.
        func removeAll(skipCreatingDirectory: Bool) throws {
            let isHashed = config.usesHashedFileName
            try mappingErrors {
                try store.removeAll { BlobName.isBlobOrLegacyName($0, isHashed: isHashed) }
                if skipCreatingDirectory { store.removeFolder() }
            }
        }

        /// From now on what is there is a miss; it goes when the result is called, on whichever thread and in batches between which
        /// others get in.
        func beginRemovingAll() throws -> @Sendable () throws -> Void {
            let isHashed = config.usesHashedFileName
            let clearing = try mappingErrors { try Clearing(of: store) }
            return { try clearing.remove { BlobName.isBlobOrLegacyName($0, isHashed: isHashed) } }
        }

        /// Removes expired values, pinned ones excepted.
        ///
        /// - Returns: the URLs their blobs had.
        /// - Throws: ``KingfisherError/CacheErrorReason/invalidURLResource(error:key:url:)`` when nothing could be removed although
        ///   something should have been.
        /// - Complexity: O(expired entries), in batches between which other callers get in; without any, a few microseconds.
        public func removeExpiredValues() throws -> [URL] {
            try removeExpiredValues(referenceDate: store.environment.now().date)
        }

        func removeExpiredValues(referenceDate: Date) throws -> [URL] {
            try mappingErrors {
                try store.evictor.removeExpired(at: Timestamp(referenceDate)).namesOrFailure().map(url(of:))
            }
        }

        /// Evicts the least recently used values down to half (``Config/lowWaterRatio``) of ``Config/sizeLimit``, once the total
        /// has reached it, or of ``Config/countLimit``, once there are more; and while the volume has less than
        /// ``Config/keepFreeBytes`` left. Pinned values stay: see ``usage()`` for what they take up.
        ///
        /// A value that is larger than the whole limit goes in its turn, behind everything else. Whoever stores such values through
        /// ``ImageCache`` has them given up at once instead, unless they are pinned.
        ///
        /// - Returns: the URLs their blobs had; none without a limit or below it.
        /// - Throws: ``KingfisherError/CacheErrorReason/invalidURLResource(error:key:url:)`` when nothing could be evicted although
        ///   something should have been.
        /// - Complexity: O(evicted entries), in batches between which other callers get in.
        public func removeSizeExceededValues() throws -> [URL] {
            let limits = config.limits
            guard !limits.isUnlimited else { return [] }
            return try mappingErrors { try store.evictor.evict(limits).namesOrFailure().map(url(of:)) }
        }

        // MARK: Ending

        /// Writes into the index what is only noted in memory: accesses, the expirations that they have moved, statistics.
        ///
        /// Otherwise that is done ten seconds after the first of them, by ``close()`` and ``suspend()``, when the last storage on the
        /// folder goes, and when the process ends ordinarily (`exit`), unless another process holds the index just then. Stores and
        /// removals need none of it: they are in the index when they return.
        ///
        /// - Throws: ``KingfisherError/CacheErrorReason/invalidURLResource(error:key:url:)`` with
        ///   ``CacheStorageError/Code/indexUnavailable`` while another process has the index locked, after five seconds, or with
        ///   ``CacheStorageError/Code/suspended``. What could not be written stays noted, and is written with what comes next.
        public func flush() throws {
            store.adoptEarlyReads()
            try mappingErrors { try store.recorder.flush() }
        }

        /// Writes what ``flush()`` writes, deletes the files of what has gone, and closes the index. A later use opens it again.
        ///
        /// Waits for the operation under way, so call it off the main thread, and for no other process. Counts for all storages of this
        /// process on the folder. What cannot be written stays noted as long as the storage is there, and is lost with it: call ``flush()`` before where that matters.
        public func close() { store.close() }

        // MARK: Pausing

        /// Writes what is pending and closes the index, until ``resume()``: no lock is held or taken meanwhile, loads are
        /// misses, and stores and removals throw ``CacheStorageError/Code/suspended``.
        ///
        /// For a folder in an app group's container: iOS ends a process (0xdead10cc) that holds a file lock there while it is
        /// suspended. Waits for the operation under way, so call it off the main thread. Counts for all storages of this
        /// process on the folder: what an ``ImageCache`` there has queued fails too, so call ``ImageCache/suspend(completion:)`` where
        /// there is one. What was stored before is there after `resume()`.
        public func suspend() { store.suspend() }

        func suspendAtOnce() { store.suspendAtOnce() }

        /// As ``suspendAtOnce()``, but for the closing, for which a thread has to wait.
        func refuse() { store.refuse() }

        /// Ends ``suspend()``. The index is opened by the next use.
        public func resume() { store.resume() }

        /// Whether the folder may be shared with extensions of the app, by where the system puts such folders.
        var isInAppGroup: Bool { FileFlags.isInAppGroup(directoryURL.path) }

        // MARK: Looking

        /// Bytes of all blobs, expired ones included; 0 when the folder is gone.
        ///
        /// - Complexity: O(1), one row. While a folder of Kingfisher's is being taken over it finishes that first.
        /// - Throws: ``KingfisherError/CacheErrorReason/invalidURLResource(error:key:url:)`` when the index cannot be read.
        public func totalSize() throws -> UInt {
            try mappingErrors { UInt(clamping: try store.evictor.totals().bytes) }
        }

        /// Where the blob of a key is, or will be by its next store. Computed: touches no disk, but to find out once whether the volume
        /// tells upper from lower case, where the name depends on it.
        public func cacheFileURL(forKey key: String, forcedExtension: String? = nil) -> URL {
            url(of: blobName(forKey: key, forcedExtension: forcedExtension))
        }

        func cacheFileName(forKey key: String, forcedExtension: String? = nil) -> String {
            blobName(forKey: key, forcedExtension: forcedExtension).text
        }

        /// Work put on this queue runs after the access notes made before it are written.
        var metaChangingQueue: DispatchQueue {
            store.recorder.flushAccessLog()
            return store.housekeeping.queue
        }

        /// Compares index and files, and repairs what is wrong if asked; see ``CheckReport``.
        @_spi(HalcyonTool) public func check(repair: Bool = false, progress: (Int) throws -> Void = { _ in }) throws
            -> CheckReport
        {
            try store.check(repair: repair, progress: progress)
        }

        func blobName(forKey key: String, forcedExtension: String?) -> BlobName {
            currentConfig.withLock { $0.naming }
                .name(forKey: key, forcedExtension: forcedExtension, isFolding: store.blobs.foldsNames)
        }

        func url(of name: BlobName) -> URL {
            directoryURL.appendingPathComponent(name.text, isDirectory: false)
        }

        // MARK: Errors

        func mappingErrors<Result>(_ body: () throws -> Result) throws -> Result {
            do {
                return try body()
            } catch {
                throw resourceError(error, key: "", url: directoryURL)
            }
        }

        func resourceError(_ error: any Error, key: String, url: URL) -> KingfisherError {
            .cacheError(reason: .invalidURLResource(error: observed(error), key: key, url: url))
        }
    }
}
