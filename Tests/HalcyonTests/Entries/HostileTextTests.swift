import Foundation
import HalcyonSQLite
import HalcyonTestSupport
import Testing

@testable import Halcyon

/// Texts in filters and keys are data: the cache compares them byte by byte, whatever they contain.
@Suite struct HostileTextTests {
    static let texts = [
        "'", "''", "\"", "`", ";", "--", "/*", "%", "%%", "_", "*", "?", "[", "]", "[a-z]", "[^a]", "^", "\\", "\\'",
        "\\%",
        "\0", "a\0b", "\n", "\r\n", "\t", " ", "😀", "👩‍👩‍👧", "\u{10FFFF}", "a\u{10FFFF}", "\u{10FFFF}\u{10FFFF}",
        "\u{D7FF}",
        "\u{E000}", "\u{FFFF}", "\u{FEFF}", "\u{202E}", "é", "e\u{301}", "É", "E\u{301}", "\u{212B}", "Å", "ß", "SS",
        "ı", "İ", "K", "k", "\u{212A}",
        "'; DROP TABLE entries; --", "' OR '1'='1", "?1", ":key", "@key", "$key", "NULL", "x'00'", "key",
        "1 UNION SELECT key FROM entries",
        "@", "a@", "@a", "../..", "a/b", "http://'/", "(", "{}", "0x7FFFFFFF", String(repeating: "ab%", count: 700),
    ]

    private static let keys = texts + texts.map { "x\($0)y" } + texts.map { "\($0)@\($0)" }

    /// Filled once; each text is then searched in it.
    private func withTexts(_ body: (CacheFixture) throws -> Void) throws {
        try withCache { cache in
            for (seed, key) in Self.keys.enumerated() {
                let tag = Self.texts[seed % Self.texts.count]
                try cache.storage.store(
                    value: .blob(seed, count: 1), forKey: key,
                    attributes: .init(tags: tag.utf8.count > 1_000 ? [] : [tag]))
            }
            try cache.forgetOrigins()
            try body(cache)
            try cache.requireViews()
            #expect(try cache.storage.store.index.read { try $0.connection.integrityFindings() } == [])
        }
    }

    private func found(_ filter: EntryFilter, in cache: CacheFixture) throws -> Set<[UInt8]> {
        let page = try cache.storage.entries(matching: filter, sortedBy: .key, limit: .max)
        #expect(try cache.storage.totals(matching: filter).entries == Int64(page.entries.count))
        return Set(page.entries.compactMap { $0.key.map { Array($0.utf8) } })
    }

    private func expected(_ isMet: ([UInt8]) -> Bool) -> Set<[UInt8]> {
        Set(Self.keys.map { Array($0.utf8) }.filter(isMet))
    }

    private func lowered(_ bytes: [UInt8]) -> [UInt8] { bytes.map { (65...90).contains($0) ? $0 + 32 : $0 } }

    @Test func `any text works as a prefix, a part and the image of a key`() throws {
        try withTexts { cache in
            for text in Self.texts {
                let bytes = Array(text.utf8)
                let part = lowered(bytes)
                try expect(cache, .init(keyPrefix: text), expected { $0.starts(with: bytes) })
                try expect(cache, .init(text: text), expected { lowered($0).firstRange(of: part) != nil })
                try expect(
                    cache, .init(baseKey: text),
                    expected { $0 == bytes || $0.starts(with: bytes + [UInt8(ascii: "@")]) })
            }
        }
    }

    private func expect(_ cache: CacheFixture, _ filter: EntryFilter, _ expected: Set<[UInt8]>) throws {
        let found = try found(filter, in: cache)
        #expect(found == expected, "\("\(filter)".prefix(300))")
    }

    @Test func `any text works as a tag, a host and a processor`() throws {
        try withTexts { cache in
            for (number, text) in Self.texts.enumerated() {
                let tagged = stride(from: number, to: Self.keys.count, by: Self.texts.count).map {
                    Array(Self.keys[$0].utf8)
                }
                try expect(cache, .init(tag: text), text.utf8.count > 1_000 ? [] : Set(tagged))
                let addresses = ["http://'/", "xhttp://'/y", "http://'/@http://'/"].map { Array($0.utf8) }
                try expect(cache, .init(host: text), text == "'" ? Set(addresses) : [])
                try expect(cache, .init(processorIdentifier: text), [])
            }
        }
    }

