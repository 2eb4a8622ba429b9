import Foundation
import Testing

@Suite struct `Watching` {
    private let tool: Tool
    init() throws { tool = try Tool() }

    private func put(_ key: String, count: Int) throws {
        try tool("put", "--key", key, "-", input: .blob(1, count: count))
    }

    // MARK: In a pipe

    @Test func `watch prints a block for each reading, without terminal codes`() throws {
        try put("https://a.example/secret", count: 1000)
        let result = try tool("watch", "--count", "2", "--interval", "0.1", "--limit", "2kB")
        #expect(result.status == 0 && result.errors.isEmpty && !result.output.contains("\u{1B}"))
        let blocks = result.output.split(separator: "\n\n").filter { $0.contains(tool.cache) }
        #expect(blocks.count == 2)
        #expect(result.output.contains("Entries     1\n") && result.output.contains("50\u{A0}% of 2.0 kB\n"))
        #expect(result.output.contains("USED LAST\n    1.0 kB"))
        #expect(result.output.contains("a.example  ") && !result.output.contains("secret"))
        #expect(try tool("watch", "--count", "1", "--keys").output.contains("https://a.example/secret"))
    }

    @Test func `watch --json prints an object per line`() throws {
        try put("https://a.example/secret", count: 1000)
        try put("https://a.example/b", count: 500)
        try put("https://b.example/c", count: 1200)
        try tool("report", "-o", "-")
        let lines = try tool("watch", "--count", "2", "--interval", "0.1", "--json", "--limit", "2kB").lines
        #expect(lines.count == 2)
        for line in lines {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            #expect(object["state"] as? String == "open" && object["bytes"] as? Int == 2700)
            #expect(object["limit"] as? Int == 2000)
            let hosts = object["hosts"] as? [[String: Any]] ?? []
            #expect(hosts.compactMap { $0["name"] as? String } == ["a.example", "b.example"])
            #expect(hosts.compactMap { $0["bytes"] as? Int } == [1500, 1200])
            #expect((object["latest"] as? [[String: Any]])?.count == 3)
        }
        #expect(lines[0].contains("\"per_second\": null") && lines[1].contains("\"per_second\": {"))
        #expect(!lines[0].contains("secret"))
    }

    @Test func `watch waits for a missing cache, and creates none`() throws {
        let result = try tool("watch", "--count", "1")
        #expect(result.status == 0 && result.output.contains("There is no cache here."))
        #expect(!tool.exists(tool.cache))
        try FileManager.default.createDirectory(atPath: tool.cache, withIntermediateDirectories: false)
        #expect(try tool("watch", "--count", "1", "--json").object()["state"] as? String == "missing")
        #expect(try FileManager.default.contentsOfDirectory(atPath: tool.cache).isEmpty)
    }

