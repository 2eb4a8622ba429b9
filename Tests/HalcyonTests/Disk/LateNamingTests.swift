import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// An app creates its cache with `ImageCache(name:)`, and sets on a later line that names are not hashed.
@Suite(.endsEvenIfItHangs) struct LateNamingTests {
    private func makeFiles(_ cache: CacheFixture) throws {
        let folder = cache.folder.url.appendingPathComponent("com.onevcat.Kingfisher.ImageCache.test")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for seed in 0..<20 { try Data.blob(seed).write(to: folder.appendingPathComponent("\(seed).png")) }
    }

    private func numberFound(_ storage: DiskStorage.Backend<Data>) throws -> Int {
        try (0..<20).count { try storage.value(forKey: "\($0).png") == .blob($0) }
    }

    /// The configuration begins with hashed names, and the takeover ends with them.
    private func openWithHashedNames(_ cache: CacheFixture) throws {
        _ = cache.storage
        cache.settle()
        try #require(!cache.storage.store.condition.isSearching)
    }

    /// Damages the index, and rebuilds it with hashed names.
    private func rebuildWithHashedNames(_ cache: CacheFixture) throws {
        cache.settle()
        cache.storage.close()
        try cache.overwritePage(of: "entries_by_rank")
        cache.reopen()
        try openWithHashedNames(cache)
        _ = try cache.storage.check(repair: true)
        cache.settle()
        try #require(FileManager.default.fileExists(atPath: cache.index.path + ".damaged"))
    }

    @Test func `Kingfisher's files are taken over at whatever time the app says how they are named`() throws {
        try withCache { cache in
            try makeFiles(cache)
            try openWithHashedNames(cache)
            try #require(numberFound(cache.storage) == 0)
            cache.storage.config.usesHashedFileName = false
            #expect(cache.storage.isCached(forKey: "3.png"), "before the files are entries")
            try #expect(cache.storage.totalSize() == 2_000)
            cache.settle()
            try #expect(numberFound(cache.storage) == 20)
            try #expect(cache.storage.entry(forKey: "3.png")?.key == "3.png")
        }
    }

    @Test func `the files become entries without a query`() throws {
        try withCache { cache in
            try makeFiles(cache)
            try openWithHashedNames(cache)
            cache.storage.config.usesHashedFileName = false
            cache.settle()
            try #expect(cache.storage.store.index.read { try $0.totals().entries } == 20)
        }
    }

    @Test func `a dry run of an upgrade tells that files become entries`() throws {
        try withCache { cache in
            try makeFiles(cache)
            try openWithHashedNames(cache)
            func isAdopting(namesAreHashed: Bool) throws -> Bool {
                try UpgradePlan(folder: cache.directory.path, namesAreHashed: namesAreHashed).isAdopting
            }
            try #expect(isAdopting(namesAreHashed: false) && !isAdopting(namesAreHashed: true))
            cache.storage.config.usesHashedFileName = false
            cache.settle()
            try #expect(!isAdopting(namesAreHashed: false) && !isAdopting(namesAreHashed: true))
        }
    }

    @Test func `a process that ended before it said so leaves the files to the next one`() throws {
        try withCache { cache in
            try makeFiles(cache)
            try openWithHashedNames(cache)
            cache.reopen()
            cache.settle()
            cache.storage.config.usesHashedFileName = false
            try #expect(cache.storage.totalSize() == 2_000)
        }
    }

    @Test func `the next processes do not search again`() throws {
        try withCache { cache in
            try makeFiles(cache)
            try openWithHashedNames(cache)
            cache.storage.config.usesHashedFileName = false
            cache.settle()
            cache.reopen()
            cache.settle()
            let listed = Locked(0)
            cache.fileSystem.observe { call, path in
                if call == .list, path == cache.directory.path { listed.withLock { $0 += 1 } }
            }
            cache.storage.config.usesHashedFileName = false
            cache.settle()
            try #expect(numberFound(cache.storage) == 20)
            #expect(listed.withLock { $0 } == 0)
        }
    }

    @Test func `a rebuilt index gets all blobs back, with pins and tags, and counts nothing twice`() throws {
        try withCache { cache in
            cache.storage.config.usesHashedFileName = false
            for seed in 0..<20 {
                try cache.storage.store(
                    value: .blob(seed), forKey: "\(seed).png", attributes: .init(isPinned: seed == 7, tags: ["t"]))
            }
            try cache.storage.flush()
            try rebuildWithHashedNames(cache)
            let stores = try cache.storage.statistics.total.stores
            cache.storage.config.usesHashedFileName = false
            try #expect(numberFound(cache.storage) == 20)
            try #expect(cache.storage.totals(matching: .init(tag: "t")).entries == 20)
            try #expect(cache.storage.entries(matching: .init(isPinned: true)).entries.map(\.fileName) == ["7.png"])
            try #expect(cache.storage.statistics.total.stores == stores)
        }
    }

    @Test func `a second cache with hashed names that appears during the search does not end it`() throws {
        try withCache { cache in
            try makeFiles(cache)
            try openWithHashedNames(cache)
            let (storage, looks) = (cache.storage, Locked(0))
            cache.fileSystem.observe { call, path in
                guard call == .status, path.hasSuffix(".png") else { return }
                let number = looks.withLock { looks in
                    looks += 1
                    return looks
                }
                if number == 5 { storage.config.usesHashedFileName = true }
                if number == 6 { storage.config.usesHashedFileName = false }
            }
            storage.config.usesHashedFileName = false
            cache.settle()
            cache.fileSystem.observe(nil)
            try #require(looks.withLock { $0 } > 6)
            try #expect(storage.totals().entries == 20)
        }
    }

    @Test func `after a power cut, files of the last minute before a rebuild are left out`() throws {
        try withCache { cache in
            cache.storage.config.usesHashedFileName = false
            for seed in 0..<20 { try cache.storage.store(value: .blob(seed), forKey: "\(seed).png") }
            try rebuildWithHashedNames(cache)
            cache.reopen { $0.boot = { "another" } }
            try openWithHashedNames(cache)
            cache.storage.config.usesHashedFileName = false
            try #expect(numberFound(cache.storage) == 0)
            try #expect(cache.storage.totals().entries == 0)
            _ = try cache.storage.check(repair: true)
        }
    }

    @Test func `a clear before leaves nothing to take over`() throws {
        try withCache { cache in
            try makeFiles(cache)
            try openWithHashedNames(cache)
            try cache.storage.removeAll()
            cache.storage.config.usesHashedFileName = false
            cache.settle()
            try #expect(numberFound(cache.storage) == 0)
            try #expect(cache.storage.totalSize() == 0)
            _ = try cache.storage.check(repair: true)
        }
    }

    @Test func `files that appear later stay alone`() throws {
        try withCache { cache in
            try makeFiles(cache)
            try openWithHashedNames(cache)
            let (blobs, late) = (cache.storage.store.blobs, BlobName(text: "late.png"))
            let adoptsUntil = try cache.storage.store.index.read { try $0.state().adoptsUntil }
            // The times of files advance in steps.
            repeat {
                try Data.blob(1).write(to: cache.directory.appendingPathComponent("late.png"))
            } while try blobs.status(of: late).map { $0.changed <= adoptsUntil } ?? true
            cache.storage.config.usesHashedFileName = false
            cache.settle()
            #expect(!cache.storage.isCached(forKey: "late.png"))
            try #expect(cache.storage.totals().entries == 20)
            try FileManager.default.removeItem(at: cache.directory.appendingPathComponent("late.png"))
        }
    }
}
