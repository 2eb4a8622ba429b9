import Foundation
import Testing

@Suite struct `What is noted of entries` {
    private let tool: Tool
    private static let hostile = ["a'b", "a\"b", "50%", "a_b", "a*b", "a\nb", "日本 👩‍👧", "a;--", "a\\b", "\u{1B}[2J"]

    init() throws {
        tool = try Tool()
        try tool("put", "--key", "a", "-", input: .blob(1, count: 100))
        try tool("put", "--key", "b", "-", input: .blob(2, count: 100))
    }

    private func info(_ key: String) throws -> [String: Any] { try tool("info", "--json", key).object() }

    // MARK: pin

    @Test(arguments: [["--tag", "x", "--tag", "y"], ["--tag=x", "--tag=y"], ["--prefix", "a", "--prefix=b"]])
    func `a condition that is given twice is refused, and removes nothing`(conditions: [String]) throws {
        try tool("put", "--key", "a", "--tag", "x", "--tag", "y", "-", input: .blob(1))
        try tool("put", "--key", "b", "--tag", "y", "-", input: .blob(2))
        for command in ["list", "remove"] {
            let result = try tool.run([command, "--folder", tool.cache] + conditions)
            #expect(result.status == 64 && result.errors.contains("is given twice"), "\(result.errors)")
        }
        #expect(try tool("list", "--tag", "y", "--count").output.contains("2 entries"))
    }

    @Test func `pin keeps entries, and unpin releases them`() throws {
        let result = try tool("pin", "a", "nope", "b")
        #expect(result.status == 1 && result.output == "Pinned 2 entries.\n")
        #expect(result.errors == "Nothing is cached under “nope”.\n")
        #expect(try tool("list", "--pinned", "--count").output == "2 entries, 200 B.\n")
        #expect(try tool("clean", "--limit", "1").output.contains("Left: 2 entries"))
        let object = try tool("unpin", "a", "--json").object()
        #expect(object["unpinned"] as? [String] == ["a"] && object["missing"] as? [String] == [])
        #expect(try tool("list", "--unpinned", "--json").objects().map { $0["key"] as? String } == ["a"])
        let pinned = try tool("stats", "--json").object()["pinned"]
        #expect(pinned as? [String: Int] == ["entries": 1, "bytes": 100])
    }

    // MARK: tag

    @Test func `tags can be added, removed and replaced`() throws {
        #expect(try tool("tag", "a").output == "a: no tags\n")
        #expect(try tool("tag", "a", "b", "--add", "x", "--add", "y").output == "a: x, y\nb: x, y\n")
        #expect(try tool("tag", "a", "--add", "z", "--remove", "x", "--remove", "none").output == "a: y, z\n")
        let object = try tool("tag", "a", "nope", "--set", "w", "--json").object()
        #expect((object["entries"] as? [[String: Any]])?.first?["tags"] as? [String] == ["w"])
        #expect(object["missing"] as? [String] == ["nope"])
        #expect(try tool("list", "--tag", "y", "--json").objects().map { $0["key"] as? String } == ["b"])
        #expect(try tool("tag", "a", "--clear").output == "a: no tags\n")
        // Swift's texts are equal if they look the same; the filter compares bytes.
        for option in ["--set", "--add"] {
            for form in ["e\u{301}", "\u{E9}"] {
                try tool("tag", "a", option, form)
                #expect(try tool("list", "--tag", form, "--count", "--json").object()["entries"] as? Int == 1)
            }
        }
        try tool("tag", "a", "--clear")
        #expect(try tool("remove", "--tag", "x", "--yes").output == "Removed 1 entry, 100 B.\n")
        let missing = try tool("tag", "--add", "x", "nope")
        #expect(missing.status == 1 && missing.output.isEmpty && missing.errors == "Nothing is cached under “nope”.\n")
    }

    // MARK: note

    @Test func `the text of a note may begin with a combining character`() throws {
        #expect(try tool("note", "a", "--set", "n=\u{301}x").output.unicodeScalars.contains("\u{301}"))
    }

