import CHalcyonSQLite
import HalcyonMigrations

/// The write lock of an index, taken with plain SQLite.
struct WriteLock {
    private let connection: OpaquePointer

    /// nil while there is no index of the current schema, or another process holds the lock.
    init?(index path: String) {
        var connection: OpaquePointer?
        guard sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK, let connection else {
            sqlite3_close_v2(connection)
            return nil
        }
        self.connection = connection
        sqlite3_busy_timeout(connection, 2_000)
        guard version(of: connection) == MigrationFiles.all.count, run("BEGIN IMMEDIATE") else {
            sqlite3_close_v2(connection)
            return nil
        }
    }

    func giveBack() {
        _ = run("ROLLBACK")
        sqlite3_close_v2(connection)
    }

    private func version(of connection: OpaquePointer) -> Int {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(connection, "PRAGMA user_version", -1, &statement, nil) == SQLITE_OK,
            sqlite3_step(statement) == SQLITE_ROW
        else { return 0 }
        return Int(sqlite3_column_int64(statement, 0))
    }

    private func run(_ sql: String) -> Bool { sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK }
}
