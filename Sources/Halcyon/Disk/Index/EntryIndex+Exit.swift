internal import HalcyonSQLite

extension EntryIndex {
    /// Runs `body` in one transaction while the process exits. Uses the open connection, and throws unless its file is still
    /// the directory's index and the locks become free before `end`. Opens, heals and checkpoints nothing.
    func write(beforeExitAt end: MonotonicTime, _ body: (IndexSession) throws -> Void) throws {
        // Without a log, a commit waits for the disk or for another machine.
        guard hasLog else { throw IndexSuspended() }
        let isDone: Void? = try writer.withLock(within: end.secondsLeft) { writer in
            guard let writer else { throw IndexSuspended() }
            // From now on: the process ends.
            writer.connection.waits { _ in end.secondsLeft > 0 }
            defer { writer.connection.rollBack() }
            guard try beginInPlace(writer) else { throw IndexSuspended() }
            try recordOpening(of: writer)
            try body(IndexSession(connection: writer.connection))
            try writer.connection.commit()
            knownRows.didCommit(writer.connection.writtenRows, .init())
        }
        guard isDone != nil else { throw IndexSuspended() }
    }
}
