internal import Foundation
internal import HalcyonSQLite

extension EntryStore {
    /// Removes an entry: BEGIN → DELETE → rename into the trash → COMMIT → unlink. Also a file of that name without a
    /// row. A name that is not there is no error.
    package func remove(_ name: BlobName, key: String) throws {
        // First: what is under the new name is found first, so a crash between the two leaves the value there was.
        if let legacy = legacyName(of: name, key: key) { try remove(legacy) }
        try remove(name)
    }

    private func remove(_ name: BlobName) throws {
        let entry = try index.read { try $0.entry(named: name) }
        // Nothing there: no reason to take the write lock.
        if entry == nil, try blobs.status(of: name) == nil, !index.refreshIfMoved() { return }
        do {
            let trashed = try makingRoom { try settlingIfRefused([name]) { try trash(name, in: $0) } }
            if let trashed { unlinker.add(trashed.blob, size: trashed.size) }
            if entry != nil { log.withLock { $0.count(\.removals) } }
            requestBookkeeping()
        } catch  where Self.isOutOfSpace(error) {
            try removeOnFullDisk(name)
        }
    }

    func trash(_ name: BlobName, in session: IndexSession) throws -> (blob: DetachedBlob, size: Int64)? {
        let entry = try session.entry(named: name)
        var file = try blobs.status(of: name)
        if let entry, !(file.map { isBlob(of: entry, $0) } ?? false) { file = try settle(name, entry: entry) }
        if entry != nil { try session.delete(id: name.rowID) }
        log.withLock { $0.forget(name.rowID) }
        guard let file, file.kind != .directory else { return nil }
        let blob = DetachedBlob(place: .trash, rowID: name.rowID, token: entry?.token ?? environment.makeToken())
        return try blobs.trash(name, as: blob) ? (blob, file.size) : nil
    }

    /// A transaction that moves blobs. When it fails after that, the rows are back and the blobs have to follow.
    func settlingIfRefused<Result>(
        _ names: @autoclosure () -> [BlobName], _ body: (IndexSession) throws -> Result
    ) throws -> Result {
        var hasBegun = false
        do {
            return try index.write { session in
                hasBegun = true
                return try body(session)
            }
        } catch {
            // Without the lock nothing was moved, and waiting for it once is enough.
            if hasBegun { names().forEach(settleSoonerOrLater) }
            throw error
        }
    }

    // MARK: In batches

    /// Removes entries batch by batch until `next` returns none.
    ///
    /// Each batch is one transaction, is unlinked before the next one takes the lock, and is followed by a pause at least
    /// as long as the lock was held: a store, of another process too, must get in.
    ///
    /// - Parameters:
    ///   - count: what these removals are counted as.
    ///   - keepingNames: false where nobody asks which blobs went: a million names take a hundred megabytes.
    ///   - goingOn: asked before each batch with what has gone so far; false ends it there.
    ///   - next: deletes rows and returns them, so many more as there are obstacles in the way. It may be run again when its
    ///     transaction is rolled back, so it must change nothing else.
    func removeBatches(
        counting count: WritableKeyPath<Counts, Int64>, keepingNames: Bool = true,
        goingOn: (Removal) -> Bool = { _ in true },
        _ next: (IndexSession, Obstacles) throws -> [Entry]
    ) -> Removal {
        var removal = Removal()
        var obstacles = Obstacles()
        do {
            while goingOn(removal) {
                guard let removed = try removeAndUnlinkBatch(past: &obstacles, next) else { continue }
                guard !removed.isEmpty else { break }
                removal.add(removed, keepingNames: keepingNames)
            }
        } catch {
            removal.failure = error
        }
        log.withLock { $0.count(count, Int64(removal.entries)) }
        if removal.entries > 0 { requestBookkeeping() }
        return removal
    }

    /// Entries that cannot be removed and are first in line: the next batch reaches past them.
    struct Obstacles {
        fileprivate(set) var count = 0
        fileprivate(set) var bytes: Int64 = 0

        var totals: Totals { Totals(entries: Int64(count), bytes: bytes) }

        /// Beyond that the folder as a whole is the likelier cause.
        fileprivate static let most = 1_024
    }

    /// A batch of which nothing could be removed.
    struct BlockedBatch: Error {
        let kept: [(entry: Entry, error: any Error)]
        var first: (any Error)? { kept.first?.error }
    }

