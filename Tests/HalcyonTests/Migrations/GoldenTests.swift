import Foundation
@_spi(HalcyonTool) import Halcyon
import HalcyonMigrations
import HalcyonSQLite
import HalcyonTestSupport
import Testing

/// Released files never change, and indexes made by released versions open.
@Suite struct GoldenTests {
    /// SHA-256 of each released migration and of its golden text, as `sha256sum` prints them.
    static let released: [(version: Int, migration: String, golden: String)] = [
        (
            1, "c9acbaa721a8abf8967f366db917e25bb84bc90dbcba674cd629e0049a62c1af",
            "7fd318b1ba83183a95e84577ff32333ad26762dd0af211c5ea5d6a7b5f40bdbd"
        ),
        (
            2, "1c1a1e7ce236707343fddeef0dfe0191f6d001ca27e729343c15557844dac2cb",
            "66d2b86f1f32a86ee7a500809717cd50cb513976d875f328f25a7e0262e4ee13"
        ),
        (
            3, "43829b8fba9692b78ff2bf2e0474c15215764845f07c80387926a4a819eb7bb8",
            "ed05775969d9c610940d7a693c6ef539d7e0d7e3a3e20b54c0046fc7ea337b2e"
        ),
        (
            4, "a71edff930763bc647d7de545aadad9544fc0e5f68e33538b20b623159cdbb6d",
            "4075592d2d761b1095654f1a8092269ad54228c47670ee22ee87e26edb6c6235"
        ),
        (
            5, "e7531d0acc228330def97209107fcb40d227327a77494daadb13e3e0ff4152a3",
            "02d111ab4c999e2ab68de76dc0120fd3bdb96276433cb8db2e4e3735e9ab9f94"
        ),
        (
            6, "009d673fb5abd07ec2c7dc75be8711dabbc364878727e5eb8a354bb7b95da62b",
            "58fef2d33a7b57bd084141da6a951cfc6ec418938358dfe8743844842670563c"
        ),
        (
            7, "4ccc1f575982ca9b655b76bd7f07270c284c43e5b06ff9f241e0edb6dd997d98",
            "9d99c426cff4c4bd8e2c1b216dc4571db31a0a2573ae9fd7eeb28f54d1eb4c15"
        ),
        (
            8, "bc82ded356d93c98b385798f8dd73349f1587119446c7a53691b13441d5f3989",
            "69172145fd2194101e9e4c30502afa072d08651e660b5ff6f787ba3a2a60a3ca"
        ),
    ]

    private func golden(_ version: Int) throws -> String {
        let name = "V" + String(format: "%04d", version)
        let url = try #require(Bundle.module.url(forResource: name, withExtension: "sql", subdirectory: "Golden"))
        return try String(contentsOf: url, encoding: .utf8)
    }

    private func checksum(_ text: String) -> String { BlobName(key: text, isHashed: true, pathExtension: nil).text }

    @Test func `a released migration and its golden text never change`() throws {
        #expect(Self.released.map(\.version) == MigrationFiles.all.map(\.version), "pin each migration that lands")
        for (file, pinned) in zip(MigrationFiles.all, Self.released) {
            #expect(checksum(file.sql) == pinned.migration, "\(file.name)")
            #expect(checksum(try golden(pinned.version)) == pinned.golden, "golden text \(pinned.version)")
        }
    }

