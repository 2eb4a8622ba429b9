internal import CHalcyonSQLite

/// What SQLite refused, and in which statement. Bound values never appear: they hold keys, and keys are private.
package struct SQLiteError: Error, Equatable, CustomStringConvertible {
    package let code: ResultCode
    /// SQLite's own words.
    package let message: String
    /// The statement's text with its placeholders, when there was one.
    package let sql: String?
    /// One of our own statements does not fit the file's tables: it is some other database.
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

    /// The file is not an index any more: "malformed", "not a database", or somebody else's tables. Nothing else counts
    /// as damage.
    package var isDamage: Bool {
        code.primary == .corrupt || code.primary == .notADatabase || isForeignSchema
    }

    /// The volume is full.
    package var isOutOfSpace: Bool { code.primary == .full || code == .sharedMemorySize }

    /// Somebody else holds the lock; the same call may succeed later.
    package var isBusy: Bool {
        code.primary == .busy || code.primary == .locked || code.primary == .protocol
    }
}

extension SQLiteError {
    /// The last error of a connection, or of none when opening failed without one.
    ///
    /// SQLite calls a file corrupt when the system refuses to read a page of it (`SQLITE_IOERR_CORRUPTFS` becomes
    /// `SQLITE_CORRUPT`). Here such a refusal is an I/O error: nothing is known of the bytes.
    init(code: Int32, handle: OpaquePointer?, sql: String? = nil, isForeignSchema: Bool = false) {
        if Self.isAboutBytes(code), let handle, halcyon_sqlite_refusal(handle) != 0 {
            self = .refusedRead(sql)
            return
        }
        let text = handle.flatMap(sqlite3_errmsg) ?? sqlite3_errstr(code)
        self.init(
            code: ResultCode(rawValue: code), message: text.map { String(cString: $0) } ?? "unknown error", sql: sql,
            isForeignSchema: isForeignSchema)
    }

    /// The system refused to read a part of the file.
    static func refusedRead(_ sql: String?) -> SQLiteError {
        SQLiteError(code: .readRefused, message: "the system refused to read the file", sql: sql)
    }

    private static func isAboutBytes(_ code: Int32) -> Bool {
        [.corrupt, .notADatabase].contains(ResultCode(rawValue: code).primary)
    }
}
