internal import HalcyonSQLite

/// The write-ahead log: when to checkpoint it, and how long it may get.
extension EntryIndex {
    /// How long the log may be before a transaction while a long read keeps the log from restarting.
    package enum LogRoom {
        /// For a transaction that adds to the cache, or that can run later.
        case withoutReserve
        /// Like ``withoutReserve``, for a transaction that is not worth waiting for.
        case withoutWaiting
        /// For a transaction that removes from the cache.
        case withReserve
    }

    /// The log has reached its limit, and a long read keeps it from restarting.
    struct LogFull: Error {}

    /// Requests a checkpoint if one is due. While stores continue, a checkpoint does not reach the end of the log. The next one
    /// is then due after a quarter of the usual number of frames, not after each commit.
    func requestCheckpoint(frames: Int) {
        let copied = logProgress.withLock { progress in
            progress.frames = frames
            // The log has restarted.
            if frames < progress.copied { progress.copied = 0 }
            return progress.copied
        }
        let limit = environment.tuning.checkpointFrames
        if frames - copied >= (copied > 0 ? limit / 4 : limit) { housekeeping.request(.checkpoint) }
    }

    /// The sizes of the files in bytes.
    func sizes() -> (database: Int64, log: Int64) {
        func size(_ path: String) -> Int64 { (try? environment.fileSystem.statusIfPresent(at: path))?.size ?? 0 }
        return (size(files.database), size(files.log))
    }

    /// Copies the log into the database, on a connection that does not wait for locks. Call it off the path of stores.
    ///
    /// - Returns: true if it got further than the last time but not to the end, so that more can be copied soon.
    @discardableResult
    package func checkpoint() -> Bool {
        let copy = { try self.checkpointer.withLock { try self.checkpoint(.passive, on: &$0) } }
        guard let checkpoint = try? whileNotSuspended(copy) else { return false }
        let (last, latest) = logProgress.withLock { progress in
            defer { progress.copied = checkpoint.checkpointedFrames }
            return (progress.copied, progress.frames)
        }
        // SQLite returns the length from before the copy. Commits have added frames since.
        let frames = max(checkpoint.logFrames, latest)
        // If a long read blocks the checkpoint, waiting gains nothing.
        guard checkpoint.isBusy || checkpoint.checkpointedFrames < frames, checkpoint.checkpointedFrames > last else {
            return false
        }
        guard frames >= environment.tuning.forcedCheckpointFrames else { return !checkpoint.isComplete }
        // Writers never left a gap. Now those of this process wait while the last few pages are copied.
        let timeout = environment.tuning.forcedCheckpointTimeout
        // Takes the lock after the background activity has begun, because the activity's expiration closes the writer's
        // connection.
        _ = try? withWriter { _ in
            try checkpointer.withLock { try self.checkpoint(.restart, on: &$0) { $0 < timeout } }
        }
        return false
    }

    /// Retries `body` while the log is full and the caller may wait. Holds no lock between retries, so removals, which may use
    /// the reserve, can get the writer's lock. Deferrable work does not wait.
    func waitingForLogRoom<Result>(_ logRoom: LogRoom, _ body: () throws -> Result) throws -> Result {
        let begin = MonotonicTime.now
        while true {
            do {
                return try body()
            } catch let error as LogFull {
                try requireService()
                guard logRoom != .withoutWaiting, !LockTimeout.isBrief, service.withLock({ $0 == .running }),
                    logPatience.shouldKeepWaiting(MonotonicTime.now.milliseconds(since: begin))
                else { throw error }
                environment.pause(5)
            }
        }
    }

    /// Call it under the writer's lock, before a transaction. If the log is too long, tries once to restart it.
    ///
    /// - Throws: ``LogFull``, or the error of the checkpoint. No transaction has begun then.
    func require(_ room: LogRoom, of connection: Connection) throws {
        let excess = connection.logFrames - environment.tuning.logFrameLimit
        guard excess >= 0 else { return logPatience.didGetLock() }
        guard room != .withReserve || excess >= environment.tuning.logFrameReserve else { return }
        guard try restartLog() else { throw LogFull() }
        logPatience.didGetLock()
    }

    /// Whether at least half of the log's room is left, or it can restart.
    func isLogHalfFree() throws -> Bool {
        let frames = logProgress.withLock { $0.frames }
        return try frames < environment.tuning.logFrameLimit / 2
            || checkpointer.withLockIfFree { try checkpoint(.restart, on: &$0) }?.isBusy == false
    }

    /// Copies the whole log into the database, so that the next commit restarts it. Does not wait for readers or another
    /// checkpoint. Returns whether there is room now: it has succeeded, or another process has restarted the log since the last
    /// commit.
    private func restartLog() throws -> Bool {
        guard let restart = try checkpointer.withLockIfFree({ try checkpoint(.restart, on: &$0) }) else { return false }
        // Negative if another connection is copying the log.
        return !restart.isBusy || (0..<environment.tuning.logFrameLimit).contains(restart.logFrames)
    }

    private func checkpoint(
        _ mode: Connection.CheckpointMode, on kept: inout Connection?,
        waitingWhile shouldKeepWaiting: @escaping @Sendable (Int) -> Bool = { _ in false }
    ) throws -> Connection.Checkpoint {
        defer { if !isInService { kept = nil } }
        let connection = try kept ?? openCheckpointer()
        kept = connection
        connection.waits(while: shouldKeepWaiting)
        do { return try connection.checkpoint(mode) } catch {
            // The next one may do better on a fresh connection.
            kept = nil
            throw error
        }
    }

    private func openCheckpointer() throws -> Connection {
        let connection = try makeConnection(.readWriteCreate, timeout: .zero)
        // On a file that SQLite could open for reading only, every checkpoint would fail. And until a connection reads, it has not
        // opened the log, and its checkpoint would silently do nothing.
        try connection.verifyHeader()
        try connection.execute(Self.flushing)
        connection.keepsLogWhenClosed()
        return connection
    }
}
