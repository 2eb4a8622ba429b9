internal import HalcyonMigrations
internal import HalcyonSQLite

/// Checks an unusable index again, sets it aside, and makes a new one.
extension EntryIndex {
    /// Runs `body`. If the index is damaged, or if a newer version wrote it and it may be replaced, sets it aside and runs
    /// `body` once more.
    ///
    /// - Parameter isBrief: for lookups, whether to wait only briefly for the lock when it checks the index.
    func healingDamage<Result>(briefly isBrief: Bool = false, _ body: () throws -> Result) throws -> Result {
        do {
            return try namingSuspension(body)
        } catch {
            let isHealed = try namingSuspension {
                try isBrief ? LockTimeout.briefly { try heal(error) } : heal(error)
            }
            guard isHealed else { throw error }
            return try namingSuspension(body)
        }
    }

    private func heal(_ error: any Error) throws -> Bool {
        if Self.isNewer(error) { return try setAsideIfUnused() }
        do {
            guard Self.isSuspicious(error) else { return false }
            try setAsideIfDamaged(by: error)
            return true
        } catch  where Self.isNewer(error) {
            // It looked like damage, but a newer version has dropped a table or a column.
            guard try setAsideIfUnused() else { throw error }
            return true
        }
    }

    static func isDamage(_ error: any Error) -> Bool {
        if error is MigrationError { return !isNewer(error) }
        return (error as? SQLiteError)?.isDamage ?? false
    }

    /// Whether an error says something about the bytes. A refused read may succeed later.
    static func isSuspicious(_ error: any Error) -> Bool { isDamage(error) || isTruncation(error) }

    private static func isNewer(_ error: any Error) -> Bool {
        if case MigrationError.newerSchema = error { true } else { false }
    }

    /// Sets aside an index that only a newer version can use, if that is allowed and no other connection has it open.
    ///
    /// - Returns: whether trying again makes sense.
    func setAsideIfUnused() throws -> Bool {
        guard replacesNewer.withLock({ $0 }) else { return false }
        return try withWriter { writer in
            closeConnections(&writer)
            let identity = try files.identity(of: files.database)
            // If another thread or process has done it in the meantime, its new index must not replace the one that is kept.
            guard isOfNewerVersion() else { return true }
            guard let sole = soleConnection() else { return false }
            defer { withExtendedLifetime(sole) {} }
            guard try files.identity(of: files.database) == identity else { return true }
            try files.setAside(as: files.newer)
            environment.warn(
                "The index requires a newer version. Halcyon rebuilds it and keeps the old one as index.sqlite.newer.")
            return true
        }
    }

    private func isOfNewerVersion() -> Bool {
        // After any failure, the next attempt reports it.
        (try? makeConnection(.queryOnly, timeout: .zero)).flatMap { try? Self.migrator.userVersion(of: $0) }
            .map { $0 > Self.migrator.newestVersion } ?? false
    }

