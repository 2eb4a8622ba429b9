internal import HalcyonSQLite

/// Notices that an index's files were removed or replaced, and reopens the index.
extension EntryIndex {
    /// Checks whether the open files are still the ones in the directory, unless it did so a moment ago. If they are not,
    /// closes the index, and the next use opens what is there.
    ///
    /// - Returns: true if the index was closed or reopened: what you read before may be wrong.
    package func refreshIfMoved(force: Bool = false) -> Bool {
        guard force || isLookDue(), (try? isInPlace()) == false else { return false }
        // A reader does not wait long. It returns a miss, and the next check tries again.
        return LockTimeout.briefly {
            // Another thread may have reopened it while this one waited.
            let refreshed: Void? = try? withWriter { if (try? isInPlace()) == false { try reopen(&$0) } }
            return refreshed != nil
        }
    }

    /// Runs `body` unless the app has closed the index, or it was deleted. If that happens meanwhile, `body` does not open it again.
    ///
    /// - Returns: nil if `body` did not run.
    @discardableResult
    func unlessClosed<Result>(_ body: () throws -> Result) rethrows -> Result? {
        try Self.opening.withValue(.unclosed) {
            _ = refreshIfMoved(force: true)
            return isOpen || (try? requireOpening()) != nil ? try body() : nil
        }
    }

    /// Whether the open files are still in place. Takes up to four `stat` calls, and no lock that a thread holds for long.
    func isInPlace() throws(SystemError) -> Bool {
        guard let opened = presence.withLock({ $0 }) else { return true }
        return try watch.check { () throws(SystemError) in
            // Another file had already replaced the database when it was opened.
            guard opened[0] != nil else { return false }
            for (path, identity) in zip(files.paths, opened) {
                guard try files.identity(of: path) == identity else { return false }
            }
            return true
        }
    }

    func isLookDue() -> Bool {
        let now = environment.now()
        return lastLook.withLock { last in
            // If the clock has jumped back, the difference is negative: check.
            if let last, (0..<environment.tuning.presenceInterval).contains(now - last) { return false }
            last = now
            return true
        }
    }

    /// Closes all connections. The next use opens the index that is in the directory then.
    ///
    /// - Throws: BUSY if another process blocks the checkpoint that would save the rows of a removed log. Nothing is closed
    ///   then.
    func reopen(_ writer: inout Writer?) throws {
        // If only the log was removed, it is still open here, and a checkpoint can save its rows, but not on Apple's systems, where SQLite
        // then refuses all calls.
        // If the connection cannot checkpoint, it has nothing to save. If another version has changed the schema, all files are in
        // place, and a checkpoint could wait for a reader.
        let isInPlace = (try? isInPlace()) == true
        let checkpoint = isInPlace ? nil : try? writer?.connection.checkpoint(.truncate)
        if let checkpoint, checkpoint.isBusy, checkpoint.logFrames != checkpoint.checkpointedFrames {
            throw SQLiteError(
                code: .busy,
                message: "the log was removed, and another process blocks the checkpoint that saves its rows")
        }
        closeConnections(&writer)
    }

    /// Closes the writer's connection last, because that checkpoints and deletes the log. Without `withExtendedLifetime`, an
    /// optimized build could close it before the other calls.
    func closeConnections(_ writer: inout Writer?) {
        withExtendedLifetime(writer) {
            readers.close()
            checkpointer.withLock { $0 = nil }
            previousIndex.close()
            presence.withLock { $0 = nil }
            knownRows.forgetAll()
        }
        writer = nil
    }
}