    @Test func `the embedded migrations equal the SQL files`() throws {
        let folder = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../Migrations")
            .standardizedFileURL
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".sql") }
        #expect(files.sorted() == MigrationFiles.all.map(\.name))
        for file in MigrationFiles.all {
            let text = try String(contentsOf: folder.appendingPathComponent(file.name), encoding: .utf8)
            #expect(file.sql == text, "run Scripts/embed-migrations: \(file.name)")
        }
    }

    @Test func `the name of a migration file begins with its version`() {
        for file in MigrationFiles.all {
            #expect(file.name.hasPrefix("V" + String(format: "%04d", file.version) + "__"))
            #expect(file.name.hasSuffix(".sql") && file.oldestReader <= file.version)
        }
    }

    /// Restores an index as that version left it, in the folder of a cache.
    private func restore(_ version: Int, in cache: CacheFixture) throws {
        cache.storage.store.close()
        try FileManager.default.removeItem(at: cache.index)
        let connection = try Connection(path: cache.index.path)
        try connection.execute(try golden(version))
        // The golden text's boot: after another restart, rows without files would be dropped.
        cache.environment.boot = { "boot" }
    }

    @Test(arguments: released.map(\.version))
    func `an index of a released version opens with all its rows`(version: Int) throws {
        let cache = try CacheFixture()
        try restore(version, in: cache)
        cache.reopen()
        let entries = try cache.storage.store.index.read { try $0.page(after: .min, limit: 100) }
        let byName = Dictionary(uniqueKeysWithValues: entries.map { ($0.name.text, $0) })
        let areReadable = entries.allSatisfy { $0.isReadable }
        #expect(areReadable)
        let address = try #require(byName["494a30704d4f32ac0b81739d18a66d3638d440cbc6f5669f6af66f840edee5ab"])
        #expect(address.key == "https://example.com/a.png" && address.token == 1001 && address.inode == 11)
        #expect(address.size == 6 && address.lifetime.timeToLive == 604_800_000)
        #expect(address.createdAt.milliseconds == 1_760_000_000_000)
        #expect(address.accessedAt.milliseconds == (version < 7 ? 1_760_000_001_000 : 1_760_000_000_900))
        #expect(address.lifetime.expiresAt?.milliseconds == 1_760_604_800_000)
        let adopted = try #require(byName["ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad.png"])
        #expect(adopted.key == nil)
        let never = try #require(byName["höhle 🦊"])
        #expect(never.lifetime == .never && never.size == 0 && never.key == "höhle 🦊")
        let large = try #require(byName["large"])
        #expect(large.size == 5_368_709_120 && large.isPinned && large.inode == nil && large.token == .max)
        #expect(try cache.storage.store.index.read { try $0.totals() } == Totals(entries: 4, bytes: 5_368_709_127))
        #expect(try cache.storage.check().integrityFindings == [])
    }

    /// Attributes of entries that a later version introduced; an upgrade invents nothing for older entries.
    @Test(arguments: released.map(\.version))
    func `accesses, tags and metadata survive an upgrade`(version: Int) throws {
        let cache = try CacheFixture()
        try restore(version, in: cache)
        cache.reopen()
        let entries = try cache.storage.entries(sortedBy: .key).entries
        #expect(
            entries.map(\.key)
                == [nil, "höhle 🦊", "https://example.com/a.png", "large"].sorted { ($0 ?? "") < ($1 ?? "") })
        let address = try #require(entries.first { $0.key == "https://example.com/a.png" })
        let large = try #require(entries.first { $0.key == "large" })
        let old = try #require(entries.first { $0.key == "höhle 🦊" })
        #expect(address.hits == (version >= 3 ? 7 : 0) && address.allocatedSize == (version >= 3 ? 4096 : 6))
        #expect(address.baseKey == (version >= 3 ? address.key : nil))
        // The largest number that the index supports.
        #expect(large.hits == (version >= 3 ? Totals.limit : 0))
        #expect(address.tags == (version >= 4 ? ["höhle", "offline"] : []))
        #expect(address.validators?.etag == (version >= 4 ? "\"33a64df5\"" : nil))
        #expect(address.metadata == (version >= 4 ? ["width": "320"] : [:]))
        #expect(old.validators == nil, "of bytes that were stored before")
        let expected: [DiskStorage.EntryFilter: Int] = [
            .init(host: "example.com"): 1, .init(tag: "offline"): version >= 4 ? 2 : 0,
            .init(baseKey: "https://example.com/a.png"): 1, .init(isPinned: true): 1, .init(minimumSize: 2): 2,
            .init(keyPrefix: "h"): 2,
        ]
        for (filter, count) in expected { #expect(try cache.storage.entries(matching: filter).entries.count == count) }
        let statistics = try cache.storage.statistics.total
        #expect(statistics.hits == (version >= 3 ? 1 : 0) && statistics.bytesWritten == (version >= 3 ? 8 : 0))
    }

    @Test(arguments: released.map(\.version))
    func `an upgraded index has the schema of a new one`(version: Int) throws {
        let cache = try CacheFixture()
        _ = try cache.storage.totalSize()
        let new = try schema(of: cache)
        try restore(version, in: cache)
        cache.reopen()
        _ = try cache.storage.store.index.read { try $0.totals() }
        cache.settle()
        #expect(try schema(of: cache) == new)
    }

    private func schema(of cache: CacheFixture) throws -> [String] {
        try Connection(path: cache.index.path).texts(
            "SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_schema ORDER BY type, name")
    }

    @Test func `the views of version 1 show readable values`() throws {
        let cache = try CacheFixture()
        try restore(1, in: cache)
        let connection = try Connection(path: cache.index.path)
        #expect(
            try connection.texts("SELECT file || ' ' || size || ' ' || expires FROM cache_entries") == [
                "höhle 🦊 0 never",
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad.png 1 2025-10-16 08:53:20",
                "494a30704d4f32ac0b81739d18a66d3638d440cbc6f5669f6af66f840edee5ab 6 2025-10-16 08:53:20",
                "large 5368709120 9999-12-31 23:59:59",
            ])
        #expect(
            try connection.texts("SELECT expired || pinned FROM cache_entries") == ["nono", "yesno", "yesno", "noyes"])
        #expect(
            try connection.texts(
                "SELECT entries || ' ' || megabytes || ' ' || expired || ' ' || pinned FROM cache_summary")
                == ["4 5368.7 2 1"])
        #expect(
            try connection.texts("SELECT site || ' ' || entries || ' ' || bytes FROM cache_sites") == [
                "(no address) 3 5368709121", "example.com 1 6",
            ])
        #expect(try connection.integer("PRAGMA application_id") == 0x4841_4C43)
    }

    @Test func `each view returns the expected rows`() throws {
        let cache = try CacheFixture()
        try restore(MigrationFiles.all.count, in: cache)
        let connection = try Connection(path: cache.index.path)
        let answers: [(sql: StaticString, rows: [String])] = [
            (
                "SELECT file || ' ' || reads || ' ' || coalesce(tags, '-') || ' ' || host FROM cache_entries WHERE key LIKE 'https%'",
                ["494a30704d4f32ac0b81739d18a66d3638d440cbc6f5669f6af66f840edee5ab 7 höhle, offline example.com"]
            ),
            (
                "SELECT last_read || ' ' || expires || ' ' || expired FROM cache_entries WHERE key LIKE 'https%'",
                ["2025-10-09 08:53:20Z 2025-10-16 08:53:20Z 1"]
            ),
            ("SELECT count(*) FROM cache_entries WHERE pinned AND expires IS NULL AND NOT expired", ["1"]),
            ("SELECT count(*) FROM cache_entries WHERE last_read IS NULL", ["2"]),
            (
                "SELECT position || ' ' || file || ' ' || bytes_so_far || ' ' || expired FROM cache_eviction_order",
                [
                    "1 ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad.png 1 1",
                    "2 494a30704d4f32ac0b81739d18a66d3638d440cbc6f5669f6af66f840edee5ab 7 1", "3 höhle 🦊 7 0",
                ]
            ),
            (
                "SELECT (allocated_bytes - bytes) || ' ' || pinned_bytes || ' ' || expired_bytes FROM cache_summary",
                ["-6 5368709120 7"]
            ),
            (
                "SELECT host || ' ' || entries || ' ' || reads FROM cache_hosts WHERE host LIKE 'e%'",
                ["example.com 1 7"]
            ),
            ("SELECT processor || ' ' || entries FROM cache_processors ORDER BY 1", ["(original) 1", "(unknown) 3"]),
            (
                "SELECT image || ' ' || variants || ' ' || last_read FROM cache_images",
                ["https://example.com/a.png 1 2025-10-09 08:53:20Z"]
            ),
            ("SELECT size_from || ' ' || entries FROM cache_sizes WHERE entries > 0", ["0 3", "10000000 1"]),
            (
                "SELECT days_from || ' ' || created_entries || ' ' || used_bytes FROM cache_ages WHERE used_entries > 0",
                ["365 4 5368709127"]
            ),
            ("SELECT coalesce(day, '-') || ' ' || entries FROM cache_expirations", ["2025-10-16Z 2", "- 2"]),
            ("SELECT tag || ' ' || entries || ' ' || bytes FROM cache_tags", ["höhle 1 6", "offline 2 5368709126"]),
            (
                "SELECT key || ' ' || etag || ' ' || last_modified || ' ' || max_age || ' ' || fields FROM cache_metadata",
                ["https://example.com/a.png \"33a64df5\" Wed, 21 Oct 2015 07:28:00 GMT 3600 {\"width\":\"320\"}"]
            ),
            (
                "SELECT age || ' ' || stale_while_revalidate || ' ' || must_revalidate || ' ' || checked FROM cache_metadata",
                ["60 120 1 2025-10-09 08:53:20Z"]
            ),
            (
                "SELECT hits || ' ' || misses || ' ' || hit_percent || ' ' || bytes_evicted || ' ' || since FROM cache_statistics",
                ["1 2 33.3 9 2025-10-09 08:53:20Z"]
            ),
            ("SELECT is_right || ' ' || counted_bytes FROM cache_check", ["yes 5368709127"]),
            (
                "SELECT migration || ' ' || applied FROM cache_versions WHERE version = 7",
                [
                    "V0007__explain_itself.sql 2025-10-09 08:53:20Z"
                ]
            ),
        ]
        for (sql, rows) in answers { #expect(try connection.texts(sql) == rows, "\(sql)") }
        let views = try connection.texts("SELECT name FROM sqlite_schema WHERE type = 'view'")
        for view in views { #expect(answers.contains { "\($0.sql)".contains(" \(view)") }, "\(view)") }
    }

    @Test func `the ledger's checksum is the output of sha256sum`() throws {
        let cache = try CacheFixture()
        let ledger = try cache.storage.store.index.ledger()
        #expect(ledger.map(\.checksum) == Self.released.map(\.migration))
    }
}
