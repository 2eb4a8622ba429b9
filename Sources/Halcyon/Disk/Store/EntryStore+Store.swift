internal import Foundation
internal import HalcyonSQLite

extension EntryStore {
    /// A blob to be stored under a name.
    package struct StoreRequest {
        let data: Data
        let name: BlobName
        let key: String
        let origin: KeyOrigin?
        let lifetime: Lifetime
        let options: Data.WritingOptions
        let attributes: DiskStorage.EntryAttributes
        /// nil unless the value was fetched. Asked under the write lock; false makes the store throw ``Overtaken``. A store of any
        /// other value overtakes the fetches of its key.
        var isWanted: (@Sendable () -> Bool)?

        var overwriting: Bool { !options.contains(.withoutOverwriting) }
    }

    /// A removal or another store of the key came first.
    struct Overtaken: Error {}

    /// A store whose bytes are in a staged file, not visible yet.
    struct StagedStore {
        let request: StoreRequest
        let blob: DetachedBlob
        let file: FileStatus
    }

    /// Stores that are about to share a commit.
    package struct StagedGroup {
        let requests: ArraySlice<StoreRequest>
        let staged: Result<[StagedStore], any Error>
    }

    /// Stages blobs, in groups that can share a commit. Another thread may commit earlier groups meanwhile.
    /// Pass the groups to ``commit(_:)-([StagedGroup])``.
    package func stage(_ requests: [StoreRequest]) -> [StagedGroup] {
        var rest = requests[...]
        var groups: [StagedGroup] = []
        while !rest.isEmpty {
            let group = storeQueue.prefix(of: rest) { [$0] }
            rest = rest.dropFirst(group.count)
            groups.append(StagedGroup(requests: group, staged: Result { try stageTogether(group) }))
        }
        return groups
    }

    /// Commits groups in this order.
    ///
    /// - Returns: for each store, what ``store(_:)`` would throw.
    func commit(_ groups: [StagedGroup]) -> [Result<Void, any Error>] { groups.flatMap(commit) }

    private func commit(_ group: StagedGroup) -> [Result<Void, any Error>] {
        do {
            try storeQueue.commit(group.staged.get(), together: commit)
            group.requests.forEach(tell)
            return group.requests.map { _ in .success(()) }
        } catch  where StoreQueue.affectsAll(error) || (group.requests.count == 1 && error is CacheStorageError) {
            return group.requests.map { _ in .failure(error) }
        } catch {
            // Any of them may be the cause.
            return group.requests.map { request in Result { try store(request) } }
        }
    }

    /// Stores a blob: stage → BEGIN → row → publish → COMMIT → unlink what was replaced.
    ///
    /// - Throws: ``SystemError``, `SQLiteError` or ``CacheStorageError``. The previous value is then still there, and nothing is
    ///   left in `staging/`.
    func store(_ request: StoreRequest) throws {
        try request.attributes.validate()
        try whileClearsMakeRoom { try remover.makingRoom { try storeOutlivingRemovedFolders(request) } }
        tell(of: request)
    }

    /// Repeats `body` on a full disk while a clear of this process makes room. Bounded, because an observer that the clear calls
    /// may store.
    private func whileClearsMakeRoom(_ body: () throws -> Void) throws {
        let deadline = MonotonicTime.now.adding(milliseconds: environment.tuning.writerTimeout)
        while condition.clearedUpTo != nil, MonotonicTime.now < deadline {
            do { return try body() } catch  where error.meansFullDisk { environment.pause(5) }
        }
        try body()
    }

    private func stageTogether(_ requests: ArraySlice<StoreRequest>) throws -> [StagedStore] {
        var staged: [StagedStore] = []
        do {
            for request in requests {
                try request.attributes.validate()
                staged.append(try stage(request))
            }
            return staged
        } catch {
            for store in staged { undo(store, isPublished: false) }
            throw error
        }
    }

    /// Called after the store's turn in the queue, because an observer may store, too.
    private func tell(of request: StoreRequest) {
        observers.tell(.init(kind: .store, bytes: Int64(request.data.count), key: request.key))
    }

    /// The directory may be removed at any step. Each time, it is created and the bytes are staged again.
    private func storeOutlivingRemovedFolders(_ request: StoreRequest) throws {
        for _ in 0..<2 {
            do {
                return try storeOnce(request)
            } catch let error as SystemError where error.isMissing {
                _ = index.refreshIfMoved(force: true)
                try blobs.prepare()
            } catch is SQLiteError where index.refreshIfMoved(force: true) {
                // The index's files were removed during the transaction.
                continue
            }
        }
        try storeOnce(request)
    }

    private func storeOnce(_ request: StoreRequest) throws {
        do {
            try storeQueue.commit([try stage(request)], together: commit)
        } catch is StoreQueue.FailedTogether {
            try commit([try stage(request)])
        }
    }

    /// Stages the bytes, without any lock.
    func stage(_ request: StoreRequest) throws -> StagedStore {
        // A file without a row would be lost if this store fails.
        try adopter.adoptAhead(request.name.withFormer)
        if request.attributes.isPinned == false || request.attributes.tags != nil {
            Reclaimer(folder: folder).finishBeforeChange(adopter)
        }
        let blob = DetachedBlob(place: .staging, rowID: request.name.rowID, token: environment.tokens.next())
        let file = try blobs.stage(
            request.data, as: blob, modified: request.lifetime.expiresAt ?? .never,
            protection: FileProtectionType(request.options))
        return StagedStore(request: request, blob: blob, file: file)
    }

