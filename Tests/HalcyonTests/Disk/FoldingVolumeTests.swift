import Foundation
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// A volume that folds names that differ only in case or Unicode form.
@Suite struct FoldingVolumeTests {
    /// Keys that would share files, each with its extension.
    struct Pair: Sendable, CustomTestStringConvertible {
        let keys: [String]
        var extensions: [String?] = [nil, nil]
        var isHashed = false

        var testDescription: String { zip(keys, extensions).map { "\($0).\($1 ?? "")" }.joined(separator: ", ") }
    }

    static let pairs = [
        Pair(keys: ["Photo", "photo"]), Pair(keys: ["photo", "PHOTO"]), Pair(keys: ["a.jpg", "a.JPG"]),
        Pair(keys: ["a", "a"], extensions: ["jpg", "JPG"]),
        Pair(keys: ["a", "a"], extensions: ["jpg", "JPG"], isHashed: true),
        Pair(keys: ["caf\u{E9}", "cafe\u{301}"]), Pair(keys: ["CAF\u{C9}", "caf\u{E9}"]),
        Pair(keys: ["stra\u{DF}e", "STRASSE"]),
        // The Kelvin sign, and the long s.
        Pair(keys: ["\u{212A}", "k"]), Pair(keys: ["\u{17F}", "s"]),
        // As on FAT.
        Pair(keys: ["photo.", "photo"]), Pair(keys: ["photo", "photo.."]),
        Pair(keys: ["a", "a"], extensions: ["", nil], isHashed: true),
    ]

    private func withFoldingCache(
        hashed isHashed: Bool = false, decomposing: Bool = false, _ body: (CacheFixture) throws -> Void
    ) throws {
        try withCache(configure: { $0.usesHashedFileName = isHashed }) { cache in
            cache.environment.fileSystem = FoldingFileSystem(base: cache.fileSystem, decomposesNames: decomposing)
            try body(cache)
        }
    }

    /// A storage on the same folder that names blobs as version 0.1.0 did.
    private func fillAsBefore(
        _ cache: CacheFixture, _ keys: [String], attributes: DiskStorage.EntryAttributes = .init()
    ) throws {
        var environment = cache.environment
        environment.fileSystem = POSIXFileSystem()
        let before = DiskStorage.Backend<Data>(
            noThrowConfig: cache.config, creatingDirectory: true, environment: environment)
        for (seed, key) in keys.enumerated() {
            try before.store(value: .blob(seed), forKey: key, attributes: attributes)
        }
        before.close()
    }

