internal import CHalcyonSQLite

/// A prepared statement: bind, step, read columns. After each use it is reset and its bound values are cleared.
///
/// Not thread-safe: it belongs to its ``Connection``.
package final class Statement {
    let statement: OpaquePointer
    private let connection: OpaquePointer

    /// Prepares `sql` with `sqlite3_prepare_v3`.
    ///
    /// - Parameter isKept: whether the statement will be reused.
    init(_ sql: String, isKept: Bool, connection: OpaquePointer) throws(SQLiteError) {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(
            connection, sql, -1, isKept ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0, &prepared, nil)
        guard code == SQLITE_OK, let prepared else {
            let isForeign = ResultCode(rawValue: code).primary == .error
            throw SQLiteError(code: code, handle: connection, sql: sql, isForeignSchema: isForeign)
        }
        self.statement = prepared
        self.connection = connection
    }

    deinit { sqlite3_finalize(statement) }

    /// `sqlite3_reset` and `sqlite3_clear_bindings`. A statement that is not reset keeps its read lock, so the write-ahead
    /// log cannot restart.
    func reset() {
        sqlite3_reset(statement)
        sqlite3_clear_bindings(statement)
    }

    /// `sqlite3_reset` alone: the statement can run again with the same values.
    package func rewind() { sqlite3_reset(statement) }

    // MARK: Values in

    /// Binds the parameters ?1, ?2 and so on. A value takes a few hundred instructions more than with ``bind(_:at:)``, which is why
    /// lookups, stores and touches bind theirs one by one.
    package func bind<each Value: Bindable>(_ value: repeat each Value) throws(SQLiteError) {
        var index: Int32 = 0
        for value in repeat each value {
            index += 1
            try value.bind(to: self, at: index)
        }
    }

    /// Binds an integer, or NULL.
    package func bind(_ value: Int64?, at index: Int32) {
        // A bind fails only for a wrong index or a running statement: a bug in our own SQL.
        let code = value.map { sqlite3_bind_int64(statement, index, $0) } ?? sqlite3_bind_null(statement, index)
        precondition(code == SQLITE_OK, "parameter \(index) does not exist in \(sql)")
    }

    /// Binds text, or NULL. Text may contain NUL characters.
    package func bind(_ value: String?, at index: Int32) throws(SQLiteError) {
        guard var text = value else { return bind(Int64?.none, at: index) }
        let code = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                sqlite3_bind_text64(
                    statement, index, characters.baseAddress ?? emptyText, UInt64(characters.count),
                    halcyon_sqlite_transient(), UInt8(SQLITE_UTF8))
            }
        }
        try check(code)
    }

    /// Binds bytes.
    package func bind(_ value: [UInt8], at index: Int32) throws(SQLiteError) {
        let code = value.withUnsafeBytes { bytes in
            bytes.isEmpty
                ? sqlite3_bind_zeroblob(statement, index, 0)
                : sqlite3_bind_blob64(
                    statement, index, bytes.baseAddress, UInt64(bytes.count), halcyon_sqlite_transient())
        }
        try check(code)
    }

    // MARK: Running

    /// `sqlite3_step`: true while there is a row to read.
    package func step() throws(SQLiteError) -> Bool {
        switch sqlite3_step(statement) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code:
            let error = SQLiteError(code: code, handle: connection, sql: sql)
            // Another program may have dropped a table or a column since. Only preparing tells.
            if code == SQLITE_ERROR { _ = try Statement(sql, isKept: false, connection: connection) }
            throw error
        }
    }

    // MARK: Columns out, numbered from 0

    package func isNull(at column: Int32) -> Bool {
        sqlite3_column_type(statement, column) == SQLITE_NULL
    }

    package func integer(at column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

    /// An integer, clamped to `range`: anyone may have edited the file.
    package func integer(at column: Int32, in range: ClosedRange<Int64>) -> Int64 {
        min(max(range.lowerBound, integer(at: column)), range.upperBound)
    }

    package func optionalInteger(at column: Int32) -> Int64? { isNull(at: column) ? nil : integer(at: column) }

    package func text(at column: Int32) -> String { String(decoding: bytes(at: column), as: UTF8.self) }

    package func optionalText(at column: Int32) -> String? { isNull(at: column) ? nil : text(at: column) }

    package func isInteger(at column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_INTEGER }

    /// Whether the value is stored as text rather than as bytes.
    package func isText(at column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_TEXT }

    /// The bytes of text or of a blob, valid until the next step.
    package func bytes(at column: Int32) -> UnsafeRawBufferPointer {
        // There are no bytes for an empty value, or if SQLite ran out of memory.
        guard let start = sqlite3_column_blob(statement, column) else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))
    }

    private var sql: String { sqlite3_sql(statement).map { String(cString: $0) } ?? "" }

    func check(_ code: Int32) throws(SQLiteError) {
        guard code != SQLITE_OK else { return }
        throw SQLiteError(code: code, handle: connection, sql: sql)
    }
}

/// `withUTF8` of an empty string may pass no address, and a NULL pointer would bind NULL.
nonisolated(unsafe) private let emptyText =
    UnsafeRawPointer(("" as StaticString).utf8Start).assumingMemoryBound(to: CChar.self)
