/// Repairs names whose row and file do not match: after a crash, or after another program has changed the directory.
final class Settler: FolderWork {
    let folder: CacheFolder
    /// Names for which a reader found no blob.
    private let pending: Locked<Set<BlobName>> = Locked([])

    init(_ folder: CacheFolder) { self.folder = folder }

    // MARK: Settling a name

    /// Puts a row's blob back under its name if a crash or a refused COMMIT left it elsewhere. Call it under the write lock, for a
    /// name whose file is not the row's blob.
    ///
    /// - Parameters:
    ///   - entry: the name's row; nil for none.
    ///   - staged: the blob about to be published, which is left alone. It may look old if the volume's clock is behind ours.
    /// - Returns: the file under the name afterwards. If no row's blob was found, that is still the file that was there.
    func settle(_ name: BlobName, entry: Entry?, excluding staged: DetachedBlob? = nil) throws -> FileStatus? {
        let candidates = try blobs.detached(of: name.rowID, in: .trash) + blobs.detached(of: name.rowID, in: .staging)
        for blob in candidates where blob != staged {
            if try settle(blob, of: entry) { try? blobs.unlink(blob) }
        }
        return try blobs.status(of: name)
    }

    /// Puts a row's blob back under its name unless it is there already, and unlinks a leftover in `staging/`.
    ///
    /// - Returns: true for a leftover in the trash. The caller can unlink it without the lock, because no row needs it any more.
    private func settle(_ blob: DetachedBlob, of entry: Entry?) throws -> Bool {
        guard let file = try blobs.status(of: blob) else { return false }
        if let entry, isBlob(of: entry, file) {
            guard try isInPlace(entry) else {
                try blobs.restore(blob, as: entry.name)
                return false
            }
            // A second link. Under the lock, because a store of the name may link it there again.
            if blob.place == .trash {
                try? blobs.unlink(blob)
                return false
            }
        }
        if blob.place == .trash { return true }
        // Under the lock: its writer may still be alive, and after its exchange this name holds the only copy of the old bytes. What
        // cannot be unlinked now stays in our own directory, where no reader looks, until a sweep.
        if isLeftOver(blob, file) { try? blobs.unlink(blob) }
        return false
    }

    /// Whether a row's blob is under its name.
    func isInPlace(_ entry: Entry) throws -> Bool { try isBlob(of: entry, blobs.status(of: entry.name)) }

    /// Whether a detached file that is not a row's blob can be deleted: always in the trash; in staging, once its writer must have
    /// ended. (If the writer is still alive, its publish finds the file missing and stages again.)
    func isLeftOver(_ blob: DetachedBlob, _ file: FileStatus) -> Bool {
        // The clock may have been set back since.
        blob.place == .trash || abs(now - file.changed) > environment.tuning.stagingAge
    }

    /// Settles a name in its own transaction. Deletes a row whose blob is nowhere, and a file without a row.
    ///
    /// - Returns: whether it has deleted a row.
    @discardableResult
    func settleInTransaction(_ name: BlobName) throws -> Bool {
        try index.write { session in
            let entry = try session.entry(named: name)
            if let entry, try isInPlace(entry) { return false }
            let settled = try settle(name, entry: entry)
            if let entry, let settled, try isBlob(of: entry, settled) || relearnCopy(of: entry, settled, in: session) {
                return false
            }
            if entry != nil { try session.delete(id: name.rowID) }
            // A file that had a row is not adopted. An ambiguous name may be another row's blob; if it has no row, the sweep removes it.
            if let settled, !blobs.isAmbiguous(name), entry != nil || !condition.adopts(settled, named: name) {
                try blobs.unlinkUnlessFilled(name, settled)
            }
            return entry != nil
        }
    }