    /// Writes the rows and publishes the blobs of stores under different names, in one transaction.
    ///
    /// - Throws: all names then have their previous values, and nothing of these stores is left in `staging/`.
    func commit(_ stores: [StagedStore]) throws {
        var publishedCount = 0
        do {
            let waste = try index.write(.withoutReserve) { session in
                // The transaction runs again, on a new index, after a publish has used up the staged file: stage again.
                guard publishedCount == 0 else { throw SystemError("rename", ENOENT) }
                return try stores.flatMap { store in
                    try requireNoFileToAdopt(under: store.request.name, in: session)
                    let former = try store.request.name.former.flatMap {
                        try takeOver($0, by: store.request, in: session)
                    }
                    let replaced = try publish(store, in: session) { publishedCount += 1 }
                    return [former, replaced].compactMap(\.self)
                }
            }
            recorder.log.withLock { log in
                log.count(\.stores, Int64(stores.count))
                log.count(\.bytesWritten, stores.reduce(0) { $0 + Int64($1.request.data.count) })
            }
            recorder.requestFlush()
            for (blob, size) in waste { unlinker.add(blob, size: size) }
        } catch {
            for (number, store) in stores.enumerated() { undo(store, isPublished: number < publishedCount) }
            throw error
        }
    }

    /// The index may have been opened or replaced since the store was staged. Staging again adopts the file.
    private func requireNoFileToAdopt(under name: BlobName, in session: IndexSession) throws {
        for name in name.withFormer where try adopter.awaits(name, hasRow: { try session.entry(named: name) != nil }) {
            // Unless another process has ended the adoption.
            if try condition.isSearching(asOf: session.state()) { throw SystemError("rename", ENOENT) }
        }
    }

    private func undo(_ store: StagedStore, isPublished: Bool) {
        guard isPublished else {
            try? blobs.unlink(store.blob)
            // `takeOver` may have moved its blob into the trash.
            if let former = store.request.name.former { settler.settleLater(former) }
            return
        }
        // After an exchange, the staged name holds the old bytes, so only settling may touch them.
        for name in store.request.name.withFormer { settler.settleSoonerOrLater(name) }
    }

    /// Writes a row and publishes its blob, under the write lock.
    private func publish(
        _ store: StagedStore, in session: IndexSession, didPublish: () -> Void
    ) throws -> (blob: DetachedBlob, size: Int64)? {
        let (request, staged, file) = (store.request, store.blob, store.file)
        guard request.isWanted?() ?? true else { throw Overtaken() }
        let existing = try session.entry(named: request.name)
        var inherited = existing
        var old = try blobs.status(of: request.name)
        if let existing, !isBlob(of: existing, old) {
            old = try settler.settle(request.name, entry: existing, excluding: staged)
        }
        if let existing, try isBeingCleared(existing, in: session) {
            // The new entry does not inherit its pin and its tags.
            try session.delete(id: existing.id)
            inherited = nil
        } else if !request.overwriting {
            try refuse(existing, old)
        }
        if old?.kind == .directory { old = try removeFolder(at: request.name) }
        let time = try storeTime(in: session)
        var entry = Entry(
            id: request.name.rowID, name: request.name, key: storable(request.key), token: staged.token,
            inode: lastingInode(of: file), size: file.size, createdAt: time, accessedAt: stamp(at: now),
            lifetime: request.lifetime)
        entry.slack = file.allocatedSize - file.size
        entry.origin = request.origin
        // The index adds the boot.
        entry.bootTime = BootTime(boot: 0, uptime: environment.uptime())
        try session.upsert(entry, pinned: request.attributes.isPinned, isNew: inherited == nil)
        // Metadata belongs to bytes by the time of their store. If the clock was set back, older metadata may have this time.
        if let existing, existing.createdAt >= time { try session.dropMetadata(id: entry.id) }
        if !request.attributes.isEmpty { try session.note(request.attributes, of: entry) }
        remember(entry, over: inherited, as: request, in: session)
        let replaced = try blobs.publish(
            staged, as: request.name, over: old, oldToken: existing?.token ?? environment.tokens.next())
        didPublish()
        // Also those that began during this transaction and did not find its row.
        if request.isWanted == nil { session.afterCommit { [fetches, name = request.name] in fetches.overtake(name) } }
        return replaced.map { ($0, old?.allocatedSize ?? 0) }
    }

    /// Remembers the row as it will be after the commit.
    private func remember(_ entry: Entry, over existing: Entry?, as request: StoreRequest, in session: IndexSession) {
        guard mayRemember(entry) else { return }
        var entry = entry
        entry.isPinned = request.attributes.isPinned ?? existing?.isPinned ?? false
        entry.baseLength = entry.key == nil ? nil : entry.origin?.baseLength ?? existing?.baseLength
        session.effects?.stored.append(shared(entry))
    }

    func refuse(_ existing: Entry?, _ old: FileStatus?) throws {
        guard let existing, isBlob(of: existing, old), !recorder.isExpired(existing, at: now) else { return }
        throw CacheStorageError(
            .alreadyExists, "An entry exists under this key, and the store must not overwrite it.",
            remedy: "Remove the entry first, or store without the option withoutOverwriting.")
    }

    /// Removes a directory at a blob's name if it is empty.
    private func removeFolder(at name: BlobName) throws -> FileStatus? {
        do throws(SystemError) {
            try blobs.unlink(name)
            return nil
        } catch {
            throw CacheStorageError(
                .blockedName, "A directory that is not empty has the name of the blob (\(error)).",
                remedy: "Move that directory out of the cache directory.", errnoCode: error.code)
        }
    }
}

extension Timestamp {
    /// The modification date of a blob that never expires.
    static let never = Timestamp(milliseconds: FileDate.never)

    /// A modification date from here on means "never".
    static let neverFrom = Timestamp(milliseconds: FileDate.neverFrom)
}
