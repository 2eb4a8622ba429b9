internal import HalcyonMigrations
internal import HalcyonSQLite

/// What happens to an index that cannot be used: it is judged again, set aside, and built anew.
extension EntryIndex {
    /// Runs `body`; when the index turns out to be damaged, or a newer version's where it may be replaced, puts a new one in
    /// its place and runs `body` again.
    func healingDamage<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try namingSuspension(body)
        } catch {
            guard try heal(error) else { throw error }
            return try namingSuspension(body)
        }
    }

    /// As ``healingDamage(_:)``, for lookups: they do not wait for the lock to judge an index.
    func healingDamageBriefly<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try namingSuspension(body)
        } catch {
            guard try LockPatience.briefly({ try heal(error) }) else { throw error }
            return try namingSuspension(body)
        }
    }

    private func heal(_ error: any Error) throws -> Bool {
        try Self.isNewer(error) ? setAsideIfUnused() : isSuspicious(error) && setAsideIfDamaged()
    }

    static func isDamage(_ error: any Error) -> Bool {
        switch error {
        case MigrationError.inconsistentLedger, MigrationError.damagedLedger, MigrationError.foreignTables: true
        case let error as SQLiteError: error.isDamage
        default: false
        }
    }

    private func isSuspicious(_ error: any Error) -> Bool { Self.isDamage(error) || Self.isTruncation(error) }

    private static func isNewer(_ error: any Error) -> Bool {
        if case MigrationError.newerSchema = error { true } else { false }
    }

    /// Sets aside an index that only a newer version can use, if that is allowed and nobody has it open.
    private func setAsideIfUnused() throws -> Bool {
        guard replacesNewer.withLock({ $0 }) else { return false }
        return try withWriterLock { writer in
            closeConnections(&writer)
            guard isUnused() else { return false }
            try files.setAside(as: files.newer)
            environment.warn(
                "the index was written by a newer version and is built anew; the old one is kept as index.sqlite.newer")
            return true
        }
    }

    /// Each connection to an index with a write-ahead log keeps a shared lock on its file, and "exclusive" is granted to
    /// the only one.
    private func isUnused() -> Bool {
        // Whatever refuses is a reason to leave the file alone.
        (try? makeConnection(.readWriteCreate, timeout: .zero)).map { connection in
            (try? connection.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; ROLLBACK")) != nil
        } ?? false
    }

    /// Judges the file again, on a fresh connection: only what that one finds damaged too is set aside.
    ///
    /// - Returns: whether trying again makes sense.
    func setAsideIfDamaged() throws -> Bool {
        try withWriterLock { writer in
            closeConnections(&writer)
            // No checkpoint may open the file while it is renamed.
            try checkpointer.withLock { _ in try setAsideWithoutConnections() }
            return true
        }
    }

    func setAsideWithoutConnections() throws {
        let identity = try files.identity(of: files.database)
        guard try isDamaged() else { return }
        // Another process may have set it aside meanwhile; what is there now is its new one.
        guard try files.identity(of: files.database) == identity else { return }
        try files.setAside(as: files.damaged)
        environment.warn("the index was damaged and is built anew; the old one is kept as index.sqlite.damaged")
        didRepair()
    }

    /// What bytes that could be read say. A read that the system refuses is no answer.
    private func isDamaged() throws -> Bool {
        let connection = try makeWritingConnection()
        do {
            try connection.verifyHeader()
            try Self.migrator.migrate(connection)
            _ = try IndexSession(connection: connection).state()
            for (_, sql) in IndexSQL.planned { try connection.with(sql) { _ throws(SQLiteError) in } }
            return try !connection.integrityFindings().isEmpty
        } catch {
            // On a connection that remembers nothing, a short read means that the file has been cut off.
            guard Self.isDamage(error) || Self.isTruncation(error) else { throw error }
            if (error as? SQLiteError)?.isForeignSchema == true { try refuseNewerSchema(of: connection) }
            return true
        }
    }

    /// A newer version may have dropped what this one's statements name, whatever its ledger says of older readers.
    private func refuseNewerSchema(of connection: Connection) throws {
        let known = Self.migrator.newestVersion
        guard let version = try? Self.migrator.verifiedVersion(of: connection), version > known else { return }
        throw MigrationError.newerSchema(found: version, newestKnown: known)
    }

    /// Not an I/O error of the disk: the file is shorter than it says.
    static func isTruncation(_ error: any Error) -> Bool { (error as? SQLiteError)?.code == .shortRead }
}
