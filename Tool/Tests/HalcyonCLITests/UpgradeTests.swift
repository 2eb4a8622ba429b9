import Foundation
import Testing

@Suite struct `Upgrading and moving` {
    private let tool: Tool
    init() throws { tool = try Tool() }

    /// Files like those of Kingfisher: named by hashes, without an index.
    private func kingfisherFolder(_ count: Int) throws {
        for seed in 0..<count {
            let name = String(repeating: "0", count: 62) + String(format: "%02x", seed)
            try tool.write("cache/\(name)", .blob(seed))
        }
        try tool.write("cache/" + String(repeating: "a", count: 32) + ".jpg", .blob(99))
        try tool.write("cache/note.txt", .blob(1))
    }

    /// An index of the first version, with its golden rows.
    private func oldIndex() throws {
        try tool("put", "--key", "k", "-", input: .blob(1))
        let index = URL(fileURLWithPath: tool.cache).appendingPathComponent(".halcyon/index.sqlite")
        try FileManager.default.removeItem(at: index)
        let golden = URL(fileURLWithPath: #filePath)
            .appendingPathComponent("../../../../Tests/HalcyonTests/Golden/V0001.sql").standardizedFileURL
        try Connection(path: index.path).execute(try String(contentsOf: golden, encoding: .utf8))
    }

    private var index: String { tool.cache + "/.halcyon/index.sqlite" }

    @Test func `a symlink in place of the index is reported, also by what only reads`() throws {
        try tool("put", "--key", "k", "-", input: .blob(1))
        try FileManager.default.moveItem(atPath: index, toPath: tool.cache + "/other")
        try FileManager.default.createSymbolicLink(atPath: index, withDestinationPath: tool.cache + "/other")
        for arguments in [["upgrade", "--dry-run"], ["watch", "--count", "1"], ["stats"]] {
            let result = try tool.run(arguments + ["--folder", tool.cache])
            #expect((result.output + result.errors).contains("is not a regular file"), "\(arguments)")
        }
    }

    @Test func `a dry run reports what would happen, and changes nothing`() throws {
        try kingfisherFolder(5)
        let told = try tool("upgrade", "--dry-run", "--json").object()
        #expect(told["blobs"] as? Int == 5 && told["legacy_blobs"] as? Int == 1 && told["foreign_files"] as? Int == 1)
        #expect(told["done"] as? Bool == false && told["adopting"] as? Bool == true)
        #expect(!tool.exists(index))
        let text = try tool("upgrade", "--dry-run")
        #expect(
            text.output.contains("would apply V0001") && text.output.contains("6 files to be taken over, 1 of them"))
    }

    @Test func `upgrade adopts a folder of Kingfisher's at once`() throws {
        try kingfisherFolder(5)
        #expect(try tool("upgrade").output.contains("6 files taken over"))
        #expect(try tool("list", "--json").objects().count == 6)
        #expect(try tool("stats", "--json").object()["adoption"] as? String == "done")
        #expect(try tool("upgrade", "--json").object()["adopting"] as? Bool == false)
    }

    @Test func `upgrade --expires sets the expiration of adopted files`() throws {
        try kingfisherFolder(2)
        #expect(try tool("upgrade", "--expires", "never").status == 0)
        #expect(try tool("list", "--json").objects().allSatisfy { $0["expires"] is NSNull })
        #expect(try tool("upgrade", "--expires", "soon").status == 64)
    }

    @Test func `upgrade names the version of an old index, and upgrades it`() throws {
        try oldIndex()
        let plan = try tool("upgrade", "--dry-run", "--json").object()
        #expect(plan["schema_version"] as? Int == 1)
        #expect((plan["migrations"] as? [String])?.first?.hasPrefix("V0002") == true)
        #expect(try Connection(path: index).integer("PRAGMA user_version") == 1)
        #expect(try tool("upgrade").status == 0)
        #expect(try tool("stats", "--json").object()["schema_version"] as? Int == plan["newest_version"] as? Int)
    }

    @Test(arguments: [2, 8])
    func `processes that open an old index at once all continue with the new one`(count: Int) throws {
        try oldIndex()
        let handles = try (0..<3 * count).map { try FileHandle(forUpdating: tool.makeFile("stream-\($0)")) }
        let children = try (0..<count).map { number in
            try tool.start(
                ["stats", "--folder", tool.cache], streams: Array(handles[3 * number..<3 * number + 3]))
        }
        #expect(children.map { $0.wait() } == Array(repeating: 0, count: count))
        let ledger = try Connection(path: index).texts("SELECT name FROM schema_migrations ORDER BY version")
        #expect(ledger.count > 1 && Set(ledger).count == ledger.count)
    }

