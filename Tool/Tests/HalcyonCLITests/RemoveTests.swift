import Foundation
import Testing

@Suite struct `Removing` {
    private let tool: Tool
    init() throws { tool = try Tool() }

    private func put(_ keys: String...) throws {
        for key in keys {
            let parts = key.split(separator: "@", omittingEmptySubsequences: false).map(String.init)
            let variant = parts.count > 1 ? ["--processor", parts[1]] : []
            _ = try tool.run(
                ["put", "--folder", tool.cache, "--key", parts[0]] + variant + ["-"], input: .blob(1, count: 100))
        }
    }

    private func keys() throws -> [String] {
        try tool("list", "--json", "--sort", "key").objects().compactMap { $0["key"] as? String }
    }

    private var hostile: [String] { ["a'b", "a\"b", "50%", "a_b", "a*b", "a\nb", "日本 👩‍👧", "a;--", "a\\b"] }

    // MARK: Conditions

    @Test func `remove removes exactly the entries that meet the conditions`() throws {
        try put("https://a.example/1", "https://b.example/2", "other")
        let result = try tool("remove", "--host", "a.example", "--yes")
        #expect(result.status == 0 && result.output == "Removed 1 entry, 100 B.\n" && result.errors.isEmpty)
        #expect(try keys() == ["https://b.example/2", "other"])
        #expect(try tool("remove", "--prefix", "o", "--larger", "100", "--yes").status == 0)
        #expect(try keys() == ["https://b.example/2"])
        #expect(try tool("check").status == 0)
    }

    @Test func `remove by conditions that no entry meets succeeds and says so`() throws {
        try put("a")
        let result = try tool("remove", "--older", "1d", "--yes")
        #expect(result.status == 0 && result.errors == "No entry meets the conditions.\n")
        #expect(result.output == "Removed 0 entries, 0 B.\n")
        let object = try tool("remove", "--older", "1d", "--json").object()
        #expect(object["entries"] as? Int == 0 && (object["removed"] as? [Any])?.isEmpty == true)
    }

    @Test func `remove takes any text literally`() throws {
        for key in hostile { try put(key) }
        for key in hostile {
            let object = try tool("remove", "--prefix", key, "--yes", "--json").object()
            #expect((object["removed"] as? [[String: Any]])?.map { $0["key"] as? String } == [key])
        }
        #expect(try keys().isEmpty)
    }

    @Test func `remove asks first, with the number of entries and of pinned ones`() throws {
        try put("a1", "a2", "b")
        try Connection(path: tool.cache + "/.halcyon/index.sqlite").execute(
            "UPDATE entries SET pinned = 1 WHERE key = 'a1'")
        #expect(try tool("remove", "--prefix", "a").isPlainError(containing: "Add --yes"))
        let terminal = try PseudoTerminal(columns: 80)
        terminal.type("n\n")
        let arguments = ["remove", "--folder", tool.cache, "--prefix", "a"]
        #expect(try tool.atTerminal(terminal, arguments, input: true, errors: true) == 1)
        #expect(terminal.screen().contains("Remove 2 entries, 200 B (1 of them pinned), from"))
        #expect(try keys().count == 3)
        terminal.type("y\n")
        #expect(try tool.atTerminal(terminal, arguments + ["--unpinned"], input: true, errors: true) == 0)
        #expect(!terminal.screen().contains("pinned"))
        #expect(try keys() == ["a1", "b"])
    }

    @Test func `remove --dry-run lists entries and removes nothing`() throws {
        try put("a\u{1B}[2J", "a2", "b")
        let result = try tool("remove", "--prefix", "a", "--dry-run")
        #expect(result.status == 0 && result.lines.count == 4)
        #expect(result.lines.last == "Would remove 2 entries, 200 B.")
        #expect(result.lines.contains { $0.hasSuffix("  a\\u{1B}[2J") })
        let object = try tool("remove", "--all", "--dry-run", "--json").object()
        #expect(object["entries"] as? Int == 3 && object["dry_run"] as? Bool == true)
        #expect(try tool("remove", "a2", "b", "c", "--dry-run").lines.last == "Would remove 2 entries.")
        #expect(try keys().count == 3)
    }

    // MARK: Keys

    @Test func `a key that is given twice is removed once, and is not missing`() throws {
        try put("a", "b")
        let object = try tool("remove", "a", "a", "--json").object()
        #expect(object["entries"] as? Int == 1 && (object["missing"] as? [Any])?.isEmpty == true)
        #expect(try tool("pin", "b", "b").output.hasPrefix("Pinned 1 entry"))
    }

    @Test func `remove --variants removes an image with its variants`() throws {
        try put("a", "a@small", "a@large", "ab", "b@small")
        let told = try tool("remove", "a", "--variants", "--dry-run", "--json").object()
        #expect(told["entries"] as? Int == 3)
        #expect(try tool("remove", "a", "--variants").output == "Removed 3 entries, 300 B.\n")
        // Its key is its own.
        let put = ["put", "--folder", tool.cache, "--key", "photo@2x", "--processor", "p", "-"]
        _ = try tool.run(put, input: .blob(1))
        let alike = try tool("remove", "photo", "photo@2x", "--variants", "--json").object()
        #expect(alike["missing"] as? [String] == ["photo"])
        let rest = try tool("remove", "b", "c", "--variants", "--json")
        #expect(rest.status == 0)
        let object = try rest.object()
        #expect(object["entries"] as? Int == 1 && object["missing"] as? [String] == ["c"])
        #expect(rest.errors == "Nothing is cached under “c”.\n")
        #expect(try keys() == ["ab"])
    }

