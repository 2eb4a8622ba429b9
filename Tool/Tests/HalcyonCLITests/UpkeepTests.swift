import Foundation
import Testing

@Suite struct `Upkeep` {
    private let tool: Tool
    init() throws { tool = try Tool() }

    private func put(_ key: String, count: Int, expires: String = "7d") throws {
        try tool("put", "--key", key, "--expires", expires, "-", input: .blob(1, count: count))
    }

    private func keys() throws -> [String] { try tool("list", "--json").objects().compactMap { $0["key"] as? String } }

    /// Makes an entry expire without waiting for it.
    private func expire(_ key: String) throws {
        let index = try Connection(path: tool.cache + "/.halcyon/index.sqlite")
        try index.execute("UPDATE entries SET expires_at = 1000 WHERE key = '\(key)'")
    }

    // MARK: stats

    @Test func `stats counts entries and expired ones`() throws {
        try put("a", count: 1500)
        try put("b", count: 500)
        try expire("b")
        let object = try tool("stats", "--json").object()
        #expect(object["entries"] as? Int == 2 && object["bytes"] as? Int == 2000)
        #expect(object["expired"] as? [String: Int] == ["entries": 1, "bytes": 500])
        #expect(object["schema_version"] as? Int == (object["ledger"] as? [Any])?.count)
        #expect(object["adoption"] as? String == "done")
        #expect(try #require(object["index_bytes"] as? Int) > 0)
        let text = try tool("stats").output
        #expect(text.contains("Entries     2, 2.0 kB\n") && text.contains("Expired     1, 500 B\n"))
        #expect(text.contains("V0001__create_entries.sql"))
    }

    @Test func `stats shows the usage and the statistics of the cache`() throws {
        try put("a", count: 1500)
        try put("b", count: 500)
        try tool("get", "--count-use", "a")
        try tool("get", "--count-use", "nope")
        try tool("get", "a")
        try tool("remove", "b")
        let object = try tool("stats", "--json").object()
        #expect(try #require(object["allocated_bytes"] as? Int) >= 1500)
        #expect(try #require(object["free_bytes"] as? Int) > 0)
        #expect(object["pinned"] as? [String: Int] == ["entries": 0, "bytes": 0])
        let counts = try #require(object["statistics"] as? [String: Any])
        #expect(counts["hits"] as? Int == 1 && counts["misses"] as? Int == 1 && counts["hit_rate"] as? Double == 0.5)
        #expect(counts["stores"] as? Int == 2 && counts["removals"] as? Int == 1)
        #expect(counts["bytes_read"] as? Int == 1500 && counts["bytes_written"] as? Int == 2000)
        #expect(counts["since"] is String)
        let text = try tool("stats").output
        #expect(text.contains("Lookups     1 hits, 1 misses (50.0\u{A0}% hits); 1.5 kB read\n"))
        #expect(text.contains("Removals    1 removed, 0 evicted, 0 expired\n") && text.contains(" free"))
    }

    @Test func `stats rounds no hit rate up to 100 %`() throws {
        try put("a", count: 1)
        try Connection(path: tool.cache + "/.halcyon/index.sqlite")
            .execute("UPDATE statistics SET hits = 99999, misses = 1")
        #expect(try tool("stats").output.contains("(99.9\u{A0}% hits)"))
    }

    @Test func `stats --reset prints the counts and resets them`() throws {
        try put("a", count: 1500)
        try tool("get", "--count-use", "a")
        #expect(try tool("stats", "--reset").output.contains("1 hits"))
        let counts = try #require(try tool("stats", "--json").object()["statistics"] as? [String: Any])
        #expect(counts["hits"] as? Int == 0 && counts["stores"] as? Int == 0 && counts["hit_rate"] is NSNull)
    }

    // MARK: remove

    @Test func `remove removes the given keys and names missing ones`() throws {
        for key in ["a", "b", "c"] { try put(key, count: 1) }
        let result = try tool("remove", "a", "nope", "b")
        #expect(result.status == 0, "scripts remove what may be gone")
        #expect(result.output == "Removed 2 entries.\n" && result.errors == "Nothing is cached under “nope”.\n")
        #expect(try keys() == ["c"])
        #expect(try tool("remove", "c").status == 0)
    }

    @Test func `remove also takes an expired entry`() throws {
        try put("a", count: 1)
        try expire("a")
        #expect(try tool("remove", "a").output == "Removed 1 entry.\n")
        #expect(try keys().isEmpty)
    }