    @Test(arguments: ["stats", "list", "info", "report", "check", "remove", "tag", "note"])
    func `a command that only reads migrates no index that another process has open`(command: String) throws {
        try oldIndex()
        var holder: Connection? = try Connection(path: index)
        try holder?.execute("PRAGMA journal_mode = WAL")
        _ = try holder?.integer("SELECT count(*) FROM entries")
        let looking = [
            "info": ["k"], "report": ["-o", "-"], "remove": ["--prefix", "x", "--dry-run"], "tag": ["k"], "note": ["k"],
        ]
        let arguments = looking[command] ?? []
        let refused = try tool.run([command, "--folder", tool.cache] + arguments)
        #expect(refused.status == 1 && refused.errors.contains("halcyon upgrade"), "\(refused.errors)")
        #expect(try holder?.integer("PRAGMA user_version") == 1)
        holder = nil
        _ = try tool.run([command, "--folder", tool.cache] + arguments)
        #expect(try Connection(path: index).integer("PRAGMA user_version") ?? 0 > 6)
    }

    @Test func `an index that is too new is named in the error, and left alone`() throws {
        try tool("put", "--key", "k", "-", input: .blob(1))
        let next = try #require(try tool("upgrade", "--json").object()["newest_version"] as? Int) + 1
        try Connection(path: index).execute(
            "INSERT INTO schema_migrations VALUES (\(next), 'x', 'x', \(next), 0); PRAGMA user_version = \(next)")
        #expect(try tool("upgrade", "--dry-run").output.contains("newer than this tool supports"))
        #expect(try tool("upgrade").status == 1)
        #expect(try Connection(path: index).integer("PRAGMA user_version") == Int64(next))
    }

    @Test func `texts of a foreign index cannot control the terminal`() throws {
        try tool("put", "--key", "k", "-", input: .blob(1))
        try Connection(path: index).execute(
            """
            UPDATE schema_migrations SET name = name || char(27) || '[2J';
            CREATE TRIGGER pinned BEFORE UPDATE OF pinned ON entries BEGIN SELECT RAISE(ABORT, 'a\u{1B}[2J'); END
            """)
        #expect(try !tool("stats").output.contains("\u{1B}"))
        let refused = try tool("pin", "k")
        #expect(refused.status == 1 && refused.errors.contains("[2J"), "\(refused.errors)")
        #expect(!refused.errors.contains("\u{1B}"))
    }

    /// Every file below the cache's folder, with its bytes.
    private func snapshot() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: tool.cache) {
            files[name] = FileManager.default.contents(atPath: tool.cache + "/" + name) ?? Data()
        }
        return files
    }

    @Test func `a dry run changes no byte of an index, open elsewhere or left by a crash`() throws {
        try tool("put", "--key", "k", "-", input: .blob(1))
        var before = try snapshot()
        let told = try tool("upgrade", "--dry-run").output
        #expect(told.contains("up to date"))
        #expect(try snapshot() == before)
        // Open in another process, which has written to it.
        var connection: Connection? = try Connection(path: index)
        try connection?.execute("PRAGMA journal_mode = WAL; UPDATE entries SET rank = rank + 1")
        before = try snapshot()
        #expect(before.keys.contains { $0.hasSuffix("-wal") })
        #expect(try tool("upgrade", "--dry-run").output == told)
        #expect(try snapshot() == before)
        // As after kill -9: a log that no process has open, with and without its shared memory.
        let copies = try ["", "-wal", "-shm"].map { try Data(contentsOf: URL(fileURLWithPath: index + $0)) }
        connection = nil
        for count in [3, 2] {
            for (suffix, bytes) in zip(["", "-wal", "-shm"], copies) {
                try? FileManager.default.removeItem(atPath: index + suffix)
                if suffix != "-shm" || count == 3 { try bytes.write(to: URL(fileURLWithPath: index + suffix)) }
            }
            before = try snapshot()
            #expect(try tool("upgrade", "--dry-run").output == told)
            #expect(try snapshot() == before)
        }
    }

    @Test func `no key finds a file under a legacy name, and removing all removes it`() throws {
        // printf 'https://example.com/a.png' | md5sum
        let file = tool.cache + "/8c11d92f07c76baf29e49afd2301deb2"
        try tool.write("cache/8c11d92f07c76baf29e49afd2301deb2", .blob(1))
        #expect(try tool("remove", "https://example.com/a.png").output == "Removed 0 entries.\n")
        #expect(try tool("get", "https://example.com/a.png").status == 1)
        #expect(tool.exists(file))
        #expect(try tool("list").lines.count == 2)
        #expect(try tool("remove", "--all", "--yes").status == 0)
        #expect(!tool.exists(file))
    }

    @Test func `files under legacy names are adopted once`() throws {
        try kingfisherFolder(5)
        #expect(try tool("upgrade").status == 0)
        #expect(try tool("upgrade", "--dry-run").output.contains("6 files, all taken over already"))
    }
}