    /// nil when only obstacles were found, and more rows may lie behind them.
    private func removeAndUnlinkBatch(
        past obstacles: inout Obstacles, _ next: (IndexSession, Obstacles) throws -> [Entry]
    ) throws -> [Entry]? {
        do {
            return try removeAndUnlinkBatch { [obstacles] in try next($0, obstacles) }
        } catch let blocked as BlockedBatch {
            // No more than were known: there is nothing behind them.
            guard blocked.kept.count > obstacles.count, blocked.kept.count <= Obstacles.most else {
                throw blocked.first ?? blocked
            }
            obstacles.count = blocked.kept.count
            obstacles.bytes = blocked.kept.reduce(0) { $0 &+ $1.entry.size }
            return nil
        }
    }

    func removeAndUnlinkBatch(_ next: (IndexSession) throws -> [Entry]) throws -> [Entry] {
        let begin = ContinuousClock.now
        let batch = try removeBatchOnFullDisk(next)
        let unlinking = ContinuousClock.now
        for blob in batch.trashed { try? blobs.unlink(blob) }
        // Meanwhile the lock was free.
        let rest = (unlinking - begin) - (ContinuousClock.now - unlinking)
        if rest > .zero { environment.pause(rest) }
        return batch.removed
    }

    private func removeBatchOnFullDisk(_ next: (IndexSession) throws -> [Entry]) throws -> Batch {
        do {
            return try makingRoom { try removeBatchCarefully(next) }
        } catch  where Self.isOutOfSpace(error) {
            unlinkVictims(next)
            return try removeBatchCarefully(next)
        }
    }

    private struct Batch {
        var removed: [Entry] = []
        var trashed: [DetachedBlob] = []
        var kept: [(entry: Entry, error: any Error)] = []
    }

    /// What cannot be removed stays an entry with all that is known of it, and the rest goes on without it.
    private func removeBatchCarefully(_ next: (IndexSession) throws -> [Entry]) throws -> Batch {
        do {
            return try removeBatch { session, batch in
                batch = trash(try next(session))
                if !batch.kept.isEmpty { throw BlockedBatch(kept: batch.kept) }
            }
        } catch is BlockedBatch {
            // Everything is back where it was. A savepoint is not for every batch: it copies each page that is changed.
            return try removeBatch { session, batch in
                try session.connection.run("SAVEPOINT batch")
                batch = trash(try next(session))
                if batch.removed.isEmpty, !batch.kept.isEmpty { throw BlockedBatch(kept: batch.kept) }
                try session.connection.run("ROLLBACK TO batch")
                for entry in batch.removed { try session.delete(id: entry.id) }
            }
        }
    }

    private func removeBatch(_ body: (IndexSession, inout Batch) throws -> Void) throws -> Batch {
        var batch = Batch()
        return try settlingIfRefused((batch.removed + batch.kept.map(\.entry)).map(\.name)) { session in
            batch = Batch()
            try body(session, &batch)
            return batch
        }
    }

    private func trash(_ entries: [Entry]) -> Batch {
        var batch = Batch()
        for entry in entries {
            do {
                if let blob = try trash(entry) { batch.trashed.append(blob) }
                batch.removed.append(entry)
                log.withLock { $0.forget(entry.id) }
            } catch {
                batch.kept.append((entry, error))
            }
        }
        return batch
    }

    /// Moves a deleted row's blob into the trash; nil when there is none to move.
    private func trash(_ entry: Entry) throws -> DetachedBlob? {
        guard let file = try blobs.status(of: entry.name), file.kind != .directory else { return nil }
        if !isBlob(of: entry, file) { try settle(entry.name, entry: entry) }
        let blob = DetachedBlob(place: .trash, rowID: entry.id, token: entry.token)
        return try blobs.trash(entry.name, as: blob) ? blob : nil
    }

    // MARK: Everything

