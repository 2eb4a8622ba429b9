internal import Foundation

extension EntryStore {
    /// Removes what has expired at `now`.
    ///
    /// - Returns: the names of the blobs that went. Pinned entries stay, and so do blobs that cannot be removed.
    /// - Throws: when nothing could be removed at all.
    package func removeExpired(at now: Timestamp) throws -> [BlobName] {
        try finishAdoption()
        flushAccessLog()
        try clampFutureAccesses()
        return try whatWent(removeBatches { try $0.expire(at: now, limit: environment.tuning.batchSize) })
    }

    /// Removes the least recently used entries while there are more than `target` bytes. Pinned entries stay.
    package func evict(downTo target: Int64) throws -> [BlobName] {
        flushAccessLog()
        try clampFutureAccesses()
        return try whatWent(
            removeBatches { session in
                // Anew under each lock: others store and remove meanwhile.
                let need = try session.totals().bytes - target
                guard need > 0 else { return [] }
                return try session.evict(need: need, limit: environment.tuning.batchSize)
            })
    }

    /// A clean that got somewhere is a success: one file that cannot be removed must not hide what went.
    private func whatWent(_ result: (removed: [BlobName], failure: (any Error)?)) throws -> [BlobName] {
        if let failure = result.failure, result.removed.isEmpty { throw failure }
        return result.removed
    }

    /// Bytes and number of entries, files that are still to be adopted included. O(1) once adoption is done.
    package func totals() throws -> Totals {
        try finishAdoption()
        // A folder that is gone holds nothing, also if somebody looked a moment ago.
        _ = index.refreshIfMoved(force: true)
        return try index.read { try $0.totals() }
    }

    /// After the clock jumped back, accesses lie in the future; they would never be evicted.
    private func clampFutureAccesses() throws {
        let now = now
        let tolerated = now.advanced(by: StampSource.tolerance)
        let limit = environment.tuning.flushBatchSize
        while try index.write({ try $0.clampFuture(after: tolerated, to: now, limit: limit) }) == limit {}
    }

    /// Writes the notes of the access log, a bounded number in each transaction.
    func flushAccessLog() {
        flushLock.withLock { _ in
            let notes = log.withLock { $0.beginFlush() }
            guard !notes.isEmpty else { return }
            do {
                for start in stride(from: 0, to: notes.count, by: environment.tuning.flushBatchSize) {
                    let batch = notes[start..<min(start + environment.tuning.flushBatchSize, notes.count)]
                    try index.write { session in
                        for (id, note) in batch { try session.touch(id: id, note) }
                    }
                }
                log.withLock { $0.flushSucceeded() }
            } catch {
                // The index is locked or gone: the notes stay, bounded in number, and are written with the next ones.
                log.withLock { $0.flushFailed() }
            }
        }
    }
}
