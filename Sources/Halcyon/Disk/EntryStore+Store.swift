package import Foundation
internal import HalcyonSQLite

extension EntryStore {
    /// Stores a blob: stage → BEGIN → row → publish → COMMIT → unlink what was replaced.
    ///
    /// - Throws: ``SystemError``, `SQLiteError` or ``CacheStorageError``. Then the value that was there before is still
    ///   there, and nothing is left in `staging/`.
    package func store(
        _ data: Data, name: BlobName, key: String, origin: KeyOrigin? = nil, expiration: StorageExpiration,
        options: Data.WritingOptions = [], attributes: DiskStorage.EntryAttributes = .init()
    ) throws {
        try attributes.validate()
        let request = StoreRequest(
            data: data, name: name, key: key, origin: origin, lifetime: Lifetime(expiration, from: now),
            options: options, attributes: attributes)
        try makingRoom { try storeOutlivingRemovedFolders(request) }
    }

    struct StoreRequest {
        let data: Data
        let name: BlobName
        let key: String
        let origin: KeyOrigin?
        let lifetime: Lifetime
        let options: Data.WritingOptions
        let attributes: DiskStorage.EntryAttributes

        var overwriting: Bool { !options.contains(.withoutOverwriting) }
    }

    /// The folder may be removed at any step. Each time it is made again and the bytes are staged again.
    private func storeOutlivingRemovedFolders(_ request: StoreRequest) throws {
        for _ in 0..<2 {
            do {
                return try storeOnce(request)
            } catch let error as SystemError where error.isMissing {
                _ = index.refreshIfMoved(force: true)
                try blobs.prepare()
            } catch is SQLiteError where index.refreshIfMoved(force: true) {
                // The index's files went away in the middle of the transaction.
                continue
            }
        }
        try storeOnce(request)
    }

    private func storeOnce(_ request: StoreRequest) throws {
        try adoptBeforeReplacing(request.name)
        let legacy = try adoptLegacyBeforeReplacing(request.name, key: request.key)
        let staged = DetachedBlob(place: .staging, rowID: request.name.rowID, token: environment.makeToken())
        let file = try blobs.stage(request.data, as: staged, modified: request.lifetime.expiresAt ?? .never)
        FileFlags.protect(blobs.path(of: staged), as: request.options)
        var published = false
        do {
            let waste = try index.write { session in
                // Run again on a new index after the publish: the staged file is spent, so it is staged again.
                guard !published else { throw SystemError("rename", ENOENT) }
                let replaced = try publish(request, staged: staged, file: file, in: session) { published = true }
                return [replaced, try trashLegacy(legacy, in: session)].compactMap(\.self)
            }
            log.withLock { log in
                log.forget(request.name.rowID)
                log.countStore(bytes: request.data.count)
            }
            requestBookkeeping()
            for (blob, size) in waste { unlinker.add(blob, size: size) }
        } catch {
            // After an exchange the staged name holds the old bytes: only settling may touch them.
            if published {
                for name in [request.name, legacy].compactMap(\.self) { settleSoonerOrLater(name) }
            } else {
                try? blobs.unlink(staged)
            }
            throw error
        }
    }

    /// Row and blob, under the write lock.
    private func publish(
        _ request: StoreRequest, staged: DetachedBlob, file: FileStatus, in session: IndexSession,
        didPublish: () -> Void
    ) throws -> (blob: DetachedBlob, size: Int64)? {
        let existing = try session.entry(named: request.name)
        var old = try blobs.status(of: request.name)
        if let existing, !(old.map { isBlob(of: existing, $0) } ?? false) {
            old = try settle(request.name, entry: existing, sparing: staged)
        }
        if !request.overwriting { try refuse(existing, old) }
        if old?.kind == .directory { old = try removeFolder(at: request.name) }
        let time = try storeStamp(in: session)
        var entry = Entry(
            name: request.name, key: storable(request.key), token: staged.token, inode: lastingInode(of: file),
            size: file.size, createdAt: time, accessedAt: time, lifetime: request.lifetime)
        entry.slack = file.allocatedSize - file.size
        entry.origin = request.origin
        try session.upsert(entry, pinned: request.attributes.isPinned)
        if !request.attributes.isEmpty { try session.note(request.attributes, of: entry) }
        let replaced = try blobs.publish(
            staged, as: request.name, over: old, oldToken: existing?.token ?? environment.makeToken())
        didPublish()
        return replaced.map { ($0, old?.size ?? 0) }
    }

    private func refuse(_ existing: Entry?, _ old: FileStatus?) throws {
        guard let existing, let old, isBlob(of: existing, old), !existing.isExpired(at: now) else { return }
        throw CacheStorageError(
            .alreadyExists, "An entry is stored under this key, and overwriting was not allowed.",
            remedy: "Remove it first, or store without the option withoutOverwriting.")
    }

    /// A folder at a blob's name goes if it is empty.
    private func removeFolder(at name: BlobName) throws -> FileStatus? {
        do throws(SystemError) {
            try blobs.unlink(name)
            return nil
        } catch {
            throw CacheStorageError(
                .blockedName, "A folder that is not empty is where the blob has to be (\(error)).",
                remedy: "Move that folder out of the cache's folder.", errnoCode: error.code)
        }
    }
}

extension Timestamp {
    /// The modification date of a blob that never expires: the year 2420, the latest round one that ext4 can hold together
    /// with the tag. A volume that ends in 2038 holds that instead, an ordinary date.
    static let never = Timestamp(milliseconds: 14_200_617_600_000)

    /// A modification date from the year 2400 on means "never"; Kingfisher's is in 4001, which ext4 makes 2446.
    static let neverFrom = Timestamp(milliseconds: 13_569_465_600_000)
}
