internal import HalcyonSQLite

extension EntryIndex {
    /// The time is up, or the index cannot be written in time.
    private struct ExitDeadlinePassed: Error {}

    /// Runs `body` in one transaction while the process exits. Uses the open connection, and throws unless its file is still
    /// the directory's index and the locks become free before `end`. Opens, heals and checkpoints nothing.
    func write(beforeExitAt end: MonotonicTime, _ body: (IndexSession) throws -> Void) throws {
        // Without a log, a commit waits for the disk or for another machine.
        guard hasLog else { throw ExitDeadlinePassed() }
        let isDone: Void? = try writer.withLock(within: end.secondsLeft) { writer in
            guard let writer else { throw ExitDeadlinePassed() }
            try writer.connection.waiting(while: { _ in end.secondsLeft > 0 }) {
                defer { writer.connection.rollBack() }
                guard try beginInPlace(writer) else { throw ExitDeadlinePassed() }
                try recordOpening(of: writer)
                try body(IndexSession(connection: writer.connection))
                try writer.connection.commit()
                knownRows.didCommit(writer.connection.writtenRows, .init())
            }
        }
        guard isDone != nil else { throw ExitDeadlinePassed() }
    }
}
