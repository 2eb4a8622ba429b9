import Foundation
import Testing

@Suite struct `Listing` {
    private let tool: Tool
    init() throws {
        tool = try Tool()
        try tool("put", "--key", "https://a.example/small", "--expires", "2d", "-", input: .blob(1, count: 10))
        try tool("put", "--key", "https://b.example/LARGE", "--expires", "1d", "-", input: .blob(2, count: 3000))
        try tool("put", "--key", "日本\u{1B}[2J", "--expires", "never", "-", input: .blob(3, count: 200))
    }

    private func keys(_ arguments: String...) throws -> [String] {
        try tool.run(["list", "--json", "--folder", tool.cache] + arguments).objects().map {
            String(($0["key"] as? String ?? "").prefix(19))
        }
    }

    @Test func `list sorts by last use, size and expiry, and in reverse`() throws {
        let (small, large, other) = ("https://a.example/s", "https://b.example/L", "日本\u{1B}[2J")
        #expect(try keys() == [other, large, small])
        try tool("get", "--count-use", "https://a.example/small")
        #expect(try keys("--sort", "access") == [small, other, large])
        #expect(try keys("--sort", "size") == [large, other, small])
        #expect(try keys("--sort", "size", "--reverse") == [small, other, large])
        #expect(try keys("--sort", "expires") == [large, small, other])
    }

    @Test func `list filters by a part of the key in any case, and stops at a limit`() throws {
        #expect(try keys("--filter", "large").count == 1)
        #expect(try keys("--filter", "EXAMPLE").count == 2)
        #expect(try keys("--filter", "EXAMPLE", "--limit", "1") == ["https://b.example/L"])
        #expect(try keys("--filter", "nowhere").isEmpty)
        #expect(try keys("--limit", "2").count == 2)
    }

    @Test func `list --json has all information about an entry`() throws {
        let entry = try #require(try tool("list", "--json", "--filter", "LARGE").objects().first)
        #expect(
            Set(entry.keys) == [
                "key", "file", "size", "created", "accessed", "expires", "expired", "pinned", "base_key", "processor",
                "hits", "tags", "allocated", "etag", "last_modified", "max_age", "validated", "age", "keeps_expiration",
                "stale_while_revalidate", "must_revalidate", "metadata",
            ])
        #expect(entry["size"] as? Int == 3000)
        #expect((entry["file"] as? String)?.count == 64)
        #expect(entry["expired"] as? Bool == false && entry["pinned"] as? Bool == false)
        let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        let expires = try format.parse(try #require(entry["expires"] as? String))
        let created = try format.parse(try #require(entry["created"] as? String))
        #expect(abs(expires.timeIntervalSince(created) - 86_400) < 1)
        let forever = try #require(try tool("list", "--json", "--sort", "size").objects().dropFirst().first)
        #expect(forever["expires"] is NSNull)
    }

    @Test func `list aligns its table and escapes control characters in keys`() throws {
        let lines = try tool("list", "--sort", "size").lines
        #expect(lines.count == 4)
        let column = try #require(lines[0].range(of: "KEY")).lowerBound.utf16Offset(in: lines[0])
        #expect(lines[1].dropFirst(column) == "https://b.example/LARGE")
        #expect(lines[2].dropFirst(column) == "日本\\u{1B}[2J" && lines[2].contains("never"))
        #expect(lines[3].contains("     10 B  "))
        #expect(lines[0].contains("  HITS  KEY") && lines[3].contains("     0  https"))
    }

    @Test(arguments: [20, 40, 60, 100])
    func `list fits the width of a terminal`(columns: Int) throws {
        try tool("put", "--key", String(repeating: "long/", count: 100), "-", input: .blob(1))
        let terminal = try PseudoTerminal(columns: UInt16(columns))
        #expect(try tool.atTerminal(terminal, ["list", "--folder", tool.cache], output: true) == 0)
        let lines = terminal.screen().split(separator: "\r\n")
        #expect(lines.count == 5)
        #expect(lines.allSatisfy { $0.count <= columns })
        #expect(lines[1].hasSuffix("/"))
        #expect(lines[0].contains("HITS") == (columns == 100))
    }

    @Test func `list shows an adopted file as unknown until its key is looked up`() throws {
        let known = try #require(try tool("list", "--json", "--filter", "LARGE").objects().first?["file"] as? String)
        try FileManager.default.removeItem(atPath: tool.cache + "/.halcyon")
        let row = try #require(try tool("list", "--sort", "size").lines.dropFirst().first)
        #expect(row.hasSuffix("(unknown) \(known.prefix(12))…"))
        #expect(try tool("list", "--json", "--sort", "size").objects().first?["key"] is NSNull)
        #expect(try tool("get", "--count-use", "https://b.example/LARGE").status == 0)
        #expect(try keys("--filter", "large").count == 1)
    }

    @Test func `list says that the cache is empty`() throws {
        let none = try tool("list", "--filter", "nowhere")
        #expect(none.status == 0 && none.output.isEmpty && none.errors == "No key contains that text.\n")
        try tool("remove", "--all", "--yes")
        #expect(try tool("list").errors == "The cache is empty.\n")
        #expect(try tool("list", "--json").objects().isEmpty)
    }

    @Test func `list ends quietly when its pipe closes`() throws {
        let tail = String(repeating: "x", count: 100)
        for index in 0..<1000 { try tool.write("p/\(index)-\(tail)", .blob(index, count: 1)) }
        try tool("put", "p")
        let result = try tool.shell(#"halcyon list --folder "$cache" --json | head -n 1; echo "${PIPESTATUS[0]}""#)
        #expect(result.lines == ["[", "141"] && result.errors.isEmpty)
    }
}
