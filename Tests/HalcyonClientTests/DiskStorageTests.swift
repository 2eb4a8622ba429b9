import Foundation
import Halcyon
import Testing

@Suite struct DiskStorageTests {
    /// SHA-256 of "a".
    private let hash = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"

    // MARK: Settings

    @Test func `the default settings are a week, hashed names and no extension`() {
        let config = DiskStorage.Config(name: "client", sizeLimit: 9)
        #expect(config.name == "client" && config.sizeLimit == 9 && config.pathExtension == nil)
        #expect(config.usesHashedFileName && !config.autoExtAfterHashedFileName)
        #expect(StorageVocabularyTests.name(of: config.expiration) == "7 days")
        let parent = URL(fileURLWithPath: "/parent", isDirectory: true)
        #expect(config.cachePathBlock(parent, "child").path == "/parent/child")
    }

    @Test func `the folder is where the settings say, and named after the storage`() async throws {
        try await withStorage { storage in
            #expect(storage.directoryURL.lastPathComponent == "com.onevcat.Kingfisher.ImageCache.client")
            #expect(FileManager.default.fileExists(atPath: storage.directoryURL.path))
        }
        let names = Notes<String>()
        try await withStorage { config in
            config.cachePathBlock = { directory, name in
                names.note(name)
                return directory.appendingPathComponent("elsewhere", isDirectory: true)
            }
        } _: { storage in
            #expect(storage.directoryURL.lastPathComponent == "elsewhere")
            #expect(names.values == ["com.onevcat.Kingfisher.ImageCache.client"])
        }
    }

    @Test func `the initializer throws if the folder cannot be created`() throws {
        let folder = try Folder()
        let file = folder.url.appendingPathComponent("file")
        try Data().write(to: file)
        let config = DiskStorage.Config(name: "client", sizeLimit: 0, fileManager: .default, directory: file)
        let error = #expect(throws: KingfisherError.self) { try DiskStorage.Backend<Data>(config: config) }
        #expect(error?.errorCode == 3005)
        let lame = DiskStorage.Backend<Data>(noThrowConfig: config, creatingDirectory: true)
        #expect(throws: KingfisherError.self) { try lame.store(value: Data([1]), forKey: "a") }
    }

    @Test func `settings can be changed while the storage is used`() async throws {
        try await withStorage { storage in
            storage.config.sizeLimit = 5
            storage.config.expiration = .expired
            try storage.store(value: Data([1]), forKey: "a")
            #expect(storage.config.sizeLimit == 5 && !storage.isCached(forKey: "a"))
        }
    }

    // MARK: Names

    @Test func `a file is named by the key's hash and the given extension`() async throws {
        try await withStorage { storage in
            #expect(storage.cacheFileURL(forKey: "a").lastPathComponent == hash)
            #expect(storage.cacheFileURL(forKey: "a", forcedExtension: "gif").lastPathComponent == hash + ".gif")
            storage.config.pathExtension = "img"
            #expect(storage.cacheFileURL(forKey: "a").lastPathComponent == hash + ".img")
        }
    }

    @Test func `if configured, a file is named by the key itself, or gets the key's extension`() async throws {
        try await withStorage { storage in
            storage.config.usesHashedFileName = false
            #expect(storage.cacheFileURL(forKey: "a").lastPathComponent == "a")
            storage.config.usesHashedFileName = true
            storage.config.autoExtAfterHashedFileName = true
            #expect(storage.cacheFileURL(forKey: "https://example.com/a.jpeg@p").pathExtension == "jpeg")
            #expect(storage.cacheFileURL(forKey: "a").lastPathComponent == hash)
        }
    }

    // MARK: Values

    @Test func `a value is found until it is removed`() async throws {
        try await withStorage { storage in
            try storage.store(value: Data([1]), forKey: "a")
            try storage.store(
                value: Data([2, 3]), forKey: "b", expiration: .never, writeOptions: [.atomic], forcedExtension: "jpg")
            #expect(try storage.value(forKey: "a") == Data([1]) && storage.isCached(forKey: "a"))
            #expect(
                try storage.value(forKey: "b", forcedExtension: "jpg", extendingExpiration: .none) == Data([2, 3]))
            #expect(try storage.totalSize() == 3)
            #expect(storage.isCached(forKey: "b", forcedExtension: "jpg") && !storage.isCached(forKey: "b"))
            try storage.remove(forKey: "a")
            try storage.remove(forKey: "b", forcedExtension: "jpg")
            #expect(try storage.value(forKey: "a") == nil && storage.totalSize() == 0)
        }
    }

    @Test func `everything can be removed`() async throws {
        try await withStorage { storage in
            try storage.store(value: Data([1]), forKey: "a")
            let file = storage.cacheFileURL(forKey: "a")
            #expect(FileManager.default.fileExists(atPath: file.path))
            try storage.removeAll()
            #expect(!storage.isCached(forKey: "a") && !FileManager.default.fileExists(atPath: file.path))
        }
    }

    @Test func `a value is valid until a date`() async throws {
        try await withStorage { storage in
            let end = Date() + 1000
            try storage.store(value: Data([1]), forKey: "a", expiration: .date(end))
            #expect(storage.isCached(forKey: "a", referenceDate: end - 1))
            #expect(!storage.isCached(forKey: "a", referenceDate: end + 1, forcedExtension: nil))
        }
    }

    @Test func `cleaning returns the removed files`() async throws {
        try await withStorage { storage in
            try storage.store(value: Data([1]), forKey: "a", expiration: .seconds(0.02))
            try storage.store(value: Data([2]), forKey: "b")
            while storage.isCached(forKey: "a") { await Task.yield() }
            let removed: [URL] = try storage.removeExpiredValues()
            #expect(removed.map(\.lastPathComponent) == [hash] && storage.isCached(forKey: "b"))
        }
    }

    @Test func `the least recently used values are evicted down to half of the limit`() async throws {
        try await withStorage { storage in
            for key in ["a", "b", "c", "d"] { try storage.store(value: Data(count: 10), forKey: key) }
            #expect(try storage.removeSizeExceededValues().isEmpty)
            storage.config.sizeLimit = 40
            _ = try storage.value(forKey: "a")
            let removed: [URL] = try storage.removeSizeExceededValues()
            #expect(Set(removed) == Set(["b", "c"].map { storage.cacheFileURL(forKey: $0) }))
            #expect(try storage.totalSize() == 20)
        }
    }
}
