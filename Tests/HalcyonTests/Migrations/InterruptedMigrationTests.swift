import Foundation
import HalcyonMigrations
import HalcyonSQLite
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// A migration that is interrupted at any of its statements leaves the previous version intact; the next opening runs it from the
/// beginning.
@Suite struct InterruptedMigrationTests {
    static let versions = Array(1...MigrationFiles.all.count)

    /// The statements of a file; a trigger's body is part of its statement.
    static func statements(of sql: String) -> [String] {
        let code = sql.split(separator: "\n").filter { !$0.trimmingCharacters(in: .whitespaces).hasPrefix("--") }
        var statements: [String] = []
        var current = ""
        for line in code {
            current += line + "\n"
            let isTrigger = current.contains("CREATE TRIGGER")
            if isTrigger ? line.hasPrefix("END;") : line.hasSuffix(";") {
                statements.append(current)
                current = ""
            }
        }
        return statements
    }

    static func migration(_ version: Int, sql: String? = nil) -> Migration {
        let file = MigrationFiles.all[version - 1]
        return Migration(
            version: version, name: file.name, sql: sql ?? file.sql,
            checksum: BlobName(key: file.sql, isHashed: true, pathExtension: nil).text,
            oldestReader: file.oldestReader)
    }

    /// The released migrations up to a version, the last one with different SQL.
    static func migrator(upTo version: Int, sql: String? = nil) -> Migrator {
        Migrator((1..<version).map { migration($0) } + [migration(version, sql: sql)]) { 0 }
    }

    /// An index of the previous version, with the rows of its golden text.
    static func makeIndex(before version: Int, at path: String) throws {
        guard version > 1 else { return }
        let name = "V" + String(format: "%04d", version - 1)
        let url = try #require(Bundle.module.url(forResource: name, withExtension: "sql", subdirectory: "Golden"))
        try Connection(path: path).execute(try String(contentsOf: url, encoding: .utf8))
    }

    private static let dump: StaticString = "SELECT coalesce(sql, name) FROM sqlite_schema ORDER BY type, name"
    private static let rows: StaticString =
        "SELECT id || hex(name) || coalesce(key, '') || token || size || created_at FROM entries ORDER BY id"

    /// Schema and rows, for comparison.
    static func content(of path: String) throws -> [String] {
        let connection = try Connection(path: path)
        let schema = try connection.texts(dump)
        guard schema.contains(where: { $0.contains("CREATE TABLE entries") }) else { return schema }
        return try schema + connection.texts(rows) + ["version \(try connection.integer("PRAGMA user_version") ?? 0)"]
    }

    @Test(arguments: versions)
    func `a failure of any statement leaves the old version intact`(version: Int) throws {
        let statements = Self.statements(of: MigrationFiles.all[version - 1].sql)
        #expect(!statements.isEmpty)
        for count in 0...statements.count {
            let folder = try TemporaryFolder()
            let path = folder.url.appendingPathComponent("index.sqlite").path
            try Self.makeIndex(before: version, at: path)
            let before = try Self.content(of: path)
            let broken = statements.prefix(count).joined() + "SELECT no_such_function();"
            #expect(throws: SQLiteError.self) {
                try Self.migrator(upTo: version, sql: broken).migrate(Connection(path: path))
            }
            #expect(try Self.content(of: path) == before, "after \(count) statements")
            try Self.expectUpgrade(path, version: version)
        }
    }

    static func expectUpgrade(_ path: String, version: Int) throws {
        let connection = try Connection(path: path)
        _ = try migrator(upTo: version).migrate(connection)
        #expect(try connection.integer("PRAGMA user_version") == Int64(version))
        #expect(try connection.texts("PRAGMA integrity_check") == ["ok"])
        let ledger = try migrator(upTo: version).ledger(of: connection)
        #expect(ledger.map(\.version) == Array(1...version))
        if version > 1 { #expect(try connection.integer("SELECT count(*) FROM entries") == 4) }
    }

    @Test(arguments: versions)
    func `killing the process at any statement leaves the old version intact`(version: Int) async throws {
        let statements = Self.statements(of: MigrationFiles.all[version - 1].sql)
        for count in 0...statements.count {
            let folder = try TemporaryFolder()
            let path = folder.url.appendingPathComponent("index.sqlite").path
            try Self.makeIndex(before: version, at: path)
            let before = try Self.content(of: path)
            let sql = statements.prefix(count).joined()
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, sql = sql as String] in
                let connection = try Connection(path: path)
                _ = try connection.enableWAL()
                try connection.begin()
                try connection.execute(sql)
                kill(getpid(), SIGKILL)
            }
            #expect(try Self.content(of: path) == before, "after \(count) statements")
            try Self.expectUpgrade(path, version: version)
        }
    }

    @Test(arguments: versions)
    func `a full disk at any point leaves the old version intact`(version: Int) throws {
        var failures = 0
        for spare in 0..<40 {
            let folder = try TemporaryFolder()
            let path = folder.url.appendingPathComponent("index.sqlite").path
            try Self.makeIndex(before: version, at: path)
            let before = try Self.content(of: path)
            do {
                let connection = try Connection(path: path)
                let pages = try connection.integer("PRAGMA page_count") ?? 0
                try connection.execute("PRAGMA max_page_count = \(Int(pages) + spare)")
                _ = try Self.migrator(upTo: version).migrate(connection)
            } catch let error as SQLiteError {
                #expect(error.isOutOfSpace)
                failures += 1
                #expect(try Self.content(of: path) == before, "\(spare) pages to spare")
            }
            try Self.expectUpgrade(path, version: version)
        }
        // Version 1 needs pages; a version that only adds a column may need none.
        #expect(version > 1 || failures > 3)
    }
}
