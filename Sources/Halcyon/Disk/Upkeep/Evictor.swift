internal import Foundation
internal import HalcyonSQLite

/// Keeps the limits, and takes away what has expired.
struct Evictor: FolderWork {
    let folder: CacheFolder
    let adopter: Adopter
    let recorder: AccessRecorder
    let remover: Remover
    let repairer: Repairer

    /// Removes what has expired at `now`. Pinned entries stay, and so do blobs that cannot be removed.
    ///
    /// - Parameter shouldContinue: asked before each batch with what has gone so far; false ends it there.
    func removeExpired(at now: Timestamp, shouldContinue: (Removal) -> Bool = { _ in true }) throws -> Removal {
        try index.openForChange()
        try adopter.finish()
        recorder.flushAccesses()
        try clampFutureAccesses()
        guard try !index.read({ try $0.nothingHasExpired(at: now) }) else { return Removal() }
        // So many at a time: a clean that goes on batch by batch asks anew for each of them.
        let limit = 10_000
        var all = Removal()
        while true {
            let ids = try index.readAtLength { try $0.expired(at: now, limit: limit) }
            let removal = remover.remove(ids, counting: \.expirations, shouldContinue: { shouldContinue(all + $0) }) {
                try $0.expire($1, at: now)
            }
            all = all + removal
            guard removal.isComplete else { return all }
            guard ids.count == limit else { break }
        }
        // What cannot be noted now is looked for again.
        try? raiseEarliestExpiry()
        return all
    }

    /// Notes when the first of the entries that are left expires.
    private func raiseEarliestExpiry() throws {
        let scan = environment.makeToken()
        try index.write { try $0.beginExpiryScan(scan) }
        let next = try index.readAtLength { try $0.nextExpiry() }
        try index.write { try $0.endExpiryScan(scan, next: next) }
    }

    /// Once a limit is reached, removes the least recently used entries down to the low-water mark. Pinned entries stay.
    func evict(_ limits: StorageLimits, shouldContinue: (Removal) -> Bool = { _ in true }) throws -> Removal {
        try index.openForChange()
        guard let target = try target(of: limits) else { return Removal() }
        return try evict(downTo: target, shouldContinue: shouldContinue)
    }

    /// Removes the least recently used entries until there are no more than so many bytes and entries. Pinned entries stay.
    func evict(downTo target: Totals, shouldContinue: (Removal) -> Bool = { _ in true }) throws -> Removal {
        try index.openForChange()
        recorder.flushAccesses()
        try clampFutureAccesses()
        let removal = remover.removeBatches(counting: \.evictions, shouldContinue: shouldContinue) {
            session, obstacles in
            // Anew under each lock: others store and remove meanwhile.
            let totals = try session.totals()
            let need = Totals(entries: totals.entries - target.entries, bytes: totals.bytes - target.bytes)
            guard need.bytes > 0 || need.entries > 0 else { return [] }
            let evicted = try session.evict(
                need: need + obstacles.totals, limit: environment.tuning.batchSize + obstacles.count)
            try repairer.repairTotals(in: session, if: totals, without: evicted)
            return evicted
        }
        recorder.log.withLock { log in
            log.count(\.bytesEvicted, removal.bytes)
            log.count(\.millisecondsUnusedBeforeEviction, removal.unused)
        }
        return removal
    }

    /// What the volume has left, where a limit asks for it.
    func freeBytes(for limits: StorageLimits) -> Int64? {
        // A volume that does not say is not full.
        limits.freeBytes > 0 ? try? environment.fileSystem.freeBytes(at: blobs.directory) : nil
    }

    /// After the clock jumped back, accesses lie in the future; they would never be evicted.
    private func clampFutureAccesses() throws {
        let now = now
        let bounds = FutureBounds(at: now)
        guard try index.readAtLength({ try $0.hasFuture(beyond: bounds) }) else { return }
        let limit = environment.tuning.flushBatchSize
        // Bounded, because a damaged index may name the same rows again and again.
        let most = try Int(clamping: index.read { try $0.totals() }.entries) / limit
        for _ in 0...max(0, most) {
            let clamped = try index.writeBatch(isFollowed: { $0 == limit }) {
                try $0.clampFuture(beyond: bounds, to: now, limit: limit)
            }
            guard clamped == limit else { return }
        }
    }
}