    /// Records the inode number of a file that was copied with its date, for example from a backup.
    private func relearnCopy(of entry: Entry, _ file: FileStatus, in session: IndexSession) throws -> Bool {
        guard isCopy(of: entry, file) else { return false }
        let latest = try session.state()
        try session.relearn(entry, inode: lastingInode(of: file), token: entry.token)
        try session.setLatestStore(as: latest)
        return true
    }

    /// Whether a file is the entry's blob, copied with its date.
    func isCopy(of entry: Entry, _ file: FileStatus) -> Bool {
        // On a volume that folds names, the file may be another row's blob.
        condition.trusts(entry) && !blobs.isAmbiguous(entry.name) && entry.matches(file, ignoringInode: true)
            && BlobTag(token: entry.token).marks(file) && !file.isDatedByWriting
    }

    // MARK: Names to settle later

    /// Lets housekeeping settle names, for example after a reader found no blob for a row.
    func settleLater(_ name: BlobName) {
        // Bounded, because closing waits for them: all blobs may have been deleted. The next reader, or the sweep, finds the others.
        pending.withLock { if $0.count < environment.tuning.flushBatchSize { $0.insert(name) } }
        housekeeping.request(.settle)
    }

    func settlePending() {
        // The next reader, or the sweep, finds again what cannot be settled now.
        for name in pending.replace(with: []) { _ = try? settleInTransaction(name) }
    }

    /// After a refused COMMIT: settles now if it gets the lock. Otherwise housekeeping, the next reader or the sweep does.
    func settleSoonerOrLater(_ name: BlobName) {
        if (try? settleInTransaction(name)) == nil { settleLater(name) }
    }

    /// Runs a transaction that moves blobs. If it fails, the rows have rolled back, and the names are settled.
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

    // MARK: staging/ and trash/

    func settleDetached() throws {
        for place in DetachedBlob.Place.allCases {
            try settle(blobs.detached(in: place), willBegin: stopIfClosing)
        }
    }

    /// Puts back the blobs of rows and unlinks leftovers.
    private func settle(_ detached: [DetachedBlob], willBegin: () throws -> Void = {}) throws {
        var trashed: [DetachedBlob] = []
        try forEachBatch(
            of: environment.tuning.batchSize, in: detached, willBegin: willBegin,
            didCommit: { _ in unlink(trashed) }
        ) { session, batch in
            trashed = try batch.filter { try settle($0, of: session.entry(id: $0.rowID)) }
        }
    }

    private func unlink(_ trashed: [DetachedBlob]) {
        for blob in trashed { try? blobs.unlink(blob) }
    }

    /// Makes room on a full disk: unlinks files in the trash that no row needs, up to ``Tuning/unlinkBacklogCount``.
    func emptyTrash() { try? settle(Array(blobs.detached(in: .trash).prefix(environment.tuning.unlinkBacklogCount))) }

    // MARK: Files without a row

    /// Removes those of the files that have no row.
    ///
    /// - Parameter sparesAdoptable: keeps files that are still to be adopted. Decided under the lock: if the index was replaced
    ///   since the names were collected, every blob is such a file.
    /// - Returns: the first error of a file that could not be removed.
    func removeFilesWithoutRow(
        _ names: [BlobName], changedUntil: Timestamp, sparesAdoptable: Bool = false
    ) throws -> (any Error)? {
        var (failure, trashed): ((any Error)?, [DetachedBlob]) = (nil, [])
        try forEachBatch(in: names, didCommit: { _ in unlink(trashed) }) { session, batch in
            trashed = try batch.compactMap { name in
                guard try !hasRow(name, in: session) else { return nil }
                do {
                    guard let file = try blobs.status(of: name), file.kind == .regular,
                        file.hasChanged(by: changedUntil), !(sparesAdoptable && condition.adopts(file, named: name))
                    else { return nil }
                    if let blob = try? blobs.trash(name, token: environment.tokens.next()) { return blob }
                    // A full disk may have no room for another name in the trash.
                    try blobs.unlink(name)
                } catch {
                    failure = failure ?? error
                }
                return nil
            }
        }
        return failure
    }
}
