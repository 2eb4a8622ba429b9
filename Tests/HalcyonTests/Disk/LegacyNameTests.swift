import Foundation
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// A folder that Kingfisher 7 or earlier wrote: files are named by the MD5 of their key. No key finds them any more. They become entries
/// like all adopted files, and are evicted or expire like them.
@Suite struct LegacyNameTests {
    /// `printf k | md5sum`
    private static let nameOfK = "8ce4b16b22b58894aa86c421e8759df3"

    private func folder(of cache: CacheFixture) -> URL {
        cache.folder.url.appendingPathComponent("com.onevcat.Kingfisher.ImageCache.test")
    }

    private func write(_ data: Data, as name: String = nameOfK, in cache: CacheFixture) throws {
        try FileManager.default.createDirectory(at: folder(of: cache), withIntermediateDirectories: true)
        let file = folder(of: cache).appendingPathComponent(name)
        try data.write(to: file)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1e9)], ofItemAtPath: file.path)
    }

    private func names(in cache: CacheFixture) throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: folder(of: cache).path).filter { $0 != ".halcyon" })
    }

    @Test(arguments: [
        ("8ce4b16b22b58894aa86c421e8759df3", true), ("8ce4b16b22b58894aa86c421e8759df3.jpg", true),
        ("8ce4b16b22b58894aa86c421e8759df3.", true), ("8ce4b16b22b58894aa86c421e8759df", false),
        ("8CE4B16B22B58894AA86C421E8759DF3", false), ("8ce4b16b22b58894aa86c421e8759df3a", false),
        // No row can have a name in decomposed form.
        ("8ce4b16b22b58894aa86c421e8759df3.e\u{301}", false),
    ])
    func `a legacy name is recognized by its shape`(name: String, isOne: Bool) {
        #expect(BlobName.isLegacyName(name) == isOne)
    }

    @Test func `a file under a legacy name becomes an entry that no key finds`() throws {
        try withCache { cache in
            try write(.blob(1), in: cache)
            try write(.blob(2), as: Self.nameOfK + ".jpg", in: cache)
            #expect(try cache.storage.value(forKey: "k") == nil)
            #expect(!cache.storage.isCached(forKey: "k", forcedExtension: "jpg"))
            #expect(try cache.storage.totals() == Totals(entries: 2, bytes: 200))
            let entries = try cache.storage.entries().entries
            #expect(Set(entries.map(\.fileName)) == [Self.nameOfK, Self.nameOfK + ".jpg"])
            #expect(entries.allSatisfy { $0.key == nil })
            cache.settle()
            #expect(try names(in: cache).count == 2)
        }
    }

    @Test func `a store and a removal of the key leave a file under a legacy name alone`() throws {
        try withCache { cache in
            try write(.blob(1), in: cache)
            try cache.storage.store(value: .blob(2), forKey: "k")
            #expect(try cache.storage.value(forKey: "k") == .blob(2))
            #expect(try cache.storage.totalSize() == 200)
            try cache.storage.remove(forKey: "k")
            cache.settle()
            #expect(try names(in: cache) == [Self.nameOfK])
        }
    }

    @Test func `a file under a legacy name expires like other adopted files`() throws {
        try withCache { cache in
            try write(.blob(1), in: cache)
            _ = try cache.storage.totalSize()
            cache.clock.advance(by: 7 * 86_400 + 1)
            #expect(try cache.storage.removeExpiredValues().map(\.lastPathComponent) == [Self.nameOfK])
            #expect(try names(in: cache).isEmpty)
        }
    }

    @Test func `a file under a legacy name can be evicted and cleared`() throws {
        try withCache { cache in
            try write(.blob(1), in: cache)
            _ = try cache.storage.totalSize()
            cache.storage.config.sizeLimit = 1
            #expect(try cache.storage.removeSizeExceededValues().count == 1)
            try write(.blob(1), in: cache)
            try cache.storage.removeAll()
            #expect(try names(in: cache).isEmpty)
        }
    }

    @Test func `a folder of version 1, which skipped legacy names, is searched before a sweep deletes any`() throws {
        try withCache { cache in
            try write(.blob(1), in: cache)
            try cache.storage.store(value: .blob(2), forKey: "other")
            cache.settle()
            // As after an upgrade: version 1 skipped the file, the column says that the directory was not searched, and a sweep is due.
            try cache.storage.store.index.write {
                try $0.execute("DELETE FROM entries WHERE typeof(name) = 'text'")
                try $0.execute("UPDATE state SET legacy_names = 2, adoption = 'done', reconciled_at = 0")
            }
            cache.clock.advance(by: 2 * 86_400)
            cache.reopen()
            cache.settle()
            #expect(try names(in: cache).contains(Self.nameOfK))
            #expect(try cache.storage.totalSize() == 200)
            #expect(try cache.storage.store.index.read { try !$0.state().awaitsLegacyNames })
        }
    }

    @Test func `rows under legacy names stay`() throws {
        try withCache { cache in
            try write(.blob(1), in: cache)
            _ = try cache.storage.totalSize()
            // As version 0.1.0 recorded it.
            try cache.storage.store.index.write { try $0.execute("UPDATE state SET legacy_names = 1") }
            for _ in 0..<2 {
                cache.clock.advance(by: 2 * 86_400)
                cache.reopen()
                cache.settle()
                #expect(try cache.storage.totalSize() == 100)
            }
        }
    }

    @Test func `without hashed names, a legacy name is an ordinary key`() throws {
        let cache = try CacheFixture { $0.usesHashedFileName = false }
        defer { cache.storage.store.close() }
        try write(.blob(1), in: cache)
        #expect(try cache.storage.value(forKey: "k") == nil)
        #expect(try cache.storage.value(forKey: Self.nameOfK) == .blob(1))
        #expect(try cache.storage.totalSize() == 100)
    }
}
