internal import CHalcyonSQLite
internal import Foundation

/// An error from SQLite, with the statement that failed. Never contains bound values: they hold keys, and keys are private.
package struct SQLiteError: Error, Equatable, CustomStringConvertible {
    package let code: ResultCode
    /// SQLite's error message.
    package let message: String
    /// The statement's text with its placeholders, if there was a statement.
    package let sql: String?
    /// One of our statements does not match the tables in the file: it is a different database.
    package let isForeignSchema: Bool

    package init(code: ResultCode, message: String, sql: String? = nil, isForeignSchema: Bool = false) {
        self.code = code
        self.message = message
        self.sql = sql
        self.isForeignSchema = isForeignSchema
    }

    package var description: String {
        let statement = sql.map { " in “\($0)”" } ?? ""
        return "SQLite error \(code.rawValue): \(message)\(statement)"
    }

    /// Whether the file is not a valid index: "malformed", "not a database", foreign tables, or a constraint that every statement
    /// satisfies unless the schema or a row was changed. Nothing else counts as damage.
    package var isDamage: Bool {
        code.primary == .corrupt || code.primary == .notADatabase || code == .missingCollation || isForeignSchema
            || isConstraint
    }

    /// Whether a value is not what a column allows.
    package var isConstraint: Bool { code == .failedCheck || code == .missingValue }

    /// Whether the volume is full.
    package var isOutOfSpace: Bool { code.primary == .full || code == .sharedMemorySize }

    /// Whether another connection holds the lock. The same call may succeed later.
    package var isBusy: Bool {
        code.primary == .busy || code.primary == .locked || code.primary == .protocol
    }
}

extension SQLiteError {
    /// The last error of a connection; `handle` is nil if opening failed without one.
    ///
    /// SQLite reports a file as corrupt if the system refuses to read a page (`SQLITE_IOERR_CORRUPTFS` becomes
    /// `SQLITE_CORRUPT`). Here that is an I/O error, because it says nothing about the bytes. SQLite reports an exhausted quota, and
    /// a file that reaches the limit of its size, as an I/O error. Here it is a full disk.
    init(code: Int32, handle: OpaquePointer?, sql: String? = nil, isForeignSchema: Bool = false) {
        if Self.isAboutBytes(code), let handle, Self.hasRefusedRead(handle) {
            self = .refusedRead(sql)
            return
        }
        if [.writeRefused, .syncRefused].contains(ResultCode(rawValue: code)), let handle,
            case let reason = halcyon_sqlite_errno(handle), Self.limits.contains(reason)
        {
            self.init(code: .full, message: String(cString: strerror(reason)), sql: sql)
            return
        }
        let text = handle.flatMap(sqlite3_errmsg) ?? sqlite3_errstr(code)
        self.init(
            code: ResultCode(rawValue: code), message: text.map { String(cString: $0) } ?? "unknown error", sql: sql,
            isForeignSchema: isForeignSchema)
    }

    /// Whether the system has refused to read a part of the connection's files. A limit stops only writes, and SQLite keeps their
    /// error.
    static func hasRefusedRead(_ handle: OpaquePointer) -> Bool {
        let reason = halcyon_sqlite_errno(handle)
        return reason != 0 && !limits.contains(reason)
    }

    /// The reasons of the system that stop only writes.
    private static let limits: [Int32] = [EDQUOT, EFBIG]

    /// The system refused to read a part of the file.
    static func refusedRead(_ sql: String?) -> SQLiteError {
        SQLiteError(code: .readRefused, message: "the system refused to read the file", sql: sql)
    }

    private static func isAboutBytes(_ code: Int32) -> Bool {
        [.corrupt, .notADatabase].contains(ResultCode(rawValue: code).primary)
    }
}
