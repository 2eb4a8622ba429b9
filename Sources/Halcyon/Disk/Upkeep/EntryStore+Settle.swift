internal import Foundation

extension EntryStore {
    // MARK: Settling a name

    /// Puts a row's blob back under its name when a crash or a refused COMMIT left it elsewhere. Under the write lock,
    /// for a name whose file is not the row's blob.
    ///
    /// - Parameters:
    ///   - entry: the name's row; nil for none.
    ///   - staged: what is about to be published. It may look old, where a volume's clock is behind ours.
    /// - Returns: what is under the name afterwards; without a row whose blob was found, that is still the stranger.
    @discardableResult
    func settle(_ name: BlobName, entry: Entry?, excluding staged: DetachedBlob? = nil) throws -> FileStatus? {
        let candidates = try blobs.detached(of: name.rowID, in: .trash) + blobs.detached(of: name.rowID, in: .staging)
        var restored = false
        for blob in candidates where blob != staged {
            guard let file = try blobs.status(of: blob) else { continue }
            if !restored, let entry, isBlob(of: entry, file) {
                restored = try blobs.restore(blob, as: name)
            } else if isLeftOver(blob, file) {
                try blobs.unlinkUnlessFilled(blob, file)
            }
        }
        return try blobs.status(of: name)
    }

    /// Whether a detached file that is no row's blob can go: a trashed one always, a staged one when its writer must
    /// have ended. (Should that one live after all, its publish finds the file gone and stages again.)
    func isLeftOver(_ blob: DetachedBlob, _ file: FileStatus) -> Bool {
        blob.place == .trash || now - file.changed > environment.tuning.stagingAge
    }

    /// Settles a name in a transaction of its own; drops the row when its blob is nowhere, and a file without a row.
    func settleInTransaction(_ name: BlobName) throws {
        try index.write { session in
            let entry = try session.entry(named: name)
            let file = try blobs.status(of: name)
            if let entry, let file, isBlob(of: entry, file) { return }
            let settled = try settle(name, entry: entry)
            if let entry, let settled, isBlob(of: entry, settled) { return }
            if entry != nil { try session.delete(id: name.rowID) }
            // A file that had a row is nothing to adopt. Another row's blob stays: without a row of its own it is the sweep's.
            if let settled, !blobs.isAmbiguous(name), entry != nil || !condition.adopts(settled, named: name) {
                try blobs.unlinkUnlessFilled(name, settled)
            }
        }
    }

    // MARK: Names to be looked at again

    /// Has housekeeping look at names again, under the write lock: a reader found no blob for a row, for instance.
    func settleLater(_ names: [BlobName]) {
        pendingSettles.withLock { $0.formUnion(names) }
        housekeeping.request(.settle)
    }

    func settlePending() {
        let names = pendingSettles.withLock { names in
            defer { names = [] }
            return names
        }
        // What cannot be settled now is found again by the next reader, or by the sweep.
        for name in names { try? settleInTransaction(name) }
        adoptEarlyReads()
    }

    /// After a refused COMMIT: now if the lock can be had, otherwise by housekeeping, a reader's suspicion or the sweep.
    func settleSoonerOrLater(_ name: BlobName) {
        do {
            try settleInTransaction(name)
        } catch {
            settleLater([name])
        }
    }
}
