import Foundation
import HalcyonCLI
import Testing

@Suite struct `Conditions` {
    private let tool: Tool
    private static let hostile = ["a'b", "a\"b", "50%", "a_b", "a*b", "a\nb", "日本 👩‍👧", "a;--", "a\\b", "[a]"]

    init() throws {
        tool = try Tool()
        try tool("put", "--key", "https://a.example/1.png", "-", input: .blob(1, count: 100))
        try tool("put", "--key", "https://a.example/1.png", "--processor", "small", "-", input: .blob(2, count: 50))
        try tool("put", "--key", "https://B.example:80/2.png", "--expires", "1h", "-", input: .blob(3, count: 3000))
    }

    private func keys(_ arguments: String...) throws -> [String] {
        try tool.run(["list", "--json", "--sort", "key", "--folder", tool.cache] + arguments).objects().compactMap {
            ($0["key"] as? String)?.split(separator: "/").last.map(String.init)
        }
    }

    @Test func `conditions on keys select entries`() throws {
        #expect(try keys("--prefix", "https://a.example/1.png") == ["1.png", "1.png@small"])
        #expect(try keys("--prefix", "HTTPS://a").isEmpty)
        #expect(try keys("--variants-of", "https://a.example/1.png") == ["1.png", "1.png@small"])
        #expect(try keys("--host", "b.EXAMPLE") == ["2.png"])
        #expect(try keys("--host", "b.example", "--prefix", "https://a").isEmpty)
        #expect(try keys("--processor", "small") == ["1.png@small"])
        #expect(try keys("--originals") == ["2.png", "1.png"])
    }

    @Test func `conditions on sizes and times select entries`() throws {
        #expect(try keys("--larger", "100B") == ["2.png", "1.png"])
        #expect(try keys("--larger", "51", "--smaller", "1k") == ["1.png"])
        #expect(try keys("--expires-within", "2h") == ["2.png"])
        #expect(try keys("--older", "1h").isEmpty && keys("--unused", "1h").isEmpty && keys("--expired").isEmpty)
        #expect(try keys("--newer", "1h").count == 3)
        let index = try Connection(path: tool.cache + "/.halcyon/index.sqlite")
        try index.execute("UPDATE entries SET created_at = 1000, rank = 1000, expires_at = 2000 WHERE size = 50")
        #expect(try keys("--older", "1h") == ["1.png@small"] && keys("--unused", "1h") == ["1.png@small"])
        #expect(try keys("--expired") == ["1.png@small"] && keys("--newer", "1h").count == 2)
    }

    @Test(arguments: hostile)
    func `conditions take any text literally`(text: String) throws {
        try tool("put", "--key", text, "-", input: .blob(1))
        for option in ["--prefix", "--filter", "--variants-of"] {
            let found = try tool("list", "--json", option, text).objects()
            #expect(found.map { $0["key"] as? String } == [text])
        }
        for option in ["--host", "--processor", "--tag"] {
            #expect(try tool("list", "--json", option, text).objects().isEmpty)
        }
        let line = try #require(try tool("list", "--prefix", text).lines.dropFirst().first)
        #expect(line.hasSuffix(TextWidth.printable(text)))
    }

    @Test func `list --count counts without listing`() throws {
        #expect(try tool("list", "--count").output == "3 entries, 3.2 kB.\n")
        let some = try tool("list", "--count", "--json", "--smaller", "100").object()
        #expect(some as? [String: Int] == ["entries": 2, "bytes": 150])
        #expect(try tool("list", "--count", "--tag", "none").output == "0 entries, 0 B.\n")
        #expect(try tool("list", "--tag", "none").errors == "No entry meets the conditions.\n")
    }

    @Test(arguments: [
        ["--pinned", "--unpinned"], ["--pinned", "--expired"], ["--pinned", "--expires-within", "1d"],
        ["--originals", "--processor", "x"], ["--larger", "2k", "--smaller", "1k"], ["--older", "2d", "--newer", "1d"],
        ["--prefix", ""], ["--host", ""], ["--tag", ""], ["--processor", ""], ["--older", "soon"], ["--newer", "0d"],
        ["--unused", "-1d"],
        ["--larger", "much"], ["--count", "--limit", "1"], ["--count", "--page"], ["--after", "nonsense"],
        ["--after", "e30="], ["--sort", "hits"],
    ])
    func `invalid conditions are refused with the remedy`(arguments: [String]) throws {
        let result = try tool.run(["list", "--folder", tool.cache] + arguments)
        #expect(result.status == 64 && result.output.isEmpty)
        #expect(result.errors.hasPrefix("Error: ") && result.errors.contains("--help"))
    }
}

@Suite struct `Pages` {
    private let tool: Tool
    init() throws {
        tool = try Tool()
        for index in 0..<7 { try tool.write("p/\(index)", .blob(index, count: 10 * index)) }
        try tool("put", "p")
    }

    /// All keys, page by page.
    private func walk(_ arguments: String...) throws -> [[String]] {
        var (pages, after): ([[String]], [String]) = ([], [])
        repeat {
            let page = try tool.run(["list", "--page", "--folder", tool.cache] + arguments + after).object()
            let entries = try #require(page["entries"] as? [[String: Any]])
            pages.append(entries.compactMap { $0["key"] as? String })
            after = (page["next"] as? String).map { ["--after", $0] } ?? []
        } while !after.isEmpty && pages.count < 10
        return pages
    }

    @Test(arguments: [
        ["access"], ["size"], ["created"], ["expires"], ["key"], ["size", "--reverse"], ["key", "--reverse"],
    ])
    func `pages continue in every order`(order: [String]) throws {
        let all = try tool.run(["list", "--json", "--folder", tool.cache, "--sort"] + order).objects()
        let first = try tool.run(["list", "--page", "--limit", "3", "--folder", tool.cache, "--sort"] + order).object()
        let next = try #require(first["next"] as? String)
        let rest = try tool("list", "--json", "--after", next).objects()
        let keys = (try #require(first["entries"] as? [[String: Any]]) + rest).map { $0["key"] as? String }
        #expect(keys == all.map { $0["key"] as? String } && rest.count == 4)
    }

    @Test func `the last page has no next one`() throws {
        #expect(try walk("--sort", "key", "--limit", "3").map(\.count) == [3, 3, 1])
        #expect(try walk("--limit", "7").map(\.count) == [7])
        #expect(try walk("--filter", "nowhere") == [[]])
        #expect(try walk("--larger", "20", "--limit", "2").map(\.count) == [2, 2, 1])
    }

    @Test func `a page continues only in its own order`() throws {
        let page = try tool("list", "--page", "--limit", "1", "--sort", "size").object()
        let next = try #require(page["next"] as? String)
        #expect(try tool("list", "--after", next, "--sort", "key").status == 64)
        #expect(try tool("list", "--after", next, "--reverse").status == 64)
        #expect(
            try tool("list", "--after", next, "--sort", "size", "--limit", "1").lines.last?.hasSuffix("p/5") == true)
        try tool("remove", "--all", "--yes")
        #expect(try tool("list", "--after", next).errors == "There are no more entries.\n")
    }
}
