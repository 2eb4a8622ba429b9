import Foundation
import Testing

@Suite struct `A report` {
    private let tool: Tool
    init() throws {
        tool = try Tool()
        try tool("put", "--key", "https://a.example/secret", "--expires", "2d", "-", input: .blob(1, count: 10))
        try tool("put", "--key", "https://b.example/<b>", "--expires", "1d", "-", input: .blob(2, count: 3000))
        try tool("put", "--key", "plain", "--expires", "never", "-", input: .blob(3, count: 200))
    }

    private func text(of name: String) throws -> String {
        String(decoding: try Data(contentsOf: tool.folder.url.appendingPathComponent(name)), as: UTF8.self)
    }

    private func write(_ name: String) throws { try tool.write(name, Data("old".utf8)) }

    @Test func `a report is written to a file or to standard output`() throws {
        let file = try tool("report", "-o", "cache.html")
        #expect(file.status == 0 && file.output.isEmpty && file.errors.isEmpty)
        let page = try text(of: "cache.html")
        #expect(page.hasPrefix("<!DOCTYPE html>\n<html lang=\"en\">") && page.hasSuffix("</html>\n"))
        let output = try tool("report", "-o", "-").output
        #expect(output.hasPrefix("<!DOCTYPE html>") && output.contains("b.example"))
        #expect(try tool("check").status == 0)
    }

    @Test func `a report reveals no key unless requested`() throws {
        for arguments in [["-o", "-"], ["--json"]] {
            let command = ["report", "--folder", tool.cache] + arguments
            let output = try tool.run(command).output
            #expect(!output.contains("secret") && !output.contains("plain\"") && !output.contains(">plain<"))
            #expect(output.contains("a.example"))
            let open = try tool.run(command + ["--keys"]).output
            #expect(open.contains("https://a.example/secret"))
        }
        let page = try tool("report", "-o", "-", "--keys").output
        #expect(page.contains("https://b.example/&lt;b&gt;") && !page.contains("<b>"))
    }

    @Test func `report --json has the same figures as the page`() throws {
        try tool("get", "--count-use", "plain")
        let object = try tool("report", "--json", "--limit", "3kB", "--count-limit", "10").object()
        #expect(object["entries"] as? Int == 3 && object["bytes"] as? Int == 3210)
        let hosts = try #require((object["hosts"] as? [String: Any])?["largest"] as? [[String: Any]])
        #expect(hosts.map { $0["bytes"] as? Int } == [3000, 200, 10])
        #expect(hosts[1]["name"] is NSNull)
        let statistics = try #require(object["statistics"] as? [String: Any])
        #expect(statistics["hits"] as? Int == 1 && statistics["stores"] as? Int == 3)
        #expect(statistics["hit_rate"] as? Double == 1)
        let eviction = try #require((object["limits"] as? [String: Any])?["eviction"] as? [String: Any])
        // Down to 1.5 kB: the two least recently used entries.
        #expect(eviction["entries"] as? Int == 2 && eviction["bytes"] as? Int == 3010)
        let next = try #require(object["evicted_next"] as? [[String: Any]])
        #expect(next.map { $0["host"] as? String } == ["a.example", "b.example", nil])
        #expect(next.allSatisfy { ($0["hash"] as? String)?.count == 10 && $0["key"] is NSNull })
        let ages = try #require(object["ages"] as? [[String: Any]])
        #expect(ages.first?["entries"] as? Int == 3 && ages.count == 8)
    }

    /// The entries of a report's object that are in each step.
    private func counts(_ name: String, in object: [String: Any]) throws -> [Int] {
        try #require(object[name] as? [[String: Any]]).map { try #require($0["entries"] as? Int) }
    }

