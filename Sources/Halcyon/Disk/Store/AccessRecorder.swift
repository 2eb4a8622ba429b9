internal import Foundation
internal import HalcyonSQLite

/// Reads and counts that are not in the index yet, and how they get there.
final class AccessRecorder: FolderWork {
    let folder: CacheFolder
    let log: Locked<AccessLog>
    /// Allows one flush at a time.
    private let flushLock = NSLock()
    private let waiting = Locked(0)

    init(_ folder: CacheFolder) {
        self.folder = folder
        log = Locked(AccessLog(limit: folder.environment.tuning.noteLimit))
    }

    /// Runs a transaction; `isFollowed` is true if another one follows.
    private typealias Write = (_ isFollowed: Bool, _ body: (IndexSession) throws -> Void) throws -> Void

    /// Whether a thread waits until a flush has ended.
    var isAwaited: Bool { waiting.withLock { $0 > 0 } }

    /// What the noted reads of this entry, not of an earlier store, say; nil for none.
    func use(of entry: Entry) -> AccessLog.NotedUse? {
        log.withLock { $0.use(of: entry.id) }.flatMap { $0.token == entry.token ? $0 : nil }
    }

    /// Whether an entry has expired. A noted read may have moved the expiration, which the index does not know yet: its log may be full.
    func isExpired(_ entry: Entry, at now: Timestamp) -> Bool {
        guard !entry.isPinned, let lifetime = use(of: entry)?.lifetime else { return entry.isExpired(at: now) }
        return lifetime.isExpired(at: now)
    }

    /// Requests a flush after ``Tuning/flushInterval``, which also writes what is noted until then.
    func requestFlush() { housekeeping.request(.flushLater, afterMilliseconds: environment.tuning.flushInterval) }

    /// Writes the notes of the access log and the counts, if it gets the lock soon. The next flush writes what this one cannot.
    ///
    /// - Returns: whether everything was written.
    @discardableResult
    func flushAccessLog() -> Bool {
        LockTimeout.briefly {
            // Another thread may be waiting for the write lock to write all notes.
            exclusively(within: index.patience.briefSeconds) { (try? flush(writeBatch)) != nil } == true
        }
    }

    /// Like ``flushAccessLog()``, but waits like a store, and throws if not everything could be written.
    func flush() throws { try exclusively { try flush(writeBatch) } }

    /// Writes the notes alone, if the log has room. An eviction needs the accesses, and is too frequent for another transaction with
    /// the counts.
    func flushAccesses() {
        try? exclusively {
            try flushNotes { isFollowed, body in
                try index.writeBatch(.withoutWaiting, isFollowed: { isFollowed }, body)
            }
        }
    }

    /// Like ``flush()``, at the end of the process: uses the index only if it is open, and stops at a deadline.
    ///
    /// - Parameter waits: false to give up if a lock is not free.
    /// - Returns: false if something could not be written in time.
    func flush(beforeExitAt end: MonotonicTime, waits: Bool) -> Bool {
        // The thread that closes the index writes them.
        guard index.isOpen, (try? stopIfClosing()) != nil else { return true }
        let patience = waits ? end : .now
        func write(isFollowed: Bool, _ body: (IndexSession) throws -> Void) throws {
            // A batch after another may take longer than all locks.
            guard end.secondsLeft > 0 else { throw IndexSuspended() }
            try index.write(beforeExitAt: patience, body)
        }
        return exclusively(within: patience.secondsLeft) { (try? flush(write)) != nil } == true
    }

    /// Runs `body` once no flush is under way. A flush that it waits for skips its pauses.
    ///
    /// - Parameter seconds: how long to wait; nil for any time.
    /// - Returns: nil if that was not long enough.
    @discardableResult
    private func exclusively<Result>(within seconds: Double? = nil, _ body: () throws -> Result) rethrows -> Result? {
        waiting.withLock { $0 += 1 }
        var isMine = true
        if let seconds { isMine = flushLock.lock(within: seconds) } else { flushLock.lock() }
        waiting.withLock { $0 -= 1 }
        guard isMine else { return nil }
        defer { flushLock.unlock() }
        return try body()
    }

    private func writeBatch(isFollowed: Bool, _ body: (IndexSession) throws -> Void) throws {
        try index.writeBatch(.withoutReserve, isFollowed: { isFollowed }, body)
    }

    private func flush(_ write: Write) throws {
        // If this throws, the call has waited long enough for the lock.
        try flushCounts(write)
        try flushNotes(write)
    }

    private func flushCounts(_ write: Write) throws {
        let counts = log.withLock { $0.unflushedCounts }
        guard counts != Counts() else { return }
        try write(false) { try $0.add(counts, at: now) }
        log.withLock { $0.countsFlushed(counts) }
    }

    /// Writes the notes in bounded transactions. If the index is locked or gone, those that are left stay for the next flush.
    private func flushNotes(_ write: Write) throws {
        // Sorted without the lock, which each hit takes.
        let notes = log.withLock { $0.allNotes }.sorted { $0.id < $1.id }
        var rest = notes[...]
        while !rest.isEmpty {
            let batch = rest.prefix(environment.tuning.flushBatchSize)
            rest = rest.dropFirst(batch.count)
            try write(!rest.isEmpty && !isAwaited) { try apply(batch, in: $0) }
            log.withLock { $0.didFlush(batch) }
        }
    }

    private func apply(_ notes: ArraySlice<(id: Int64, note: AccessLog.Note)>, in session: IndexSession) throws {
        switch condition.settings.evictionOrder {
        case .leastRecentlyUsed:
            for (id, note) in notes { try session.touch(id: id, storable(note)) }
        case .frequencyBonus:
            try session.allowRanksAhead()
            // In the order of the reads, because each may raise the lowest rank.
            for (id, note) in notes.sorted(by: { $0.note.accessedAt < $1.note.accessedAt }) {
                let span = try session.ageSpan(at: note.accessedAt)
                try session.touch(id: id, storable(note), bonus: min(span, EvictionOrder.longestSpan))
            }
        }
    }

    /// The key may have been noted before the app changed its configuration.
    private func storable(_ note: AccessLog.Note) -> AccessLog.Note {
        guard !condition.settings.storesKeys else { return note }
        var note = note
        note.keyDescription = note.keyDescription?.withoutKey
        return note
    }

    // MARK: Counting

    func statistics() throws -> DiskStorage.Statistics {
        try index.openForChange()
        _ = index.refreshIfMoved(force: true)
        return try LockTimeout.briefly {
            flushAccessLog()
            // Keeps flushes out: one between the two looks would move counts that neither look sees.
            let statistics = try exclusively(within: index.patience.briefSeconds) {
                let (total, since) = try index.read { try $0.statistics() }
                return log.withLock { log in
                    DiskStorage.Statistics(
                        sinceOpening: log.counts, total: total + log.unflushedCounts, since: since?.date)
                }
            }
            guard let statistics else {
                throw SQLiteError(code: .busy, message: "another thread of this process is waiting for the index")
            }
            return statistics
        }
    }

    func resetStatistics() throws {
        // A flush under way would add older counts afterwards.
        try exclusively {
            try index.write { try $0.resetStatistics(at: now) }
            log.withLock { $0.resetCounts() }
        }
    }
}