    @Test func `watch leaves every file unchanged`() throws {
        try put("a", count: 1000)
        let metadata = URL(fileURLWithPath: tool.cache + "/.halcyon")
        func files() throws -> [String: Data] {
            let names = try FileManager.default.contentsOfDirectory(atPath: metadata.path).filter {
                $0.hasPrefix("index")
            }
            return try Dictionary(
                uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: metadata.appendingPathComponent($0))) })
        }
        let closed = try files()
        try tool("watch", "--count", "2", "--interval", "0.1")
        #expect(try files() == closed)
        // In use: another process has written, and keeps the index open.
        let other = try Connection(path: metadata.appendingPathComponent("index.sqlite").path)
        try other.execute("UPDATE entries SET size = 7")
        let open = try files()
        #expect(open.keys.contains("index.sqlite-wal"))
        #expect(try tool("watch", "--count", "1").output.contains("\n       7 B"))
        let after = try files()
        #expect(after.keys == open.keys && after["index.sqlite"] == open["index.sqlite"])
        #expect(after["index.sqlite-wal"] == open["index.sqlite-wal"])
        try other.execute("UPDATE entries SET size = 1000")
    }

    @Test func `watch says what it cannot read, and continues`() throws {
        try put("a", count: 10)
        let index = URL(fileURLWithPath: tool.cache + "/.halcyon/index.sqlite")
        try Data(repeating: 7, count: 8192).write(to: index)
        let damaged = try tool("watch", "--count", "2", "--interval", "0.1")
        #expect(damaged.status == 0 && damaged.output.contains("The cache cannot be read now.\nThe index is damaged"))
        #expect(try Data(contentsOf: index) == Data(repeating: 7, count: 8192))
        try FileManager.default.removeItem(at: index)
        try Connection(path: index.path).execute("CREATE TABLE t (a); PRAGMA user_version = 2")
        #expect(try tool("watch", "--count", "1").output.contains("schema version 2"))
    }

    @Test(arguments: [
        ["--interval", "0"], ["--interval", "-1"], ["--interval", "nan"], ["--count", "0"], ["--limit", "0"],
        ["--limit", "x"],
    ])
    func `watch refuses invalid options`(arguments: [String]) throws {
        #expect(try tool.run(["watch"] + arguments).status == 64)
    }

    @Test func `watch refuses a file and a folder that is not a cache`() throws {
        try tool.write("file", .blob(1))
        try tool.write("other/letter.txt", .blob(1))
        #expect(try tool.run(["watch", "--folder", "file"]).isPlainError(containing: "is a file."))
        #expect(try tool.run(["watch", "--folder", "other"]).isPlainError(containing: "is not a cache"))
    }

    @Test func `watch ends quietly when its pipe closes`() throws {
        try put("a", count: 10)
        let result = try tool.shell(
            #"halcyon watch --folder "$cache" --interval 0.1 | head -n 1 >/dev/null; echo "${PIPESTATUS[0]}""#)
        #expect(result.lines == ["141"] && result.errors.isEmpty)
    }

    // MARK: On a terminal

    private static let enter = "\u{1B}[?1049h\u{1B}[?25l"
    private static let leave = "\u{1B}[?25h\u{1B}[?1049l"

    private func start(_ terminal: PseudoTerminal, _ arguments: String...) throws -> ChildProcess {
        let null = try Tool.openNull()
        return try tool.start(
            ["watch", "--folder", tool.cache, "--interval", "0.1"] + arguments, streams: [null, terminal.handle, null])
    }

    /// Everything drawn so far, once it contains a text.
    private func screen(_ terminal: PseudoTerminal, until text: String) throws -> String {
        var drawn = ""
        let deadline = ContinuousClock.now + .seconds(30)
        while !drawn.contains(text), ContinuousClock.now < deadline {
            drawn += terminal.screen()
            sched_yield()
        }
        try #require(drawn.contains(text))
        return drawn
    }

    @Test func `watch shows a cache that appears, grows and disappears`() throws {
        let terminal = try PseudoTerminal(columns: 80)
        let watch = try start(terminal)
        #expect(try screen(terminal, until: "There is no cache here.").hasPrefix(Self.enter))
        try put("https://a.example/secret", count: 1000)
        #expect(try !screen(terminal, until: "a.example").contains("secret"))
        try put("b", count: 500)
        _ = try screen(terminal, until: "1.5 kB")
        try FileManager.default.removeItem(atPath: tool.cache)
        _ = try screen(terminal, until: "There is no cache here.")
        watch.interrupt()
        #expect(watch.wait() == 130)
        #expect(terminal.screen().hasSuffix(Self.leave))
        #expect(!tool.exists(tool.cache))
    }

    @Test(arguments: [SIGINT, SIGQUIT, SIGTERM, SIGHUP])
    func `watch restores the screen and the cursor at its end`(signal: Int32) throws {
        let terminal = try PseudoTerminal(columns: 80)
        let watch = try start(terminal)
        var drawn = try screen(terminal, until: "Waiting")
        watch.send(signal)
        #expect(watch.wait() == 128 + signal)
        drawn += terminal.screen()
        #expect(drawn.hasSuffix(Self.leave) && drawn.ranges(of: Self.leave).count == 1)
    }

    @Test func `watch ends on q without an echo, and restores the terminal's settings`() throws {
        let terminal = try PseudoTerminal(columns: 80)
        let before = terminal.settings
        let watch = try tool.start(
            ["watch", "--folder", tool.cache, "--interval", "60"],
            streams: [terminal.handle, terminal.handle, Tool.openNull()])
        var drawn = try screen(terminal, until: "q or Ctrl-C to leave")
        #expect(terminal.settings != before)
        terminal.type("xq")
        #expect(watch.wait() == 0)
        drawn += terminal.screen()
        #expect(drawn.hasSuffix(Self.leave) && terminal.settings == before)
        #expect(!drawn.contains("xq"))
    }

    @Test func `watch draws again after another process has stopped it`() throws {
        let terminal = try PseudoTerminal(columns: 80)
        let watch = try start(terminal)
        _ = try screen(terminal, until: "Waiting")
        watch.send(SIGSTOP)
        while !watch.hasStopped() { sched_yield() }
        watch.send(SIGCONT)
        _ = try screen(terminal, until: Self.enter)
        watch.interrupt()
        #expect(watch.wait() == 130)
    }

    @Test func `on a terminal that cannot move its cursor, watch prints one block after the other`() throws {
        let terminal = try PseudoTerminal(columns: 80)
        let line = "TERM=dumb exec \"$HALCYON\" watch --folder \"$cache\" --interval 0.1 --count 2"
        let watch = try tool.start(
            ["-c", line], executable: URL(fileURLWithPath: "/bin/bash"),
            streams: [Tool.openNull(), terminal.handle, Tool.openNull()])
        #expect(watch.wait() == 0)
        let screen = terminal.screen()
        #expect(screen.ranges(of: "There is no cache here.").count == 2 && !screen.contains("\u{1B}"))
    }

    @Test func `without a keyboard, Ctrl-C ends watch`() throws {
        let terminal = try PseudoTerminal(columns: 80)
        let watch = try start(terminal)
        #expect(try !screen(terminal, until: "Ctrl-C to leave").contains("q or"))
        watch.interrupt()
        #expect(watch.wait() == 130)
    }

    @Test func `watch restores the terminal after the last reading, and while it is stopped`() throws {
        let terminal = try PseudoTerminal(columns: 80)
        let watch = try start(terminal, "--count", "1000")
        _ = try screen(terminal, until: "Waiting")
        watch.send(SIGTSTP)
        _ = try screen(terminal, until: Self.leave)
        while !watch.hasStopped() { sched_yield() }
        watch.send(SIGCONT)
        _ = try screen(terminal, until: Self.enter)
        watch.send(SIGTERM)
        #expect(watch.wait() == 143)
        let last = try start(terminal, "--count", "2")
        #expect(last.wait() == 0 && terminal.screen().hasSuffix(Self.leave))
    }

    @Test(arguments: [(10, 6), (20, 5), (40, 12), (80, 24), (200, 60)])
    func `watch fits the window, even after a change of its size`(columns: Int, rows: Int) throws {
        for index in 0..<20 {
            try put("https://\(String(repeating: "long", count: 30)).example/\(index)日本", count: 1000)
        }
        let terminal = try PseudoTerminal(columns: 100, rows: 30)
        let watch = try start(terminal, "--keys", "--limit", "1MB")
        _ = try screen(terminal, until: "EVICTED NEXT")
        terminal.resize(columns: UInt16(columns), rows: UInt16(rows))
        watch.send(SIGWINCH)
        _ = terminal.screen()
        // Two frames later nothing depends on the old size.
        var drawn = ""
        while drawn.ranges(of: "\u{1B}[H").count < 4, watch.isRunning { drawn += terminal.screen() }
        watch.interrupt()
        _ = watch.wait()
        let frames = drawn.components(separatedBy: "\u{1B}[H")
        let lines = frames[frames.count - 2].components(separatedBy: "\r\n")
        #expect(lines.count <= rows && lines.count > 3)
        for line in lines {
            let text = line.replacing("\u{1B}[K", with: "").replacing("\u{1B}[J", with: "").replacing("\r", with: "")
            #expect(text.count <= columns, "\(text)")
        }
    }
}
