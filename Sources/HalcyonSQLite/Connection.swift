internal import CHalcyonSQLite
internal import CHalcyonSystem
internal import Foundation

/// One connection to a database file.
///
/// Not thread-safe (`SQLITE_OPEN_NOMUTEX`): its owner guards it with a lock. Statements are prepared once and kept. Their
/// text is a `StaticString`, so a value can never become SQL.
package final class Connection {
    package enum Access: Sendable {
        /// Opens for reading and writing. Creates the file if it does not exist.
        case readWriteCreate
        /// Like `readWriteCreate`, but never creates the file and refuses statements that write (`PRAGMA query_only`). A true
        /// read-only open could not create the shared memory that a write-ahead log needs.
        case queryOnly
        /// Changes no file, and creates none, unless another process removes the log in this moment: SQLite then makes an empty one.
        /// Compare the files before and after: without shared memory, no lock keeps other processes from writing.
        case untouched(Log)
    }

    /// What is beside the database, which decides how to open it untouched.
    package enum Log: Sendable {
        case none
        /// With the shared memory of the processes that use it.
        case shared
        /// A crash has left it without shared memory, which SQLite would create.
        case abandoned
    }

    /// SQLite 3.35.0. iOS 15 and macOS 12 have later ones.
    package static let minimumVersion: Int32 = 3_035_000

    private let handle: OpaquePointer
    /// By the address of their text. `Int64`, because the first dictionary with a new type of key takes a tenth of a millisecond.
    private var statements: [Int64: Statement] = [:]
    private var shouldKeepWaiting: @Sendable (Int) -> Bool
    /// The begin of the current wait.
    private var busySince = MonotonicTime.now
    private var observedTable: StaticString = ""
    /// Ids of the rows written since the last ``begin()``. May contain duplicates.
    package private(set) var writtenRows: [Int64] = []
    /// Frames in the log after this connection's last commit; before its first, what its owner has found in the file. Replaces
    /// SQLite's automatic checkpoint, which would make the caller wait for its fsyncs.
    package var logFrames = 0

    /// Opens `path`.
    ///
    /// - Throws: ``SQLiteError``, and leaves nothing open. `CANTOPEN` if the directory is missing or not accessible. `NOTADB`
    ///   is not thrown here but by the first read.
    package init(
        path: String, access: Access = .readWriteCreate, busyTimeout: Int = 5000, vfs: String? = nil
    ) throws(SQLiteError) {
        try Self.requireVersion(atLeast: Self.minimumVersion)
        switch access {
        case .readWriteCreate:
            handle = try Self.open(path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs: vfs)
        case .queryOnly:
            handle = try Self.open(path, flags: SQLITE_OPEN_READWRITE, vfs: vfs)
        case .untouched(.none): handle = try Self.open(untouched: path, "?immutable=1", vfs)
        case .untouched(.shared): handle = try Self.open(untouched: path, "?readonly_shm=1", vfs)
        // SQLite's own VFS without locks, so that the exclusive mode below is always granted.
        case .untouched(.abandoned): handle = try Self.open(untouched: path, "", "unix-none")
        }
        shouldKeepWaiting = { $0 < busyTimeout }
        sqlite3_extended_result_codes(handle, 1)
        retryWhileBusy()
        observeLog()
        // Double quotes always mean identifiers: a typo must not become a string literal.
        _ = halcyon_sqlite_configure(handle, SQLITE_DBCONFIG_DQS_DML, 0)
        _ = halcyon_sqlite_configure(handle, SQLITE_DBCONFIG_DQS_DDL, 0)
        // Triggers and views that others added may not call functions with side effects.
        _ = halcyon_sqlite_configure(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        // Apple's library keeps an empty log when the last connection closes.
        var keepsLog: Int32 = 0
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &keepsLog)
        // Some systems switch it on, and then writable_schema, with which a migration ignores broken views, has no effect.
        _ = halcyon_sqlite_configure(handle, SQLITE_DBCONFIG_DEFENSIVE, 0)
        try Predicate.install(on: handle)
        if case .queryOnly = access { try execute("PRAGMA query_only = ON") }
        guard case .untouched(.abandoned) = access else { return }
        // In this mode, SQLite keeps the index of the log in memory (sqlite.org/wal.html, section 8).
        keepsLogWhenClosed()
        try execute("PRAGMA locking_mode = EXCLUSIVE")
    }

    deinit {
        statements.removeAll()
        let code = sqlite3_close(handle)
        assert(code == SQLITE_OK, "a statement outlived its connection")
    }

    /// Throws if the linked library is older than `version` (3035000 for 3.35.0).
    package static func requireVersion(atLeast version: Int32) throws(SQLiteError) {
        let linked = sqlite3_libversion_number()
        guard linked < version else { return }
        throw SQLiteError(
            code: .unsupportedVersion,
            message: "Halcyon needs SQLite \(dotted(version)) or later, but \(dotted(linked)) is linked")
    }

    private static func dotted(_ version: Int32) -> String {
        "\(version / 1_000_000).\(version / 1000 % 1000).\(version % 1000)"
    }

    private static func uri(_ path: String) -> String {
        // Two slashes at its beginning would precede a host.
        "file:" + (path.hasPrefix("//") ? "//" : "")
            + (path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path)
    }

    /// The VFS of connections that name none.
    package static let usualVFS = halcyon_vfs().map { String(cString: $0) }

    private static func open(
        untouched path: String, _ query: String, _ vfs: String?
    ) throws(SQLiteError) -> OpaquePointer {
        try open(uri(path) + query, flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, vfs: vfs)
    }

    private static func open(_ path: String, flags: Int32, vfs: String?) throws(SQLiteError) -> OpaquePointer {
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(path, &handle, flags | SQLITE_OPEN_NOMUTEX, vfs ?? usualVFS)
        if code == SQLITE_OK, let handle { return handle }
        // A failed open still returns a handle, which holds the error message and must be closed.
        defer { sqlite3_close(handle) }
        throw SQLiteError(code: handle.map(sqlite3_extended_errcode) ?? code, handle: handle)
    }

    // MARK: Statements

    /// Runs `body` with the prepared statement of `sql`, and always resets it afterwards.
    package func with<Result>(
        _ sql: StaticString, _ body: (Statement) throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result {
        let statement = try prepared(sql)
        defer { statement.reset() }
        return try body(statement)
    }

    /// Runs `body` with a statement that is prepared for this call only, and the values of its parameters in order. Its parts are
    /// static too, so a value can never become SQL.
    package func with<Result>(
        joining parts: [StaticString], _ values: [any Bindable] = [], _ body: (Statement) throws -> Result
    ) throws -> Result {
        let statement = try Statement(parts.map(\.description).joined(), isKept: false, connection: handle)
        for (index, value) in values.enumerated() { try value.bind(to: statement, at: Int32(index + 1)) }
        return try body(statement)
    }

    /// Prepares a statement without running it.
    ///
    /// - Throws: ``SQLiteError``, with `isForeignSchema` set if the tables lack what the statement uses.
    package func prepare(_ sql: String) throws(SQLiteError) {
        _ = try Statement(sql, isKept: false, connection: handle)
    }

    /// Runs a statement that returns no rows, with the values of its parameters.
    package func run<each Value: Bindable>(_ sql: StaticString, _ value: repeat each Value) throws(SQLiteError) {
        _ = try first(sql, repeat each value) { _ in }
    }

    /// Runs several statements, such as those of a migration, without keeping them prepared.
    package func execute(_ sql: String) throws(SQLiteError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code != SQLITE_OK else { return }
        throw SQLiteError(code: code, handle: handle, sql: sql)
    }

    /// Reads the first row; nil if there is none.
    package func first<each Value: Bindable, Row>(
        _ sql: StaticString, _ value: repeat each Value, row: (Statement) -> Row
    ) throws(SQLiteError) -> Row? {
        let statement = try prepared(sql)
        defer { statement.reset() }
        try statement.bind(repeat each value)
        return try statement.step() ? row(statement) : nil
    }

    /// Reads each row.
    package func rows<each Value: Bindable, Row>(
        _ sql: StaticString, _ value: repeat each Value, row: (Statement) -> Row
    ) throws(SQLiteError) -> [Row] {
        let statement = try prepared(sql)
        defer { statement.reset() }
        try statement.bind(repeat each value)
        var rows: [Row] = []
        while try statement.step() { rows.append(row(statement)) }
        return rows
    }

    /// The first column of the first row as an integer.
    package func integer<each Value: Bindable>(
        _ sql: StaticString, _ value: repeat each Value
    ) throws(SQLiteError) -> Int64? {
        try first(sql, repeat each value) { $0.optionalInteger(at: 0) } ?? nil
    }

    /// The first column of the first row as text.
    package func text(_ sql: StaticString) throws(SQLiteError) -> String? {
        try first(sql) { $0.optionalText(at: 0) } ?? nil
    }

    /// The first column of each row as text.
    package func texts<each Value: Bindable>(
        _ sql: StaticString, _ value: repeat each Value
    ) throws(SQLiteError) -> [String] {
        try rows(sql, repeat each value) { $0.text(at: 0) }
    }

    private func prepared(_ sql: StaticString) throws(SQLiteError) -> Statement {
        let address = Int64(Int(bitPattern: sql.utf8Start))
        if let statement = statements[address] { return statement }
        let statement = try Statement(sql.description, isKept: true, connection: handle)
        statements[address] = statement
        return statement
    }

    // MARK: Transactions

    /// `BEGIN IMMEDIATE`: waits for the write lock now. A deferred transaction that reads first and writes later fails at
    /// once if another connection wrote in between, whatever the timeout.
    package func begin() throws(SQLiteError) {
        try run("BEGIN IMMEDIATE")
        writtenRows.removeAll(keepingCapacity: true)
    }

    /// `COMMIT`. If it throws, ``isInTransaction`` tells you whether SQLite has already rolled back.
    package func commit() throws(SQLiteError) { try run("COMMIT") }

    /// Rolls back the open transaction. Does nothing if there is none, for example after a failed commit.
    package func rollBack() {
        guard isInTransaction else { return }
        // If this fails, SQLite rolls back at the next open.
        try? run("ROLLBACK")
    }

    /// `sqlite3_get_autocommit`, negated.
    package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Runs `body` in one IMMEDIATE transaction: commits if it returns, rolls back if it throws.
    package func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try begin()
        do {
            let result = try body()
            try commit()
            return result
        } catch {
            rollBack()
            throw error
        }
    }

    /// Runs `body` on one snapshot of the database.
    package func reading<Result>(_ body: () throws -> Result) throws -> Result {
        try run("BEGIN")
        defer { rollBack() }
        return try body()
    }

    /// The number of rows that the last INSERT, UPDATE or DELETE changed.
    package var changes: Int { Int(sqlite3_changes(handle)) }

    /// From now on, records which rows of a table are written (`sqlite3_update_hook`).
    package func observeRows(of table: StaticString) {
        observedTable = table
        sqlite3_update_hook(
            handle,
            { context, _, _, table, row in
                guard let connection = Connection.of(context), let table else { return }
                let observed = UnsafeRawPointer(connection.observedTable.utf8Start)
                guard strcmp(table, observed.assumingMemoryBound(to: CChar.self)) == 0 else { return }
                connection.writtenRows.append(row)
            }, context)
    }

    // MARK: Callbacks

    /// What SQLite passes to a callback of this connection.
    private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    private static func of(_ context: UnsafeMutableRawPointer?) -> Connection? {
        context.map { Unmanaged<Connection>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Retries about every millisecond while another connection holds a lock.
    ///
    /// SQLite's own handler backs off to 100 ms between retries. A writer that waits that long loses to any process that writes
    /// in short bursts.
    private func retryWhileBusy() {
        sqlite3_busy_handler(
            handle,
            { context, attempt in
                guard let connection = Connection.of(context) else { return 0 }
                // On a busy machine, a pause of a millisecond may take a hundred.
                if attempt == 0 { connection.busySince = .now }
                let waited = MonotonicTime.now.milliseconds(since: connection.busySince)
                guard connection.shouldKeepWaiting(waited) else { return 0 }
                pauseMillisecond()
                return 1
            }, context)
    }

    private func observeLog() {
        sqlite3_wal_hook(
            handle,
            { context, _, _, frames in
                Connection.of(context)?.logFrames = Int(frames)
                return SQLITE_OK
            }, context)
    }

    /// Retries in the same way what returns BUSY at once, without asking the handler.
    private func retryingWhileBusy<Result>(_ body: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
        let begin = MonotonicTime.now
        while true {
            do throws(SQLiteError) {
                return try body()
            } catch {
                guard error.isBusy, shouldKeepWaiting(MonotonicTime.now.milliseconds(since: begin)) else {
                    throw error
                }
                pauseMillisecond()
            }
        }
    }

    /// Takes the lock of a writer on the file until the connection closes, even if no page can be read. Begin no transaction
    /// afterwards.
    package func lockFile() throws(SQLiteError) {
        try retryingWhileBusy { () throws(SQLiteError) in
            let code = halcyon_sqlite_lock_file(handle)
            // SQLite has no message for it.
            guard code == SQLITE_OK else {
                throw SQLiteError(code: .init(rawValue: code), message: "the file cannot be locked")
            }
        }
    }

    // MARK: Write-ahead log

    /// Switches to a write-ahead log.
    ///
    /// - Returns: false if the file system does not support a write-ahead log.
    package func enableWAL() throws(SQLiteError) -> Bool {
        try retryingWhileBusy { () throws(SQLiteError) in try text("PRAGMA journal_mode = WAL") == "wal" }
    }

    /// The numbers of `SQLITE_CHECKPOINT_PASSIVE` and so on.
    package enum CheckpointMode: Int32, Sendable { case passive = 0, restart = 2, truncate = 3 }

    /// The result of a checkpoint: the number of frames in the log, how many of them are now in the database (both -1 without
    /// a log), and whether a reader or writer blocked the checkpoint.
    package struct Checkpoint: Equatable, Sendable {
        package let logFrames: Int
        package let checkpointedFrames: Int
        package let isBusy: Bool
        /// Whether the whole log is in the database, so the next writer restarts the log from the beginning.
        package var isComplete: Bool { !isBusy && logFrames == checkpointedFrames }
    }

    /// `sqlite3_wal_checkpoint_v2`. If a reader or writer blocks it, that is a result, not an error.
    ///
    /// - Throws: ``SQLiteError``, also if the file has moved. The first sync of a log, by a checkpoint or by the commit that
    ///   restarts the log, opens the directory to sync it too. If a named pipe is now at that path, the open never returns.
    package func checkpoint(_ mode: CheckpointMode) throws(SQLiteError) -> Checkpoint {
        guard !hasMoved else { throw SQLiteError(code: .databaseMoved, message: "the database file has moved") }
        var frames: Int32 = 0
        var done: Int32 = 0
        let code = sqlite3_wal_checkpoint_v2(handle, nil, mode.rawValue, &frames, &done)
        let isBusy = code & 0xFF == SQLITE_BUSY || code & 0xFF == SQLITE_LOCKED
        guard code == SQLITE_OK || isBusy else { throw SQLiteError(code: code, handle: handle) }
        return Checkpoint(logFrames: Int(frames), checkpointedFrames: Int(done), isBusy: isBusy)
    }

    /// Calls `shouldKeepWaiting` every millisecond while another connection holds the lock, with the milliseconds waited so far.
    /// If it returns false, the statement fails with BUSY. Replaces the timeout.
    package func waits(while shouldKeepWaiting: @escaping @Sendable (Int) -> Bool) {
        self.shouldKeepWaiting = shouldKeepWaiting
    }

    /// Keeps the log when this is the last connection to close: a checkpoint at close would wait for the disk.
    package func keepsLogWhenClosed() { _ = halcyon_sqlite_configure(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1) }

    /// From now on, a transaction writes up to 16 pages to the log with one system call, instead of two for each page. Call it
    /// while the log is open, which it is once this connection has read from a database that has one.
    package func joinLogWrites() { halcyon_join_log_writes(handle) }

    /// Ends the running statement with `SQLITE_INTERRUPT`. You may call only this function from any thread.
    package func interrupt() { sqlite3_interrupt(handle) }

    // MARK: The file

    /// `SQLITE_FCNTL_HAS_MOVED`: whether the database file was renamed, moved or deleted since it was opened.
    package var hasMoved: Bool {
        var moved: Int32 = 0
        guard sqlite3_file_control(handle, nil, SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK else { return false }
        return moved != 0
    }

    /// `sqlite3_db_readonly`: SQLite silently opens a file read-only if it may not write to it.
    package var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

    /// Reads the header of a file that has just been opened.
    ///
    /// - Throws: ``SQLiteError``. READONLY if the system does not allow writing to the file. NOTADB if the header itself
    ///   makes it read-only: SQLite then assumes a later file format and silently opens the file for reading.
    package func verifyHeader() throws(SQLiteError) {
        guard !isReadOnly else { throw SQLiteError(code: .readOnly, message: "the file is read-only") }
        _ = try integer("PRAGMA schema_version")
        guard isReadOnly else { return }
        throw SQLiteError(code: .notADatabase, message: "the header has an unknown file format version")
    }

    /// Loads what SQLite can parse of the schema, without objects that a later version has made. Call it before anything is read from
    /// the file.
    package func ignoreUnknownSchema() throws(SQLiteError) {
        try execute("PRAGMA writable_schema = ON")
        // The statement that loads the schema fails.
        _ = try? integer("SELECT count(*) FROM sqlite_schema")
        // The rest of the schema would stay unknown.
        guard !SQLiteError.hasRefusedRead(handle) else { throw .refusedRead(nil) }
    }

    /// Repairs the constant fields in the header of a damaged file. Call it before anything is read from the file.
    package func mendHeader() throws(SQLiteError) {
        let code = halcyon_sqlite_mend_header(handle)
        guard code != SQLITE_OK else { return }
        throw SQLiteError(code: code, handle: handle)
    }

    /// Runs SQLite's integrity check and returns its findings; none if the file is intact. Reads the whole file.
    ///
    /// - Throws: ``SQLiteError``, also if the system refused to read a page, which SQLite reports as a finding.
    package func integrityFindings() throws(SQLiteError) -> [String] {
        let findings = try texts("PRAGMA integrity_check(20)").filter { $0 != "ok" }
        guard findings.isEmpty || !SQLiteError.hasRefusedRead(handle) else {
            throw .refusedRead("PRAGMA integrity_check")
        }
        return findings
    }
}

/// Not `usleep`, which a signal ends early.
private func pauseMillisecond() {
    var rest = timespec(tv_sec: 0, tv_nsec: 1_000_000)
    while true {
        var pause = rest
        guard nanosleep(&pause, &rest) == -1, errno == EINTR else { return }
    }
}
