import CSQLite

/// SQLite's result when it should have been OK. The benchmark cannot continue after any of these.
struct DatabaseError: Error, CustomStringConvertible {
    let description: String
}

/// One connection: just enough of SQLite to time statements, with nothing between the clock and SQLite.
final class Database {
    private let handle: OpaquePointer

    init(path: String) throws {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        guard sqlite3_open_v2(path, &opened, flags, nil) == SQLITE_OK, let opened else {
            throw DatabaseError(description: "cannot open \(path)")
        }
        handle = opened
    }

    deinit { sqlite3_close_v2(handle) }

    func execute(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw error(in: sql) }
    }

    func prepare(_ sql: String) throws -> Statement {
        var prepared: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        guard sqlite3_prepare_v3(handle, sql, -1, flags, &prepared, nil) == SQLITE_OK, let prepared else {
            throw error(in: sql)
        }
        return Statement(prepared, sql: sql)
    }

    /// The first column of the first row, for pragmas and totals.
    func integer(_ sql: String) throws -> Int64 {
        let statement = try prepare(sql)
        guard try statement.step() else { throw DatabaseError(description: "no row: \(sql)") }
        return statement.integer(at: 0)
    }

    /// The query plan as indented lines, with each step below the one it serves.
    func plan(of sql: String) throws -> [String] {
        let statement = try prepare("EXPLAIN QUERY PLAN " + sql)
        var depth: [Int64: Int] = [0: 0]
        var lines: [String] = []
        while try statement.step() {
            let level = depth[statement.integer(at: 1)] ?? 0
            depth[statement.integer(at: 0)] = level + 1
            lines.append(String(repeating: "  ", count: level) + statement.text(at: 3))
        }
        return lines
    }

    /// Copies the log into the file without waiting for anybody; returns how many frames the log held.
    func checkpoint(_ mode: Int32 = SQLITE_CHECKPOINT_PASSIVE) throws -> Int {
        var frames: Int32 = 0
        var copied: Int32 = 0
        guard sqlite3_wal_checkpoint_v2(handle, nil, mode, &frames, &copied) == SQLITE_OK, frames == copied else {
            throw error(in: "checkpoint")
        }
        return Int(frames)
    }

    private func error(in sql: String) -> DatabaseError {
        DatabaseError(description: "\(String(cString: sqlite3_errmsg(handle))): \(sql)")
    }
}

/// A prepared statement, used again and again as the library will use its own.
final class Statement {
    private let handle: OpaquePointer
    private let sql: String
    /// Tells SQLite to copy what is bound; every candidate pays the same for it.
    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    fileprivate init(_ handle: OpaquePointer, sql: String) {
        self.handle = handle
        self.sql = sql
    }

    deinit { sqlite3_finalize(handle) }

    func bind(_ value: Int64?, at position: Int32) {
        if let value { sqlite3_bind_int64(handle, position, value) } else { sqlite3_bind_null(handle, position) }
    }

    func bind(text bytes: [UInt8], at position: Int32) {
        bytes.withUnsafeBytes { buffer in
            let start = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            _ = sqlite3_bind_text(handle, position, start, Int32(buffer.count), Self.transient)
        }
    }

    func bind(blob bytes: [UInt8], at position: Int32) {
        bytes.withUnsafeBytes { buffer in
            _ = sqlite3_bind_blob(handle, position, buffer.baseAddress, Int32(buffer.count), Self.transient)
        }
    }

    /// True while there is a row.
    func step() throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw DatabaseError(description: "\(String(cString: sqlite3_errstr(code))): \(sql)")
        }
    }

    /// Runs a statement and ignores its rows.
    func run() throws {
        while try step() {}
        reset()
    }

    func reset() { sqlite3_reset(handle) }

    func integer(at column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    func text(at column: Int32) -> String { String(cString: sqlite3_column_text(handle, column)) }

    var lastColumn: Int32 { sqlite3_column_count(handle) - 1 }

    /// Compares a text or blob with the bytes asked for, without making a copy of it.
    func column(_ column: Int32, equals bytes: [UInt8]) -> Bool {
        guard let start = sqlite3_column_blob(handle, column) else { return false }
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
            .elementsEqual(bytes)
    }
}

/// The version of the library that was really loaded, for the report.
var sqliteVersion: String { String(cString: sqlite3_libversion()) }