    @Test func `pages list keys in the order of their bytes, both ways, each once`() throws {
        try withTexts { cache in
            let sorted = Self.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { Array($0.utf8) }
            for descending in [false, true] {
                var page = try cache.storage.entries(sortedBy: .key, descending: descending, limit: 7)
                var keys = page.entries.compactMap(\.key)
                while let next = page.next {
                    // As an app keeps it across launches.
                    let kept = try JSONDecoder().decode(DiskStorage.EntryCursor.self, from: JSONEncoder().encode(next))
                    page = try cache.storage.entries(after: kept, limit: 7)
                    keys += page.entries.compactMap(\.key)
                }
                #expect(keys.map { Array($0.utf8) } == (descending ? sorted.reversed() : sorted))
            }
        }
    }

    @Test func `a removal removes exactly the listed entries`() throws {
        try withTexts { cache in
            var left = Set(Self.keys.map { Array($0.utf8) })
            for text in Self.texts where text.utf8.count < 10 {
                let bytes = Array(text.utf8)
                let gone = try cache.storage.removeEntries(matching: .init(keyPrefix: "x\(text)"))
                let expected = left.filter { $0.starts(with: [UInt8(ascii: "x")] + bytes) }
                #expect(Set(gone.compactMap { $0.key.map { Array($0.utf8) } }) == expected)
                left.subtract(expected)
            }
            try expect(cache, .all, left)
        }
    }

    // MARK: Nothing

