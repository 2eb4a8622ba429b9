import Foundation
import HalcyonSQLite
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// Keys and names chosen by an attacker.
@Suite struct CollidingKeyTests {
    /// It is infeasible to find two names that share 63 bits of their SHA-256, so the test gives one row the other name's id.
    private func withSharedID(_ body: (CacheFixture, _ old: URL) throws -> Void) throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "old", attributes: .init(tags: ["old"]))
            cache.settle()
            let id = BlobName(text: cache.storage.cacheFileURL(forKey: "new").lastPathComponent).rowID
            try cache.storage.store.index.write { try $0.execute("UPDATE entries SET id = \(id)") }
            // The row in memory is older than the edited one.
            cache.storage.store.close()
            try body(cache, cache.storage.cacheFileURL(forKey: "old"))
            cache.settle()
            _ = try cache.storage.check(repair: true)
        }
    }

    @Test func `a name that shares the id of another name's row is a miss, and the row stays`() throws {
        try withSharedID { cache, old in
            let value = try cache.storage.value(forKey: "new")
            #expect(value == nil)
            #expect(!cache.storage.isCached(forKey: "new"))
            cache.settle()
            #expect(try cache.storage.store.index.read { try $0.totals() } == Totals(entries: 1, bytes: 100))
            #expect(FileManager.default.fileExists(atPath: old.path))
        }
    }

    @Test func `of two colliding entries, the newer one takes the row and never the bytes of the older one`() throws {
        try withSharedID { cache, _ in
            try cache.storage.store(value: .blob(2, count: 70), forKey: "new")
            #expect(try cache.storage.value(forKey: "new") == .blob(2, count: 70))
            #expect(try cache.storage.value(forKey: "old") == nil)
            #expect(try cache.storage.totalSize() == 70)
            try cache.storage.store(value: .blob(3), forKey: "old")
            #expect(try cache.storage.value(forKey: "old") == .blob(3))
            #expect(try cache.storage.value(forKey: "new") == .blob(2, count: 70))
        }
    }

    @Test func `removing a name leaves the row and file of a colliding name alone`() throws {
        try withSharedID { cache, old in
            try cache.storage.remove(forKey: "new")
            #expect(try cache.storage.store.index.read { try $0.totals() } == Totals(entries: 1, bytes: 100))
            #expect(FileManager.default.fileExists(atPath: old.path))
        }
    }

    @Test func `a staged file with a shared id is not mistaken for the other name's blob`() throws {
        try withSharedID { cache, _ in
            let id = BlobName(text: cache.storage.cacheFileURL(forKey: "new").lastPathComponent).rowID
            for place in ["staging", "trash"] {
                try Data.blob(7).write(to: cache.metadata.appendingPathComponent("\(place)/\(id).5"))
            }
            #expect(try cache.storage.value(forKey: "new") == nil)
            try cache.storage.store(value: .blob(2), forKey: "new")
            #expect(try cache.storage.value(forKey: "new") == .blob(2))
            cache.fileSystem.age(by: 3_600)
            cache.reopen()
            #expect(try cache.storage.value(forKey: "new") == .blob(2))
        }
    }

    // MARK: Keys

    private static let hostileKeys: [String] = [
        "'; DROP TABLE entries; --", "\" OR 1=1 --", "?1", ":key", "x'00'", "a\0b", "\0", "\0/../../x",
        String(repeating: "k", count: 1 << 20), String(repeating: "/..", count: 500), "\u{FFFD}", "\u{FFFF}\u{10FFFF}",
        "a\u{202E}b", ".", "..", "/", "//", "~", ".halcyon", ".halcyon/", ".halcyon/index.sqlite", ".HALCYON",
        ".Halcyon/index.sqlite-wal", "index.sqlite", "staging/1.2", "../outside/precious", "../outside",
        "/etc/passwd", "file:///etc/passwd", "%2e%2e%2f", "..%00/", "CON", "NUL", "aux.png", "a:b", "a\\..\\b",
    ]

    @Test(arguments: [true, false])
    func `any key's bytes stay in the folder, and no other file is touched`(isHashed: Bool) throws {
        try withCache(configure: { $0.usesHashedFileName = isHashed }) { cache in
            let canary = try Canary(in: cache.folder.url)
            for (seed, key) in Self.hostileKeys.enumerated() {
                try cache.storage.store(value: .blob(seed), forKey: key)
                try cache.storage.store(
                    value: .blob(seed + 100), forKey: key, forcedExtension: "../../outside/precious")
            }
            cache.reopen()
            for (seed, key) in Self.hostileKeys.enumerated() {
                #expect(try cache.storage.value(forKey: key) == .blob(seed))
                #expect(
                    try cache.storage.value(forKey: key, forcedExtension: "../../outside/precious") == .blob(seed + 100)
                )
                #expect(try cache.storage.entry(forKey: key)?.key.map { Array($0.utf8) } == Array(key.utf8))
            }
            #expect(try cache.storage.totals().entries == Int64(2 * Self.hostileKeys.count))
            for key in Self.hostileKeys {
                try cache.storage.remove(forKey: key)
                try cache.storage.remove(forKey: key, forcedExtension: "../../outside/precious")
            }
            #expect(try cache.storage.totalSize() == 0)
            try canary.requireUntouched("hashed: \(isHashed)")
            try canary.requireNothingNew("hashed: \(isHashed)")
        }
    }

    /// On a volume that folds "A" and "a", both keys would share a file. This machine's volume distinguishes them, so the test links one
    /// name to the other's file.
    @Test func `unhashed keys that a volume folds into one name never get each other's bytes`() throws {
        try withCache(configure: { $0.usesHashedFileName = false }) { cache in
            try cache.storage.store(value: .blob(1), forKey: "cat")
            try cache.storage.store(value: .blob(2), forKey: "CAT")
            let (lower, upper) = (cache.storage.cacheFileURL(forKey: "cat"), cache.storage.cacheFileURL(forKey: "CAT"))
            try? FileManager.default.removeItem(at: lower)
            try FileManager.default.linkItem(at: upper, to: lower)
            #expect(try cache.storage.value(forKey: "cat") == nil)
            #expect(!cache.storage.isCached(forKey: "cat"))
            #expect(try cache.storage.value(forKey: "CAT") == .blob(2))
            try cache.storage.store(value: .blob(3), forKey: "cat")
            #expect(try cache.storage.value(forKey: "CAT") == .blob(2))
        }
    }

    @Test func `a cache folder that is a link is used, and stays one`() throws {
        let cache = try CacheFixture()
        let elsewhere = cache.folder.url.appendingPathComponent("elsewhere")
        try FileManager.default.createDirectory(at: elsewhere, withIntermediateDirectories: true)
        let link = cache.folder.url.appendingPathComponent("com.onevcat.Kingfisher.ImageCache.test")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: elsewhere)
        let canary = try Canary(in: cache.folder.url)
        try cache.storage.store(value: .blob(1), forKey: "a")
        cache.reopen()
        #expect(try cache.storage.value(forKey: "a") == .blob(1))
        #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere.path).count == 2)
        try cache.storage.removeAll()
        #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere.path) == [".halcyon"])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == elsewhere.path)
        try canary.requireUntouched("a link as folder")
        try cache.requireClean()
    }
}
