internal import Foundation
internal import HalcyonSQLite

/// What has been read and counted and is not in the index yet, and how it gets there.
final class AccessRecorder: FolderWork {
    let folder: CacheFolder
    let log: Locked<AccessLog>
    let observers: Observers
    private let housekeeping: Housekeeping
    /// One flush at a time.
    private let flushLock = NSLock()

    init(_ folder: CacheFolder, housekeeping: Housekeeping, observers: Observers) {
        self.folder = folder
        self.observers = observers
        self.housekeeping = housekeeping
        log = Locked(AccessLog(limit: folder.environment.tuning.noteLimit))
    }

    /// Runs a transaction; `isFollowed` says whether another one comes after it.
    private typealias Write = (_ isFollowed: Bool, _ body: (IndexSession) throws -> Void) throws -> Void

    /// Writes what is noted and counted soon, together with what comes until then.
    func requestFlush() { housekeeping.request(.flushLater, afterMilliseconds: environment.tuning.flushInterval) }

    /// Writes the notes of the access log, and what was counted, if the lock can be had soon. What cannot be written now is written with
    /// what comes next.
    ///
    /// - Returns: whether all of it is written.
    @discardableResult
    func flushAccessLog() -> Bool { flushAccessLog(inBatchesOf: environment.tuning.flushBatchSize) }

    /// As ``flushAccessLog()``, for housekeeping. Its batches are small, so that a store waits for one only briefly.
    func flushAccessLogInTurns() -> Bool { flushAccessLog(inBatchesOf: environment.tuning.flushTurnSize) }

    private func flushAccessLog(inBatchesOf size: Int) -> Bool {
        LockPatience.briefly {
            // Another thread may be waiting for the lock, with all that is noted.
            guard flushLock.lock(before: Date(timeIntervalSinceNow: index.patience.briefSeconds)) else { return false }
            defer { flushLock.unlock() }
            return (try? flush(inBatchesOf: size, writeBatch)) != nil
        }
    }

    /// As ``flushAccessLog()``, waits like a store, and says why not all of it could be written.
    func flush() throws { try flushLock.withLock { try flush(writeBatch) } }

    /// Writes the notes alone: an eviction needs the accesses, and comes too often for a transaction of its own that counts.
    func flushAccesses() { try? flushLock.withLock { try flushNotes(writeBatch) } }

    /// As ``flush()``, at the end of the process: on what is open, and no longer than until a moment.
    ///
    /// - Returns: false if something could not be written by then.
    func flush(beforeExitAt end: MonotonicTime) -> Bool {
        // Whoever closes it writes it.
        guard index.isOpen, (try? stopIfClosing()) != nil else { return true }
        guard flushLock.lock(before: Date(timeIntervalSinceNow: end.secondsLeft)) else { return false }
        defer { flushLock.unlock() }
        return (try? flush { _, body in try index.write(beforeExitAt: end, body) }) != nil
    }

    private func writeBatch(isFollowed: Bool, _ body: (IndexSession) throws -> Void) throws {
        try index.writeBatch(.withoutReserve, isFollowed: { isFollowed }, body)
    }

    private func flush(inBatchesOf size: Int? = nil, _ write: Write) throws {
        // Who could not write the one waited for the lock long enough.
        try flushCounts(write)
        try flushNotes(inBatchesOf: size, write)
    }

    private func flushCounts(_ write: Write) throws {
        let counts = log.withLock { $0.unflushedCounts }
        guard counts != Counts() else { return }
        try write(false) { try $0.add(counts, at: now) }
        log.withLock { $0.countsFlushed(counts) }
    }

    /// A bounded number in each transaction.
    private func flushNotes(inBatchesOf size: Int? = nil, _ write: Write) throws {
        let size = size ?? environment.tuning.flushBatchSize
        let notes = log.withLock { $0.beginFlush() }
        do {
            for start in stride(from: 0, to: notes.count, by: size) {
                let batch = notes[start..<min(start + size, notes.count)]
                try write(batch.endIndex < notes.endIndex) { session in
                    try apply(batch, in: session)
                }
                log.withLock { $0.didFlush(batch.map(\.id)) }
            }
        } catch {
            // The index is locked or gone: the notes stay, bounded in number, and are written with the next ones.
            log.withLock { $0.flushFailed() }
            throw error
        }
    }

    private func apply(_ notes: ArraySlice<(id: Int64, note: AccessLog.Note)>, in session: IndexSession) throws {
        switch condition.settings.evictionOrder {
        case .leastRecentlyUsed:
            for (id, note) in notes { try session.touch(id: id, note) }
        case .frequencyBonus:
            try session.allowRanksAhead()
            // The lowest rank rises with these reads, so they take effect in their order.
            for (id, note) in notes.sorted(by: { $0.note.accessedAt < $1.note.accessedAt }) {
                let span = try session.ageSpan(at: note.accessedAt)
                try session.touch(id: id, note, bonus: min(span, EvictionOrder.longestSpan))
            }
        }
    }

    // MARK: Counting

    func statistics() throws -> DiskStorage.Statistics {
        // A flush in between would move counts from the second to the first, where they were not seen.
        try LockPatience.briefly { try statisticsNow() }
    }

    private func statisticsNow() throws -> DiskStorage.Statistics {
        flushAccessLog()
        guard flushLock.lock(before: Date(timeIntervalSinceNow: index.patience.briefSeconds)) else {
            throw SQLiteError(code: .busy, message: "another thread of this process waits for the index")
        }
        defer { flushLock.unlock() }
        let (total, since) = try index.read { try $0.statistics() }
        return log.withLock { log in
            DiskStorage.Statistics(sinceOpening: log.counts, total: total + log.unflushedCounts, since: since?.date)
        }
    }

    func resetStatistics() throws {
        // A flush under way would add what was counted before.
        try flushLock.withLock {
            try index.write { try $0.resetStatistics(at: now) }
            log.withLock { $0.resetCounts() }
        }
    }
}
