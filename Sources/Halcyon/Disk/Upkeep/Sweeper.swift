internal import Foundation
internal import HalcyonSQLite

/// Puts the directory in order after an opening, and once a day.
struct Sweeper: FolderWork {
    let folder: CacheFolder
    let adopter: Adopter
    let settler: Settler
    var upgrader: Upgrader { Upgrader(folder: folder) }

    /// Repairs what a crash, a power cut, a copy of the directory or another library left. Runs after an opening; no caller waits
    /// for it. Each step works in bounded batches. A step that fails runs again after the next opening.
    ///
    /// - Returns: false if the sweep should run again soon: another process held the lock, or it is too early for a step.
    func sweep() -> Bool {
        // Once: the steps may take longer than the delay.
        let isUpgradeDue = isUpgradeDue
        let steps = [
            settler.settleDetached, dropDistrusted, relearnInodes, adopter.finish, dropDistrusted,
            { if isUpgradeDue { try upgrader.finish() } }, Reclaimer(folder: folder).finish, reconcileOncePerDay,
            forgetKeys, dropPlannerStatistics,
        ]
        let refused = steps.filter { isRefused($0) }
        return refused.isEmpty && (isUpgradeDue || upgrader.isFinished)
    }

    /// Stores, and the exit of the process, wait while the SQLite index is created. A short-lived process should end before that.
    private var isUpgradeDue: Bool { index.millisecondsOpen >= environment.tuning.upgradeDelay }

    /// Whether a step fails because another connection holds the lock, or keeps the log from being reused, or because the index that
    /// was set aside cannot be read at the moment.
    private func isRefused(_ step: () throws -> Void) -> Bool {
        guard case .failure(let error) = Result(catching: step) else { return false }
        return error is EntryIndex.LogFull || (error as? SQLiteError)?.isBusy == true
            || (error as? CacheStorageError)?.code == .indexUnavailable
    }

    // MARK: After a power cut

    /// Drops entries of the last minute before the machine stopped, because the system may not have written their bytes.
    private func dropDistrusted() throws {
        let generation = index.generation
        // While an index is rebuilt, files that are adopted later may be such entries too.
        guard condition.isDistrusting, condition.adoption != .rebuilding else { return }
        // Without the lock, so that a process that ends soon gets to the end: until then, a further reboot extends the span.
        var distrusted: [Int64] = []
        try forEachEntryPage { entries in
            try stopIfClosing()
            distrusted += entries.filter { !condition.trusts($0) }.map(\.id)
        }
        try forEachBatch(
            of: environment.tuning.flushBatchSize, in: distrusted, willBegin: stopIfClosing
        ) { session, ids in
            for id in ids { try drop(id, in: session) }
        }
        try updateState(ifStill: generation) { state, _ in (state.distrusted, state.distrustedBoots) = (nil, nil) }
        if index.generation == generation { condition.endDistrust() }
    }

    /// Deletes a row that is still not trusted, and its file. The bytes of a trusted one may be in staging/ or trash/, even if
    /// another file has its name. Those of any other are not trusted there, either.
    private func drop(_ id: Int64, in session: IndexSession) throws {
        guard let entry = try session.entry(id: id), !condition.trusts(entry) else { return }
        let file = try? blobs.status(of: entry.name)
        condition.drop(entry)
        try session.delete(id: id)
        // On a volume that folds names, the file may be another row's blob.
        guard let file, !blobs.isAmbiguous(entry.name) || entry.inode == file.inode else { return }
        let result = Result { try blobs.unlinkUnlessFilled(entry.name, file) }
        // If its name is a hash and it is not adopted, no lookup reads it without a row, and the daily sweep tries again.
        if !condition.settings.namesAreHashed || condition.adopts(file, named: entry.name) { try result.get() }
    }

    // MARK: In a copied directory

    /// Records the inode numbers of the blobs in this copy of the directory.
    func relearnInodes() throws {
        let generation = index.generation
        guard condition.isRelearning else { return }
        try forEachEntryBatch(.withoutReserve) { session, entries in
            let state = try session.state()
            for entry in entries {
                // If one cannot be examined, continue with the others.
                guard let file = try? blobs.status(of: entry.name), isBlob(of: entry, file) else { continue }
                // The copy may have another modification date, and so another tag.
                try session.relearn(entry, inode: lastingInode(of: file), token: BlobTag.token(entry.token, for: file))
            }
            try session.setLatestStore(as: state)
        }
        try updateState(ifStill: generation) { state, _ in state.relearning = .done }
    }

    // MARK: Once a day

    /// Whether a process that keeps the index open is to sweep again.
    var isDue: Bool { !condition.isAdopting && isDue(after: condition.reconciledAt) }

    private func isDue(after reconciledAt: Timestamp) -> Bool { abs(now - reconciledAt) > Self.day }