    @Test func `an empty prefix or text matches every entry, even without stored keys`() throws {
        try withCache(configure: { $0.storesKeys = false }) { cache in
            for key in ["a", "b"] { try cache.storage.store(value: .blob(1), forKey: key) }
            #expect(try cache.storage.totals(matching: .init(keyPrefix: "")).entries == 2)
            #expect(try cache.storage.totals(matching: .init(text: "")).entries == 2)
            #expect(
                try cache.storage.entries(matching: .init(keyPrefix: "", text: ""), sortedBy: .key).entries.count == 2)
            #expect(try cache.storage.totals(matching: .init(keyPrefix: "a")).entries == 0)
            #expect(KeyConditions(EntryFilter(keyPrefix: "", text: "")) == nil)
            // A removal must not treat an empty search field as a filter for everything.
            for filter in [EntryFilter(text: ""), EntryFilter(keyPrefix: "", isPinned: false)] {
                #expect(throws: KingfisherError.self) { try cache.storage.removeEntries(matching: filter) }
            }
            #expect(try cache.storage.totals().entries == 2)
        }
    }

    @Test func `the key of the image tells where its host and its processor end`() throws {
        let (key, base) = ("https://a.example@blur", "https://a.example")
        func admits(_ filter: EntryFilter, _ baseKey: String) -> Bool? {
            KeyConditions(filter)?.admits(key: key, baseKey: baseKey)
        }
        #expect(admits(.init(processorIdentifier: "blur"), base) == true)
        #expect(admits(.init(processorIdentifier: "blur"), key) == false)
        #expect(admits(.init(host: "a.example"), base) == true)
        // Without an identifier, what precedes the "@" is a user name.
        #expect(admits(.init(host: "blur"), key) == true)
        #expect(admits(.init(host: "blur"), base) == false)
        #expect(admits(.init(baseKeys: [base]), base) == true)
        #expect(admits(.init(baseKeys: [key]), base) == false)
        #expect(admits(.init(host: "a.example", baseKeys: [base]), base) == true)
    }

    @Test func `images are distinguished by the bytes of their keys`() throws {
        try withCache { cache in
            let composed = "\u{E9}"
            let decomposed = "e\u{301}"
            let keys = [
                "a", "a@p", "ab", "a@", "b", "b@x", "b@x@q", "b@xy", composed, "\(composed)@p", decomposed, "x\0y@p",
            ]
            for key in keys { try cache.storage.store(value: .blob(1), forKey: key) }
            try cache.forgetOrigins()
            func found(_ baseKeys: [String]) throws -> Set<[UInt8]> {
                let entries = try cache.storage.entries(matching: .init(baseKeys: baseKeys)).entries
                let memory = KeyConditions(EntryFilter(baseKeys: baseKeys))
                #expect(entries.count == keys.filter { memory?.admits(key: $0) == true }.count, "\(baseKeys)")
                return Set(entries.map { Array(($0.key ?? "").utf8) })
            }
            func bytes(_ keys: String...) -> Set<[UInt8]> { Set(keys.map { Array($0.utf8) }) }
            #expect(try found([]) == [])
            #expect(try found(["a"]) == bytes("a", "a@p", "a@"))
            #expect(try found(["a", "b@x"]) == bytes("a", "a@p", "a@", "b@x", "b@x@q"))
            #expect(try found([composed]) == bytes(composed, "\(composed)@p"))
            #expect(try found([composed, "nothing"]) == bytes(composed, "\(composed)@p"))
            #expect(try found([composed, decomposed]) == bytes(composed, "\(composed)@p", decomposed))
            #expect(try found(["x\0y", "z"]) == bytes("x\0y@p"))
            let gone = try cache.storage.removeEntries(matching: .init(baseKeys: ["b", decomposed]))
            #expect(gone.count == 5)
        }
    }

    @Test func `only the cache can call its SQL function for keys`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            try cache.storage.store.index.write { session in
                try session.execute("CREATE VIEW planted AS SELECT meets(1, key, base_length, source) FROM entries")
                #expect(throws: SQLiteError.self) { try session.execute("SELECT * FROM planted") }
                // Without the bound filter, the function returns NULL.
                #expect(try session.connection.integer("SELECT meets(1, key) IS NULL FROM entries") == 1)
                #expect(try session.connection.integer("SELECT meets() IS NULL") == 1)
                try session.execute("DROP VIEW planted")
            }
        }
    }

    @Test func `no entry has an empty host or tag, and an empty key is an ordinary key`() throws {
        try withCache { cache in
            for key in ["", "@blur", "a", "http://b/", "http:///"] {
                try cache.storage.store(value: .blob(1), forKey: key, attributes: .init(tags: ["t"]))
            }
            try cache.forgetOrigins()
            #expect(try cache.storage.entries(matching: .init(host: "")).entries == [])
            #expect(try cache.storage.entries(matching: .init(tag: "")).entries == [])
            #expect(KeyConditions(EntryFilter(host: ""))?.admits(key: "a") == false)
            #expect(try Set(cache.storage.removeEntries(matching: .init(baseKey: "")).map(\.key)) == ["", "@blur"])
            #expect(try cache.storage.totals(matching: .all).entries == 3)
        }
    }

    // MARK: Times

    @Test func `filters compare with the times that an entry shows`() throws {
        try withCache { cache in
            for seed in 0..<60 {
                cache.clock.advance(by: 0.137)
                try cache.storage.store(value: .blob(seed), forKey: "\(seed)", expiration: .seconds(500))
            }
            let entries = try cache.storage.entries(sortedBy: .created).entries
            for (index, entry) in entries.enumerated() {
                let before = EntryFilter(createdBefore: entry.created)
                let after = EntryFilter(createdAfter: entry.created)
                #expect(try cache.storage.totals(matching: before).entries == Int64(index))
                #expect(try cache.storage.totals(matching: after).entries == Int64(59 - index))
                #expect(
                    try cache.storage.totals(matching: .init(accessedAfter: entry.lastAccess)).entries
                        == Int64(59 - index))
                #expect(
                    try cache.storage.totals(matching: .init(expiresBefore: entry.expiration)).entries == Int64(index))
            }
        }
    }

    /// As seconds since 1970, because an infinite Date cannot be printed.
    @Test(arguments: [-62_135_769_600, 64_092_211_200, .infinity, -.infinity, .nan, 1e300, -1e300])
    func `filters accept dates of any distance`(seconds: Double) throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a", expiration: .seconds(5))
            let date = Date(timeIntervalSince1970: seconds)
            // Nothing is before or after a date that is not a number.
            let (before, after): (Int64, Int64) = (seconds > 0 ? 1 : 0, seconds <= 0 ? 1 : 0)
            #expect(try cache.storage.totals(matching: .init(createdBefore: date)).entries == before)
            #expect(try cache.storage.totals(matching: .init(createdAfter: date)).entries == after)
            #expect(try cache.storage.totals(matching: .init(accessedBefore: date)).entries == before)
            for descending in [false, true] {
                let expiring = try cache.storage.entries(
                    matching: .init(expiresBefore: date), sortedBy: .expiration, descending: descending)
                #expect(expiring.entries.count == Int(before))
                let accessed = try cache.storage.entries(matching: .init(accessedAfter: date), descending: descending)
                #expect(accessed.entries.count == Int(after))
            }
        }
    }
}
