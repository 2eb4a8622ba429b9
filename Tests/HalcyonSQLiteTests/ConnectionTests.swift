import CHalcyonSQLite
import Foundation
import HalcyonSQLite
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@Suite struct ConnectionTests {
    private let folder: TemporaryFolder
    private var path: String { folder.url.appendingPathComponent("test.sqlite").path }

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: ["", "/"]) func `a path may begin with two slashes`(prefix: String) throws {
        try Connection(path: prefix + path).execute("CREATE TABLE t (a)")
        let untouched = try Connection(path: prefix + path, access: .untouched(.none))
        #expect(try untouched.integer("SELECT count(*) FROM t") == 0)
    }

    @Test(arguments: [ResultCode.full, .sharedMemorySize])
    func `a volume may be full for the shared memory too`(code: ResultCode) {
        #expect(SQLiteError(code: code, message: "").isOutOfSpace)
    }

    @Test func `values come back as they were bound`() throws {
        let connection = try Connection(path: path)
        try connection.execute("CREATE TABLE t (a, b, c, d)")
        try connection.with("INSERT INTO t VALUES (?1, ?2, ?3, ?4)") { (statement) throws(SQLiteError) in
            statement.bind(Int64.max, at: 1)
            try statement.bind("e\u{301}\0tail", at: 2)
            try statement.bind([1, 0, 255], at: 3)
            statement.bind(Int64?.none, at: 4)
            _ = try statement.step()
        }
        try connection.with("SELECT a, b, c, d FROM t") { (statement) throws(SQLiteError) in
            #expect(try statement.step())
            #expect(statement.integer(at: 0) == .max)
            #expect(Array(statement.text(at: 1).utf8) == Array("e\u{301}\0tail".utf8))
            #expect(Array(statement.bytes(at: 2)) == [1, 0, 255])
            #expect(statement.isText(at: 1) && !statement.isText(at: 2))
            #expect(statement.optionalInteger(at: 3) == nil)
        }
    }

    /// Apple's SQLite reserves 12 bytes.
    @Test(arguments: [Int32(0), 12]) func `a mended header keeps the bytes that SQLite reserves of each page`(
        reserved: Int32
    )
        throws
    {
        var (handle, count) = (OpaquePointer?.none, reserved)
        #expect(sqlite3_open(path, &handle) == SQLITE_OK)
        #expect(sqlite3_file_control(handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &count) == SQLITE_OK)
        let statements = """
            PRAGMA journal_mode = WAL; PRAGMA application_id = 0x48414C43;
            CREATE TABLE t (a); INSERT INTO t VALUES (hex(zeroblob(9999)))
            """
        #expect(sqlite3_exec(handle, statements, nil, nil, nil) == SQLITE_OK)
        sqlite3_close(handle)
        var data = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(data[20] == UInt8(reserved))
        data[3] ^= 1
        try data.write(to: URL(fileURLWithPath: path))
        let connection = try Connection(path: path, access: .queryOnly)
        try connection.mendHeader()
        #expect(try connection.integer("SELECT count(*) FROM t WHERE a = hex(zeroblob(9999))") == 1)
    }

    @Test func `values are bound in order, whatever they are, and nil is NULL`() throws {
        let connection = try Connection(path: path)
        try connection.execute("CREATE TABLE t (a, b, c, d, e, f, g, h)")
        for number in 0..<2 {
            try connection.run(
                "INSERT INTO t VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)", number, UInt64.max, true, "text",
                [UInt8]([0, 255]), Int64?.none, String?.none, Bool?.some(false))
        }
        let rows = try connection.rows("SELECT * FROM t WHERE a >= ?1 ORDER BY a", 0) { row in
            #expect(row.integer(at: 1) == -1 && row.integer(at: 2) == 1 && row.text(at: 3) == "text")
            #expect(Array(row.bytes(at: 4)) == [0, 255] && row.isNull(at: 5) && row.isNull(at: 6))
            #expect(row.optionalInteger(at: 7) == 0)
            return row.integer(at: 0)
        }
        #expect(rows == [0, 1])
        #expect(try connection.first("SELECT b FROM t WHERE a = ?1", 2) { $0.integer(at: 0) } == nil)
        #expect(try connection.integer("SELECT count(*) FROM t WHERE a < ?1 AND d = ?2", 1, "text") == 1)
        #expect(try connection.texts("SELECT d FROM t WHERE c = ?1", true) == ["text", "text"])
    }

    @Test func `values are forgotten after a call that failed`() throws {
        let connection = try Connection(path: path)
        try connection.execute("CREATE TABLE t (a INTEGER UNIQUE)")
        for _ in 0..<2 {
            #expect(throws: SQLiteError.self) { try connection.run("INSERT INTO t VALUES (?1), (?1)", 1) }
        }
        // A statement left running would make this fail with LOCKED.
        try connection.execute("DROP TABLE t")
    }

    @Test func `empty text is not NULL`() throws {
        let connection = try Connection(path: path)
        let isNull = try connection.with("SELECT ?1 IS NULL") { (statement) throws(SQLiteError) in
            try statement.bind("", at: 1)
            return try statement.step() ? statement.integer(at: 0) : -1
        }
        #expect(isNull == 0)
    }

    @Test func `a statement is reset after its use, also after an error`() throws {
        let connection = try Connection(path: path)
        try connection.execute("CREATE TABLE t (a INTEGER UNIQUE)")
        for _ in 0..<2 {
            #expect(throws: SQLiteError.self) {
                try connection.with("INSERT INTO t VALUES (1), (1)") { (statement) throws(SQLiteError) in
                    _ = try statement.step()
                }
            }
        }
        // A statement left running would make this fail with LOCKED.
        try connection.execute("DROP TABLE t")
    }

    @Test func `an unfinished read does not block a checkpoint`() throws {
        let writer = try Connection(path: path)
        _ = try writer.enableWAL()
        try writer.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)")
        let reader = try Connection(path: path, access: .queryOnly)
        // Stops after the first of three rows.
        _ = try reader.integer("SELECT a FROM t")
        #expect(try writer.checkpoint(.truncate).isComplete)
    }

    @Test func `a primary code matches its extended codes`() {
        let extended = ResultCode(rawValue: 10 | 3 << 8)
        #expect(ResultCode.ioError ~= extended)
        #expect(!(ResultCode.busy ~= extended))
        #expect(SQLiteError(code: ResultCode(rawValue: 11 | 1 << 8), message: "").isDamage)
        #expect(!SQLiteError(code: .full, message: "").isDamage)
    }

    @Test func `a file that is not a database is reported as damage at the first read`() throws {
        try Data(repeating: 7, count: 8192).write(to: URL(fileURLWithPath: path))
        let connection = try Connection(path: path)
        let error = #expect(throws: SQLiteError.self) { _ = try connection.integer("PRAGMA user_version") }
        #expect(error?.isDamage == true)
    }

    @Test func `a missing folder is an error that is not damage`() throws {
        let error = #expect(throws: SQLiteError.self) { _ = try Connection(path: path + "/no/such") }
        #expect(error?.code.primary == .cannotOpen)
        #expect(error?.isDamage == false)
    }

    @Test func `a query-only connection refuses to write`() throws {
        try Connection(path: path).execute("CREATE TABLE t (a)")
        let connection = try Connection(path: path, access: .queryOnly)
        let error = #expect(throws: SQLiteError.self) { try connection.execute("INSERT INTO t VALUES (1)") }
        #expect(error?.code.primary == .readOnly)
    }

    @Test func `double quotes are identifiers only`() throws {
        let connection = try Connection(path: path)
        #expect(throws: SQLiteError.self) { _ = try connection.text("SELECT \"text\"") }
    }

    @Test func `an SQLite that is too old is refused by version`() throws {
        let error = #expect(throws: SQLiteError.self) { try Connection.requireVersion(atLeast: 99_001_002) }
        #expect(error?.message.contains("99.1.2") == true && error?.code == .unsupportedVersion)
        try Connection.requireVersion(atLeast: Connection.minimumVersion)
    }

    @Test func `a transaction that throws leaves nothing behind`() throws {
        struct Stop: Error {}
        let connection = try Connection(path: path)
        try connection.execute("CREATE TABLE t (a)")
        #expect(throws: Stop.self) {
            try connection.transaction {
                try connection.execute("INSERT INTO t VALUES (1)")
                throw Stop()
            }
        }
        #expect(!connection.isInTransaction)
        #expect(try connection.integer("SELECT count(*) FROM t") == 0)
    }

    @Test func `a refused commit has rolled back`() throws {
        let vfs = FaultyVFS()
        vfs.beforeCommit { false }
        let connection = try Connection(path: path, vfs: vfs.name)
        try connection.execute("CREATE TABLE t (a); PRAGMA synchronous = NORMAL")
        #expect(throws: SQLiteError.self) {
            try connection.transaction { try connection.execute("INSERT INTO t VALUES (1)") }
        }
        #expect(!connection.isInTransaction)
        #expect(try connection.integer("SELECT count(*) FROM t") == 0)
    }

    @Test func `a writer that waits for another one gives up after its timeout`() throws {
        let first = try Connection(path: path)
        _ = try first.enableWAL()
        try first.begin()
        let second = try Connection(path: path, busyTimeout: 30)
        let error = #expect(throws: SQLiteError.self) { try second.begin() }
        #expect(error?.isBusy == true)
        first.rollBack()
        try second.begin()
        second.rollBack()
    }

    /// SQLite calls back on the thread that waits.
    private final class Waits: @unchecked Sendable {
        var all: [Int] = []
    }

    @Test func `a wait is measured in milliseconds, however long each retry takes`() throws {
        let first = try Connection(path: path)
        _ = try first.enableWAL()
        let second = try Connection(path: path)
        for _ in 0..<2 {
            let waits = Waits()
            try first.begin()
            second.waits { waited in
                waits.all.append(waited)
                usleep(20_000)
                return waited < 50
            }
            #expect(throws: SQLiteError.self) { try second.begin() }
            first.rollBack()
            try #expect(#require(waits.all.first) < 20, "each wait begins at 0")
            try #expect(#require(waits.all.last) >= 50)
            #expect(waits.all.count <= 4)
        }
    }

    @Test func `a deleted database is noticed`() throws {
        let connection = try Connection(path: path)
        try connection.execute("CREATE TABLE t (a)")
        #expect(!connection.hasMoved)
        try FileManager.default.removeItem(atPath: path)
        #expect(connection.hasMoved)
    }

    /// SQLite opens the directory to sync it, and nothing ever writes to that pipe.
    @Test(.endsEvenIfItHangs) func `a checkpoint does not hang if a named pipe replaces the folder`() throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().appendingPathComponent("folder")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let connection = try Connection(path: folder.appendingPathComponent("t.sqlite").path)
        _ = try connection.enableWAL()
        try connection.execute("CREATE TABLE t (a)")
        try FileManager.default.removeItem(at: folder)
        #expect(mkfifo(folder.path, 0o600) == 0)
        let error = #expect(throws: SQLiteError.self) { try connection.checkpoint(.passive) }
        #expect(error?.code == .databaseMoved)
    }

    @Test func `the length of the log is known after a commit`() throws {
        let connection = try Connection(path: path)
        _ = try connection.enableWAL()
        try connection.execute("CREATE TABLE t (a)")
        #expect(connection.logFrames > 0)
    }

    // MARK: Joined writes of the log

    @Test(arguments: [false, true]) func `a transaction whose writes are joined is what others read`(
        isSpilled: Bool
    ) throws {
        let (writer, other) = (try joined(isSpilled: isSpilled), try Connection(path: path))
        for count in 1...3 {
            try writer.transaction { try insert(100, into: writer) }
            #expect(try other.integer("SELECT count(*) FROM t") == Int64(100 * count))
        }
        #expect(try other.integrityFindings().isEmpty)
    }

    @Test func `what a rolled back transaction held does not overwrite another connection's commit`() throws {
        let (writer, other) = (try joined(isSpilled: true), try Connection(path: path))
        for count in 1...20 {
            // A rollback reads the first page again, which writes what is held. But it is not in an empty log.
            if count.isMultiple(of: 3) { _ = try writer.checkpoint(.truncate) }
            try writer.begin()
            try insert(40 + count, into: writer)
            // Reads pages that were spilled, so that they are written.
            if count.isMultiple(of: 2) {
                #expect(try writer.integer("SELECT count(*) FROM t") == Int64(80 * (count - 1) + 40 + count))
            }
            writer.rollBack()
            try other.transaction { try insert(60, into: other) }
            try writer.transaction { try insert(20, into: writer) }
            // Without pages in its cache.
            let reader = try Connection(path: path)
            #expect(try reader.integer("SELECT count(*) FROM t") == Int64(80 * count))
            #expect(try reader.integrityFindings().isEmpty)
        }
        _ = try writer.checkpoint(.truncate)
        #expect(try Connection(path: path).integer("SELECT count(*) FROM t") == 1600)
    }

    @Test func `a statement that fails in the middle leaves nothing behind in the log`() throws {
        let (writer, other) = (try joined(isSpilled: true), try Connection(path: path))
        for count in 1...20 {
            try writer.begin()
            #expect(throws: SQLiteError.self) {
                try writer.execute(
                    """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
                    INSERT INTO t SELECT CASE WHEN i < 60 THEN NULL ELSE 'no id' END, zeroblob(2000) FROM n
                    """)
            }
            try writer.commit()
            try other.transaction { try insert(30, into: other) }
            try writer.transaction { try insert(20, into: writer) }
            #expect(try writer.integer("SELECT count(*) FROM t") == Int64(50 * count))
            #expect(try other.integrityFindings().isEmpty)
        }
    }

    @Test func `the last connection to close removes the log, also with a library that keeps logs`() throws {
        let vfs = FaultyVFS()
        vfs.keepLogs()
        var handle: OpaquePointer?
        #expect(sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs.name) == SQLITE_OK)
        #expect(sqlite3_exec(handle, "PRAGMA journal_mode = WAL; CREATE TABLE u (a)", nil, nil, nil) == SQLITE_OK)
        sqlite3_close(handle)
        #expect(FileManager.default.fileExists(atPath: path + "-wal"))
        var connection: Connection? = try joined(isSpilled: false, vfs: vfs.name)
        #expect(connection != nil && FileManager.default.fileExists(atPath: path + "-wal"))
        connection = nil
        #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
    }

    @Test func `an exhausted quota is a full disk, and does not hide later damage`() throws {
        let vfs = FaultyVFS()
        let connection = try joined(isSpilled: false, vfs: vfs.name)
        vfs.fail([.write: ResultCode.writeRefused.rawValue], errno: EDQUOT)
        let error = #expect(throws: SQLiteError.self) {
            try connection.transaction { try insert(30, into: connection) }
        }
        #expect(error?.isOutOfSpace == true)
        try connection.execute(
            "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 1; PRAGMA writable_schema = RESET")
        let damage = #expect(throws: SQLiteError.self) { try connection.integrityFindings() }
        #expect(damage?.isDamage == true)
    }

    @Test func `what a statement wrote is committed, even if the next one could not flush it`() throws {
        let vfs = FaultyVFS()
        let (writer, other) = (try joined(isSpilled: true, vfs: vfs.name), try Connection(path: path))
        try writer.begin()
        try insert(30, into: writer)
        // It reads pages that were spilled and held. SQLite undoes only this statement, because it has a journal of its own.
        vfs.fail([.write: ResultCode.full.rawValue])
        #expect(throws: SQLiteError.self) {
            try writer.execute("INSERT INTO t SELECT CASE WHEN id < 30 THEN NULL ELSE 'no id' END, bytes FROM t")
        }
        #expect(vfs.failures == 1 && writer.isInTransaction)
        try writer.commit()
        #expect(try other.integer("SELECT count(*) FROM t") == 30)
        #expect(try other.integrityFindings().isEmpty)
    }

    /// A connection that has a log and joins its writes.
    ///
    /// - Parameter isSpilled: whether its page cache is too small for a transaction.
    private func joined(isSpilled: Bool, vfs: String? = nil) throws -> Connection {
        let connection = try Connection(path: path, vfs: vfs)
        #expect(try connection.enableWAL())
        if isSpilled { try connection.execute("PRAGMA cache_size = 5; PRAGMA cache_spill = 5") }
        try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, bytes BLOB)")
        connection.joinLogWrites()
        return connection
    }

    private func insert(_ count: Int, into connection: Connection) throws {
        for _ in 0..<count { try connection.run("INSERT INTO t (bytes) VALUES (zeroblob(2000))") }
    }
}