    private func names(in cache: CacheFixture) throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: cache.directory.path)).subtracting([".halcyon"])
    }

    // MARK: Two keys

    @Test(arguments: pairs, [false, true])
    func `two keys that differ in case or form have a file each`(pair: Pair, decomposing: Bool) throws {
        try withFoldingCache(hashed: pair.isHashed, decomposing: decomposing) { cache in
            for _ in 0..<2 {
                for (number, key) in pair.keys.enumerated() {
                    try cache.storage.store(value: .blob(number), forKey: key, forcedExtension: pair.extensions[number])
                }
                for (number, key) in pair.keys.enumerated() {
                    let ending = pair.extensions[number]
                    #expect(try cache.storage.value(forKey: key, forcedExtension: ending) == .blob(number))
                    let url = cache.storage.cacheFileURL(forKey: key, forcedExtension: ending)
                    #expect(try Data(contentsOf: url) == .blob(number))
                }
            }
            #expect(try cache.storage.check(repair: true).isClean)
            cache.reopen()
            try cache.storage.remove(forKey: pair.keys[0], forcedExtension: pair.extensions[0])
            #expect(!cache.storage.isCached(forKey: pair.keys[0], forcedExtension: pair.extensions[0]))
            #expect(try cache.storage.value(forKey: pair.keys[1], forcedExtension: pair.extensions[1]) == .blob(1))
        }
    }

    @Test func `lower-case names stay, and on other volumes all names do`() throws {
        try withFoldingCache { cache in
            #expect(cache.storage.cacheFileURL(forKey: "photo-1.jpg").lastPathComponent == "photo-1.jpg")
            #expect(cache.storage.cacheFileURL(forKey: "Photo").lastPathComponent.utf8.count == 64)
        }
        try withCache(configure: { $0.usesHashedFileName = false }) { cache in
            #expect(cache.storage.cacheFileURL(forKey: "Photo").lastPathComponent == "Photo")
        }
    }

    @Test func `the path of a blob is known before the folder exists`() throws {
        try withFoldingCache { cache in
            let early = DiskStorage.Backend<Data>(
                noThrowConfig: cache.config, creatingDirectory: false, environment: cache.environment)
            let url = early.cacheFileURL(forKey: "Photo")
            #expect(!FileManager.default.fileExists(atPath: early.directoryURL.path))
            try early.store(value: .blob(1), forKey: "Photo")
            #expect(early.cacheFileURL(forKey: "Photo") == url)
            #expect(try Data(contentsOf: url) == .blob(1))
            early.close()
        }
    }

    @Test func `hashed names never examine the volume, other names do so once`() throws {
        try withFoldingCache(hashed: true) { cache in
            let looks = Locked(0)
            cache.fileSystem.observe { call, path in
                if call == .status, path.hasSuffix(".HALCYON") { looks.withLock { $0 += 1 } }
            }
            for seed in 0..<20 { try cache.storage.store(value: .blob(seed), forKey: "Key \(seed)") }
            for seed in 0..<20 { _ = try cache.storage.value(forKey: "Key \(seed)", forcedExtension: "jpg") }
            #expect(looks.withLock { $0 } == 0)
            for seed in 0..<20 {
                try cache.storage.store(value: .blob(seed), forKey: "\(seed)", forcedExtension: "JPG")
            }
            #expect(looks.withLock { $0 } == 1)
            cache.fileSystem.observe(nil)
        }
    }

    // MARK: What was stored before

    static let formerKeys = ["Photo", "caf\u{E9}", "B.JPG", "lower"]

    @Test(arguments: [false, true])
    func `an entry under its old name is found, and its next store renames it`(decomposing: Bool) throws {
        try withFoldingCache(decomposing: decomposing) { cache in
            try fillAsBefore(cache, Self.formerKeys, attributes: .init(tags: ["old"]))
            for (seed, key) in Self.formerKeys.enumerated() {
                #expect(cache.storage.isCached(forKey: key))
                #expect(try cache.storage.value(forKey: key) == .blob(seed))
                #expect(try cache.storage.entry(forKey: key)?.tags == ["old"])
                let url = try #require(cache.storage.fileURLIfCached(forKey: key, forcedExtension: nil))
                #expect(url.lastPathComponent.utf8.elementsEqual(key.utf8))
                #expect(try cache.storage.update(.init(isPinned: true), forKey: key))
            }
            cache.settle()
            #expect(try cache.storage.check(repair: true).isClean)
            #expect(try names(in: cache) == Set(Self.formerKeys))
            for (seed, key) in Self.formerKeys.enumerated() {
                try cache.storage.store(value: .blob(seed + 10), forKey: key)
                #expect(try cache.storage.value(forKey: key) == .blob(seed + 10))
                let entry = try cache.storage.entry(forKey: key)
                #expect(entry?.tags == ["old"] && entry?.isPinned == true)
            }
            cache.settle()
            #expect(
                try names(in: cache)
                    == Set(Self.formerKeys.map { cache.storage.cacheFileURL(forKey: $0).lastPathComponent }))
            #expect(try cache.storage.totalSize() == 400)
        }
    }

    @Test func `reads of an entry under its old name count, and it can be removed`() throws {
        try withFoldingCache { cache in
            try fillAsBefore(cache, Self.formerKeys)
            cache.clock.advance(by: 60)
            _ = try cache.storage.value(forKey: "Photo")
            try cache.storage.flush()
            #expect(try cache.storage.entry(forKey: "Photo")?.lastAccess == cache.clock.now.date)
            for key in Self.formerKeys { try cache.storage.remove(forKey: key) }
            cache.settle()
            #expect(try names(in: cache) == [] && cache.storage.totalSize() == 0)
        }
    }

    @Test func `a conditional removal, as of what a server has deleted, finds an entry under its old name`() throws {
        try withFoldingCache { cache in
            try fillAsBefore(cache, ["Photo"])
            let token = try #require(try cache.storage.entry(forKey: "Photo")).token
            let name = cache.storage.blobName(forKey: "Photo", forcedExtension: nil)
            #expect(try !cache.storage.store.remove(name, counting: \.removals) { $0.token != token })
            #expect(try cache.storage.store.remove(name, counting: \.removals) { $0.token == token })
            #expect(try cache.storage.value(forKey: "Photo") == nil)
        }
    }

    @Test func `operations on one name never touch the file of another`() throws {
        try withFoldingCache { cache in
            try fillAsBefore(cache, ["Photo"])
            // The volume would open this file for the other key, too.
            #expect(try cache.storage.value(forKey: "photo") == nil)
            #expect(!cache.storage.isCached(forKey: "PHOTO"))
            for key in ["photo", "PHOTO", "pHOTO"] { try cache.storage.remove(forKey: key) }
            try cache.storage.store(value: .blob(7), forKey: "PHOTO")
            cache.settle()
            #expect(try cache.storage.value(forKey: "Photo") == .blob(0))
            #expect(try cache.storage.value(forKey: "PHOTO") == .blob(7))
        }
    }

    @Test func `removing a key leaves the file of another one that is listed under its name`() throws {
        try withFoldingCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "photo")
            cache.settle()
            let url = cache.storage.cacheFileURL(forKey: "photo")
            try FileManager.default.moveItem(at: url, to: cache.directory.appendingPathComponent("Photo"))
            try cache.storage.remove(forKey: "Photo")
            #expect(try cache.storage.value(forKey: "photo") == .blob(1))
        }
    }

    @Test func `of two entries that shared a file, one survives`() throws {
        try withFoldingCache { cache in
            // As 0.1.0 stored them: two rows, one file.
            try fillAsBefore(cache, ["photo", "Photo"])
            let (first, second) = (
                cache.directory.appendingPathComponent("photo"), cache.directory.appendingPathComponent("Photo")
            )
            try FileManager.default.removeItem(at: first)
            #expect(try cache.storage.value(forKey: "photo") == nil)
            cache.settle()
            _ = try cache.storage.check(repair: true)
            #expect(try Data(contentsOf: second) == .blob(1))
            #expect(try cache.storage.value(forKey: "Photo") == .blob(1))
        }
    }

    @Test func `an entry under its old name that is being cleared does not refuse a store`() throws {
        try withFoldingCache { cache in
            try fillAsBefore(cache, ["Photo"])
            let remove = try cache.storage.beginRemovingAll()
            try cache.storage.store(value: .blob(1), forKey: "Photo", writeOptions: .withoutOverwriting)
            try remove()
            #expect(try cache.storage.value(forKey: "Photo") == .blob(1))
        }
    }

    @Test func `a refused store over an entry under its old name leaves it unchanged`() throws {
        try withFoldingCache { cache in
            try fillAsBefore(cache, ["Photo"])
            _ = cache.storage
            cache.refuseCommits()
            #expect(throws: KingfisherError.self) { try cache.storage.store(value: .blob(1), forKey: "Photo") }
            cache.settle()
            #expect(throws: KingfisherError.self) {
                try cache.storage.store(value: .blob(1), forKey: "Photo", writeOptions: .withoutOverwriting)
            }
            #expect(try cache.storage.value(forKey: "Photo") == .blob(0))
            cache.reopen()
            #expect(try cache.storage.value(forKey: "Photo") == .blob(0))
            _ = try cache.storage.check(repair: true)
            try cache.storage.store(value: .blob(1), forKey: "Photo")
            #expect(try cache.storage.value(forKey: "Photo") == .blob(1))
        }
    }

    @Test func `a store over an old name that must not overwrite is refused after the index was deleted`() throws {
        try withFoldingCache { cache in
            try fillAsBefore(cache, ["Photo"])
            _ = cache.storage
            cache.settle()
            try FileManager.default.removeItem(at: cache.metadata)
            #expect(throws: KingfisherError.self) {
                try cache.storage.store(value: .blob(1), forKey: "Photo", writeOptions: .withoutOverwriting)
            }
            #expect(try cache.storage.value(forKey: "Photo") == .blob(0))
        }
    }

    @Test func `an entry whose file is listed under another name is not an orphan`() throws {
        try withFoldingCache(hashed: true) { cache in
            try cache.storage.store(value: .blob(1), forKey: "a", forcedExtension: "jpg")
            let url = cache.storage.cacheFileURL(forKey: "a", forcedExtension: "jpg")
            let listed = url.deletingPathExtension().appendingPathExtension("JPG")
            try FileManager.default.moveItem(at: url, to: listed)
            #expect(try cache.storage.check(repair: true).isClean)
            cache.clock.advance(by: 2 * 86_400)
            cache.reopen()
            cache.settle()
            #expect(try cache.storage.value(forKey: "a", forcedExtension: "jpg") == .blob(1))
        }
    }

    // MARK: Kingfisher's folders

    @Test(arguments: [false, true])
    func `Kingfisher's files are adopted, each for its own key`(decomposing: Bool) throws {
        try withFoldingCache(decomposing: decomposing) { cache in
            let folder = cache.folder.url.appendingPathComponent("com.onevcat.Kingfisher.ImageCache.test")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for (seed, key) in Self.formerKeys.enumerated() {
                try Data.blob(seed).write(to: folder.appendingPathComponent(key))
            }
            // Before it is adopted, and after.
            for _ in 0..<2 {
                for (seed, key) in Self.formerKeys.enumerated() {
                    #expect(try cache.storage.value(forKey: key) == .blob(seed))
                    #expect(try cache.storage.value(forKey: key.uppercased() + "!") == nil)
                }
                for key in ["photo", "PHOTO", "LOWER", "b.jpg"] {
                    #expect(try cache.storage.value(forKey: key) == nil)
                    try cache.storage.remove(forKey: key)
                }
                #expect(try cache.storage.totalSize() == 400)
            }
            try cache.storage.removeAll()
            #expect(try names(in: cache) == [])
        }
    }

    /// As exFAT in user space, which has an inode number for each spelling.
    @Test func `the other spelling of a directory counts whatever its inode number is`() throws {
        try withCache(configure: { $0.usesHashedFileName = false }) { cache in
            let other = cache.directory.appendingPathComponent(".HALCYON")
            try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
            #expect(cache.storage.blobName(forKey: "Photo", forcedExtension: nil).isHash)
            #expect(!cache.storage.blobName(forKey: "photo", forcedExtension: nil).isHash)
            try FileManager.default.removeItem(at: other)
        }
    }
}
