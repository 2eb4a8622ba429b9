internal import Foundation

extension EntryStore {
    /// What follows an opening, off everybody's path: what a crash, a power cut, a copy of the folder or another library
    /// left is put in order. Each step is bounded batches; one that fails is made up for at the next open.
    func sweep() {
        try? settleDetached()
        try? dropDistrusted()
        try? relearnInodes()
        try? finishAdoption()
        try? emptyFormerListing()
        try? reconcileOncePerDay()
        try? forgetKeys()
    }

    // MARK: staging/ and trash/

    func settleDetached() throws {
        for place in DetachedBlob.Place.allCases {
            var waiting: [DetachedBlob] = []
            try blobs.forEachDetached(in: place) { blob in
                waiting.append(blob)
                if waiting.count == environment.tuning.batchSize {
                    try settle(waiting)
                    waiting = []
                }
                return true
            }
            try settle(waiting)
        }
    }

    /// Puts back what is a row's blob and unlinks what is left over.
    private func settle(_ detached: [DetachedBlob]) throws {
        guard !detached.isEmpty else { return }
        let trashed = try index.writeBatch { session in
            try detached.filter { try settle($0, in: session) }
        }
        for blob in trashed { try? blobs.unlink(blob) }
    }

    /// True for a file in the trash that can be unlinked without the lock: no row can come to need it any more.
    private func settle(_ blob: DetachedBlob, in session: IndexSession) throws -> Bool {
        guard let file = try blobs.status(of: blob) else { return false }
        if let entry = try session.entry(id: blob.rowID), isBlob(of: entry, file) {
            let current = try blobs.status(of: entry.name)
            if !(current.map { isBlob(of: entry, $0) } ?? false) {
                try blobs.restore(blob, as: entry.name)
                return false
            }
        }
        guard isLeftOver(blob, file) else { return false }
        if blob.place == .trash { return true }
        // A staged file is unlinked under the lock: its writer may live, and after its exchange this name holds the
        // only copy of the old bytes.
        try blobs.unlinkUnlessFilled(blob, file)
        return false
    }

    /// Unlinks everything in the trash that no row needs: room on a full disk.
    func emptyTrash() {
        var waiting: [DetachedBlob] = []
        try? blobs.forEachDetached(in: .trash) { blob in
            waiting.append(blob)
            return waiting.count < environment.tuning.unlinkBacklogCount
        }
        try? settle(waiting)
    }

    // MARK: After a power cut

    /// Drops what was stored in the last minute before the machine stopped: its bytes may never have been written.
    private func dropDistrusted() throws {
        let generation = index.generation
        guard condition.distrusted != nil else { return }
        try forEachEntryBatch { session, entries in
            for entry in entries {
                let file = try blobs.status(of: entry.name)
                if let file, isBlob(of: entry, file) { continue }
                // Without a file at its place its bytes may be in staging/ or trash/: they are trusted no more there.
                guard file != nil || !condition.trusts(entry) else { continue }
                condition.drop(entry)
                try session.delete(id: entry.id)
                guard let file else { continue }
                // Another row's blob stays, where the volume folds names.
                guard !blobs.isAmbiguous(entry.name) || entry.inode == file.inode else { continue }
                // Also what could be adopted: its bytes are what is not trusted.
                try blobs.unlinkUnlessFilled(entry.name, file)
            }
        }
        try note(in: generation) { state, session in
            // Somebody else may not have come by yet, and must not take later stores for those of that time.
            if let distrusted = state.distrusted {
                try session.setStoredAt(max(try session.storedAt(), distrusted.upperBound.advanced(by: 1)))
            }
            state.distrusted = nil
        }
        // Whatever the clock says later, what is stored from now on is trusted.
        if index.generation == generation { condition.endDistrust() }
    }

    // MARK: In a copied folder

    /// Notes the inode numbers that blobs have in this copy of the folder.
    private func relearnInodes() throws {
        let generation = index.generation
        guard condition.isRelearning else { return }
        try forEachEntryBatch { session, entries in
            let storedAt = try session.state().storedAt
            for entry in entries {
                guard let file = try blobs.status(of: entry.name), isBlob(of: entry, file) else { continue }
                // A copy may have another modification date too, and with it another tag.
                try session.relearn(entry, inode: lastingInode(of: file), token: BlobTag.token(entry.token, for: file))
            }
            // A new token looks like a store to the database, and is none.
            try session.setStoredAt(storedAt)
        }
        try note(in: generation) { state, _ in state.isRelearning = false }
    }

    /// Walks all rows in the order of their ids, a transaction for each bounded batch.
    func forEachEntryBatch(_ body: (IndexSession, [Entry]) throws -> Void) throws {
        var last = Int64.min
        while true {
            try stopIfClosing()
            let size = environment.tuning.flushBatchSize
            let entries = try index.writeBatch(isFollowed: { $0.count == size }) { session in
                let entries = try session.page(after: last, limit: size)
                try body(session, entries)
                return entries
            }
            // Only now: a transaction that is rolled back may be run again.
            guard let end = entries.last, entries.count == size else { return }
            last = end.id
        }
    }

    // MARK: The listing of version 0.1.0

    /// Deletes what queries of version 0.1.0 kept for themselves: keys and hosts of entries, also of those that are gone by now.
    func emptyFormerListing() throws {
        guard try index.readAtLength({ try $0.hasFormerListing() }) else { return }
        try index.write { try $0.stopListing() }
        let limit = environment.tuning.flushBatchSize
        while try index.writeBatch(isFollowed: \.self, { try $0.emptyFormerListing(limit: limit) }) {
            try stopIfClosing()
        }
        try index.shrink()
    }

    // MARK: Once a day

    /// Compares the folder and the totals with the rows.
    private func reconcileOncePerDay() throws {
        let generation = index.generation
        guard !condition.isAdopting, abs(now - condition.reconciledAt) > Self.day else { return }
        try recountTotals()
        try normalizePins()
        // Elsewhere any file's name could be a key.
        if condition.settings.namesAreHashed { try forEachBlobNameBatch(reconcile) }
        let now = now
        try note(in: generation) { state, _ in state.reconciledAt = now }
    }

    /// Removes files of our name shape that have no row: what a store left that crashed between publish and COMMIT. Settles those
    /// that are not their row's blob.
    private func reconcile(_ names: [BlobName]) throws {
        let (rows, withoutRow) = try index.read { session in
            (try names.compactMap(session.entry(named:)), try names.filter { try !hasRow($0, in: session) })
        }
        for entry in rows where try blobs.status(of: entry.name).map({ isBlob(of: entry, $0) }) == false {
            // One that cannot be settled must not keep the others from it.
            try? settleInTransaction(entry.name)
        }
        try removeFilesWithoutRow(withoutRow, changedUntil: Timestamp(Date()), sparesAdoptable: true)
    }

    private static let day: Int64 = 86_400_000
}