    /// A connection that keeps others out until it closes; nil if there are any. Each connection to an index in WAL mode holds a
    /// shared lock on its file, so only a sole connection gets an exclusive lock.
    private func soleConnection() -> Connection? {
        // Any failure is a reason to leave the file alone.
        guard let connection = try? makeConnection(.readWriteCreate, timeout: .zero),
            (try? connection.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; ROLLBACK")) != nil
        else { return nil }
        // So that the file is complete without its log, if the process ends between the renames.
        _ = try? connection.checkpoint(.truncate)
        return connection
    }

    /// Checks the file again on a fresh connection, and sets it aside only if that check finds damage too.
    ///
    /// - Parameter error: what made the file suspicious.
    func setAsideIfDamaged(by error: (any Error)? = nil) throws {
        try withWriter { writer in
            closeConnections(&writer)
            // Keeps checkpoints from opening the file while it is renamed.
            try checkpointer.withLock { _ in try setAsideWithoutConnections(error) }
        }
    }

    private func setAsideWithoutConnections(_ error: (any Error)?) throws {
        let identity = try files.identity(of: files.database)
        // Not during the check, which takes seconds among a million entries, but before it, so that it is not made in vain. On a
        // connection that closes at once: the other one may mend the header, but not after it has read it.
        try lock(makeWritingConnection())
        // Otherwise the next connection could create the index, without our settings.
        guard identity != nil, try files.identity(of: files.database) == identity else { return }
        // Damage may prevent it. The check then finds that.
        if case .failure(let error as SQLiteError) = Result(catching: restoreSchema), error.isBusy { throw error }
        let connection = try makeWritingConnection()
        guard try isDamaged(connection, by: error) else { return }
        // So that the file is complete without its log, if the process ends between the renames.
        _ = try? connection.checkpoint(.passive)
        try lock(connection)
        defer { connection.rollBack() }
        // Another process may have set it aside in the meantime. The file there is then its new index.
        guard try files.identity(of: files.database) == identity else { return }
        try files.setAside(as: files.damaged)
        environment.warn("The index was damaged. Halcyon rebuilds it and keeps the old one as index.sqlite.damaged.")
        observers.notifyLater(.init(kind: .repair, count: 0))
    }

    /// Lets a store of another process end, which would otherwise commit to the file that is set aside. The next one then finds
    /// another file in its place. Until the connection closes, no other process sets the file aside.
    private func lock(_ connection: Connection) throws {
        var isReadOnly = false
        do throws(SQLiteError) {
            try connection.begin()
            patience.didGetLock()
        } catch {
            // If it is too damaged for a transaction, only a process that read its first page before that may still store there.
            isReadOnly = error.code.primary == .readOnly
            guard Self.isSuspicious(error) || isReadOnly else { throw error }
        }
        do throws(SQLiteError) {
            // The lock of a transaction is in the shared memory, which is renamed before the file.
            try connection.lockFile()
        } catch {
            // A file that may only be read cannot be locked.
            guard isReadOnly, !error.isBusy else { throw error }
        }
    }

    /// Judges only bytes that could be read. Throws if the system refuses a read, because that proves no damage.
    private func isDamaged(_ connection: Connection, by error: (any Error)?) throws -> Bool {
        do {
            try connection.verifyHeader()
            try Self.migrator.migrate(connection)
            _ = try IndexSession(connection: connection).state()
            // A constraint of another program needs no check of all pages.
            if let error = error as? SQLiteError, error.isConstraint, try !Self.mayBeOurs(error) {
                return try !Self.schemaFindings(in: connection).isEmpty
            }
            // Findings do not include a table or a column that was dropped.
            if let error = error as? SQLiteError, error.isForeignSchema, let sql = error.sql {
                try connection.prepare(sql)
            }
            return try !Self.findings(in: connection).isEmpty
        } catch {
            // On a fresh connection, a short read means that the file was truncated.
            guard Self.isSuspicious(error) else { throw error }
            if (error as? SQLiteError)?.isForeignSchema == true { try refuseNewerSchema(of: connection) }
            return true
        }
    }

    /// Whether a value of our tables can be the cause. A `CHECK` of ours fails only if its SQL is wrong.
    private static func mayBeOurs(_ error: SQLiteError) throws -> Bool {
        // "NOT NULL constraint failed: entries.hits"
        let table = error.message.split(separator: " ").last?.split(separator: ".").first ?? ""
        return try error.code == .missingValue && newestSchema()["table \(table)"] != nil
    }

    /// The findings of SQLite's integrity check, and what another program, or damage, has changed in the schema.
    static func findings(in connection: Connection) throws -> [String] {
        try connection.integrityFindings() + schemaFindings(in: connection)
    }

    static func schemaFindings(in connection: Connection) throws -> [String] {
        let session = IndexSession(connection: connection)
        // A later version may have dropped something, and an upgrade creates something at its end.
        guard try migrator.userVersion(of: connection) == migrator.newestVersion, try session.upgradeStep() == nil
        else {
            return []
        }
        let present = try session.schema()
        return try newestSchema().compactMap { object, sql in
            guard let found = present[object] else { return "\(object) is missing" }
            let isSame = object.hasPrefix("table ") ? includes(found, columnsOf: sql) : found == sql
            return isSame ? nil : "\(object) is changed"
        }.sorted()
    }

    /// Another program may have added columns, at any place.
    private static func includes(_ table: String, columnsOf model: String) -> Bool {
        func parts(_ sql: String) -> [Substring] {
            (sql.hasSuffix(")") ? sql.dropLast() : sql[...]).split(separator: ",")
        }
        var rest = parts(model)[...]
        for part in parts(table) where part == rest.first { rest.removeFirst() }
        return rest.isEmpty
    }

    /// Corrects SQL in the schema of which single bytes were changed: the migrations tell what was there.
    private func restoreSchema() throws {
        let connection = try makeWritingConnection()
        try connection.ignoreUnknownSchema()
        guard try Self.migrator.userVersion(of: connection) == Self.migrator.newestVersion else { return }
        if try IndexSession(connection: connection).restoreSchema(to: Self.newestSchema()) {
            environment.warn("The SQL of the index's schema was damaged. Halcyon has restored it.")
        }
    }

    /// The SQL of each object of the schema.
    private static func newestSchema() throws -> [String: String] {
        let model = IndexSession(connection: try Connection(path: ":memory:"))
        try migrator.migrate(model.connection)
        try model.finishUpgradeIfEmpty()
        return try model.schema()
    }

    /// Throws if a newer version made the schema. It may have dropped what our statements use, even if its ledger admits older
    /// readers.
    private func refuseNewerSchema(of connection: Connection) throws {
        let known = Self.migrator.newestVersion
        guard let version = try? Self.migrator.verifiedVersion(of: connection), version > known else { return }
        throw MigrationError.newerSchema(found: version, newestKnown: known)
    }

    /// Whether the file is shorter than it claims, which is not an I/O error of the disk.
    private static func isTruncation(_ error: any Error) -> Bool { (error as? SQLiteError)?.code == .shortRead }
}