    /// Removes what is there now, files without a row included. What is stored meanwhile stays.
    package func removeAll(isBlobName: (String) -> Bool) throws {
        log.withLock { $0.forgetAll() }
        let now = try index.write { session in
            try cancelAdoption(in: session)
            // It goes as a whole, instead of entry by entry.
            try session.dropListing()
            return try moment(in: session)
        }
        let changedUntil = Timestamp(Date())
        var last = Int64.min
        // Only what has been committed moves it on: a batch that failed is run again.
        func moveOn(_ removal: Removal) -> Bool {
            last = removal.lastID
            return true
        }
        let removal = removeBatches(counting: \.removals, keepingNames: false, goingOn: moveOn) { session, obstacles in
            try session.removeStored(
                upTo: now.latest, orAfter: latestSince(now, in: session), after: last,
                limit: environment.tuning.batchSize + obstacles.count)
        }
        if let failure = removal.failure { throw failure }
        try clearListing()
        try removeFilesWithoutRow(changedUntil: changedUntil, isBlobName: isBlobName)
        unlinker.drain()
        try index.shrink()
    }

    /// Files without a row are to go, not to become entries while rows are being removed.
    private func cancelAdoption(in session: IndexSession) throws {
        var state = try session.state()
        guard state.adoption != .done || state.legacyNames == .unknown else { return }
        state.adoption = .done
        state.legacyNames = .none
        try session.setState(state)
        condition.withLock { $0.update(from: state) }
    }

    /// What is there at a moment, and what is stored later.
    struct Moment {
        /// Every later store of any process has a later time. So has an entry there only if the clock was put back since: then it
        /// is later than any store can be by now.
        let latest: Timestamp
    }

    /// The latest time of a store since a moment. What is later yet was there before. Under the write lock, and anew under each: a
    /// removal may take minutes, and others store meanwhile.
    func latestSince(_ moment: Moment, in session: IndexSession) throws -> Timestamp {
        max(moment.latest, try session.storedAt())
    }

    func moment() throws -> Moment { try index.write { try moment(in: $0) } }

    /// Not just the latest store's time: what was adopted is no store, and has the times of its file.
    private func moment(in session: IndexSession) throws -> Moment {
        let (now, latest) = (now, try session.storedAt())
        let stamp = stamp(at: now)
        // After the clock has jumped back the latest store is in the future, and later ones are before it.
        let cut = latest - now < StampSource.tolerance ? max(latest, stamp) : stamp
        try session.setStoredAt(cut)
        return Moment(latest: cut)
    }

    private func removeFilesWithoutRow(changedUntil: Timestamp, isBlobName: (String) -> Bool) throws {
        var names: [BlobName] = []
        func removeNames() throws {
            try removeFilesWithoutRow(names, changedUntil: changedUntil)
            names = []
        }
        try blobs.forEachName { name in
            if isBlobName(name) { names.append(BlobName(text: name)) }
            if names.count == environment.tuning.batchSize { try removeNames() }
            return true
        }
        try removeNames()
    }

    /// - Parameter sparesAdoptable: files that are entries nobody has adopted yet stay. Judged under the lock: the index
    ///   may have been replaced since the names were collected, and then every blob is such a file.
    func removeFilesWithoutRow(
        _ names: [BlobName], changedUntil: Timestamp, sparesAdoptable: Bool = false
    ) throws {
        guard !names.isEmpty else { return }
        let trashed = try index.writeLetting { session in
            try names.compactMap { name -> DetachedBlob? in
                guard try session.entry(named: name) == nil, let file = try blobs.status(of: name),
                    file.kind == .regular, file.changed <= changedUntil,
                    !(sparesAdoptable && isAdoptable(file, named: name))
                else { return nil }
                let blob = DetachedBlob(place: .trash, rowID: name.rowID, token: environment.makeToken())
                return try blobs.trash(name, as: blob) ? blob : nil
            }
        }
        for blob in trashed { try? blobs.unlink(blob) }
    }
}

extension EntryStore {
    /// Closes the index and removes the empty folder, unless something else is in it or another process has the cache
    /// open: the last one to close takes the write-ahead log away.
    func removeFolder() {
        close()
        guard (try? environment.fileSystem.status(at: blobs.indexPath + "-wal")) == nil else { return }
        try? environment.fileSystem.unlink(blobs.indexPath)
        for place in DetachedBlob.Place.allCases {
            try? environment.fileSystem.removeDirectory(blobs.path(of: place))
        }
        try? environment.fileSystem.removeDirectory(blobs.metadataDirectory)
        try? environment.fileSystem.removeDirectory(blobs.directory)
    }
}
