internal import Foundation
internal import HalcyonSQLite

/// Looks through the folder after an opening, and once a day.
struct Sweeper: FolderWork {
    let folder: CacheFolder
    let adopter: Adopter
    let settler: Settler
    let repairer: Repairer
    var upgrader: Upgrader { Upgrader(folder: folder) }

    /// What follows an opening, off everybody's path: what a crash, a power cut, a copy of the folder or another library
    /// left is put in order. Each step is bounded batches; one that fails is made up for at the next open.
    ///
    /// - Returns: false if some of it is to be done soon: another process has had the lock, or it is too early.
    func sweep() -> Bool {
        var steps = [
            settler.settleDetached, dropDistrusted, relearnInodes, adopter.finish, Reclaimer(folder: folder).finish,
            reconcileOncePerDay, forgetKeys,
        ]
        if isUpgradeDue { steps.insert({ try upgrader.finish() }, at: 4) }
        let refused = steps.filter { isRefused($0) }
        return refused.isEmpty && (isUpgradeDue || upgrader.isFinished)
    }

    /// Stores wait for the making of an index, and a process that ends does: a short one is to end before that.
    private var isUpgradeDue: Bool { index.millisecondsOpen >= environment.tuning.upgradeDelay }

    /// Whether a step fails because somebody else has the lock.
    private func isRefused(_ step: () throws -> Void) -> Bool {
        do {
            try step()
            return false
        } catch {
            return (error as? SQLiteError)?.isBusy ?? false
        }
    }

    // MARK: After a power cut

    /// Drops what was stored in the last minute before the machine stopped: its bytes may never have been written.
    private func dropDistrusted() throws {
        let generation = index.generation
        guard condition.isDistrusting else { return }
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
        try note(in: generation) { state, _ in (state.distrusted, state.distrustedBoots) = (nil, nil) }
        if index.generation == generation { condition.endDistrust() }
    }

    // MARK: In a copied folder

    /// Notes the inode numbers that blobs have in this copy of the folder.
    private func relearnInodes() throws {
        let generation = index.generation
        guard condition.isRelearning else { return }
        try forEachEntryBatch { session, entries in
            let state = try session.state()
            for entry in entries {
                guard let file = try blobs.status(of: entry.name), isBlob(of: entry, file) else { continue }
                // A copy may have another modification date too, and with it another tag.
                try session.relearn(entry, inode: lastingInode(of: file), token: BlobTag.token(entry.token, for: file))
            }
            try session.setLatestStore(as: state)
        }
        try note(in: generation) { state, _ in state.isRelearning = false }
    }

    // MARK: Once a day

    /// Compares the folder and the totals with the rows.
    private func reconcileOncePerDay() throws {
        let generation = index.generation
        guard !condition.isAdopting, abs(now - condition.reconciledAt) > Self.day else { return }
        try repairer.recountTotals()
        try repairer.normalizePins()
        // Elsewhere any file's name could be a key.
        if condition.settings.namesAreHashed { try forEachBlobNameBatch(reconcile) }
        let now = now
        try note(in: generation) { state, session in
            state.reconciledAt = now
            // Anybody may have edited it, or dropped the trigger that keeps it.
            try session.doubtExpiry()
        }
    }

    /// Removes files of our name shape that have no row: what a store left that crashed between publish and COMMIT. Settles those
    /// that are not their row's blob.
    private func reconcile(_ names: [BlobName]) throws {
        let (rows, withoutRow) = try index.read { session in
            (try names.compactMap(session.entry(named:)), try names.filter { try !hasRow($0, in: session) })
        }
        for entry in rows where try blobs.status(of: entry.name).map({ isBlob(of: entry, $0) }) == false {
            // One that cannot be settled must not keep the others from it.
            try? settler.settleInTransaction(entry.name)
        }
        try settler.removeFilesWithoutRow(withoutRow, changedUntil: Timestamp(Date()), sparesAdoptable: true)
    }

    private static let day: Int64 = 86_400_000

    // MARK: Keys that are not to be kept

    /// Takes keys out of the index that somebody has kept before.
    func forgetKeys() throws {
        guard !condition.settings.storesKeys else { return }
        try upgrader.finish()
        // An index that cannot be read at the moment keeps its own keys, and must not keep these.
        try? Reclaimer(folder: folder).finish()
        guard try index.readAtLength({ try $0.hasKeys() }) else { return }
        try forEachEntryBatch { session, entries in
            for entry in entries { try session.forgetKey(of: entry.id) }
        }
        try index.compact()
    }
}
