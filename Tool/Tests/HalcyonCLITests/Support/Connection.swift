import CSQLite
import Foundation

/// A connection to an index, to read or change it while the cache is open.
final class Connection {
    private let handle: OpaquePointer

    init(path: String) throws {
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil)
        guard code == SQLITE_OK, let handle else {
            sqlite3_close(handle)
            throw Failure(text: "\(path): \(String(cString: sqlite3_errstr(code)))")
        }
        self.handle = handle
        // `sqlite3_busy_timeout` waits for up to 0.1 s between two attempts, and could miss every pause of a batch.
        sqlite3_busy_handler(
            handle,
            { _, count in
                usleep(200)
                return count < 25_000 ? 1 : 0
            }, nil)
    }

    deinit { sqlite3_close(handle) }

    struct Failure: Error {
        let text: String
    }

    /// Runs one statement or several.
    func execute(_ sql: String) throws { try require(sqlite3_exec(handle, sql, nil, nil, nil), SQLITE_OK, sql) }

    /// The first column of each row.
    func texts(_ sql: String) throws -> [String] {
        var statement: OpaquePointer?
        try require(sqlite3_prepare_v2(handle, sql, -1, &statement, nil), SQLITE_OK, sql)
        defer { sqlite3_finalize(statement) }
        var texts: [String] = []
        var code = sqlite3_step(statement)
        while code == SQLITE_ROW {
            texts.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "")
            code = sqlite3_step(statement)
        }
        try require(code, SQLITE_DONE, sql)
        return texts
    }

    /// The first column of the first row.
    func integer(_ sql: String) throws -> Int64? { try texts(sql).first.flatMap { Int64($0) } }

    /// Takes the write lock.
    func begin() throws { try execute("BEGIN IMMEDIATE") }

    func rollBack() throws { try execute("ROLLBACK") }

    private func require(_ code: Int32, _ expected: Int32, _ sql: String) throws {
        guard code != expected else { return }
        throw Failure(text: "\(sql): \(String(cString: sqlite3_errmsg(handle)))")
    }
}
