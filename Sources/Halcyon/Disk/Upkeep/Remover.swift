internal import HalcyonSQLite

/// Removes rows and their blobs: a single name, or entries in batches.
struct Remover: FolderWork {
    let folder: CacheFolder
    let settler: Settler
    let recorder: AccessRecorder
    let unlinker: Unlinker

    /// Deletes the row of a name and moves its blob into the trash, in the current transaction.
    ///
    /// - Parameter keepingRow: true if the row is about to get another name.
    /// - Returns: the row, and the file in the trash; nil if there was none.
    func trash(
        _ name: BlobName, in session: IndexSession, keepingRow: Bool = false
    ) throws -> (entry: Entry?, unlink: Unlinker.PendingUnlink?) {
        let entry = try session.entry(named: name)
        if entry != nil, !keepingRow { try session.delete(id: name.rowID) }
        return (entry, try trash(name, try blobs.status(of: name), of: entry))
    }

    /// Moves the blob of a row, or the file of a name without one, into the trash.
    ///
    /// - Parameter file: what is under the name. If that is not the row's blob, it is settled first.
    private func trash(
        _ name: BlobName, _ file: FileStatus?, of entry: Entry?
    ) throws -> Unlinker.PendingUnlink? {
        var file = file
        if let entry, !isBlob(of: entry, file) { file = try settler.settle(name, entry: entry) }
        guard let file, file.kind != .directory, try isOwn(file, name, of: entry) else { return nil }
        let token = entry?.token ?? environment.tokens.next()
        return try blobs.trash(name, token: token, isLinked: file.links > 1).map { ($0, file.allocatedSize) }
    }

    // MARK: In batches

    /// Removes entries in batches until `next` returns none.
    ///
    /// Each batch is one transaction, followed by a pause at least as long as it held the lock, so that stores of any process get
    /// in. Blobs are unlinked during the pauses and beside later batches. On return all are unlinked, unless `shouldContinue` ended
    /// the removal.
    ///
    /// - Parameters:
    ///   - count: the counter for these removals.
    ///   - keepingNames: false if the caller does not need the names of the blobs: a million names take a hundred megabytes.
    ///   - shouldContinue: called before each batch with what was removed so far; false ends the removal.
    ///   - next: selects a batch, and as many entries more as there are obstacles: entries at the head of the order that cannot be
    ///     removed. It runs again if its transaction rolls back.
    func removeBatches(
        counting count: WritableKeyPath<Counts, Int64>, keepingNames: Bool = true,
        shouldContinue: (Removal) -> Bool = { _ in true },
        _ next: (IndexSession, Totals) throws -> [Entry]
    ) -> Removal {
        removing(as: count) { removal in
            var obstacles = Totals(entries: 0, bytes: 0)
            while shouldContinue(removal) {
                let batch = try removeAndUnlinkBatch(counting: count) { [obstacles] in try next($0, obstacles) }
                removal.add(batch.removed, keepingNames: keepingNames, at: now)
                guard batch.removed.isEmpty else { continue }
                // No new ones: no rows follow the known obstacles.
                guard batch.kept.count > obstacles.entries, batch.kept.count <= Self.obstacleLimit else {
                    removal.failure = batch.kept.first?.error
                    return true
                }
                obstacles = Totals(
                    entries: Int64(batch.kept.count), bytes: batch.kept.reduce(0) { $0 &+ $1.entry.size })
            }
            return false
        }
    }

    /// With more entries that cannot be removed at the head of the order, the cause is more likely the directory as a whole.
    private static let obstacleLimit = 1_024

    /// Reports what `body` removes, whether it throws or not.
    ///
    /// - Parameter body: returns whether to wait until all blobs are unlinked.
    func removing(
        as count: WritableKeyPath<Counts, Int64>, _ body: (inout Removal) throws -> Bool
    ) -> Removal {
        var (removal, waits) = (Removal(), true)
        do { waits = try body(&removal) } catch { removal.failure = error }
        if waits, removal.entries > 0 { unlinker.finish() }
        if removal.entries > 0 { observers.tell(.init(removal, as: count)) }
        return removal
    }

    /// Removes the given entries in batches, like ``removeBatches(counting:keepingNames:shouldContinue:_:)``.
    ///
    /// - Parameters:
    ///   - perform: runs a batch when its turn comes.
    ///   - select: returns those of them that still have to be removed. May run again.
    func remove(
        _ ids: [Int64], counting count: WritableKeyPath<Counts, Int64>, shouldContinue: (Removal) -> Bool,
        perform: @escaping (() throws -> Void) throws -> Void = { try $0() },
        _ select: (IndexSession, ArraySlice<Int64>) throws -> [Entry]
    ) -> Removal {
        removing(as: count) { removal in
            try remove(
                ids, counting: count, into: &removal, shouldContinue: shouldContinue, perform: perform, select)
            return true
        }
    }

