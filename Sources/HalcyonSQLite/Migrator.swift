/// One numbered change of the schema.
package struct Migration: Sendable, Equatable {
    /// Numbered from 1 without gaps: 1 for `V0001__….sql`.
    package let version: Int
    /// The file's name, for people.
    package let name: String
    package let sql: String
    /// SHA-256 of the file in lower-case hexadecimal, as `sha256sum` prints it.
    package let checksum: String
    /// The oldest schema version whose code can still use an index with this change.
    package let oldestReader: Int

    package init(version: Int, name: String, sql: String, checksum: String, oldestReader: Int) {
        self.version = version
        self.name = name
        self.sql = sql
        self.checksum = checksum
        self.oldestReader = oldestReader
    }
}

/// An applied migration: one row of the ledger (table `schema_migrations`).
package struct LedgerRow: Sendable, Equatable {
    package let version: Int
    package let name: String
    package let checksum: String
    package let oldestReader: Int
    /// Milliseconds since 1970.
    package let appliedAt: Int64
}

package enum MigrationError: Error, Equatable {
    /// Newer code wrote the index, and the index says that this version cannot use it.
    case newerSchema(found: Int, newestKnown: Int)
    /// The checksum in the ledger is not the released file's: the ledger was edited, or an unreleased file was applied.
    case edited(version: Int, name: String)
    /// `PRAGMA user_version` and the ledger contradict each other.
    case inconsistentLedger(userVersion: Int, ledgerVersion: Int)
    /// A ledger row does not match what any version writes.
    case damagedLedger(version: Int)
    /// The file has tables but no schema version: it is a different database.
    case foreignTables
}

/// Migrates a database to the newest schema, forward only. Each migration runs in one IMMEDIATE transaction that also writes
/// its ledger row and `PRAGMA user_version`, so a crash leaves either the old version or the new one.
///
/// Several processes may migrate at the same time: one applies the migration, the others wait for its lock and find it done.
package struct Migrator: Sendable {
    package let migrations: [Migration]
    /// Milliseconds since 1970, for the ledger.
    private let now: @Sendable () -> Int64

    package init(_ migrations: [Migration], now: @escaping @Sendable () -> Int64) {
        precondition(
            migrations.map(\.version) == Array(1..<(migrations.count + 1)),
            "migrations are numbered from 1 without gaps")
        self.migrations = migrations
        self.now = now
    }

    package var newestVersion: Int { migrations.count }

    /// Applies the missing migrations, if the version and the ledger of the index agree.
    ///
    /// For an up-to-date index this costs a few small reads and no lock. An index with newer migrations that
    /// ``newestVersion`` can still read is left unchanged.
    ///
    /// - Returns: the number of migrations that this call applied.
    /// - Throws: ``MigrationError`` before anything is changed, or the ``SQLiteError`` of the migration that failed. Earlier
    ///   migrations stay applied.
    @discardableResult
    package func migrate(_ connection: Connection) throws -> Int {
        var applied = 0
        while try connection.reading({ try verifiedVersion(of: connection) }) < newestVersion {
            applied += try applyNext(connection) ? 1 : 0
        }
        return applied
    }

    /// `PRAGMA user_version`.
    package func userVersion(of connection: Connection) throws(SQLiteError) -> Int {
        Int(clamping: try connection.integer("PRAGMA user_version") ?? 0)
    }

    /// The ledger, oldest first; empty before the first migration.
    package func ledger(of connection: Connection) throws(SQLiteError) -> [LedgerRow] {
        guard try connection.integer(LedgerSQL.exists) == 1 else { return [] }
        return try connection.rows(LedgerSQL.rows, row: LedgerRow.init)
    }

    /// Applies one migration in its own transaction. Returns false if another process was faster.
    private func applyNext(_ connection: Connection) throws -> Bool {
        try connection.transaction {
            // Read the version inside the transaction: only under the lock is it certain.
            let version = try verifiedVersion(of: connection)
            guard version < newestVersion else { return false }
            if version == 0 { try connection.execute(LedgerSQL.create) }
            let migration = migrations[version]
            try apply(migration, to: connection)
            try record(migration, in: connection)
            try connection.execute("PRAGMA user_version = \(migration.version)")
            return true
        }
    }

    /// - Throws: ``SQLiteError``, with `isForeignSchema` set if the tables are not those of the previous version, for example
    ///   because a column was added, or if they have values that it never wrote.
    private func apply(_ migration: Migration, to connection: Connection) throws(SQLiteError) {
        do {
            try connection.execute(migration.sql)
        } catch {
            // Without its text, which is not a single statement.
            let isForeign = [ResultCode.error, .constraint, .mismatch].contains(error.code.primary)
            throw SQLiteError(code: error.code, message: error.message, isForeignSchema: isForeign)
        }
    }

    private func record(_ migration: Migration, in connection: Connection) throws(SQLiteError) {
        try connection.run(
            LedgerSQL.insert, migration.version, migration.name, migration.checksum, migration.oldestReader, now())
    }

    /// The version of an index, after checking it against the ledger, and the ledger against the migrations in this build.
    /// Call it in a transaction: otherwise another process may migrate between two reads.
    ///
    /// - Throws: ``MigrationError``.
    package func verifiedVersion(of connection: Connection) throws -> Int {
        let version = try userVersion(of: connection)
        let rows = try ledger(of: connection)
        guard version == rows.last?.version ?? 0, rows.map(\.version) == Array(1..<(rows.count + 1)) else {
            throw MigrationError.inconsistentLedger(userVersion: version, ledgerVersion: rows.last?.version ?? 0)
        }
        guard try version > 0 || connection.integer(LedgerSQL.objects) == 0 else { throw MigrationError.foreignTables }
        for (row, migration) in zip(rows, migrations) { try verify(row, is: migration) }
        guard rows.allSatisfy({ $0.oldestReader <= newestVersion }) else {
            throw MigrationError.newerSchema(found: version, newestKnown: newestVersion)
        }
        return version
    }

    private func verify(_ row: LedgerRow, is migration: Migration) throws {
        guard row.oldestReader == migration.oldestReader else {
            throw MigrationError.damagedLedger(version: row.version)
        }
        guard row.checksum == migration.checksum else {
            throw MigrationError.edited(version: row.version, name: row.name)
        }
    }
}

extension LedgerRow {
    fileprivate init(_ statement: Statement) {
        self.init(
            version: Int(clamping: statement.integer(at: 0)), name: statement.text(at: 1),
            checksum: statement.text(at: 2),
            oldestReader: Int(clamping: statement.integer(at: 3)),
            // The end of the year 9999.
            appliedAt: statement.integer(at: 4, in: 0...253_402_300_799_999))
    }
}

/// The ledger is the migrator's own table. Its columns can never change, because older code reads the ledger of newer
/// indexes.
private enum LedgerSQL {
    static let create = """
        CREATE TABLE schema_migrations (
            version       INTEGER PRIMARY KEY,
            name          TEXT NOT NULL,
            checksum      TEXT NOT NULL,
            oldest_reader INTEGER NOT NULL,
            applied_at    INTEGER NOT NULL
        )
        """
    static let objects: StaticString = "SELECT count(*) FROM sqlite_schema"
    static let exists: StaticString =
        "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'schema_migrations'"
    static let rows: StaticString = """
        SELECT version, name, checksum, oldest_reader, applied_at FROM schema_migrations ORDER BY version
        """
    static let insert: StaticString = """
        INSERT INTO schema_migrations (version, name, checksum, oldest_reader, applied_at) VALUES (?, ?, ?, ?, ?)
        """
}