    @Test func `a report counts by age, size and host`() throws {
        for number in 0..<30 {
            try tool("put", "--key", "https://h\(number % 14).example/\(number)", "-", input: .blob(4, count: 100))
        }
        try tool("pin", "plain")
        let day = 86_400_000
        try Connection(path: tool.cache + "/.halcyon/index.sqlite").execute(
            """
            UPDATE entries SET rank = rank - 2 * \(day) WHERE key = 'https://b.example/<b>';
            UPDATE entries SET rank = rank - 100 * \(day) WHERE key = 'https://a.example/secret';
            UPDATE entries SET rank = rank + 9 * \(day) WHERE key = 'plain'
            """)
        let object = try tool("report", "--json").object()
        #expect(try counts("ages", in: object) == [31, 0, 0, 1, 0, 0, 0, 1])
        #expect(try counts("sizes", in: object) == [32, 1, 0, 0, 0, 0, 0])
        #expect((object["pinned"] as? [String: Any])?["bytes"] as? Int == 200)
        let hosts = try #require(object["hosts"] as? [String: Any])
        let largest = try #require(hosts["largest"] as? [[String: Any]])
        #expect(largest.prefix(3).map { $0["bytes"] as? Int } == [3000, 300, 300])
        #expect(largest.count == 12 && hosts["other_groups"] as? Int == 5)
        #expect(
            (hosts["others"] as? [String: Any])?["entries"] as? Int == 33
                - largest.reduce(0) { $0 + ($1["entries"] as? Int ?? 0) })
    }

    @Test(arguments: [("--limit", "3kB"), ("--limit", "1kB"), ("--count-limit", "2"), ("--limit", "2")])
    func `a report predicts what an eviction removes`(limit: String, value: String) throws {
        try tool("pin", "https://b.example/<b>")
        let object = try tool("report", "--json", limit, value).object()
        let forecast = try #require((object["limits"] as? [String: Any])?["eviction"] as? [String: Any])
        let gone = try #require(try tool("clean", "--json", limit, value).object()["evicted"] as? [String: Any])
        #expect(forecast["entries"] as? Int == gone["entries"] as? Int)
        #expect(forecast["bytes"] as? Int == gone["bytes"] as? Int)
    }

    @Test func `a report leaves out what has expired when it predicts an eviction`() throws {
        let forecast = { (limit: String) in
            let object = try tool("report", "--json", "--limit", limit).object()
            return (object["limits"] as? [String: Any])?["eviction"] as? [String: Any]
        }
        try tool("put", "--key", "soon", "--expires", "2d", "-", input: .blob(4, count: 4000))
        try Connection(path: tool.cache + "/.halcyon/index.sqlite")
            .execute("UPDATE entries SET expires_at = 1000 WHERE key = 'soon'")
        #expect(try forecast("4kB") == nil)
        let small = try forecast("3kB")
        #expect(small?["entries"] as? Int == 2 && small?["bytes"] as? Int == 3010)
        let page = try tool("report", "-o", "-", "--limit", "3kB").output
        #expect(page.contains("3.0\u{A0}kB, besides what has expired: everything not used since"))
        let gone = try #require(try tool("clean", "--json", "--limit", "3kB").object()["evicted"] as? [String: Any])
        #expect(gone["entries"] as? Int == 2)
    }

    @Test func `a report finds the oldest and the newest use also if frequent use keeps entries longer`() throws {
        let hour = 3_600_000
        try Connection(path: tool.cache + "/.halcyon/index.sqlite").execute(
            """
            UPDATE entries SET rank = rank - 3 * \(hour) WHERE key = 'https://a.example/secret';
            UPDATE entries SET accessed_at = rank - 90 * \(hour) WHERE key = 'https://b.example/<b>';
            UPDATE entries SET accessed_at = rank - 60 * \(hour) WHERE key = 'plain';
            CREATE INDEX entries_ahead ON entries (accessed_at, rank, pinned) WHERE accessed_at IS NOT NULL
            """)
        let object = try tool("report", "--json", "--limit", "3.2kB").object()
        let stats = try tool("stats", "--json").object()
        for name in ["oldest_access", "newest_access"] {
            #expect(object[name] as? String != nil && object[name] as? String == stats[name] as? String, "\(name)")
        }
        let eviction = try #require((object["limits"] as? [String: Any])?["eviction"] as? [String: Any])
        // What was used 60 hours ago stays, so there is no date that tells what goes.
        #expect(eviction["entries"] as? Int == 2 && eviction["used_until"] is NSNull)
    }

    @Test func `a report of an empty cache says so`() throws {
        try tool("remove", "--all", "--yes")
        let page = try tool("report", "-o", "-", "--limit", "1MB").output
        #expect(page.contains("The cache is empty") && !page.contains("<td class=\"n\">in "))
        #expect(try tool("report", "--json").object()["oldest_access"] is NSNull)
    }

    @Test func `a report replaces a file atomically, and keeps its permissions`() throws {
        try write("cache.html")
        let path = tool.folder.url.appendingPathComponent("cache.html").path
        #expect(chmod(path, 0o600) == 0)
        #expect(symlink("cache.html", tool.folder.url.appendingPathComponent("link.html").path) == 0)
        #expect(try tool("report", "-o", "link.html").status == 0)
        #expect(try text(of: "cache.html").hasPrefix("<!DOCTYPE html>"))
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(
            try FileManager.default.destinationOfSymbolicLink(atPath: path.replacing("cache.", with: "link."))
                == "cache.html")
        let names = try FileManager.default.contentsOfDirectory(atPath: tool.folder.url.path)
        #expect(!names.contains { $0.hasSuffix(".halcyon-part") })
    }

    @Test func `a report is not written over a folder or into a missing one`() throws {
        try write("folder/file")
        #expect(symlink("folder", tool.folder.url.appendingPathComponent("link").path) == 0)
        for path in ["folder", "link", "."] {
            #expect(
                try tool("report", "-o", path).isPlainError(containing: "\(path) is a folder. Give the path of a file.")
            )
        }
        #expect(
            try tool("report", "-o", "missing/cache.html").isPlainError(containing: "Cannot write missing/cache.html:"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: tool.folder.url.path + "/folder") == ["file"])
    }

    @Test func `a report can be written to a pipe`() throws {
        let result = try tool.shell(
            #"mkfifo pipe; head -n 2 < pipe & halcyon report --folder "$cache" -o pipe; wait; ls"#)
        #expect(result.lines.prefix(2) == ["<!DOCTYPE html>", "<html lang=\"en\">"] && result.lines.contains("pipe"))
    }

    @Test(arguments: [
        ["report"], ["report", "-o", ""], ["report", "-o", "x", "--limit", "0"],
        ["report", "-o", "x", "--count-limit", "0"],
        ["report", "-o", "x", "--limit", "much"], ["report", "--json", "--pictures"],
    ])
    func `invalid options of a report are refused`(arguments: [String]) throws {
        let result = try tool.run(arguments)
        #expect(result.status == 64 && result.output.isEmpty && result.errors.hasPrefix("Error: "))
    }

    @Test func `a report of a missing cache is an error, and creates no cache`() throws {
        let result = try tool.run(["report", "--folder", "nowhere", "-o", "x.html"])
        #expect(result.isPlainError(containing: "There is no cache at"))
        #expect(!tool.exists(tool.folder.url.path + "/nowhere") && !tool.exists(tool.folder.url.path + "/x.html"))
    }

    @Test func `a report shows progress on a terminal`() throws {
        let terminal = try PseudoTerminal(columns: 80)
        let arguments = ["report", "--folder", tool.cache, "-o", "x.html"]
        #expect(try tool.atTerminal(terminal, arguments, errors: true) == 0)
        #expect(terminal.screen().contains("3 of 3"))
    }
}