    /// Removes the given entries in batches, within ``removing(as:_:)``.
    ///
    /// - Returns: those that could not be removed, and those that are left because `shouldContinue` ended the removal.
    @discardableResult
    func remove(
        _ ids: [Int64], counting count: WritableKeyPath<Counts, Int64>, into removal: inout Removal,
        shouldContinue: (Removal) -> Bool,
        perform: @escaping (() throws -> Void) throws -> Void = { try $0() },
        _ select: (IndexSession, ArraySlice<Int64>) throws -> [Entry]
    ) throws -> [Int64] {
        var left = ids
        // The failed ones once more, without the others: if the disk is full, that batch fails as a whole, and room is made.
        for _ in 0..<2 {
            var (rest, kept) = (left[...], [Int64]())
            removal.failure = nil
            while !rest.isEmpty, shouldContinue(removal) {
                let next = rest.prefix(environment.tuning.batchSize)
                rest = rest.dropFirst(next.count)
                var batch = Batch()
                try perform { batch = try removeAndUnlinkBatch(counting: count) { try select($0, next) } }
                removal.add(batch.removed, keepingNames: true, at: now)
                removal.failure = removal.failure ?? batch.kept.first?.error
                kept += batch.kept.map(\.entry.id)
                // Copies the rest.
                if !batch.rest.isEmpty { rest = batch.rest + rest }
            }
            left = kept + rest
        }
        removal.isComplete = left.isEmpty
        return left
    }

    /// Counts a batch at once, because the process may end before the removal does.
    private func note(_ entries: [Entry], as count: WritableKeyPath<Counts, Int64>) {
        guard !entries.isEmpty else { return }
        var removal = Removal()
        removal.add(entries, keepingNames: false, at: now)
        recorder.log.withLock { log in
            log.count(count, Int64(removal.entries))
            guard count == \.evictions else { return }
            log.count(\.bytesEvicted, removal.bytes)
            log.count(\.millisecondsUnusedBeforeEviction, removal.unused)
        }
        recorder.requestFlush()
    }

    private struct Batch {
        var removed: [Entry] = []
        var trashed: [Unlinker.PendingUnlink] = []
        /// Entries whose blobs cannot be moved. Their rows are unchanged.
        var kept: [(entry: Entry, error: any Error)] = []
        /// Those that the batch had no time for.
        var rest: [Int64] = []
    }

    private func removeAndUnlinkBatch(
        counting count: WritableKeyPath<Counts, Int64>, _ next: (IndexSession) throws -> [Entry]
    ) throws -> Batch {
        var begin = MonotonicTime.now
        let batch = try makingRoom(unlinking: next) {
            try removeBatch { session in
                begin = .now
                return try next(session)
            }
        }
        let unlinking = MonotonicTime.now
        unlinker.add(batch.trashed)
        note(batch.removed, as: count)
        // The lock was free while files were unlinked.
        let rest = unlinking.milliseconds(since: begin) - MonotonicTime.now.milliseconds(since: unlinking)
        if rest > 0 { environment.pause(rest) }
        return batch
    }

    private func removeBatch(_ next: (IndexSession) throws -> [Entry]) throws -> Batch {
        var batch = Batch()
        return try settler.settlingIfRefused((batch.removed + batch.kept.map(\.entry)).map(\.name)) { session in
            batch = trash(try next(session))
            if batch.removed.isEmpty, let (_, error) = batch.kept.first, error.meansFullDisk { throw error }
            try delete(batch.removed, in: session)
            return batch
        }
    }

    /// Recounts the totals if the triggers have not followed, because another program has dropped them: an eviction would not end.
    private func delete(_ entries: [Entry], in session: IndexSession) throws {
        let before = try session.notedTotals()
        // In the order of the table, so that neighbors share pages.
        for id in entries.map(\.id).sorted() { try session.delete(id: id) }
        guard let before, let after = try session.notedTotals() else { return }
        let isFollowed =
            before.entries &- after.entries == entries.count
            && before.bytes &- after.bytes == entries.reduce(0) { $0 &+ $1.size }
        if !isFollowed { try session.repairTotals() }
    }

    private func trash(_ entries: [Entry]) -> Batch {
        var batch = Batch()
        var end: MonotonicTime?
        for entry in entries {
            // Others wait for the lock. From the first removal on: the next batch tries the obstacles again first.
            guard end?.secondsLeft != 0 else {
                batch.rest.append(entry.id)
                continue
            }
            do {
                // If there is no file, searching for it takes too long: a whole directory may have been deleted.
                if let file = try blobs.status(of: entry.name), let trashed = try trash(entry.name, file, of: entry) {
                    batch.trashed.append(trashed)
                }
                batch.removed.append(entry)
                end = end ?? .now.adding(milliseconds: environment.tuning.batchTime)
            } catch {
                batch.kept.append((entry, error))
            }
        }
        return batch
    }
}
