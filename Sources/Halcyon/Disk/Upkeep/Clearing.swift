internal import Foundation

/// A removal of everything that existed at one moment, including files without a row. Entries stored later remain.
///
/// Ends when ``remove(isBlobName:)`` returns, so call that once. Lookups then find again what is left.
struct Clearing: FolderWork {
    /// A strong reference, because the store closes the index when it is released.
    private let store: EntryStore
    private let moment: Moment
    private let changedUntil: Timestamp
    var folder: CacheFolder { store.folder }

    /// From now on, lookups of this process do not find what existed, and new stores inherit nothing from it.
    init(of store: EntryStore) throws {
        self.store = store
        // Even if the index cannot be used: memory is cleared, and they would fill it again.
        store.fetches.overtake { _ in true }
        try store.index.openForChange()
        // Otherwise it would give entries that are stored later the pins and tags of those that are removed now.
        Reclaimer(folder: store.folder).finishBeforeChange(store.adopter)
        moment = try store.remover.makingRoom(unlinking: {
            try $0.page(after: .min, limit: store.environment.tuning.batchSize)
        }) {
            try store.index.write { session in
                // The write may have opened this index, so ask now.
                let statistics = try? store.adopter.formerStatistics()
                try Self.cancelAdoption(in: session, adding: statistics)
                let moment = try store.moment(in: session)
                // Under the lock, so that the next store knows of it.
                session.afterCommit { [condition = store.condition, fetches = store.fetches] in
                    condition.beginClearing(upTo: moment.latest)
                    // Also those that began meanwhile, and may have found a value.
                    fetches.overtake { _ in true }
                }
                return moment
            }
        }
        store.index.knownRows.forgetAll()
        // Taken after the moment, to include files without a row that appeared while `init` waited for the lock.
        changedUntil = Timestamp(Date())
    }

    /// Removes in batches, so that other calls get in between. Call it on any thread.
    ///
    /// - Parameter progress: called between batches with the number of entries removed so far.
    func remove(isBlobName: (String) -> Bool, _ progress: (Int) -> Void = { _ in }) throws {
        defer { condition.endClearing() }
        // If the index is removed meanwhile, its replacement adopts the files that are left. Bounded, in case another program
        // removes it every time.
        for _ in 0..<3 {
            let generation = index.generation
            // A lookup may have opened the replacement already, whose sweep would adopt them between the two passes.
            if condition.isSearching { try? store.adopter.finish() }
            try removeEntries(progress)
            // Its tables have keys. The sweep finishes what fails.
            try? Upgrader(folder: folder).finish()
            var failure: (any Error)?
            try forEachNameBatch(of: environment.tuning.batchSize, where: isBlobName) { names in
                let error = try store.settler.removeFilesWithoutRow(names, changedUntil: changedUntil)
                failure = failure ?? error
            }
            if let failure { throw failure }
            guard index.generation != generation else { break }
        }
        store.unlinker.finish()
        // Everything is removed. If this fails, the next clear shrinks the file.
        try? index.shrink()
        try? removeDamagedIndex()
    }

    /// Files without a row have to be removed, not adopted while rows are being removed.
    ///
    /// - Parameter statistics: those of an index that was set aside.
    private static func cancelAdoption(
        in session: IndexSession, adding statistics: (counts: Counts, since: Timestamp)?
    ) throws {
        var state = try session.state()
        guard state.isSearching(namesAreHashed: false) else { return }
        if let statistics, state.adoption == .rebuilding {
            try session.add(statistics.counts, at: statistics.since)
        }
        // Also if the app sets later that names are not hashed.
        state.endSearch(namesAreHashed: false)
        try session.setState(state)
    }

    private func removeEntries(_ progress: (Int) -> Void) throws {
        // Again for those whose blobs could not be moved. Bounded, because a damaged index may return the same rows repeatedly.
        for _ in 0..<3 {
            guard try removeEntriesInOrder(progress) > 0 else { break }
        }
    }

    /// - Returns: the number of removed entries.
    private func removeEntriesInOrder(_ progress: (Int) -> Void) throws -> Int {
        var last = Int64.min
        // Advances past committed batches only: a batch that failed runs again.
        func moveOn(_ removal: Removal) -> Bool {
            last = removal.lastID
            progress(removal.entries)
            return true
        }
        let removal = store.remover.removeBatches(counting: \.removals, keepingNames: false, shouldContinue: moveOn) {
            session, obstacles in
            try session.stored(
                upTo: moment.latest, orAfter: latestSince(moment, in: session), after: last,
                limit: environment.tuning.batchSize + Int(obstacles.entries))
        }
        if let failure = removal.failure { throw failure }
        return removal.entries
    }
}
