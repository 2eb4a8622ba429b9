internal import Foundation

/// Puts names in order whose row and blob do not belong together: after a crash, or where somebody has changed the folder.
final class Settler: FolderWork {
    let folder: CacheFolder
    private let housekeeping: Housekeeping
    /// Names a reader found no blob for.
    private let pending: Locked<Set<BlobName>> = Locked([])

    init(_ folder: CacheFolder, housekeeping: Housekeeping) {
        self.folder = folder
        self.housekeeping = housekeeping
    }

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
        pending.withLock { $0.formUnion(names) }
        housekeeping.request(.settle)
    }

    func settlePending() {
        let names = pending.withLock { names in
            defer { names = [] }
            return names
        }
        // What cannot be settled now is found again by the next reader, or by the sweep.
        for name in names { try? settleInTransaction(name) }
    }

    /// They were looked for in an index that is gone, or closed.
    func forgetPending() { pending.withLock { $0 = [] } }

    /// After a refused COMMIT: now if the lock can be had, otherwise by housekeeping, a reader's suspicion or the sweep.
    func settleSoonerOrLater(_ name: BlobName) {
        do {
            try settleInTransaction(name)
        } catch {
            settleLater([name])
        }
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

    // MARK: Files without a row

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
