import Foundation
import HalcyonSQLite
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// The tables that queries of version 0.1.0 maintained: they are dropped, and may be missing.
@Suite struct FormerListingTests {
    private static let tables =
        ["listing", "names", "unlisted"]
        + ["size", "creation", "source", "host", "processor", "key"].map { "listing_by_\($0)" }
    private let secret = "https://private.example.com/token-5f3a9c/photo.jpg"

    private func bytes(of cache: CacheFixture) throws -> String {
        let files = try FileManager.default.contentsOfDirectory(at: cache.metadata, includingPropertiesForKeys: nil)
        return try files.filter { $0.lastPathComponent.hasPrefix("index") && $0.pathExtension != "sqlite-shm" }
            .map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }.joined()
    }

    /// A listing as version 0.1.0 leaves it, with 200 entries and the secret one.
    private func listed(_ edit: String = "", isPrivate: Locked<Bool> = Locked(false)) throws -> CacheFixture {
        let cache = try CacheFixture(configure: { $0.storesKeys = !isPrivate.withLock { $0 } })
        for seed in 0..<200 { try cache.storage.store(value: .blob(seed), forKey: "other \(seed)") }
        try cache.storage.store(value: .blob(1), forKey: secret)
        cache.settle()
        cache.storage.store.close()
        try OlderIndex.make(version: 6, at: cache.index.path)
        try Connection(path: cache.index.path).execute(
            """
            INSERT INTO listing (id, source, size, created_at) SELECT id, source, size, created_at FROM entries;
            INSERT INTO listing_by_key SELECT key, id FROM entries;
            INSERT INTO listing_by_size SELECT size, id FROM entries;
            INSERT INTO names (name) VALUES ('private.example.com');
            UPDATE totals SET listed_to = 9223372036854775807, sorted_to = 9223372036854775807;
            \(edit)
            """)
        // The daily search of the folder is not due: an opening is enough.
        cache.reopen()
        _ = try cache.storage.totalSize()
        cache.settle()
        return cache
    }

    private func leftTables(of cache: CacheFixture) throws -> Set<String> {
        let index = try Connection(path: cache.index.path)
        let left = try index.texts("SELECT name FROM sqlite_master WHERE type = 'table'")
        return Set(left).intersection(Self.tables)
    }

    @Test func `the former listing is dropped after an opening, and nothing is added to it`() throws {
        let cache = try listed()
        try cache.storage.store(value: .blob(2), forKey: "other 1")
        try cache.storage.remove(forKey: secret)
        cache.settle()
        #expect(try leftTables(of: cache) == [])
        cache.storage.store.close()
        #expect(try !bytes(of: cache).contains("5f3a9c"))
    }

    @Test(arguments: tables) func `the former listing is dropped, whichever of its tables is left`(table: String) throws
    {
        let others = Self.tables.filter { $0 != table }.map { "DELETE FROM \($0);" }.joined()
        let cache = try listed(others + "UPDATE totals SET listed_to = NULL")
        #expect(try leftTables(of: cache) == [])
        cache.storage.store.close()
    }

    @Test func `the former listing leaves no key in an index that cannot shrink`() throws {
        let cache = try listed("PRAGMA auto_vacuum = NONE; VACUUM")
        #expect(try leftTables(of: cache) == [])
        try cache.storage.remove(forKey: secret)
        cache.settle()
        cache.storage.store.close()
        #expect(try Connection(path: cache.index.path).integer("PRAGMA auto_vacuum") == 0)
        #expect(try !bytes(of: cache).contains("5f3a9c"))
    }

    @Test func `the former listing is dropped if keys are not stored`() throws {
        let isPrivate = Locked(false)
        let cache = try listed(isPrivate: isPrivate)
        isPrivate.withLock { $0 = true }
        cache.reopen()
        _ = try cache.storage.totalSize()
        cache.settle()
        cache.storage.store.close()
        #expect(try !bytes(of: cache).contains("private.example"))
    }

    @Test(arguments: tables) func `a dropped table of the former listing is not needed`(table: String) throws {
        // The triggers name `unlisted`.
        let triggers = ["inserted", "changed", "renamed", "deleted"].map { "DROP TRIGGER entries_\($0)_unlisted;" }
        let cache = try listed((table == "unlisted" ? triggers.joined() : "") + "DROP TABLE \(table)")
        #expect(try cache.storage.entries(sortedBy: .size).entries.count == 100)
        try cache.storage.store(value: .blob(1), forKey: "other 1")
        cache.clock.advance(by: 2 * 86_400)
        cache.reopen()
        #expect(try cache.storage.totals().entries == 201)
        cache.settle()
        #expect(try cache.storage.check().isClean)
        try cache.storage.removeAll()
        #expect(try cache.storage.totals().entries == 0)
        #expect(cache.warnings.withLock { $0 } == [])
    }
}
