internal import Foundation
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
    /// - Returns: the file in the trash and its size; nil if there is none.
    func trash(
        _ name: BlobName, in session: IndexSession, keepingRow: Bool = false
    ) throws -> (blob: DetachedBlob, size: Int64)? {
        let entry = try session.entry(named: name)
        if entry != nil, !keepingRow { try session.delete(id: name.rowID) }
        return try trash(name, try blobs.status(of: name), of: entry)
    }

    /// Moves the blob of a row, or the file of a name without one, into the trash.
    ///
    /// - Parameter file: what is under the name. If that is not the row's blob, it is settled first.
    private func trash(
        _ name: BlobName, _ file: FileStatus?, of entry: Entry?
    ) throws -> (blob: DetachedBlob, size: Int64)? {
        var file = file
        if let entry, !(file.map { isBlob(of: entry, $0) } ?? false) { file = try settler.settle(name, entry: entry) }
        guard let file, file.kind != .directory, try isOwn(file, name, of: entry) else { return nil }
        return try blobs.trash(name, token: entry?.token ?? environment.tokens.next()).map { ($0, file.size) }
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
    ///   - next: deletes rows and returns them: a batch, and as many rows more as there are obstacles. It runs again if its
    ///     transaction rolls back, so it must change nothing else.
    func removeBatches(
        counting count: WritableKeyPath<Counts, Int64>, keepingNames: Bool = true,
        shouldContinue: (Removal) -> Bool = { _ in true },
        _ next: (IndexSession, UnremovableEntries) throws -> [Entry]
    ) -> Removal {
        var removal = Removal()
        var obstacles = UnremovableEntries()
        do {
            while shouldContinue(removal) {
                guard let removed = try removeAndUnlinkBatch(past: &obstacles, next) else { continue }
                guard !removed.isEmpty else {
                    if removal.entries > 0 { unlinker.finish() }
                    break
                }
                removal.add(removed, keepingNames: keepingNames, at: now)
            }
        } catch {
            removal.failure = error
            if removal.entries > 0 { unlinker.finish() }
        }
        note(removal, as: count)
        return removal
    }

    /// Removes the given entries in batches, like ``removeBatches(counting:keepingNames:shouldContinue:_:)``.
    ///
    /// - Parameters:
    ///   - perform: runs a batch when its turn comes.
    ///   - delete: deletes those of them that still have to be removed, and returns them. May run again.
    func remove(
        _ ids: [Int64], counting count: WritableKeyPath<Counts, Int64>, shouldContinue: (Removal) -> Bool,
        perform: @escaping (() throws -> Void) throws -> Void = { try $0() },
        _ delete: (IndexSession, ArraySlice<Int64>) throws -> [Entry]
    ) -> Removal {
        var removal = Removal()
        do {
            // Try the failed ones once more, without the others: if the disk is full, that batch fails as a whole, and room is made.
            let kept = try removeBatches(of: ids, &removal, shouldContinue, perform, delete)
            removal.failure = nil
            removal.isComplete = try removeBatches(of: kept, &removal, shouldContinue, perform, delete).isEmpty
        } catch {
            removal.failure = error
        }
        if removal.entries > 0 { unlinker.finish() }
        note(removal, as: count)
        return removal
    }

    /// - Returns: the ids of entries that could not be removed.
    private func removeBatches(
        of ids: [Int64], _ removal: inout Removal, _ shouldContinue: (Removal) -> Bool,
        _ perform: @escaping (() throws -> Void) throws -> Void,
        _ delete: (IndexSession, ArraySlice<Int64>) throws -> [Entry]
    ) throws -> [Int64] {
        var rest = ids[...]
        var kept: [Int64] = []
        while !rest.isEmpty, shouldContinue(removal) {
            let batch = rest.prefix(environment.tuning.batchSize)
            rest = rest.dropFirst(batch.count)
            do {
                var found: [Entry] = []
                var removed: [Entry] = []
                try perform {
                    removed = try removeAndUnlinkBatch { session in
                        found = try delete(session, batch)
                        return found
                    }
                }
                removal.add(removed, keepingNames: true, at: now)
                kept += Set(found.map(\.id)).subtracting(removed.map(\.id))
            } catch let blocked as BlockedBatch {
                // The batches after it may succeed.
                removal.failure = removal.failure ?? blocked.first
                kept += blocked.kept.map(\.entry.id)
            }
        }
        return kept + rest
    }

    private func note(_ removal: Removal, as count: WritableKeyPath<Counts, Int64>) {
        guard removal.entries > 0 else { return }
        recorder.log.withLock { log in
            log.count(count, Int64(removal.entries))
            guard count == \.evictions else { return }
            log.count(\.bytesEvicted, removal.bytes)
            log.count(\.millisecondsUnusedBeforeEviction, removal.unused)
        }
        recorder.observers.tell(.init(Self.kind(of: count), removal))
        recorder.requestFlush()
    }

    private static func kind(of count: WritableKeyPath<Counts, Int64>) -> DiskStorage.Event.Kind {
        switch count {
        case \.evictions: .eviction
        case \.expirations: .expiration
        default: .removal
        }
    }

    /// Entries at the head of the order that cannot be removed: the next batch asks for as many more.
    struct UnremovableEntries {
        fileprivate(set) var count = 0
        fileprivate(set) var bytes: Int64 = 0

        var totals: Totals { Totals(entries: Int64(count), bytes: bytes) }

        /// Beyond this number, the cause is more likely the directory as a whole.
        fileprivate static let limit = 1_024
    }

    /// A batch of which nothing could be removed.
    struct BlockedBatch: Error {
        let kept: [(entry: Entry, error: any Error)]
        var first: (any Error)? { kept.first?.error }
    }

    /// Returns nil if it found only obstacles and more rows may follow them.
    private func removeAndUnlinkBatch(
        past obstacles: inout UnremovableEntries, _ next: (IndexSession, UnremovableEntries) throws -> [Entry]
    ) throws -> [Entry]? {
        do {
            return try removeAndUnlinkBatch { [obstacles] in try next($0, obstacles) }
        } catch let blocked as BlockedBatch {
            // No new ones: no rows follow the known obstacles.
            guard blocked.kept.count > obstacles.count, blocked.kept.count <= UnremovableEntries.limit else {
                throw blocked.first ?? blocked
            }
            obstacles.count = blocked.kept.count
            obstacles.bytes = blocked.kept.reduce(0) { $0 &+ $1.entry.size }
            return nil
        }
    }

    private func removeAndUnlinkBatch(_ next: (IndexSession) throws -> [Entry]) throws -> [Entry] {
        let begin = MonotonicTime.now
        let batch = try removeBatchOnFullDisk(next)
        let unlinking = MonotonicTime.now
        unlinker.add(batch.trashed)
        // The lock was free while files were unlinked.
        let rest = unlinking.milliseconds(since: begin) - MonotonicTime.now.milliseconds(since: unlinking)
        if rest > 0 { environment.pause(rest) }
        return batch.removed
    }

    private func removeBatchOnFullDisk(_ next: (IndexSession) throws -> [Entry]) throws -> Batch {
        do {
            return try makingRoom { try removeBatchCarefully(next) }
        } catch  where Self.isOutOfSpace(error) {
            unlinkVictims(next)
            return try removeBatchCarefully(next)
        }
    }

    private struct Batch {
        var removed: [Entry] = []
        var trashed: [Unlinker.PendingUnlink] = []
        var kept: [(entry: Entry, error: any Error)] = []
    }

    /// Entries that cannot be removed keep their rows unchanged. Removes the others without them.
    private func removeBatchCarefully(_ next: (IndexSession) throws -> [Entry]) throws -> Batch {
        do {
            return try removeBatch { session, batch in
                batch = trash(try next(session))
                if !batch.kept.isEmpty { throw BlockedBatch(kept: batch.kept) }
            }
        } catch is BlockedBatch {
            // The rollback restored everything. Only this second try has a savepoint, because it copies each page that changes.
            return try removeBatch { session, batch in
                try session.connection.run("SAVEPOINT batch")
                batch = trash(try next(session))
                if batch.removed.isEmpty, !batch.kept.isEmpty { throw BlockedBatch(kept: batch.kept) }
                try session.connection.run("ROLLBACK TO batch")
                for entry in batch.removed { try session.delete(id: entry.id) }
            }
        }
    }

    private func removeBatch(_ body: (IndexSession, inout Batch) throws -> Void) throws -> Batch {
        var batch = Batch()
        return try settler.settlingIfRefused((batch.removed + batch.kept.map(\.entry)).map(\.name)) { session in
            batch = Batch()
            try body(session, &batch)
            return batch
        }
    }

    private func trash(_ entries: [Entry]) -> Batch {
        var batch = Batch()
        for entry in entries {
            do {
                // If there is no file, searching for it takes too long: a whole directory may have been deleted.
                if let file = try blobs.status(of: entry.name), let trashed = try trash(entry.name, file, of: entry) {
                    batch.trashed.append(.init(blob: trashed.blob, size: trashed.size))
                }
                batch.removed.append(entry)
            } catch {
                batch.kept.append((entry, error))
            }
        }
        return batch
    }
}
