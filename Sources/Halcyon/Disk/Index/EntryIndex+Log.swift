internal import HalcyonSQLite

/// The write-ahead log: when it is copied into the database, and how long it gets.
extension EntryIndex {
    /// How much of the log a transaction may use while a reader that stands still keeps it from beginning anew.
    package enum LogRoom {
        /// What adds to the cache, or notes what can be noted later.
        case withoutReserve
        /// What takes away from it.
        case withReserve

        fileprivate func frames(_ tuning: Tuning) -> Int {
            switch self {
            case .withoutReserve: tuning.logFrameLimit
            case .withReserve: tuning.logFrameLimit + tuning.logFrameReserve
            }
        }
    }

    /// The log is as long as it may get, and somebody has been reading since it was shorter.
    struct LogFull: Error {}

    /// While stores go on, a checkpoint does not come to the end of the log, and the next one is due: not after each commit, but
    /// long before as much has been added as at the first time.
    func requestCheckpoint(frames: Int) {
        let copied = copiedFrames.withLock { copied in
            // The log was begun anew.
            if frames < copied { copied = 0 }
            return copied
        }
        let limit = environment.tuning.checkpointFrames
        if frames - copied >= (copied > 0 ? limit / 4 : limit) { checkpointIsDue() }
    }

    /// Bytes of the files.
    func sizes() -> (database: Int64, log: Int64) {
        func size(_ path: String) -> Int64 { (try? environment.fileSystem.statusIfPresent(at: path))??.size ?? 0 }
        return (size(files.database), size(files.log))
    }

    /// Copies the log into the database, on a connection that waits for nobody. Off the caller's path.
    ///
    /// - Returns: whether more can be copied soon: it came further than the last time, and not to the end.
    @discardableResult
    package func checkpoint() -> Bool {
        guard let checkpoint = try? whileNotSuspended({ try checkpoint(.passive) }) else { return false }
        let last = copiedFrames.withLock { copied in
            defer { copied = checkpoint.checkpointedFrames }
            return copied
        }
        // Behind a reader that stands still nothing is gained by waiting.
        guard !checkpoint.isComplete, checkpoint.checkpointedFrames > last else { return false }
        let isLong = writer.withLock { $0?.connection.logFrames ?? 0 } >= environment.tuning.forcedCheckpointFrames
        guard isLong else { return true }
        // Writers never left a gap. Now those of this process wait, for the few pages that are left.
        let timeout = environment.tuning.forcedCheckpointTimeout
        writer.withLock { _ in
            _ = try? whileNotSuspended { try self.checkpoint(.restart) { $0 < timeout } }
        }
        return false
    }

    /// Under the writer's lock, before a transaction. Where the log is too long, a store or a removal waits for its readers as for another
    /// process's lock. What can be done later does not: a removal may be waiting for the writer's lock.
    ///
    /// - Throws: ``LogFull``; then nothing has begun.
    func require(_ room: LogRoom, of connection: Connection) throws {
        guard connection.logFrames >= room.frames(environment.tuning) else { return }
        // What fails otherwise is what the transaction fails with.
        let checkpoint = try? checkpoint(.restart) { [service, patience] in
            !LockPatience.isBrief && service.withLock { $0 == .running } && patience.keepsWaiting($0)
        }
        guard checkpoint?.isBusy == true else { return }
        try requireService()
        throw LogFull()
    }

    private func checkpoint(
        _ mode: Connection.CheckpointMode, waitingWhile keepsWaiting: @escaping @Sendable (Int) -> Bool = { _ in false }
    ) throws -> Connection.Checkpoint? {
        try checkpointer.withLock { connection in
            defer { if !isInService { connection = nil } }
            if connection == nil { connection = try openCheckpointer() }
            connection?.waits(while: keepsWaiting)
            return try connection?.checkpoint(mode)
        }
    }

    private func openCheckpointer() throws -> Connection {
        let connection = try makeConnection(.readWriteCreate, timeout: .zero)
        // A connection that has read nothing knows of no log, and its checkpoint would silently do nothing.
        _ = try connection.integer("PRAGMA schema_version")
        try connection.execute(Self.flushing)
        connection.keepsLogWhenClosed()
        return connection
    }
}
