internal import Foundation

/// Removing everything.
extension EntryStore {
    /// Removes what is there now, files without a row included. What is stored meanwhile stays.
    package func removeAll(isBlobName: (String) -> Bool) throws { try beginClearing().remove(isBlobName: isBlobName) }

    /// From now on all that is there is a miss for this process, and no store finds anything of it under its key.
    func beginClearing() throws -> Clearing {
        log.withLock { $0.forgetAll() }
        let moment = try makingRoom {
            try index.write { session in
                try cancelAdoption(in: session)
                // It goes as a whole, instead of entry by entry.
                try session.stopListing()
                return try self.moment(in: session)
            }
        }
        condition.beginClearing(upTo: moment.latest)
        return Clearing(store: self, moment: moment)
    }

    /// A removal of all that was there at a moment. Ends with ``remove(isBlobName:)``, or when nobody holds it any more; what is
    /// left then is found again.
    final class Clearing: Sendable {
        private let store: EntryStore
        private let moment: Moment
        private let changedUntil = Timestamp(Date())
        private let hasEnded = Locked(false)

        fileprivate init(store: EntryStore, moment: Moment) {
            self.store = store
            self.moment = moment
        }

        deinit { end() }

        private func end() {
            let isFirst = hasEnded.withLock { hasEnded in
                defer { hasEnded = true }
                return !hasEnded
            }
            if isFirst { store.condition.endClearing() }
        }

        /// In batches, and on whichever thread: others get in.
        func remove(isBlobName: (String) -> Bool) throws {
            defer { end() }
            // An index that was taken away meanwhile has another one in its place, which makes entries of the files that are left;
            // three times is somebody's intention.
            for _ in 0..<3 {
                let generation = store.index.generation
                try store.removeEntries(thereAt: moment)
                try store.emptyFormerListing()
                try store.removeFilesWithoutRow(changedUntil: changedUntil, isBlobName: isBlobName)
                guard store.index.generation != generation else { break }
            }
            store.unlinker.finish()
            try store.index.shrink()
        }
    }

    /// Whether an entry is only there because a clearing has not come to it.
    func isBeingCleared(_ entry: Entry, in session: IndexSession) throws -> Bool {
        guard let latest = condition.clearedUpTo else { return false }
        // Later than the latest store: from before the clock was put back.
        return try entry.createdAt <= latest || entry.createdAt > max(latest, session.storedAt())
    }

    private func removeEntries(thereAt moment: Moment) throws {
        // A store by another process may have given an entry a name that the walk has passed by then, today's for a former one. Bounded,
        // because a damaged index may name the same rows again and again.
        for _ in 0..<3 {
            guard try removeEntriesInOrder(thereAt: moment) > 0 else { break }
        }
    }

    /// - Returns: how many.
    private func removeEntriesInOrder(thereAt moment: Moment) throws -> Int {
        var last = Int64.min
        // Only what has been committed moves it on: a batch that failed is run again.
        func moveOn(_ removal: Removal) -> Bool {
            last = removal.lastID
            return true
        }
        let removal = removeBatches(counting: \.removals, keepingNames: false, shouldContinue: moveOn) {
            session, obstacles in
            try session.removeStored(
                upTo: moment.latest, orAfter: latestSince(moment, in: session), after: last,
                limit: environment.tuning.batchSize + obstacles.count)
        }
        if let failure = removal.failure { throw failure }
        return removal.entries
    }

    /// Files without a row are to go, not to become entries while rows are being removed.
    private func cancelAdoption(in session: IndexSession) throws {
        var state = try session.state()
        guard state.adoption != .done || state.awaitsLegacyNames else { return }
        state.adoption = .done
        state.awaitsLegacyNames = false
        try session.setState(state)
        condition.update(from: state)
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
        // After the clock has jumped back the latest store is in the future, and later ones are before it.
        let latest = try storeTime(in: session)
        try session.setStoredAt(latest.advanced(by: 1))
        return Moment(latest: latest)
    }

    private func removeFilesWithoutRow(changedUntil: Timestamp, isBlobName: (String) -> Bool) throws {
        var names: [BlobName] = []
        func removeNames() throws {
            try removeFilesWithoutRow(names, changedUntil: changedUntil)
            names = []
        }
        try blobs.forEachName { name in
            let name = blobs.composed(name)
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
        let trashed = try index.writeBatch { session in
            try names.compactMap { name -> DetachedBlob? in
                guard try !hasRow(name, in: session), let file = try blobs.status(of: name),
                    file.kind == .regular, file.changed <= changedUntil,
                    !(sparesAdoptable && condition.adopts(file, named: name))
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
