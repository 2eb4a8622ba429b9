internal import Foundation

/// A removal of all that was there at a moment, files without a row included. What is stored meanwhile stays.
///
/// Ends with ``remove(isBlobName:)``, or when nobody holds it any more; what is left then is found again.
final class Clearing: FolderWork {
    /// Held, because the index is closed with it.
    private let store: EntryStore
    private let moment: Moment
    private let changedUntil: Timestamp
    private let hasEnded = Locked(false)
    var folder: CacheFolder { store.folder }

    /// From now on all that is there is a miss for this process, and no store finds anything of it under its key.
    init(of store: EntryStore) throws {
        self.store = store
        store.recorder.log.withLock { $0.forgetAll() }
        moment = try store.remover.makingRoom {
            try store.index.write { session in
                try Self.cancelAdoption(in: session)
                return try store.moment(in: session)
            }
        }
        store.condition.beginClearing(upTo: moment.latest)
        store.index.knownRows.forgetAll()
        // After the moment: files without a row that came while the lock was waited for were there, too.
        changedUntil = Timestamp(Date())
    }

    deinit { end() }

    private func end() {
        let isFirst = hasEnded.withLock { hasEnded in
            defer { hasEnded = true }
            return !hasEnded
        }
        if isFirst { condition.endClearing() }
    }

    /// In batches, and on whichever thread: others get in.
    func remove(isBlobName: (String) -> Bool) throws {
        defer { end() }
        // An index that was taken away meanwhile has another one in its place, which makes entries of the files that are left;
        // three times is somebody's intention.
        for _ in 0..<3 {
            let generation = index.generation
            try removeEntries()
            try Upgrader(folder: folder).finish()
            try removeFilesWithoutRow(isBlobName: isBlobName)
            guard index.generation != generation else { break }
        }
        store.unlinker.finish()
        try index.shrink()
    }

    /// Files without a row are to go, not to become entries while rows are being removed.
    private static func cancelAdoption(in session: IndexSession) throws {
        var state = try session.state()
        guard state.adoption != .done || state.awaitsLegacyNames else { return }
        state.adoption = .done
        state.awaitsLegacyNames = false
        try session.setState(state)
    }

    private func removeEntries() throws {
        // A store by another process may have given an entry a name that the walk has passed by then, today's for a former one. Bounded,
        // because a damaged index may name the same rows again and again.
        for _ in 0..<3 {
            guard try removeEntriesInOrder() > 0 else { break }
        }
    }

    /// - Returns: how many.
    private func removeEntriesInOrder() throws -> Int {
        var last = Int64.min
        // Only what has been committed moves it on: a batch that failed is run again.
        func moveOn(_ removal: Removal) -> Bool {
            last = removal.lastID
            return true
        }
        let removal = store.remover.removeBatches(counting: \.removals, keepingNames: false, shouldContinue: moveOn) {
            session, obstacles in
            try session.removeStored(
                upTo: moment.latest, orAfter: latestSince(moment, in: session), after: last,
                limit: environment.tuning.batchSize + obstacles.count)
        }
        if let failure = removal.failure { throw failure }
        return removal.entries
    }

    private func removeFilesWithoutRow(isBlobName: (String) -> Bool) throws {
        var names: [BlobName] = []
        func removeNames() throws {
            try store.settler.removeFilesWithoutRow(names, changedUntil: changedUntil)
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
}
