import Foundation
@_spi(HalcyonTool) import Halcyon
import HalcyonTestSupport
import Testing

/// Keys, values and settings from careless or hostile callers.
@Suite struct BadInputTests {
    static let keys: [String] = [
        "", "a/b", "/", "..", "../../escape", ".hidden", ".halcyon", ".halcyon/index.sqlite", "a\0b", "\0", "🦊",
        "e\u{301}", "\u{e9}", "name with spaces", "C:\\x", "%2F", "a.b.c", "-rf", String(repeating: "k", count: 65_536),
        String(repeating: "é", count: 200), "https://example.com/a.png?token=1#x", "line\nbreak",
        "'; DROP TABLE entries; --",
    ]

    @Test(arguments: [true, false])
    func `every key is an entry of its own inside the folder`(isHashed: Bool) throws {
        try withCache(configure: { $0.usesHashedFileName = isHashed }) { cache in
            for (seed, key) in Self.keys.enumerated() {
                try cache.storage.store(value: .blob(seed), forKey: key)
            }
            for (seed, key) in Self.keys.enumerated() {
                #expect(try cache.storage.value(forKey: key) == .blob(seed))
                #expect(cache.storage.isCached(forKey: key))
                let url = cache.storage.cacheFileURL(forKey: key)
                #expect(url.deletingLastPathComponent().standardizedFileURL == cache.directory.standardizedFileURL)
                #expect(FileManager.default.fileExists(atPath: url.path))
            }
            #expect(try cache.storage.totalSize() == UInt(Self.keys.count * 100))
            for key in Self.keys { try cache.storage.remove(forKey: key) }
            #expect(try cache.storage.totalSize() == 0)
        }
    }

    @Test func `nothing is written outside the cache's folder`() throws {
        try withCache(configure: { $0.usesHashedFileName = false }) { cache in
            for key in Self.keys { try cache.storage.store(value: .blob(1), forKey: key, forcedExtension: "../../x") }
            #expect(try FileManager.default.contentsOfDirectory(atPath: cache.folder.url.path).count == 1)
        }
    }

    @Test func `an ordinary unhashed key is its file's name`() throws {
        try withCache(configure: { $0.usesHashedFileName = false }) { cache in
            #expect(cache.storage.cacheFileURL(forKey: "cat").lastPathComponent == "cat")
            #expect(cache.storage.cacheFileURL(forKey: "cat", forcedExtension: "png").lastPathComponent == "cat.png")
        }
    }

    @Test func `a value without bytes is a value`() throws {
        try withCache { cache in
            try cache.storage.store(value: Data(), forKey: "empty")
            #expect(try cache.storage.value(forKey: "empty") == Data())
            #expect(cache.storage.isCached(forKey: "empty"))
            cache.reopen()
            #expect(try cache.storage.value(forKey: "empty") == Data())
        }
    }

    @Test func `sizes beyond 32 bits are counted`() throws {
        try withCache(configure: { $0.sizeLimit = 12 << 30 }) { cache in
            for key in ["a", "b", "c"] { try cache.storage.store(value: .blob(1), forKey: key) }
            cache.settle()
            // Every 100-byte file claims five GiB.
            try cache.storage.store.index.write { try $0.execute("UPDATE entries SET size = \(5 << 30)") }
            cache.fileSystem.pretend { if $0.kind == .regular && $0.size == 100 { $0.size = 5 << 30 } }
            #expect(try cache.storage.totalSize() == 15 << 30)
            #expect(try cache.storage.removeSizeExceededValues().count == 2)
            #expect(try cache.storage.totalSize() == 5 << 30)
        }
    }

    @Test func `a file of more than four GiB keeps its size`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "large")
            let size: Int64 = 4 << 30 + 17
            let row = try #require(try cache.storage.store.index.read { try $0.page(after: .min, limit: 1).first })
            let url = cache.storage.cacheFileURL(forKey: "large")
            let date = try #require(try FileManager.default.attributesOfItem(atPath: url.path)[.modificationDate])
            let handle = try FileHandle(forWritingTo: url)
            try handle.truncate(atOffset: UInt64(size))
            try handle.close()
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: url.path)
            var changed = row
            changed.size = size
            try cache.storage.store.index.write { try $0.upsert(changed) }
            #expect(try cache.storage.totalSize() == UInt(size))
            #expect(cache.storage.isCached(forKey: "large"))
            try cache.storage.remove(forKey: "large")
        }
    }

    @Test(arguments: [0, 1, UInt.max])
    func `any size limit is accepted`(limit: UInt) throws {
        try withCache(configure: { $0.sizeLimit = limit }) { cache in
            for seed in 0..<3 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            let removed = try cache.storage.removeSizeExceededValues()
            #expect(removed.count == (limit == 1 ? 3 : 0))
            #expect(try cache.storage.totalSize() == (limit == 1 ? 0 : 300))
        }
    }

    @Test func `options that forbid overwriting keep the old value`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a", writeOptions: .withoutOverwriting)
            #expect(throws: KingfisherError.self) {
                try cache.storage.store(value: .blob(2), forKey: "a", writeOptions: .withoutOverwriting)
            }
            #expect(try cache.storage.value(forKey: "a") == .blob(1))
            try cache.storage.store(value: .blob(3), forKey: "a", writeOptions: .atomic)
            #expect(try cache.storage.value(forKey: "a") == .blob(3))
            // After a read that expires it, there is none to overwrite.
            _ = try cache.storage.value(forKey: "a", extendingExpiration: .expirationTime(.expired))
            try cache.storage.store(value: .blob(4), forKey: "a", writeOptions: .withoutOverwriting)
            #expect(try cache.storage.value(forKey: "a") == .blob(4))
        }
    }
}
