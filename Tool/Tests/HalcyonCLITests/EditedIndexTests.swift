import Foundation
import Testing

/// Users can edit any number in the index to any value. In every case a command ends with an answer or a plain error, and no arithmetic
/// crashes the process.
@Suite struct EditedIndexTests {
    static let values: [Int64] = [.max, .min, -2, -5]

    private static let commands: [[String]] = [
        ["stats"], ["list", "--sort", "size"], ["list", "--unused", "1d"], ["info", "a"], ["get", "-o", "out", "a"],
        ["put", "--key", "new", "a"], ["check"], ["check", "--repair"],
        ["clean", "--limit", "1kB", "--keep-free", "9000000TB"], ["report", "--limit", "1kB", "-o", "report.html"],
        ["watch", "--count", "1", "--json"], ["upgrade", "--dry-run"],
    ]

    /// A table's columns of integers, as the schema has them.
    static let columns: [String] = {
        guard let tool = try? filledTool(), let connection = try? Connection(path: tool.index) else { return [] }
        let columns = try? connection.texts(
            """
            SELECT tables.name || ' ' || columns.name
            FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
            WHERE tables.type = 'table' AND columns.type = 'INTEGER' ORDER BY 1
            """)
        return columns ?? []
    }()

    /// A third of all cases in the short form, different ones for each column.
    private static func cases(for column: String) -> [(Int64, [String])] {
        let all = values.flatMap { value in commands.map { (value, $0) } }
        guard !Soak.isOn else { return all }
        let first = columns.firstIndex(of: column) ?? 0
        return stride(from: first % 3, to: all.count, by: 3).map { all[$0] }
    }

    private static func filledTool() throws -> Tool {
        let tool = try Tool()
        for (seed, name) in ["a", "b", "c", "d", "e"].enumerated() {
            try tool.write(name, .blob(seed, count: 200 + seed))
            try tool("put", "--key", name, "--tag", "t", "--note", "k=v", "--etag", "\"1\"", "--max-age", "5", name)
        }
        try tool("pin", "b")
        return tool
    }

    @Test(arguments: columns)
    func `an absurd number in the index crashes no command`(column: String) throws {
        let tool = try Self.filledTool()
        let index = try Data(contentsOf: URL(fileURLWithPath: tool.index))
        for (value, command) in Self.cases(for: column) {
            try tool.restoreIndex(index)
            try tool.edit(column, value)
            let result = try tool.run([command[0], "--folder", tool.cache] + command.dropFirst())
            #expect(result.status >= 0, "\(column) = \(value): \(command) was ended by signal \(-result.status)")
            #expect(!result.errors.contains("Fatal error"), "\(column) = \(value): \(command)")
        }
    }

    @Test(arguments: columns)
    func `after a repair, the cache works`(column: String) throws {
        let tool = try Self.filledTool()
        let index = try Data(contentsOf: URL(fileURLWithPath: tool.index))
        let first = Self.columns.firstIndex(of: column) ?? 0
        for value in Soak.isOn ? Self.values : [Self.values[first % Self.values.count]] {
            try tool.restoreIndex(index)
            try tool.edit(column, value)
            try tool("check", "--repair")
            for command in [["put", "--key", "a", "b"], ["get", "-o", "out", "a"], ["check"]] {
                let result = try tool.run([command[0], "--folder", tool.cache] + command.dropFirst())
                #expect(result.status == 0, "\(column) = \(value): \(command): \(result.errors)\(result.output)")
            }
        }
    }

    /// SQLite reads around a damaged list of free pages, and only its integrity check notices.
    @Test func `a repair rebuilds an index that only the integrity check finds damaged`() throws {
        let tool = try Self.filledTool()
        try Connection(path: tool.index).execute(
            "CREATE TABLE gone (text); INSERT INTO gone VALUES (randomblob(99999)); DROP TABLE gone")
        var bytes = try Data(contentsOf: URL(fileURLWithPath: tool.index))
        // Bytes 32 to 35 have the number of the first page of the list.
        let page = bytes[32..<36].reduce(0) { $0 << 8 | Int($1) }
        bytes.replaceSubrange((page - 1) * 4_096..<page * 4_096, with: Data(count: 4_096))
        try tool.restoreIndex(bytes)
        #expect(try tool("check").output.contains("index itself"))
        let repair = try tool("check", "--repair")
        // A later opening would drop the pins and tags of an index that was set aside long ago.
        #expect(tool.exists(tool.index))
        #expect(repair.status == 0 && repair.output.hasSuffix("Repaired all findings above.\n"), "\(repair.output)")
        #expect(try tool("check").output.hasSuffix("The cache is consistent.\n"))
        #expect(try tool("list", "--tag", "t", "--count").output.contains("5"))
        #expect(try tool("list", "--pinned", "--count").output.contains("1"))
    }

    @Test func `the schema has more than thirty columns to edit`() { #expect(Self.columns.count > 30) }
}

extension Tool {
    fileprivate var index: String { cache + "/.halcyon/index.sqlite" }

    /// Changes one row, whatever the schema's constraints.
    fileprivate func edit(_ column: String, _ value: Int64) throws {
        let names = column.split(separator: " ")
        try Connection(path: index).execute(
            """
            PRAGMA ignore_check_constraints = ON;
            UPDATE \(names[0]) SET \(names[1]) = \(value)
            WHERE \(names[1]) IS (SELECT \(names[1]) FROM \(names[0]) LIMIT 1)
            """)
    }

    /// In place: the cache would mistake a file with another inode number for a copy.
    fileprivate func restoreIndex(_ data: Data) throws {
        for suffix in ["-wal", "-shm", ".damaged"] { try? FileManager.default.removeItem(atPath: index + suffix) }
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: index))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: data)
        try handle.close()
    }
}
