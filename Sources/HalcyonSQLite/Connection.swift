internal import CHalcyonSQLite

/// One connection to a database file.
///
/// Not thread-safe (`SQLITE_OPEN_NOMUTEX`): whoever owns it keeps it behind a lock. Statements are prepared once and
/// kept; their text is a `StaticString`, so a value can never become SQL.
package final class Connection {
    package enum Access: Sendable {
        /// Opens for reading and writing and makes the file when there is none.
        case readWriteCreate
        /// As `readWriteCreate`, but no file is made, and statements that write are refused (`PRAGMA query_only`). A true read-only open
        /// could not make the shared memory a write-ahead log needs.
        case queryOnly
        /// Changes and makes no file, and takes no part in the shared memory of a write-ahead log. For a look at an index
        /// that has none (`isLogged` false), or whose log and shared memory are both there.
        case untouched(isLogged: Bool)
    }

    /// RETURNING came with 3.35.0.
    package static let minimumVersion: Int32 = 3_035_000

    private let handle: OpaquePointer
    private let busyPolicy: BusyPolicy
    private var statements: [UnsafePointer<UInt8>: Statement] = [:]
    private let observer = WALObserver()
    private let commitGuard = CommitGuard()

    /// Opens `path`.
    ///
    /// - Throws: ``SQLiteError``; then nothing is left open. `CANTOPEN` when the folder is missing or not permitted,
    ///   `NOTADB` only later, when the file is first read.
    package init(
        path: String, access: Access = .readWriteCreate, busyTimeout: Int = 5000, vfs: String? = nil
    ) throws(SQLiteError) {
        try Self.requireVersion(atLeast: Self.minimumVersion)
        switch access {
        case .readWriteCreate:
            handle = try Self.open(path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs: vfs)
        case .queryOnly:
            handle = try Self.open(path, flags: SQLITE_OPEN_READWRITE, vfs: vfs)
        case .untouched(let isLogged):
            let uri = Self.uri(path) + (isLogged ? "?readonly_shm=1" : "?immutable=1")
            handle = try Self.open(uri, flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, vfs: vfs)
        }
        busyPolicy = BusyPolicy(milliseconds: busyTimeout)
        sqlite3_extended_result_codes(handle, 1)
        busyPolicy.install(on: handle)
        // Double quotes mean identifiers, always: a typing mistake must not become a text.
        _ = halcyon_sqlite_configure(handle, SQLITE_DBCONFIG_DQS_DML, 0)
        _ = halcyon_sqlite_configure(handle, SQLITE_DBCONFIG_DQS_DDL, 0)
        observer.install(on: handle)
        try Predicate.install(on: handle)
        if case .queryOnly = access { try execute("PRAGMA query_only = ON") }
    }

    deinit {
        statements.removeAll()
        let code = sqlite3_close(handle)
        assert(code == SQLITE_OK, "a statement outlived its connection")
    }

    /// Refuses a library older than `version` (as 3035000 for 3.35.0).
    package static func requireVersion(atLeast version: Int32) throws(SQLiteError) {
        let linked = sqlite3_libversion_number()
        guard linked < version else { return }
        throw SQLiteError(
            code: .unsupportedVersion,
            message: "SQLite \(dotted(version)) or later is needed and \(dotted(linked)) is linked")
    }

    private static func dotted(_ version: Int32) -> String {
        "\(version / 1_000_000).\(version / 1000 % 1000).\(version % 1000)"
    }

    private static func uri(_ path: String) -> String {
        "file:"
            + path.utf8.map { byte in
                let isPlain =
                    (UInt8(ascii: "A")...UInt8(ascii: "z")).contains(byte) || "/-.0123456789".utf8.contains(byte)
                return isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }.joined()
    }

    private static func open(_ path: String, flags: Int32, vfs: String?) throws(SQLiteError) -> OpaquePointer {
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(path, &handle, flags | SQLITE_OPEN_NOMUTEX, vfs)
        if code == SQLITE_OK, let handle { return handle }
        // A failed open still leaves a handle that holds the message and has to be closed.
        defer { sqlite3_close(handle) }
        throw SQLiteError(code: handle.map(sqlite3_extended_errcode) ?? code, handle: handle)
    }

    // MARK: Statements

    /// Runs `body` with the prepared statement of `sql`, and resets it afterwards whatever happens.
    package func with<Result>(
        _ sql: StaticString, _ body: (Statement) throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result {
        let statement = try prepared(sql)
        defer { statement.reset() }
        return try body(statement)
    }

    /// As ``with(_:_:)``, where `body` throws other errors too.
    package func with<Result>(throwing sql: StaticString, _ body: (Statement) throws -> Result) throws -> Result {
        let statement = try prepared(sql)
        defer { statement.reset() }
        return try body(statement)
    }

    /// Runs `body` with a statement that is put together for this one use: of texts that are static, so that here too no value
    /// can become SQL.
    package func with<Result>(joining parts: [StaticString], _ body: (Statement) throws -> Result) throws -> Result {
        let statement = try Statement(parts.map(\.description).joined(), isKept: false, connection: handle)
        return try body(statement)
    }

    /// Runs a statement that takes no values and returns no rows.
    package func run(_ sql: StaticString) throws(SQLiteError) {
        try with(sql) { (statement) throws(SQLiteError) in _ = try statement.step() }
    }

    /// Runs several statements, as a migration has them, without keeping them prepared.
    package func execute(_ sql: String) throws(SQLiteError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code != SQLITE_OK else { return }
        throw SQLiteError(code: code, handle: handle, sql: sql)
    }

    /// The first column of the first row as an integer.
    package func integer(_ sql: StaticString) throws(SQLiteError) -> Int64? {
        try with(sql) { (statement) throws(SQLiteError) in
            try statement.step() ? statement.optionalInteger(at: 0) : nil
        }
    }

    /// The first column of the first row as text.
    package func text(_ sql: StaticString) throws(SQLiteError) -> String? {
        try with(sql) { (statement) throws(SQLiteError) in
            try statement.step() ? statement.optionalText(at: 0) : nil
        }
    }

    /// The first column of each row as text.
    package func texts(_ sql: StaticString) throws(SQLiteError) -> [String] {
        try with(sql) { (statement) throws(SQLiteError) in
            var texts: [String] = []
            while try statement.step() { texts.append(statement.text(at: 0)) }
            return texts
        }
    }

    private func prepared(_ sql: StaticString) throws(SQLiteError) -> Statement {
        if let statement = statements[sql.utf8Start] { return statement }
        let statement = try Statement(sql.description, isKept: true, connection: handle)
        statements[sql.utf8Start] = statement
        return statement
    }

    // MARK: Transactions

    /// `BEGIN IMMEDIATE`: waits for the write lock now. A deferred transaction that reads first and writes later fails
    /// at once when another one wrote meanwhile, whatever the timeout.
    package func begin() throws(SQLiteError) { try run("BEGIN IMMEDIATE") }

    /// `COMMIT`. When it throws, ``isInTransaction`` tells whether SQLite has rolled back already.
    package func commit() throws(SQLiteError) { try run("COMMIT") }

    /// Undoes an open transaction; does nothing without one, as after a commit that failed half way.
    package func rollBack() {
        guard isInTransaction else { return }
        // A rollback that fails leaves what SQLite rolls back itself at the next open; there is nothing else to do.
        try? run("ROLLBACK")
    }

    /// `sqlite3_get_autocommit`, negated.
    package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Runs `body` in one IMMEDIATE transaction: committed when it returns, rolled back when it throws.
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

    /// Runs `body` on what the database is at one moment.
    package func reading<Result>(_ body: () throws -> Result) throws -> Result {
        try run("BEGIN")
        defer { rollBack() }
        return try body()
    }

    /// Rows that the last INSERT, UPDATE or DELETE changed.
    package var changes: Int { Int(sqlite3_changes(handle)) }

    // MARK: Write-ahead log

    /// Switches to a write-ahead log, waiting for others ourselves: SQLite answers BUSY at once here, despite a timeout.
    ///
    /// - Returns: false when the file system cannot have one.
    package func enableWAL() throws(SQLiteError) -> Bool {
        var waited = 0
        while true {
            do throws(SQLiteError) {
                return try text("PRAGMA journal_mode = WAL") == "wal"
            } catch {
                guard error.isBusy, busyPolicy.keepsWaiting(waited) else { throw error }
                pauseMilliseconds(1)
                waited += 1
            }
        }
    }

    package enum CheckpointMode: Sendable { case passive, restart, truncate }

    /// What a checkpoint found: frames in the log, how many of them are in the database now (-1 and -1 without a log),
    /// and whether it was held up.
    package struct Checkpoint: Equatable, Sendable {
        package let logFrames: Int
        package let checkpointedFrames: Int
        package let isBusy: Bool
        /// All of the log is in the database, so the next writer starts it again from the front.
        package var isComplete: Bool { !isBusy && logFrames == checkpointedFrames }
    }

    /// `sqlite3_wal_checkpoint_v2`. Being held up by a reader or writer is a result, not an error.
    ///
    /// - Throws: also when the file has moved. The first sync of a log, by a checkpoint or by the commit that begins it anew, opens the
    ///   folder to sync that, and if a named pipe is there by now, that call never returns.
    package func checkpoint(_ mode: CheckpointMode) throws(SQLiteError) -> Checkpoint {
        guard !hasMoved else { throw SQLiteError(code: .databaseMoved, message: "the database file has moved") }
        var frames: Int32 = 0
        var done: Int32 = 0
        let code = sqlite3_wal_checkpoint_v2(handle, nil, mode.flag, &frames, &done)
        let isBusy = code & 0xFF == SQLITE_BUSY || code & 0xFF == SQLITE_LOCKED
        guard code == SQLITE_OK || isBusy else { throw SQLiteError(code: code, handle: handle) }
        return Checkpoint(logFrames: Int(frames), checkpointedFrames: Int(done), isBusy: isBusy)
    }

    /// Asked every millisecond while another connection's lock is waited for, with the milliseconds until then; false gives up, with
    /// BUSY. Takes the place of the timeout.
    package func waits(while keepsWaiting: @escaping @Sendable (Int) -> Bool) { busyPolicy.keepsWaiting = keepsWaiting }

    /// Leaves the log as it is when this is the last connection that is closed: bringing it into the database waits for the disk.
    package func keepsLogWhenClosed() { _ = halcyon_sqlite_configure(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1) }

    /// Ends the statement that runs now, with `SQLITE_INTERRUPT`. The one function that any thread may call.
    package func interrupt() { sqlite3_interrupt(handle) }

    /// Runs `body` without waiting for locks.
    package func withoutWaiting<Result>(_ body: () throws -> Result) rethrows -> Result {
        let usual = busyPolicy.keepsWaiting
        busyPolicy.keepsWaiting = { _ in false }
        defer { busyPolicy.keepsWaiting = usual }
        return try body()
    }

    /// Frames in the log after this connection's last commit. Replaces SQLite's automatic checkpoint, whose fsyncs
    /// would be on the caller's path.
    package var logFrames: Int { observer.frames }

    // MARK: The file

    /// `SQLITE_FCNTL_HAS_MOVED`: the database file was renamed, moved or deleted since it was opened.
    package var hasMoved: Bool {
        var moved: Int32 = 0
        guard sqlite3_file_control(handle, nil, SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK else { return false }
        return moved != 0
    }

    /// `sqlite3_db_readonly`: SQLite opens a file that may not be written for reading, without a word.
    package var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

    /// Reads the header of a file that was opened just now.
    ///
    /// - Throws: ``SQLiteError``. READONLY when the system does not let the file be written. NOTADB when its header alone says
    ///   that it may not be: SQLite then takes the file for one of a later version, and reads it without a word.
    package func verifyHeader() throws(SQLiteError) {
        guard !isReadOnly else { throw SQLiteError(code: .readOnly, message: "the file may only be read") }
        _ = try integer("PRAGMA schema_version")
        guard isReadOnly else { return }
        throw SQLiteError(code: .notADatabase, message: "the header names a format that nobody writes")
    }

    /// Puts the constant fields of a damaged file's header right, in the file, before anything of it is read.
    package func mendHeader() throws(SQLiteError) {
        let code = halcyon_sqlite_mend_header(handle)
        guard code != SQLITE_OK else { return }
        throw SQLiteError(code: code, handle: handle)
    }

    /// SQLite's own integrity check: its findings, none when all is well. Reads the whole file.
    ///
    /// - Throws: ``SQLiteError``; also for a page that the system refused to read, which SQLite reports as a finding.
    package func integrityFindings() throws(SQLiteError) -> [String] {
        let findings = try texts("PRAGMA integrity_check(20)").filter { $0 != "ok" }
        guard findings.isEmpty || halcyon_sqlite_refusal(handle) == 0 else {
            throw .refusedRead("PRAGMA integrity_check")
        }
        return findings
    }

    /// `sqlite3_commit_hook`: asks before each commit. An answer of false turns it into a rollback, as a failing disk
    /// does (the seam for tests of what follows).
    package func beforeCommit(_ allow: (() -> Bool)?) {
        commitGuard.allow = allow
        guard allow != nil else {
            sqlite3_commit_hook(handle, nil, nil)
            return
        }
        sqlite3_commit_hook(
            handle,
            { context in
                guard let context else { return 0 }
                return Unmanaged<CommitGuard>.fromOpaque(context).takeUnretainedValue().allow?() ?? true ? 0 : 1
            }, Unmanaged.passUnretained(commitGuard).toOpaque())
    }
}

extension Connection.CheckpointMode {
    fileprivate var flag: Int32 {
        switch self {
        case .passive: SQLITE_CHECKPOINT_PASSIVE
        case .restart: SQLITE_CHECKPOINT_RESTART
        case .truncate: SQLITE_CHECKPOINT_TRUNCATE
        }
    }
}

private final class CommitGuard {
    var allow: (() -> Bool)?
}

/// Hears of each commit how long the log is now (`sqlite3_wal_hook`).
private final class WALObserver {
    var frames = 0

    func install(on handle: OpaquePointer) {
        sqlite3_wal_hook(
            handle,
            { context, _, _, frames in
                guard let context else { return SQLITE_OK }
                Unmanaged<WALObserver>.fromOpaque(context).takeUnretainedValue().frames = Int(frames)
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }
}
