internal import Foundation
internal import HalcyonSQLite

/// Takes rows and blobs away together: one name, or batch by batch.
struct Remover: FolderWork {
    let folder: CacheFolder
    let settler: Settler
    let recorder: AccessRecorder
    let unlinker: Unlinker

    /// Deletes the row of a name and moves its blob into the trash, in the transaction that is under way.
    ///
    /// - Parameter keepingRow: for a row that gets another name.
    /// - Returns: the file in the trash and its size; nil where there is none.
    func trash(
        _ name: BlobName, in session: IndexSession, keepingRow: Bool = false
    ) throws -> (blob: DetachedBlob, size: Int64)? {
        let entry = try session.entry(named: name)
        var file = try blobs.status(of: name)
        if let entry, !(file.map { isBlob(of: entry, $0) } ?? false) { file = try settler.settle(name, entry: entry) }
        if entry != nil, !keepingRow { try session.delete(id: name.rowID) }
        recorder.log.withLock { $0.forget(name.rowID) }
        guard let file, file.kind != .directory, try isOwn(file, name, of: entry) else { return nil }
        let blob = DetachedBlob(place: .trash, rowID: name.rowID, token: entry?.token ?? environment.makeToken())
        return try blobs.trash(name, as: blob) ? (blob, file.size) : nil
    }

    // MARK: In batches

    /// Removes entries batch by batch until `next` returns none.
    ///
    /// Each batch is one transaction, and is followed by a pause at least as long as the lock was held: a store, of another
    /// process too, must get in. Meanwhile what went is unlinked, and beside the next batches too; when there are no more of them
    /// all is.
    ///
    /// - Parameters:
    ///   - count: what these removals are counted as.
    ///   - keepingNames: false where nobody asks which blobs went: a million names take a hundred megabytes.
    ///   - shouldContinue: asked before each batch with what has gone so far; false ends it there.
    ///   - next: deletes rows and returns them, so many more as there are obstacles in the way. It may be run again when its
    ///     transaction is rolled back, so it must change nothing else.
    func removeBatches(
        counting count: WritableKeyPath<Counts, Int64>, keepingNames: Bool = true,
        shouldContinue: (Removal) -> Bool = { _ in true },
        _ next: (IndexSession, Obstacles) throws -> [Entry]
    ) -> Removal {
        var removal = Removal()
        var obstacles = Obstacles()
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

    /// Removes some entries batch by batch, as ``removeBatches(counting:keepingNames:shouldContinue:_:)`` does.
    ///
    /// - Parameter delete: deletes those of them that are still to go, and returns them. It may be run again.
    func remove(
        _ ids: [Int64], counting count: WritableKeyPath<Counts, Int64>, shouldContinue: (Removal) -> Bool,
        _ delete: (IndexSession, ArraySlice<Int64>) throws -> [Entry]
    ) -> Removal {
        var removal = Removal()
        do {
            // What cannot be removed at first is tried once more, by itself: then a full disk is what is in the way.
            let kept = try removeBatches(of: ids, &removal, shouldContinue, delete)
            removal.failure = nil
            removal.isComplete = try removeBatches(of: kept, &removal, shouldContinue, delete).isEmpty
        } catch {
            removal.failure = error
        }
        if removal.entries > 0 { unlinker.finish() }
        note(removal, as: count)
        return removal
    }

    /// - Returns: what was to go and is still there.
    private func removeBatches(
        of ids: [Int64], _ removal: inout Removal, _ shouldContinue: (Removal) -> Bool,
        _ delete: (IndexSession, ArraySlice<Int64>) throws -> [Entry]
    ) throws -> [Int64] {
        var rest = ids[...]
        var kept: [Int64] = []
        while !rest.isEmpty, shouldContinue(removal) {
            let batch = rest.prefix(environment.tuning.batchSize)
            rest = rest.dropFirst(batch.count)
            do {
                var found: [Entry] = []
                let removed = try removeAndUnlinkBatch { session in
                    found = try delete(session, batch)
                    return found
                }
                removal.add(removed, keepingNames: true, at: now)
                kept += Set(found.map(\.id)).subtracting(removed.map(\.id))
            } catch let blocked as BlockedBatch {
                // There may be others behind it.
                removal.failure = removal.failure ?? blocked.first
                kept += blocked.kept.map(\.entry.id)
            }
        }
        return kept + rest
    }

    private func note(_ removal: Removal, as count: WritableKeyPath<Counts, Int64>) {
        recorder.log.withLock { $0.count(count, Int64(removal.entries)) }
        guard removal.entries > 0 else { return }
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

    /// Entries that cannot be removed and are first in line: the next batch reaches past them.
    struct Obstacles {
        fileprivate(set) var count = 0
        fileprivate(set) var bytes: Int64 = 0

        var totals: Totals { Totals(entries: Int64(count), bytes: bytes) }

        /// Beyond that the folder as a whole is the likelier cause.
        fileprivate static let limit = 1_024
    }

    /// A batch of which nothing could be removed.
    struct BlockedBatch: Error {
        let kept: [(entry: Entry, error: any Error)]
        var first: (any Error)? { kept.first?.error }
    }

    /// nil when only obstacles were found, and more rows may lie behind them.
    private func removeAndUnlinkBatch(
        past obstacles: inout Obstacles, _ next: (IndexSession, Obstacles) throws -> [Entry]
    ) throws -> [Entry]? {
        do {
            return try removeAndUnlinkBatch { [obstacles] in try next($0, obstacles) }
        } catch let blocked as BlockedBatch {
            // No more than were known: there is nothing behind them.
            guard blocked.kept.count > obstacles.count, blocked.kept.count <= Obstacles.limit else {
                throw blocked.first ?? blocked
            }
            obstacles.count = blocked.kept.count
            obstacles.bytes = blocked.kept.reduce(0) { $0 &+ $1.entry.size }
            return nil
        }
    }

    func removeAndUnlinkBatch(_ next: (IndexSession) throws -> [Entry]) throws -> [Entry] {
        let begin = MonotonicTime.now
        let batch = try removeBatchOnFullDisk(next)
        let unlinking = MonotonicTime.now
        unlinker.add(batch.trashed)
        // Meanwhile the lock was free.
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

    /// What cannot be removed stays an entry with all that is known of it, and the rest goes on without it.
    private func removeBatchCarefully(_ next: (IndexSession) throws -> [Entry]) throws -> Batch {
        do {
            return try removeBatch { session, batch in
                batch = trash(try next(session))
                if !batch.kept.isEmpty { throw BlockedBatch(kept: batch.kept) }
            }
        } catch is BlockedBatch {
            // Everything is back where it was. A savepoint is not for every batch: it copies each page that is changed.
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
                if let blob = try trash(entry) { batch.trashed.append(.init(blob: blob, size: entry.size)) }
                batch.removed.append(entry)
                recorder.log.withLock { $0.forget(entry.id) }
            } catch {
                batch.kept.append((entry, error))
            }
        }
        return batch
    }

    /// Moves a deleted row's blob into the trash; nil when there is none to move.
    private func trash(_ entry: Entry) throws -> DetachedBlob? {
        guard let file = try blobs.status(of: entry.name), file.kind != .directory else { return nil }
        if !isBlob(of: entry, file) {
            let settled = try settler.settle(entry.name, entry: entry)
            guard let settled, try isOwn(settled, entry.name, of: entry) else { return nil }
        }
        let blob = DetachedBlob(place: .trash, rowID: entry.id, token: entry.token)
        return try blobs.trash(entry.name, as: blob) ? blob : nil
    }
}
