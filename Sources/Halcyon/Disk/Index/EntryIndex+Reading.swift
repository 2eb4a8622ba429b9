internal import Foundation
internal import HalcyonSQLite

/// Reads on the connections of the pool, on the writer's, or on one of their own.
extension EntryIndex {
    /// Runs `body` on a reading connection. Takes no write lock unless the index has to be created, upgraded or replaced. Then it waits
    /// like a store.
    package func read<Result>(_ body: (IndexSession) throws -> Result) throws -> Result {
        try readingAgain(briefly: false) { try readOnReader(body) }
    }

    /// Like ``read(_:)``, for a few rows: until there is a reading connection, uses the writer's if no other thread does. So the
    /// first answer after an opening needs one connection. Later on, stores would wait for lookups.
    ///
    /// - Parameter isBrief: for lookups, which miss instead of waiting for the lock or for another thread.
    func lookUp<Result>(briefly isBrief: Bool = true, _ body: (IndexSession) throws -> Result) throws -> Result {
        try readingAgain(briefly: isBrief) {
            try readOnOpenReader(body) ?? readOnFreeWriter(body) ?? readOnReader(body)
        }
    }

    /// - Parameter read: returns nil if the index is closed.
    private func readingAgain<Result>(briefly isBrief: Bool, _ read: () throws -> Result?) throws -> Result {
        try healingDamage(briefly: isBrief) {
            do {
                return try readOnce(briefly: isBrief, read)
            } catch let error as SQLiteError
                where !error.isDamage && (refreshIfMoved(force: true) || closeIfAffected(by: error))
            {
                // Another process removed or replaced its files during the read.
                return try readOnce(briefly: isBrief, read)
            }
        }
    }

    private func readOnce<Result>(briefly isBrief: Bool, _ read: () throws -> Result?) throws -> Result {
        // Between these two calls, another thread may close the index because its files moved, but not forever.
        for _ in 0..<3 {
            // Suspension drops the known rows once. A later read must not bring one back.
            if isInService, let result = try read() { return result }
            try isBrief ? openBriefly() : openPatiently()
        }
        throw SQLiteError(code: .cannotOpen, message: "the index kept closing while it was being opened")
    }

    /// Runs `body` on a connection of its own. For long reads, which lookups must not wait for.
    package func readAtLength<Result>(_ body: (IndexSession) throws -> Result) throws -> Result {
        try readingAgain(briefly: false) {
            // If the index is open, the file is all it needs, and a store may wait while holding the writer's lock.
            guard isOpen else { return nil }
            longReads.enter()
            defer { longReads.leave() }
            return try readOnOwnConnection(body)
        }
    }

    /// A separate function, so that the connection closes when it returns.
    private func readOnOwnConnection<Result>(_ body: (IndexSession) throws -> Result) throws -> Result? {
        guard let connection = try makeReader() else { return nil }
        // Sorting must not write keys to a temporary file.
        try connection.execute("PRAGMA temp_store = MEMORY")
        return try connection.reading { try body(IndexSession(connection: connection)) }
    }

    private func readOnReader<Result>(_ body: (IndexSession) throws -> Result) throws -> Result? {
        try readers.read(opening: openReader) { try body(IndexSession(connection: $0)) }
    }

    private func readOnOpenReader<Result>(_ body: (IndexSession) throws -> Result) throws -> Result? {
        try readers.read(opening: openReader, includingFirst: false) { try body(IndexSession(connection: $0)) }
    }

    private func readOnFreeWriter<Result>(_ body: (IndexSession) throws -> Result) throws -> Result? {
        try writer.withLockIfFree { writer in
            defer { closeUnlessInService(&writer) }
            guard let connection = writer?.connection else { return nil }
            return try LockTimeout.briefly { try body(IndexSession(connection: connection)) }
        }
    }

    /// Opens a reading connection; nil if the open files are no longer the directory's index.
    private func openReader() throws -> Connection? {
        guard let connection = try makeReader(), try isInPlace() else { return nil }
        // Reads the schema, so not before the check.
        try connection.execute("PRAGMA cache_size = \(environment.tuning.pageCacheSize)")
        return connection
    }

    /// Returns nil if the file was replaced meanwhile: the first read would open the log of the new index, and closing that would release
    /// this process's locks on it.
    private func makeReader() throws -> Connection? {
        let connection = try makeConnection(.queryOnly, timeout: environment.tuning.readerTimeout)
        return connection.hasMoved ? nil : connection
    }
}
