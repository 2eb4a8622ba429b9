import CSQLite
import Foundation

/// Finds the next entries to evict with SQLite alone: the library has no function that finds victims without removing them, and an eviction
/// mostly spends its time unlinking. The query is that of the library's eviction.
final class VictimQuery {
    private var database: OpaquePointer?
    private var statement: OpaquePointer?

    struct Failure: Error {
        let description: String
    }

    private static let sql = """
        SELECT count(*) FROM (
            SELECT sum(size) OVER earlier - size AS bytes_before
            FROM (
                SELECT id, rank, size FROM entries WHERE pinned = 0 ORDER BY rank, size, id LIMIT ?2
            )
            WINDOW earlier AS (ORDER BY rank, size, id ROWS UNBOUNDED PRECEDING)
        ) WHERE bytes_before < ?1
        """

    init(path: String) throws {
        guard sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, nil) == SQLITE_OK,
            sqlite3_prepare_v2(database, Self.sql, -1, &statement, nil) == SQLITE_OK
        else { throw failure() }
    }

    deinit {
        sqlite3_finalize(statement)
        sqlite3_close(database)
    }

    /// The number of entries to evict for that many bytes, up to a maximum.
    func count(bytes: Int, limit: Int) throws -> Int {
        defer { sqlite3_reset(statement) }
        sqlite3_bind_int64(statement, 1, Int64(bytes))
        sqlite3_bind_int64(statement, 2, Int64(limit))
        guard sqlite3_step(statement) == SQLITE_ROW else { throw failure() }
        return Int(sqlite3_column_int64(statement, 0))
    }

    private func failure() -> Failure { Failure(description: String(cString: sqlite3_errmsg(database))) }
}