    @Test func `remove asks before it removes everything`() throws {
        try put("a", count: 1)
        #expect(try tool("remove", "--all").isPlainError(containing: "Add --yes"))
        let terminal = try PseudoTerminal(columns: 80)
        terminal.type("n\n")
        let arguments = ["remove", "--folder", tool.cache, "--all"]
        #expect(try tool.atTerminal(terminal, arguments, input: true, errors: true) == 1)
        #expect(terminal.screen().contains("Remove 1 entry, 1 B, from"))
        #expect(try keys() == ["a"])
        terminal.type("y\n")
        #expect(try tool.atTerminal(terminal, arguments, input: true, errors: true) == 0)
        #expect(try keys().isEmpty)
    }

    @Test func `remove --all asks about pinned entries, and counts what was stored meanwhile`() throws {
        for key in ["a", "b"] { try put(key, count: 1) }
        try tool("pin", "a")
        let terminal = try PseudoTerminal(columns: 80)
        let process = try tool.start(
            ["remove", "--folder", tool.cache, "--all"],
            streams: [terminal.handle, terminal.handle, terminal.handle])
        var question = ""
        while process.isRunning, !question.contains("[y/N]") { question += terminal.screen() }
        #expect(question.contains("Remove 2 entries, 2 B (1 of them pinned), from"))
        try put("c", count: 1)
        terminal.type("y\n")
        #expect(process.wait() == 0)
        #expect(terminal.screen().contains("Removed 3 entries, 3 B, from"))
        #expect(try keys().isEmpty)
    }

    @Test func `remove --all --yes removes everything`() throws {
        for key in ["a", "b"] { try put(key, count: 1000) }
        #expect(try tool("remove", "--all", "--yes").output.hasPrefix("Removed 2 entries, 2.0 kB, from "))
        #expect(try keys().isEmpty)
    }

    // MARK: clean

    @Test func `clean removes expired entries and nothing else`() throws {
        for key in ["a", "b", "c"] { try put(key, count: 100) }
        try expire("b")
        #expect(try tool("clean").output == "Expired: 1 entry, 100 B removed.\nLeft: 2 entries, 200 B.\n")
        #expect(try keys().sorted() == ["a", "c"])
    }

    @Test func `clean evicts the least recently used down to half of the limit`() throws {
        for key in ["a", "b", "c", "d"] { try put(key, count: 1000) }
        try tool("get", "--count-use", "a")
        let below = try tool("clean", "--limit", "4001", "--json").object()
        #expect(below["evicted"] as? [String: Int] == ["entries": 0, "bytes": 0])
        let object = try tool("clean", "--limit", "4kB", "--json").object()
        #expect(object["evicted"] as? [String: Int] == ["entries": 2, "bytes": 2000])
        #expect(object["left"] as? [String: Int] == ["entries": 2, "bytes": 2000])
        #expect(object["limit"] as? Int == 4000 && object["interrupted"] as? Bool == false)
        #expect(try keys() == ["a", "d"])
    }

    @Test func `clean counts what it removes in all batches`() throws {
        for index in 0..<300 { try tool.write("p/\(index)", .blob(index, count: 10)) }
        try tool("put", "p")
        let object = try tool("clean", "--limit", "200", "--json").object()
        #expect(object["evicted"] as? [String: Int] == ["entries": 290, "bytes": 2900])
        #expect(try tool("check").status == 0)
    }

    @Test func `clean keeps a given number of entries, and a given part of a limit`() throws {
        for key in ["a", "b", "c", "d", "e"] { try put(key, count: 1000) }
        let unchanged = try tool("clean", "--count-limit", "5", "--json").object()
        #expect(unchanged["evicted"] as? [String: Int] == ["entries": 0, "bytes": 0])
        #expect(unchanged["low_water"] as? Double == 0.5)
        let object = try tool("clean", "--count-limit", "4", "--low-water", "0.75", "--json").object()
        #expect(object["left"] as? [String: Int] == ["entries": 3, "bytes": 3000])
        #expect(object["count_limit"] as? Int == 4 && object["low_water"] as? Double == 0.75)
        #expect(try keys() == ["e", "d", "c"])
        #expect(try tool("clean", "--limit", "3kB", "--low-water", "0.7").output.contains("Left: 2 entries, 2.0 kB."))
    }

    @Test func `clean makes room on a volume that is too full`() throws {
        for key in ["a", "b"] { try put(key, count: 1000) }
        #expect(try tool("clean", "--keep-free", "1B").output.contains("Left: 2 entries"))
        let object = try tool("clean", "--keep-free", "1000PB", "--json").object()
        #expect(object["evicted"] as? [String: Int] == ["entries": 2, "bytes": 2000])
        #expect(try #require(object["free"] as? Int) > 0)
        #expect(try tool("clean", "--keep-free", "1000PB").output.contains("The volume still has only"))
    }

