internal import HalcyonSQLite

/// What happens when the files of an index are taken away, or others are put in their place.
extension EntryIndex {
    /// Looks whether the files that are open are still the ones in the folder, unless that was done a moment ago; opens
    /// what is there now when they are not.
    ///
    /// - Returns: true when the index was opened anew, so that what was read before may be wrong.
    package func refreshIfMoved(force: Bool = false) -> Bool {
        guard force || isLookDue(), let isInPlace = try? isInPlace(), !isInPlace else { return false }
        // A reader does not wait long: rather a miss now, and the next look opens it anew.
        return LockPatience.briefly {
            let reopened = try? withWriterLock { writer in
                // Somebody else may have opened it anew while this thread waited.
                guard let isInPlace = try? self.isInPlace(), !isInPlace else { return true }
                return (try? reopen(&writer)) != nil
            }
            return reopened ?? false
        }
    }

    /// Up to four `stat`s and no lock that anybody holds for long.
    func isInPlace() throws(SystemError) -> Bool {
        guard let opened = presence.withLock({ $0 }) else { return true }
        return try watch.check { () throws(SystemError) in
            guard let database = opened.database, try files.identity(of: files.database) == database else {
                return false
            }
            guard let log = opened.log else { return true }
            return try files.logIdentity() == log
        }
    }

    func isLookDue() -> Bool {
        let now = environment.now()
        return lastLook.withLock { last in
            // A clock that went back makes the difference negative: look.
            if let last, (0..<environment.tuning.presenceInterval).contains(now - last) { return false }
            last = now
            return true
        }
    }

    /// Closes every connection; the next use opens what is in the folder then.
    ///
    /// - Throws: BUSY while another process keeps the rows of a removed log from being saved; then nothing is closed.
    func reopen(_ writer: inout Writer?) throws {
        // Where only the log is gone from the folder, it is still open here, and its rows can be put into the database.
        if let connection = writer?.connection { try saveLog(through: connection) }
        closeConnections(&writer)
    }

    func saveLog(through connection: Connection) throws {
        // A connection that cannot even checkpoint has nothing to save.
        guard let checkpoint = try? connection.checkpoint(.truncate) else { return }
        guard checkpoint.isBusy, checkpoint.logFrames != checkpoint.checkpointedFrames else { return }
        throw SQLiteError(
            code: .busy, message: "the log was removed, and another process keeps its rows from being saved")
    }

    /// The writer's connection is closed last: it brings the log into the database and removes it. An optimized build would end its
    /// life before the calls that do not use it.
    func closeConnections(_ writer: inout Writer?) {
        withExtendedLifetime(writer) {
            readers.close()
            checkpointer.withLock { $0 = nil }
            presence.withLock { $0 = nil }
            knownRows.forgetAll()
        }
        writer = nil
    }
}