    @Test func `notes and headers can be set, kept and removed`() throws {
        #expect(try tool("note", "a").output == "a\n  no notes\n")
        try tool("note", "a", "--set", "width=640", "--set", "url=x=y", "--etag", "\"v1\"", "--max-age", "3600")
        try tool("note", "a", "--set", "height=480", "--remove", "width", "--last-modified", "Tue, 15 Nov 1994")
        let object = try info("a")
        #expect(object["metadata"] as? [String: String] == ["url": "x=y", "height": "480"])
        #expect(object["etag"] as? String == "\"v1\"" && object["max_age"] as? Int == 3600)
        #expect(object["last_modified"] as? String == "Tue, 15 Nov 1994")
        #expect(object["validated"] is String && object["must_revalidate"] as? Bool == false && object["age"] is NSNull)
        let fresh = try tool("note", "a").lines
        #expect(fresh.contains("  Max-Age        3600 s") && fresh.contains { $0.hasPrefix("  Fresh until    20") })
        var lines = try tool("note", "a", "--etag", "", "--max-age", "").lines
        #expect(lines.remove(at: 2).hasPrefix("  Validated      20"))
        #expect(lines == ["a", "  Last-Modified  Tue, 15 Nov 1994", "  height         480", "  url            x=y"])
        let cleared = try tool("note", "a", "--clear", "--set", "k=v", "--json").object()
        let entry = try #require((cleared["entries"] as? [[String: Any]])?.first)
        #expect(entry["metadata"] as? [String: String] == ["k": "v"] && entry["last_modified"] is NSNull)
    }

    @Test func `an entry that was just validated is fresh from now on`() throws {
        try tool("note", "a", "--max-age", "3600", "--stale-while-revalidate", "60")
        let before = try info("a")
        #expect(before["stale_while_revalidate"] as? Int == 60)
        let lines = try tool("note", "a", "--validated").lines
        #expect(lines.contains("  Usable for     60 s after that, while it is being validated"))
        let after = try info("a")
        #expect(try #require(after["validated"] as? String) >= #require(before["validated"] as? String))
        #expect(after["max_age"] as? Int == 3600 && after["age"] is NSNull)
        #expect(try tool("note", "a", "--stale-while-revalidate", "").lines.allSatisfy { !$0.contains("Usable") })
        #expect(try tool("note", "a", "--stale-while-revalidate", "-1").status == 64)
    }

