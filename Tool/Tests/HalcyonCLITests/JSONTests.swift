import Foundation
import Testing

/// Output that programs read.
@Suite struct `JSON output` {
    private let tool: Tool
    init() throws { tool = try Tool() }

    /// The names of the members at all depths, in order, without the names of the user's metadata.
    private func names(_ value: Any) -> [String] {
        if let array = value as? [Any] { return array.flatMap(names) }
        guard let object = value as? [String: Any] else { return [] }
        return object.keys.sorted() + object.filter { $0.key != "metadata" }.values.flatMap(names)
    }

    private func fill() throws {
        try tool("put", "--key", "https://a.example/1.png", "-", input: .blob(1))
        try tool(
            "put", "--key", "b@small", "--pin", "--tag", "t", "--note", "someName=1", "--etag", "e", "--max-age", "60",
            "-",
            input: .blob(2))
    }

    @Test(arguments: [
        ["list", "--json"], ["info", "--json", "b@small"], ["stats", "--json"], ["check", "--json"],
        ["clean", "--json", "--limit", "1MB"], ["remove", "--json", "b@small"], ["remove", "--json", "--all", "--yes"],
        ["report", "--json"], ["watch", "--json", "--count", "1"], ["upgrade", "--json", "--dry-run"],
    ])
    func `JSON names are snake_case`(arguments: [String]) throws {
        try fill()
        let result = try tool.run([arguments[0], "--folder", tool.cache] + arguments.dropFirst())
        #expect(result.status == 0)
        let names = try names(JSONSerialization.jsonObject(with: result.data))
        #expect(names.count > 3)
        for name in names { #expect(name.wholeMatch(of: /[a-z0-9]+(_[a-z0-9]+)*/) != nil, "\(name)") }
    }

    @Test func `JSON passes no control character to a terminal`() throws {
        let keys = ["a\u{9B}31m", "\u{202E}gpj.b", "\u{7F}\u{1B}[2J", "e👩‍👧\u{2028}"]
        for key in keys { try tool("put", "--key", key, "-", input: .blob(1)) }
        let result = try tool("list", "--json")
        let controls: Set<Unicode.Scalar> = ["\u{9B}", "\u{202E}", "\u{7F}", "\u{1B}", "\u{2028}"]
        #expect(!result.output.unicodeScalars.contains(where: controls.contains) && result.output.contains("👩‍👧"))
        #expect(Set(try result.objects().compactMap { $0["key"] as? String }) == Set(keys))
    }

    @Test func `JSON objects of entries have the same names, whatever is known`() throws {
        try fill()
        let entries = try tool("list", "--json").objects()
        #expect(entries.count == 2 && entries[0].keys.sorted() == entries[1].keys.sorted())
        let looks = try [tool.cache, tool.cache + "-2"].map { folder in
            try tool.run(["watch", "--folder", folder, "--json", "--count", "1"]).object().keys.sorted()
        }
        #expect(looks[0] == looks[1])
    }
}
