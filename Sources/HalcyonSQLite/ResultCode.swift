internal import CHalcyonSQLite

/// An SQLite result code (https://www.sqlite.org/rescode.html).
///
/// In a pattern, a primary code matches all of its extended codes: `case .ioError` also catches `IOERR_WRITE`.
package struct ResultCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    /// Not an SQLite code: the linked library is too old.
    package static let unsupportedVersion = ResultCode(rawValue: -1)
    package static let error = ResultCode(rawValue: SQLITE_ERROR)
    /// `SQLITE_ERROR_MISSING_COLLSEQ`: the schema uses a collation that this library lacks.
    package static let missingCollation = ResultCode(rawValue: SQLITE_ERROR | (1 << 8))
    package static let busy = ResultCode(rawValue: SQLITE_BUSY)
    package static let locked = ResultCode(rawValue: SQLITE_LOCKED)
    /// `SQLITE_INTERRUPT`: ``Connection/interrupt()`` was called.
    package static let interrupted = ResultCode(rawValue: SQLITE_INTERRUPT)
    package static let readOnly = ResultCode(rawValue: SQLITE_READONLY)
    /// `SQLITE_READONLY_DBMOVED`.
    package static let databaseMoved = ResultCode(rawValue: SQLITE_READONLY | (4 << 8))
    package static let ioError = ResultCode(rawValue: SQLITE_IOERR)
    /// `SQLITE_IOERR_SHMSIZE`: no space for the log's shared memory.
    package static let sharedMemorySize = ResultCode(rawValue: SQLITE_IOERR | (19 << 8))
    /// `SQLITE_IOERR_READ`
    package static let readRefused = ResultCode(rawValue: SQLITE_IOERR | (1 << 8))
    /// `SQLITE_IOERR_WRITE`
    package static let writeRefused = ResultCode(rawValue: SQLITE_IOERR | (3 << 8))
    /// `SQLITE_IOERR_FSYNC`
    package static let syncRefused = ResultCode(rawValue: SQLITE_IOERR | (4 << 8))
    /// `SQLITE_IOERR_SHORT_READ`: the file ends before the requested page.
    package static let shortRead = ResultCode(rawValue: SQLITE_IOERR | (2 << 8))
    package static let corrupt = ResultCode(rawValue: SQLITE_CORRUPT)
    package static let full = ResultCode(rawValue: SQLITE_FULL)
    package static let constraint = ResultCode(rawValue: SQLITE_CONSTRAINT)
    /// `SQLITE_CONSTRAINT_CHECK`
    package static let failedCheck = ResultCode(rawValue: SQLITE_CONSTRAINT | (1 << 8))
    /// `SQLITE_CONSTRAINT_NOTNULL`
    package static let missingValue = ResultCode(rawValue: SQLITE_CONSTRAINT | (5 << 8))
    package static let mismatch = ResultCode(rawValue: SQLITE_MISMATCH)
    package static let cannotOpen = ResultCode(rawValue: SQLITE_CANTOPEN)
    package static let `protocol` = ResultCode(rawValue: SQLITE_PROTOCOL)
    package static let notADatabase = ResultCode(rawValue: SQLITE_NOTADB)

    /// The primary code of an extended code: its low eight bits.
    package var primary: ResultCode { ResultCode(rawValue: rawValue & 0xFF) }

    package static func ~= (pattern: ResultCode, value: ResultCode) -> Bool {
        value == pattern || value.primary == pattern
    }
}
