import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@testable import Halcyon

@Suite(.endsEvenIfItHangs) struct MakingTests {
    @Test func `the folder is named after the cache, in the folder that was given`() throws {
        let folder = try TemporaryFolder()
        let cache = try ImageCache(name: "pictures", cacheDirectoryURL: folder.url)
        let expected = folder.url.appendingPathComponent("com.onevcat.Kingfisher.ImageCache.pictures")
        #expect(cache.diskStorage.directoryURL.path == expected.path)
        #expect(cache.cachePath(forKey: "a") == expected.appendingPathComponent("a".kf.sha256).path)
        var isFolder: ObjCBool = false
        #expect(FileManager.default.fileExists(atPath: expected.path, isDirectory: &isFolder) && isFolder.boolValue)
    }

    @Test func `a closure that receives the parent and the name chooses the folder`() async throws {
        let folder = try TemporaryFolder()
        let seen = Locked<[String]>([])
        let cache = try ImageCache(name: "pictures", cacheDirectoryURL: folder.url) { parent, name in
            seen.withLock { $0 += [parent.path, name] }
            return parent.appendingPathComponent("elsewhere/\(name)", isDirectory: true)
        }
        #expect(seen.withLock { $0 } == [folder.url.path, "com.onevcat.Kingfisher.ImageCache.pictures"])
        #expect(cache.diskStorage.directoryURL.path.hasSuffix("elsewhere/com.onevcat.Kingfisher.ImageCache.pictures"))
        try await cache.storeToDisk(Pictures.small[0], forKey: "a")
        #expect(cache.cacheFileURLIfOnDisk(forKey: "a")?.path.hasPrefix(folder.url.path + "/elsewhere/") == true)
        #expect(cache.diskStorage.config.cachePathBlock == nil)
    }

    @Test func `the default settings are the documented ones`() throws {
        let folder = try TemporaryFolder()
        let cache = try ImageCache(name: "pictures", cacheDirectoryURL: folder.url)
        let memory = cache.memoryStorage.config
        #expect(memory.totalCostLimit == SystemMemory.byteCount / 4)
        #expect(memory.countLimit == .max && memory.cleanInterval == 120)
        let disk = cache.diskStorage.config
        #expect(disk.sizeLimit == 0 && disk.name == "pictures" && disk.usesHashedFileName)
        #expect(disk.pathExtension == nil && !disk.autoExtAfterHashedFileName)
        guard case .seconds(300) = memory.expiration, case .days(7) = disk.expiration else {
            Issue.record("other expirations: \(memory.expiration), \(disk.expiration)")
            return
        }
    }

    @Test func `the throwing initializer throws for an empty name`() throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: KingfisherError.self) { try ImageCache(name: "", cacheDirectoryURL: folder.url) }
        #expect(error?.errorCode == 3005)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }

    @Test func `the other initializer traps for an empty name`() async {
        await #expect(processExitsWith: .failure) { _ = ImageCache(name: "") }
    }

    @Test func `the initializer throws if the folder cannot be created`() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("file")
        try Data().write(to: file)
        let error = #expect(throws: KingfisherError.self) { try ImageCache(name: "a", cacheDirectoryURL: file) }
        #expect(error?.errorCode == 3005)
    }

    #if os(Linux)
        @Test func `a named cache is in the user's Caches folder, and the default one is named default`() async {
            ChildLeaks.areNotCounted()
            await #expect(processExitsWith: .success) {
                let folder = try TemporaryFolder()
                setenv("XDG_CACHE_HOME", folder.url.path, 1)
                let parent = folder.url.path + "/com.onevcat.Kingfisher.ImageCache."
                let named = ImageCache(name: "named")
                #expect(named.diskStorage.directoryURL.path == parent + "named")
                #expect(ImageCache.default.diskStorage.directoryURL.path == parent + "default")
                #expect(ImageCache.default.diskStorage.config.name == "default")
                #expect(ImageCache.default === ImageCache.default)
                try await ImageCache.default.store(Pictures.image(1), forKey: "a")
                ImageCache.default.clearMemoryCache()
                #expect(try await ImageCache.default.retrieveImage(forKey: "a").image?.number == 1)
                // The folder cannot be created: memory works, and nothing throws.
                setenv("XDG_CACHE_HOME", "/dev/null", 1)
                let lame = ImageCache(name: "lame")
                lame.store(try Pictures.image(), forKey: "a", completionHandler: nil)
                #expect(lame.imageCachedType(forKey: "a") == .memory)
            }
        }
    #endif

    @Test func `a cache uses the given storages`() throws {
        let fixture = try CacheFixture()
        let memory = CacheUnderTest.memory(clock: fixture.clock)
        let cache = ImageCache(memoryStorage: memory, diskStorage: fixture.storage)
        #expect(cache.memoryStorage === memory && cache.diskStorage === fixture.storage)
    }

    @Test func `an image whose cost exceeds the memory limit is on disk only`() async throws {
        let fixture = try CacheFixture { $0.cleanInterval = 0 }
        let cache = ImageCache(
            memoryStorage: CacheUnderTest.memory(clock: fixture.clock, totalCostLimit: 1), diskStorage: fixture.storage)
        try await cache.store(Pictures.image(1), forKey: "a")
        #expect(cache.imageCachedType(forKey: "a") == .disk && cache.memoryStorageCacheCost == 0)
        #expect(try await cache.retrieveImage(forKey: "a").image?.number == 1)
        try fixture.requireClean()
    }
}