    @Test func `remove --variants removes an image whose key is not recorded yet`() throws {
        try put("a")
        try FileManager.default.removeItem(atPath: tool.cache + "/.halcyon")
        #expect(try tool("remove", "a", "--variants").status == 0)
        #expect(try tool.blobCount() == 0)
    }

    @Test func `remove --json lists the removed entries`() throws {
        try put("a", "b")
        let object = try tool("remove", "a", "nope", "--json").object()
        let removed = try #require(object["removed"] as? [[String: Any]])
        #expect(removed.map { $0["key"] as? String } == ["a"] && removed.first?["size"] as? Int == 100)
        #expect(object["missing"] as? [String] == ["nope"] && object["interrupted"] as? Bool == false)
        let all = try tool("remove", "--all", "--yes", "--json").object()
        #expect(all["entries"] as? Int == 1 && all["bytes"] as? Int == 100 && all["removed"] is NSNull)
    }

    @Test(arguments: [
        ["--all", "--prefix", "a"], ["k", "--prefix", "a"], ["--variants"], ["--variants", "--all"], ["--filter", ""],
        ["--prefix", ""], ["--processor", ""], ["--variants-of", ""], ["--pinned", "--unpinned"], ["--yes"],
        ["--dry-run"], ["--all", "--extension", "gif"], ["--prefix", "k", "--extension", "gif"],
    ])
    func `ambiguous arguments of remove are refused`(arguments: [String]) throws {
        try put("k")
        let result = try tool.run(["remove", "--folder", tool.cache] + arguments)
        #expect(result.status == 64 && result.output.isEmpty && result.errors.contains("--help"))
        #expect(try keys() == ["k"])
    }

    // MARK: Long ones

    @Test func `a removal of keys that an error ends says how many it removed`() throws {
        try put("a", "b")
        let blob = try tool("path", "b").output.trimmingCharacters(in: .newlines)
        let index = try Connection(path: tool.cache + "/.halcyon/index.sqlite")
        try index.execute(
            "CREATE TRIGGER refusing BEFORE DELETE ON entries WHEN old.key = 'b' BEGIN SELECT RAISE(FAIL, 'no'); END")
        let result = try tool("remove", "a", "b")
        #expect(result.status == 1 && result.errors.hasPrefix("Removed 1 entry before this error:\n"), "\(result)")
        #expect(try keys() == ["b"] && FileManager.default.fileExists(atPath: blob))
    }

    private func putMany(_ count: Int) throws {
        for index in 0..<count { try tool.write("p/\(index)", Data()) }
        try tool("put", "p")
    }

    @Test func `remove shows progress in one line, and clears it`() throws {
        try putMany(2000)
        let terminal = try PseudoTerminal(columns: 70)
        let null = try Tool.openNull()
        let process = try tool.start(
            ["remove", "--folder", tool.cache, "--prefix", "p/", "--yes"], streams: [null, null, terminal.handle])
        while process.isRunning, try tool.blobCount() == 2000 { sched_yield() }
        // A writer blocks the removal until progress is visible.
        let writer = try Connection(path: tool.cache + "/.halcyon/index.sqlite")
        try writer.begin()
        var screen = ""
        while process.isRunning, !screen.contains(" of 2000") {
            screen += terminal.screen()
            sched_yield()
        }
        try writer.rollBack()
        #expect(process.wait() == 0)
        screen += terminal.screen()
        #expect(screen.contains(" of 2000  removed") && !screen.contains("\n"))
        #expect(screen.hasSuffix("\r" + String(repeating: " ", count: 69) + "\r"))
    }

    @Test func `at Ctrl-C, remove ends after the current batch and reports what it removed`() throws {
        try putMany(4000)
        let errors = try tool.makeFile("errors")
        let output = try tool.makeFile("output")
        let process = try tool.start(
            ["remove", "--folder", tool.cache, "--prefix", "p/", "--yes"],
            streams: [Tool.openNull(), FileHandle(forUpdating: output), FileHandle(forUpdating: errors)])
        while process.isRunning, try tool.blobCount() > 3900 { sched_yield() }
        // A writer blocks the next batch until the test has sent Ctrl-C.
        let writer = try Connection(path: tool.cache + "/.halcyon/index.sqlite")
        try writer.begin()
        process.interrupt()
        try writer.rollBack()
        let status = process.wait()
        #expect(status == 130)
        let left = try tool("list", "--count", "--json").object()["entries"] as? Int ?? 0
        let text = String(decoding: try tool.contents(of: output), as: UTF8.self)
        #expect(left > 0 && text == "Removed \(4000 - left) entries, 0 B.\n")
        #expect(String(decoding: try tool.contents(of: errors), as: UTF8.self).hasPrefix("Interrupted: "))
        #expect(try tool("check").status == 0)
    }
}