    @Test func `an expiration is kept, however often the entry is read`() throws {
        try tool("put", "--expires", "90s", "--keep-expiration", "--key", "k", "-", input: .blob(1, count: 100))
        let before = try info("k")
        #expect(before["keeps_expiration"] as? Bool == true)
        try tool("get", "--count-use", "k")
        #expect(try info("k")["expires"] as? String == before["expires"] as? String)
        #expect(
            try tool("info", "k").lines.contains {
                $0.hasPrefix("Expires") && $0.hasSuffix(", not extended by reads")
            })
        #expect(try info("a")["keeps_expiration"] as? Bool == false)
    }

    @Test func `notes that are too long are refused, and nothing changes`() throws {
        try tool("note", "a", "--set", "k=v")
        let long = String(repeating: "x", count: 20_000)
        #expect(try tool("note", "a", "--set", "k=\(long)").isPlainError(containing: "more than 16384 bytes"))
        #expect(try info("a")["metadata"] as? [String: String] == ["k": "v"])
    }

    // MARK: info

    @Test func `info shows all information and does not count as a use`() throws {
        try tool("put", "--key", "a@small", "-", input: .blob(1, count: 1500))
        let before = try info("a@small")
        let text = try tool("info", "a@small")
        #expect(
            text.lines.first == "Key            a@small"
                && text.lines.contains("Size           1.5 kB (1500 bytes), 4.1 kB on the volume"))
        let listed = try tool("list", "--prefix", "a@small", "--json").objects().first ?? [:]
        #expect(NSDictionary(dictionary: before) == NSDictionary(dictionary: listed))
        try tool("get", "a@small")
        #expect(try info("a@small")["hits"] as? Int == 0)
        try tool("get", "--count-use", "a@small")
        #expect(try info("a@small")["hits"] as? Int == 1)
        #expect(try tool("info", "nope").isPlainError(containing: "Nothing is cached under “nope”."))
    }

    @Test func `info shows expired entries, and finds a key that was never looked up`() throws {
        try Connection(path: tool.cache + "/.halcyon/index.sqlite").execute(
            "UPDATE entries SET expires_at = 1000 WHERE key = 'a'")
        #expect(try tool("info", "a").output.contains("Expires        expired\n"))
        try FileManager.default.removeItem(atPath: tool.cache + "/.halcyon")
        #expect(try info("b")["key"] as? String == "b")
    }

    // MARK: put

    @Test func `put stores the given attributes`() throws {
        try tool(
            "put", "--key", "c", "--pin", "--tag", "x", "--tag", "y", "--note", "width=640", "--etag", "\"v1\"",
            "--last-modified", "then", "--max-age", "60", "-", input: .blob(1))
        let object = try info("c")
        #expect(object["pinned"] as? Bool == true && object["tags"] as? [String] == ["x", "y"])
        #expect(object["metadata"] as? [String: String] == ["width": "640"] && object["etag"] as? String == "\"v1\"")
        #expect(object["last_modified"] as? String == "then" && object["max_age"] as? Int == 60)
        // Pin and tags belong to the key, the rest to the bytes.
        try tool("put", "--key", "c", "-", input: .blob(2))
        let after = try info("c")
        #expect(after["pinned"] as? Bool == true && after["tags"] as? [String] == ["x", "y"])
        #expect((after["metadata"] as? [String: String])?.isEmpty == true && after["etag"] is NSNull)
    }

    // MARK: Any text

    @Test(arguments: hostile)
    func `any text is accepted as key, tag and note`(text: String) throws {
        try tool("put", "--key", text, "--tag", text, "--note", "\(text)=\(text)", "--etag", text, "-", input: .blob(1))
        let object = try info(text)
        #expect(object["key"] as? String == text && object["tags"] as? [String] == [text])
        #expect(object["metadata"] as? [String: String] == [text: text] && object["etag"] as? String == text)
        #expect(try tool("list", "--tag", text, "--json").objects().map { $0["key"] as? String } == [text])
        try tool("note", text, "--remove", text, "--etag", "")
        #expect((try info(text)["metadata"] as? [String: String])?.isEmpty == true)
        let shown = try ["info", "tag", "note"].map { try tool($0, text).output }.joined()
        #expect(!shown.contains("\u{1B}") && !shown.contains("a\nb"))
        #expect(try tool("tag", text, "--remove", text, "--json").status == 0)
        #expect((try info(text)["tags"] as? [String])?.isEmpty == true)
        #expect(try tool("unpin", text).status == 0 && tool("pin", text).output == "Pinned 1 entry.\n")
    }

    @Test(arguments: [
        ["pin"], ["tag", "--add", "x"], ["tag", "a", "--add", ""], ["tag", "a", "--set", "x", "--add", "y"],
        ["tag", "a", "--clear", "--set", "x"], ["tag", "a", "--add", "x", "--remove", "x"],
        ["note", "a", "--set", "x"],
        ["note", "a", "--set", "=x"], ["note", "a", "--set", "x=1", "--remove", "x"], ["note", "a", "--max-age", "-1"],
        ["note", "a", "--max-age", "soon"], ["info"], ["info", "a", "b"], ["put", "a", "--note", "x"],
        ["put", "a", "--tag", ""], ["put", "a", "--max-age", "1.5"], ["put", "a", "--max-age", "99999999999999999999"],
    ])
    func `invalid attributes are refused`(arguments: [String]) throws {
        let result = try tool.run([arguments[0], "--folder", tool.cache] + arguments.dropFirst())
        #expect(result.status == 64 && result.output.isEmpty && result.errors.contains("--help"))
    }
}

@Suite struct `A cache that keeps no keys` {
    private let tool: Tool
    init() throws { tool = try Tool() }

    private func keysInIndex() throws -> Int64? {
        try Connection(path: tool.cache + "/.halcyon/index.sqlite").integer(
            "SELECT count(*) FROM entries WHERE key IS NOT NULL")
    }

    @Test func `a cache without stored keys finds entries by their keys, and lists no keys`() throws {
        try tool("put", "--no-keys", "--key", "secret", "--tag", "x", "-", input: .blob(1))
        #expect(try keysInIndex() == 0)
        #expect(try tool("get", "--no-keys", "secret").data == .blob(1))
        #expect(try tool("list", "--no-keys").output.contains("(unknown)"))
        #expect(try tool("list", "--no-keys", "--filter", "secret").output.isEmpty)
        #expect(try tool("list", "--no-keys", "--tag", "x", "--count").output.hasPrefix("1 entry"))
        #expect(try tool("info", "--no-keys", "secret", "--json").object()["key"] as? String == "secret")
        #expect(try keysInIndex() == 0)
        #expect(try tool("remove", "--no-keys", "secret").status == 0)
    }

    @Test func `a cache that no longer stores keys forgets old ones`() throws {
        for index in 0..<20 { try tool.write("p/\(index)", .blob(index)) }
        try tool("put", "p")
        #expect(try keysInIndex() == 20)
        try tool("stats", "--no-keys")
        #expect(try keysInIndex() == 0)
        let index = try Data(contentsOf: URL(fileURLWithPath: tool.cache + "/.halcyon/index.sqlite"))
        #expect(index.range(of: Data("p/1".utf8)) == nil)
    }
}
