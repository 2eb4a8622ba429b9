import Foundation
import HalcyonSQLite
import HalcyonTestSupport
import Testing

@Suite struct MigratorTests {
    private let folder: TemporaryFolder
    private var path: String { folder.url.appendingPathComponent("test.sqlite").path }

    init() throws { folder = try TemporaryFolder() }

    private static let first = Migration(
        version: 1, name: "V0001__a.sql", sql: "CREATE TABLE a (x); INSERT INTO a VALUES (1);", checksum: "one",
        oldestReader: 1)
    private static let second = Migration(
        version: 2, name: "V0002__b.sql", sql: "ALTER TABLE a ADD COLUMN y; CREATE TABLE b (z);", checksum: "two",
        oldestReader: 1)

    private func migrator(_ migrations: Migration...) -> Migrator { Migrator(migrations) { 1_700_000_000_000 } }

    @Test func `each file is applied once, with its ledger row and version`() throws {
        let connection = try Connection(path: path)
        let migrator = migrator(Self.first, Self.second)
        #expect(try migrator.migrate(connection) == 2)
        #expect(try migrator.migrate(connection) == 0)
        #expect(try migrator.userVersion(of: connection) == 2)
        let ledger = try migrator.ledger(of: connection)
        #expect(ledger.map(\.version) == [1, 2])
        #expect(ledger.map(\.name) == ["V0001__a.sql", "V0002__b.sql"])
        #expect(ledger.map(\.checksum) == ["one", "two"])
        #expect(ledger.map(\.oldestReader) == [1, 1])
        #expect(ledger.map(\.appliedAt) == [1_700_000_000_000, 1_700_000_000_000])
        #expect(try connection.integer("SELECT count(*) FROM a") == 1)
    }

    @Test func `an old index is upgraded from its version`() throws {
        let connection = try Connection(path: path)
        try migrator(Self.first).migrate(connection)
        try connection.execute("INSERT INTO a VALUES (7)")
        #expect(try migrator(Self.first, Self.second).migrate(connection) == 1)
        #expect(try connection.integer("SELECT sum(x) FROM a") == 8)
    }

    @Test func `a failed migration leaves the version before it`() throws {
        let connection = try Connection(path: path)
        let broken = Migration(
            version: 2, name: "V0002__broken.sql", sql: "CREATE TABLE b (z); CREATE TABLE a (again);", checksum: "x",
            oldestReader: 1)
        #expect(throws: SQLiteError.self) { try migrator(Self.first, broken).migrate(connection) }
        #expect(!connection.isInTransaction)
        #expect(try migrator(Self.first).userVersion(of: connection) == 1)
        #expect(try connection.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'b'") == 0)
        #expect(try migrator(Self.first, Self.second).migrate(connection) == 1)
    }

    @Test func `an edited migration is named in the error`() throws {
        let connection = try Connection(path: path)
        try migrator(Self.first).migrate(connection)
        let edited = Migration(
            version: 1, name: "V0001__a.sql", sql: Self.first.sql, checksum: "tow", oldestReader: 1)
        #expect(throws: MigrationError.edited(version: 1, name: "V0001__a.sql")) {
            try migrator(edited).migrate(connection)
        }
    }

    @Test func `a newer index that this version can read is used unchanged`() throws {
        let connection = try Connection(path: path)
        try migrator(Self.first, Self.second).migrate(connection)
        #expect(try migrator(Self.first).migrate(connection) == 0)
        #expect(try migrator(Self.first).userVersion(of: connection) == 2)
    }

    @Test func `a newer index that this version cannot read is refused and left alone`() throws {
        let connection = try Connection(path: path)
        let breaking = Migration(
            version: 2, name: "V0002__c.sql", sql: "DROP TABLE a;", checksum: "c", oldestReader: 2)
        try migrator(Self.first, breaking).migrate(connection)
        #expect(throws: MigrationError.newerSchema(found: 2, newestKnown: 1)) {
            try migrator(Self.first).migrate(connection)
        }
        #expect(try migrator(Self.first).userVersion(of: connection) == 2)
    }

    @Test func `a version without its ledger row is inconsistent`() throws {
        let connection = try Connection(path: path)
        try migrator(Self.first).migrate(connection)
        try connection.execute("PRAGMA user_version = 5")
        #expect(throws: MigrationError.inconsistentLedger(userVersion: 5, ledgerVersion: 1)) {
            try migrator(Self.first).migrate(connection)
        }
    }

    @Test(arguments: [-1, 0, 1, Int(Int32.min)])
    func `a version that differs from the ledger is refused before any migration is applied`(version: Int) throws {
        let connection = try Connection(path: path)
        try migrator(Self.first, Self.second).migrate(connection)
        try connection.execute("PRAGMA user_version = \(version)")
        #expect(throws: MigrationError.inconsistentLedger(userVersion: version, ledgerVersion: 2)) {
            try migrator(Self.first, Self.second).migrate(connection)
        }
        #expect(try connection.integer("PRAGMA user_version") == Int64(version))
    }

    @Test(arguments: [
        ("checksum = 'twt'", MigrationError.edited(version: 2, name: "V0002__b.sql")),
        ("checksum = ''", .edited(version: 2, name: "V0002__b.sql")),
        ("oldest_reader = 257", .damagedLedger(version: 2)),
    ])
    func `a row of the ledger that no version has written is damage`(change: String, error: MigrationError) throws {
        let connection = try Connection(path: path)
        try migrator(Self.first, Self.second).migrate(connection)
        try connection.execute("UPDATE schema_migrations SET \(change) WHERE version = 2")
        #expect(throws: error) {
            try migrator(Self.first, Self.second).migrate(connection)
        }
    }

    @Test func `eight concurrent connections apply each migration once`() async throws {
        let migrator = migrator(Self.first, Self.second)
        let path = path
        let applied = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let connection = try Connection(path: path)
                    _ = try connection.enableWAL()
                    return try migrator.migrate(connection)
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(applied == 2)
        #expect(try Connection(path: path).integer("SELECT count(*) FROM a") == 1)
    }

    @Test func `a gap in the migration numbers traps`() async {
        await #expect(processExitsWith: .failure) {
            let gap = Migration(version: 3, name: "V0003__c.sql", sql: "", checksum: "", oldestReader: 1)
            _ = Migrator([gap]) { 0 }
        }
    }
}