    @Test func `a key that is not UTF-8 is refused`() throws {
        try put("\u{FFFD}", count: 1000)
        let result = try tool.shell("echo x | halcyon put --folder \"$cache\" --key $'\\xff' -")
        #expect(result.status == 1 && result.errors.contains("is not UTF-8"), "\(result.errors)")
        #expect(try tool("get", "\u{FFFD}").data.count == 1000)
    }

    @Test func `a relative directory below one whose name is not UTF-8 is refused`() throws {
        let line = "mkdir $'p\\xff' && cd $'p\\xff' && echo x | halcyon put --folder"
        let result = try tool.shell("\(line) c --key k -")
        #expect(result.status != 0 && result.errors.contains("Give an absolute path"), "\(result.errors)")
        #expect(try tool.shell("cd $'p\\xff' && echo x | halcyon put --folder \"$cache\" --key k -").status == 0)
    }

    @Test func `a command with a closed output does not write to what has got its number since`() throws {
        try put("a", count: 1000)
        let result = try tool.shell("halcyon check --folder \"$cache\" >&-")
        #expect(result.status == 1 && result.errors.lowercased().contains("bad file descriptor"), "\(result.errors)")
        #expect(try tool.shell("halcyon check --folder \"$cache\" <&- >&- 2>&-").status == 1)
        let put = try tool.shell("halcyon put --folder \"$cache\" --key a - <&-")
        #expect(put.status == 1 && put.errors.hasSuffix("Nothing was stored.\n"), "\(put.errors)")
        #expect(try tool("get", "a").data.count == 1000)
        #expect(try tool("check").status == 0)
    }

    @Test func `clean says if pinned entries alone exceed the limit`() throws {
        for key in ["a", "b", "c"] { try put(key, count: 1000) }
        try Connection(path: tool.cache + "/.halcyon/index.sqlite").execute(
            "UPDATE entries SET pinned = 1 WHERE key <> 'b'")
        let text = try tool("clean", "--limit", "1500", "--count-limit", "1").output
        #expect(text.contains("1 entry, 1.0 kB evicted") && text.contains("exceed the limit by 501 B and 1 entry."))
        #expect(text.contains("halcyon unpin"))
        let object = try tool("clean", "--limit", "1500", "--json").object()
        #expect(object["pinned_excess"] as? [String: Int] == ["entries": 0, "bytes": 501])
        #expect(try tool("clean", "--limit", "2.1kB", "--json").object()["pinned_excess"] is NSNull)
    }

    // MARK: check

    @Test func `check finds nothing wrong with a sound cache`() throws {
        try put("a", count: 1000)
        let result = try tool("check")
        #expect(result.status == 0 && result.output == "1 entry, 1.0 kB.\nThe cache is consistent.\n")
        #expect(try tool("check", "--json").object()["sound"] as? Bool == true)
    }

    @Test func `check says what is wrong, and repairs it on request`() throws {
        for key in ["gone", "longer", "fine"] { try put(key, count: 10) }
        // Finishes adoption: until then, another file would become an entry.
        try tool("stats")
        try FileManager.default.removeItem(atPath: try path(of: "gone"))
        try Data.blob(2, count: 11).write(to: URL(fileURLWithPath: try path(of: "longer")))
        try tool.write("cache/\(String(repeating: "a", count: 64))", .blob(1))
        try tool.write("cache/letter.txt", .blob(1))
        let found = try tool("check")
        #expect(found.status == 1)
        for text in [
            "Files without a row: 1", "Rows without their file: 1", "Files with the wrong length: 1", "letter.txt",
        ] {
            #expect(found.output.contains(text))
        }
        #expect(try tool("check", "--json").object()["dangling"] as? [String] != [])
        let repaired = try tool("check", "--repair")
        #expect(repaired.status == 0 && repaired.output.contains("Repaired"))
        #expect(try tool("check").status == 0)
        #expect(try keys() == ["fine"])
        #expect(tool.exists(tool.cache + "/letter.txt"))
    }

    // MARK: path

    @Test func `path prints where a blob is or would be, and its status says which`() throws {
        try put("a", count: 10)
        let path = try path(of: "a")
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == .blob(1, count: 10))
        let miss = try tool("path", "b")
        #expect(miss.status == 1 && miss.lines.count == 1 && miss.errors.contains("Nothing valid is cached under “b”."))
    }

    @Test func `a deleted blob is a miss, and its row is then deleted`() throws {
        try put("a", count: 10)
        try FileManager.default.removeItem(atPath: try path(of: "a"))
        #expect(try tool("get", "a").status == 1)
        #expect(try keys().isEmpty)
    }

    private func path(of key: String) throws -> String { try #require(try tool("path", key).lines.first) }
}