    /// Compares the directory and the totals with the rows.
    private func reconcileOncePerDay() throws {
        guard isDue else { return }
        try stopIfClosing()
        guard try claimReconciliation() else { return }
        try verifySchema()
        // Files have no row while a new index adopts them.
        guard !condition.isAdopting else { return }
        let generation = index.generation
        try settler.recountTotals()
        // Without hashed names, any file name could be a key.
        try condition.settings.namesAreHashed ? reconcileFiles() : settler.settleRows()
        try endReconciliation(ifStill: generation)
        // After an eviction of most entries.
        if try index.read({ try $0.isMostlyFree() }) { try index.shrink(willBegin: stopIfClosing) }
    }

    /// Changed SQL can hide all rows, or keep them from being counted, while no statement fails.
    private func verifySchema() throws {
        try index.healingDamage {
            // The cache reads no view, and you may have changed one.
            let findings = try index.readAtLength { try EntryIndex.schemaFindings(in: $0.connection) }
                .filter { !$0.hasPrefix("view ") }
            guard findings.isEmpty else { throw SQLiteError(code: .corrupt, message: findings[0]) }
        }
    }

    /// A damaged page can hide rows, while the SQL index still has their ids. Their files are not left over.
    private func requireNoHiddenRow(of names: [BlobName]) throws {
        guard !names.isEmpty else { return }
        try index.healingDamage {
            let isHidden = try index.readAtLength { session in
                let missing = try names.filter { try session.entry(id: $0.rowID) == nil }
                return try !missing.isEmpty && session.hasIndexed(Set(missing.map(\.rowID)))
            }
            if isHidden { throw SQLiteError(code: .corrupt, message: "the table lacks a row that its index has") }
        }
    }

    /// Notes in the index that this process does it, so that no other one does. If it fails, it is due again in an hour.
    ///
    /// - Returns: false if none is due any more.
    private func claimReconciliation() throws -> Bool {
        try index.write { session in
            var state = try session.state()
            let isDue = isDue(after: state.reconciledAt)
            if isDue { state.reconciledAt = now.advanced(by: 3_600_000 - Self.day) }
            try session.setState(state)
            return isDue
        }
    }

    private func endReconciliation(ifStill generation: Int) throws {
        let now = now
        try updateState(ifStill: generation) { state, session in
            state.reconciledAt = now
            // Another program may have edited the noted expiry, or dropped the trigger that maintains it.
            try session.invalidateEarliestExpiry()
            try session.normalizePins()
        }
    }

    /// Removes files that are named like blobs and have no row, left by a store that crashed between publish and COMMIT. Settles
    /// names whose file is not their row's blob.
    private func reconcileFiles() throws {
        var withoutRow: [BlobName] = []
        func remove() throws {
            try requireNoHiddenRow(of: withoutRow)
            while !withoutRow.isEmpty {
                try stopIfClosing()
                let batch = Array(withoutRow.suffix(environment.tuning.flushBatchSize))
                // Tomorrow again, if one cannot be removed.
                _ = try settler.removeFilesWithoutRow(batch, changedUntil: Timestamp(Date()), sparesAdoptable: true)
                withoutRow.removeLast(batch.count)
            }
        }
        try forEachBlobNameBatch { names in
            guard !condition.isAdopting else { return }
            let rows = try index.read { session in
                withoutRow += try names.filter { try !hasRow($0, in: session) }
                return try names.compactMap(session.entry(named:))
            }
            settler.settleRows(rows)
            if withoutRow.count >= environment.tuning.adoptionChunk { try remove() }
        }
        try remove()
    }

    private static let day: Int64 = 86_400_000

    private func dropPlannerStatistics() throws {
        guard try index.read({ try $0.hasPlannerStatistics() }) else { return }
        try index.write { try $0.dropPlannerStatistics() }
        // The connection that deletes them keeps them in memory. SQLite 3.36 forgets them only when it is closed.
        try index.withWriter { writer in
            index.closeConnections(&writer)
            _ = try index.openIfNeeded(&writer)
        }
    }

    // MARK: Forgetting keys

    /// Removes the keys that an earlier configuration stored in the index.
    func forgetKeys() throws {
        guard !condition.settings.storesKeys else { return }
        try upgrader.finish()
        // A set-aside index that cannot be read at the moment keeps its keys. It must not stop the removal of these.
        try? Reclaimer(folder: folder).finish()
        try? removeDamagedIndex(olderThan: Self.day)
        // One key stays until the file is rewritten: if that fails, the next call finds the key and tries again.
        guard let last = try index.readAtLength({ try $0.idWithKey() }) else { return }
        try forEachEntryBatch { session, entries in
            for entry in entries where entry.id != last { try session.forgetKey(of: entry.id) }
        }
        try index.compact()
        try index.write { try $0.forgetKey(of: last) }
        index.checkpoint()
    }
}
