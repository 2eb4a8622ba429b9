import Foundation
@_spi(HalcyonTool) import Halcyon
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// A folder that Kingfisher 7 or earlier wrote: files named by the MD5 of their key.
@Suite struct LegacyNameTests {
    private func folder(of cache: CacheFixture) -> URL {
        cache.folder.url.appendingPathComponent("com.onevcat.Kingfisher.ImageCache.test")
    }

    private func writeLegacy(_ key: String, _ data: Data, in cache: CacheFixture, pathExtension: String = "") throws {
        try FileManager.default.createDirectory(at: folder(of: cache), withIntermediateDirectories: true)
        let name = LegacyDigest.hexadecimal(of: key) + pathExtension
        let file = folder(of: cache).appendingPathComponent(name)
        try data.write(to: file)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1e9)], ofItemAtPath: file.path)
    }

    private func names(in cache: CacheFixture) throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: folder(of: cache).path).filter { $0 != ".halcyon" })
    }

    private func legacyNames(of cache: CacheFixture) throws -> LegacyNames {
        try cache.storage.store.index.read { try $0.state().legacyNames }
    }

    @Test func `the name is what md5sum prints`() {
        // printf 'https://example.com/a.png' | md5sum
        let name = BlobName(key: "https://example.com/a.png", isHashed: true, pathExtension: "png")
        #expect(name.legacy(forKey: "https://example.com/a.png")?.text == "8c11d92f07c76baf29e49afd2301deb2.png")
        #expect(BlobName(key: "a", isHashed: false, pathExtension: nil).legacy(forKey: "a") == nil)
    }

    @Test func `is found at once, and gets today's name`() throws {
        try withCache { cache in
            for seed in 0..<3 { try writeLegacy("\(seed)", .blob(seed), in: cache) }
            #expect(try cache.storage.value(forKey: "1") == .blob(1))
            #expect(cache.storage.isCached(forKey: "2"))
            cache.settle()
            let today = [1, 2].map { BlobName(key: "\($0)", isHashed: true, pathExtension: nil).text }
            #expect(try names(in: cache) == Set(today + [LegacyDigest.hexadecimal(of: "0")]))
            #expect(try cache.storage.totalSize() == 300)
            cache.reopen()
            let keys = try cache.storage.store.index.read { try $0.page(after: .min, limit: 10).compactMap(\.key) }
            #expect(Set(keys) == ["1", "2"])
            for seed in 0..<3 { #expect(try cache.storage.value(forKey: "\(seed)") == .blob(seed)) }
        }
    }

    @Test func `an extension goes along`() throws {
        try withCache { cache in
            try writeLegacy("k", .blob(1), in: cache, pathExtension: ".jpg")
            #expect(try cache.storage.value(forKey: "k") == nil)
            #expect(try cache.storage.value(forKey: "k", forcedExtension: "jpg") == .blob(1))
            cache.settle()
            #expect(
                FileManager.default.fileExists(
                    atPath: cache.storage.cacheFileURL(forKey: "k", forcedExtension: "jpg").path))
        }
    }

    @Test func `a store takes its place, and it does not come back`() throws {
        try withCache { cache in
            try writeLegacy("k", .blob(1), in: cache)
            try cache.storage.store(value: .blob(2), forKey: "k")
            #expect(try cache.storage.value(forKey: "k") == .blob(2))
            #expect(try cache.storage.totalSize() == 100)
            try cache.storage.remove(forKey: "k")
            #expect(try cache.storage.value(forKey: "k") == nil)
            cache.settle()
            #expect(try names(in: cache).isEmpty)
        }
    }

    @Test func `a store that fails leaves it`() throws {
        try withCache { cache in
            try writeLegacy("k", .blob(1), in: cache)
            _ = try cache.storage.totalSize()
            cache.refuseCommits()
            #expect(throws: KingfisherError.self) { try cache.storage.store(value: .blob(2), forKey: "k") }
            #expect(try cache.storage.value(forKey: "k") == .blob(1))
        }
    }

    @Test func `removing takes it, before and after it has become an entry`() throws {
        try withCache { cache in
            for key in ["a", "b"] { try writeLegacy(key, .blob(1), in: cache) }
            try cache.storage.remove(forKey: "a")
            #expect(!cache.storage.isCached(forKey: "a") && cache.storage.isCached(forKey: "b"))
            _ = try cache.storage.totalSize()
            try cache.storage.remove(forKey: "b")
            #expect(!cache.storage.isCached(forKey: "b"))
            cache.settle()
            #expect(try names(in: cache).isEmpty)
        }
    }

    @Test func `clearing takes all of them`() throws {
        try withCache { cache in
            for seed in 0..<3 { try writeLegacy("\(seed)", .blob(seed), in: cache) }
            try cache.storage.removeAll()
            #expect(try cache.storage.totalSize() == 0)
            #expect(try names(in: cache).isEmpty)
        }
    }

    @Test func `one that nobody asks for expires like any other`() throws {
        try withCache { cache in
            try writeLegacy("k", .blob(1), in: cache)
            _ = try cache.storage.totalSize()
            cache.clock.advance(by: 7 * 86_400 + 1)
            #expect(!cache.storage.isCached(forKey: "k"))
            #expect(try cache.storage.removeExpiredValues().count == 1)
            #expect(try names(in: cache).isEmpty)
        }
    }

    @Test func `an index of version 1 is searched for them once`() throws {
        try withCache { cache in
            try writeLegacy("k", .blob(1), in: cache)
            try cache.storage.store(value: .blob(2), forKey: "other")
            cache.settle()
            // As after an upgrade: version 1 passed over the file, and the new column says that nobody has looked.
            try cache.storage.store.index.write { session in
                try session.execute("DELETE FROM entries WHERE typeof(name) = 'text'")
                try session.execute("UPDATE state SET legacy_names = 2, adoption = 'done'")
            }
            cache.reopen()
            #expect(try cache.storage.value(forKey: "k") == .blob(1))
            cache.settle()
            #expect(try cache.storage.totalSize() == 200)
            #expect(try legacyNames(of: cache) != .unknown)
        }
    }

    @Test func `once there are none left nobody looks for them any more`() throws {
        try withCache { cache in
            try writeLegacy("k", .blob(1), in: cache)
            _ = try cache.storage.totalSize()
            #expect(try legacyNames(of: cache) == .some)
            _ = try cache.storage.value(forKey: "k")
            cache.settle()
            cache.clock.advance(by: 2 * 86_400)
            cache.reopen()
            _ = try cache.storage.totalSize()
            cache.settle()
            #expect(try legacyNames(of: cache) == .none)
            #expect(try cache.storage.value(forKey: "k") == .blob(1))
        }
    }

    @Test func `a refused commit of the renaming leaves it where it was`() throws {
        try withCache { cache in
            try writeLegacy("k", .blob(1), in: cache)
            _ = try cache.storage.totalSize()
            cache.refuseCommits(times: 1)
            #expect(try cache.storage.value(forKey: "k") == .blob(1))
            cache.settle()
            #expect(try cache.storage.value(forKey: "k") == .blob(1))
            cache.settle()
            #expect(try names(in: cache) == [BlobName(key: "k", isHashed: true, pathExtension: nil).text])
        }
    }

    @Test func `where names are keys nothing is taken for one`() throws {
        let cache = try CacheFixture { $0.usesHashedFileName = false }
        defer { cache.storage.store.close() }
        let name = LegacyDigest.hexadecimal(of: "k")
        try writeLegacy("k", .blob(1), in: cache)
        #expect(try cache.storage.value(forKey: "k") == nil)
        #expect(try cache.storage.value(forKey: name) == .blob(1))
        #expect(try cache.storage.totalSize() == 100)
    }

    /// Lookups find the file, and it does not become an entry by itself.
    private func withoutAdoption(_ body: (CacheFixture) throws -> Void) throws {
        let cache = try CacheFixture()
        try writeLegacy("k", .blob(1), in: cache)
        cache.fileSystem.fail(.list, EIO, times: nil)
        try cache.storage.open()
        cache.settle()
        try body(cache)
        cache.fileSystem.heal()
    }

    @Test(arguments: 0..<3)
    func `a refused commit loses no file that is no entry yet`(after: Int) throws {
        try withoutAdoption { cache in
            cache.refuseCommits(after: after)
            #expect(try cache.storage.value(forKey: "k") == .blob(1))
            cache.settle()
            cache.fileSystem.heal()
            cache.reopen()
            #expect(try cache.storage.value(forKey: "k") == .blob(1))
            try cache.requireClean()
        }
    }

    @Test func `a lookup does not miss it while another one renames it`() throws {
        try withCache { cache in
            try writeLegacy("k", .blob(1), in: cache)
            _ = try cache.storage.totalSize()
            let other = cache.makeStorage()
            let isRenamed = Locked(false)
            cache.fileSystem.observe { [legacy = LegacyDigest.hexadecimal(of: "k")] call, path in
                guard call == .openForReading, path.hasSuffix(legacy), !isRenamed.withLock({ $0 }) else { return }
                isRenamed.withLock { $0 = true }
                #expect(other.isCached(forKey: "k"))
                for _ in 0..<2 { other.store.housekeepingWait() }
            }
            #expect(try cache.storage.value(forKey: "k") == .blob(1))
            cache.fileSystem.observe(nil)
            #expect(isRenamed.withLock { $0 })
        }
    }

    @Test func `the read that finds it counts`() throws {
        try withCache { cache in
            try writeLegacy("k", .blob(1), in: cache)
            _ = try cache.storage.totalSize()
            cache.clock.advance(by: 6 * 86_400)
            _ = try cache.storage.value(forKey: "k")
            let asked = cache.clock.now
            cache.settle()
            cache.reopen()
            let entry = try #require(try cache.storage.row(forKey: "k"))
            #expect(entry.accessedAt >= asked && entry.key == "k")
            cache.clock.advance(by: 6 * 86_400)
            #expect(cache.storage.isCached(forKey: "k"))
        }
    }

    @Test func `without hard links it keeps its name, and a crash costs nothing`() throws {
        let cache = try CacheFixture()
        try writeLegacy("k", .blob(1), in: cache)
        cache.fileSystem.fail(.link, EPERM, times: nil)
        for _ in 0..<3 {
            #expect(try cache.storage.value(forKey: "k") == .blob(1))
            cache.settle()
            #expect(try names(in: cache) == [LegacyDigest.hexadecimal(of: "k")])
            cache.reopen()
        }
        try cache.storage.store(value: .blob(2), forKey: "k")
        try cache.storage.remove(forKey: "k")
        #expect(try cache.storage.value(forKey: "k") == nil)
        #expect(try names(in: cache).isEmpty)
        try cache.requireClean()
    }

    @Test(arguments: [false, true])
    func `what today's version has replaced does not come back`(isAdopted: Bool) throws {
        try withCache { cache in
            try writeLegacy("k", .blob(1), in: cache)
            let today = BlobName(key: "k", isHashed: true, pathExtension: nil).text
            try Data.blob(2).write(to: folder(of: cache).appendingPathComponent(today))
            if isAdopted { _ = try cache.storage.totalSize() }
            #expect(try cache.storage.value(forKey: "k") == .blob(2))
            cache.settle()
            cache.reopen()
            #expect(try names(in: cache) == [today])
            cache.storage.config.sizeLimit = 1
            #expect(try cache.storage.removeSizeExceededValues().count == 1)
            #expect(try cache.storage.value(forKey: "k") == nil)
        }
    }

    @Test func `what another process found is not forgotten by one that could not look`() throws {
        let cache = try CacheFixture()
        try writeLegacy("k", .blob(1), in: cache)
        _ = try cache.storage.totalSize()
        cache.settle()
        // As after an upgrade.
        try cache.storage.store.index.write { try $0.execute("UPDATE state SET legacy_names = 2, reconciled_at = 0") }
        let other = cache.makeStorage()
        // Its search fails; the other one's succeeds before it goes on.
        let searched = Locked(false)
        cache.fileSystem.observe { [cache] call, path in
            guard call == .list, !path.contains(".halcyon"), !searched.withLock({ $0 }) else { return }
            searched.withLock { $0 = true }
            cache.fileSystem.fail(.list, EIO, times: 1, path: path)
            try? cache.storage.store.index.write { try $0.execute("UPDATE state SET legacy_names = 1") }
        }
        _ = try? other.open()
        cache.settle()
        cache.fileSystem.observe(nil)
        #expect(try legacyNames(of: cache) == .some)
        cache.reopen()
        #expect(try cache.storage.value(forKey: "k") == .blob(1))
    }
}
