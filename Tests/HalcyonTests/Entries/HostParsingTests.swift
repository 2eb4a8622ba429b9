import Foundation
import HalcyonMigrations
import HalcyonSQLite
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// The host of a key as the cache parses it, compared with the SQL of the views of version 6.
@Suite struct HostParsingTests {
    private static let chosen = [
        "", "/", "://", "://a", "a:/b", "a://", "a:///x", "a://b", "A://B", "http://example.com",
        "http://Example.COM:80/x",
        "http://u@example.com", "http://u:p@example.com:8080?x", "http://u@v@w@example.com#f", "http://@", "http://@@",
        "http://a@", "http://@:80", "http://:80", "http://:", "http://a:", "http://a::", "http://a:8a",
        "http://a:80:80",
        "http://[::1]", "http://[::1]:80/", "http://[fe80::1%25eth0]:1/x", "http://1.2.3.4:5", "http://80",
        "http://80:80",
        "http://a?b://c", "http://a#b@c", "http://a/b@c", "http://a?@b", "h t://a", "h_t://a", "é://a", "1://a",
        "+.-://a",
        "a:b://c", "a/b://c", "x://y://z", "://x://y", "data:image/png;base64,://a", "mailto:a@b", "file:///a/b",
        "http://xn--bcher-kva.example/", "http://bücher.example/", "http://BÜCHER.EXAMPLE", "http://日本:80/",
        "http://😀@😀:1",
        "http://e\u{301}.example", "http://a\\b/c", "http://a%2Fb/c", "http://a b/c", "http://a\nb/c", "http://a\tb",
        "http://'; DROP TABLE entries; --/", "http://\"a\"/", "http://*/", "http://?/", "http://[/", "http://]",
        "http://%/",
        "http://_:_", "http://\u{10FFFF}/", "http://\u{FEFF}a/", "\u{FEFF}http://a/", " http://a/", "http://a /",
        "http://a\0b/c", "http\0://a/", "http://\0", "http://a:80\0/", "http://u\0@b/", "http:\0//a", "\0http://a",
        "http://" + String(repeating: "a@", count: 5_000), "http://" + String(repeating: "9", count: 5_000),
        String(repeating: "a", count: 100_000) + "://b", "http://" + String(repeating: "b", count: 100_000) + ":1",
    ]

    private static let pieces = [
        "://", ":", "/", "@", "?", "#", "a", "B", "0", "80", "[", "]", "%", "é", "😀", ".", "-", "+", " ", "_", "\n",
        "http", "\\", "'",
        "*", "\0",
    ]

    private static func random(_ count: Int) -> [String] {
        var generator = SeededGenerator.ofThisRun
        return (0..<count).map { _ in
            let start = Int.random(in: 0..<3, using: &generator) == 0 ? "" : "a://"
            return start
                + (0..<Int.random(in: 0..<12, using: &generator)).compactMap { _ in
                    pieces.randomElement(using: &generator)
                }.joined()
        }
    }

    @Test func `hosts are the same in Swift and in the views, for any key`() throws {
        let folder = try TemporaryFolder()
        let keys = Self.chosen + Self.random(4_000)
        let index = try Connection(path: folder.url.appendingPathComponent("index.sqlite").path)
        for file in MigrationFiles.all.prefix(6) { try index.execute(file.sql) }
        try index.begin()
        for (id, key) in keys.enumerated() { try insert(key, id: Int64(id), into: index) }
        try expectHosts(of: keys, in: index)
        try expectSites(of: keys, in: index)
        index.rollBack()
    }

    private func insert(_ key: String, id: Int64, into index: Connection) throws {
        try index.run(
            "INSERT INTO entries (id, name, key, token, size, created_at, accessed_at) VALUES (?1, ?2, ?2, 1, 1, 1, 1)",
            id, key)
    }

    private func expectHosts(of keys: [String], in index: Connection) throws {
        try index.with(joining: ["SELECT id, host FROM cache_origins"]) { statement in
            while try statement.step() {
                let key = keys[Int(statement.integer(at: 0))]
                #expect(
                    KeyOrigin.host(ofKey: key).map { Array($0.utf8) }
                        == statement.optionalText(at: 1).map { Array($0.utf8) }, "\(key.prefix(100).debugDescription)")
            }
        }
    }

    private func expectSites(of keys: [String], in index: Connection) throws {
        let expected = Dictionary(grouping: keys) { Array((KeyOrigin.host(ofKey: $0) ?? "(no address)").utf8) }
        var found = 0
        try index.with(joining: ["SELECT site, entries FROM cache_sites"]) { statement in
            while try statement.step() {
                found += 1
                #expect(expected[Array(statement.text(at: 0).utf8)]?.count == Int(statement.integer(at: 1)))
            }
        }
        #expect(found == expected.count)
    }
}
