import Foundation
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

@Suite struct `Moving a cache` {
    private func target(_ cache: CacheFixture) -> URL { cache.folder.url.appendingPathComponent("group/new") }

    /// A storage on the moved folder.
    private func moved(_ cache: CacheFixture) -> DiskStorage.Backend<Data> {
        var config = cache.config
        config.cachePathBlock = { [target = target(cache)] _, _ in target }
        return DiskStorage.Backend(noThrowConfig: config, creatingDirectory: true, environment: cache.environment)
    }

    private func fill(_ cache: CacheFixture, count: Int = 20) throws {
        for seed in 0..<count { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
        try cache.storage.store(value: .blob(20), forKey: "never", expiration: .never)
    }

    private func expectAll(in storage: DiskStorage.Backend<Data>, count: Int = 20) throws {
        for seed in 0..<count { #expect(try storage.value(forKey: "\(seed)") == .blob(seed)) }
        #expect(try storage.value(forKey: "never") == .blob(20))
        #expect(try storage.totalSize() == UInt(count + 1) * 100)
        storage.store.housekeepingWait()
        let report = try storage.check()
        #expect(report.isClean, "\(report)")
    }

    private func move(_ cache: CacheFixture, progress: Progress? = nil) throws -> Bool {
        try DiskStorage.moveCache(
            from: cache.directory, to: target(cache), progress: progress, environment: cache.environment)
    }

    /// Makes the rename to the target fail as one to another volume does.
    private func pretendOtherVolume(_ cache: CacheFixture) {
        cache.fileSystem.fail(.rename, EXDEV, times: 1, path: target(cache).path)
    }

    @Test(arguments: [false, true])
    func `takes blobs and index along, on one volume and to another`(isOtherVolume: Bool) throws {
        let cache = try CacheFixture()
        try fill(cache)
        cache.storage.store.close()
        if isOtherVolume { pretendOtherVolume(cache) }
        let progress = Progress(totalUnitCount: 0)
        #expect(try move(cache, progress: progress))
        #expect(!FileManager.default.fileExists(atPath: cache.directory.path))
        try expectAll(in: moved(cache))
        if isOtherVolume {
            #expect(progress.completedUnitCount == progress.totalUnitCount && progress.totalUnitCount > 20)
        }
        // At the next launch there is nothing to do.
        #expect(try !move(cache))
    }

    @Test func `to a real other volume`() throws {
        let volume = URL(fileURLWithPath: "/dev/shm", isDirectory: true)
        guard FileManager.default.isWritableFile(atPath: volume.path) else { return }
        let cache = try CacheFixture()
        try fill(cache)
        cache.storage.store.close()
        let target = volume.appendingPathComponent("halcyon-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: target) }
        #expect(try DiskStorage.moveCache(from: cache.directory, to: target))
        var config = cache.config
        config.cachePathBlock = { _, _ in target }
        let storage = DiskStorage.Backend<Data>(
            noThrowConfig: config, creatingDirectory: true, environment: cache.environment)
        try expectAll(in: storage)
        storage.store.close()
    }

    @Test(arguments: [false, true])
    func `a folder that Kingfisher wrote moves too`(isOtherVolume: Bool) throws {
        let cache = try CacheFixture()
        let folder = cache.folder.url.appendingPathComponent("com.onevcat.Kingfisher.ImageCache.test")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for seed in 0..<5 {
            let name = BlobName(key: "\(seed)", isHashed: true, pathExtension: nil).text
            try Data.blob(seed).write(to: folder.appendingPathComponent(name))
        }
        if isOtherVolume { pretendOtherVolume(cache) }
        #expect(
            try DiskStorage.moveCache(
                from: folder, to: target(cache), progress: nil, environment: cache.environment))
        let storage = moved(cache)
        for seed in 0..<5 { #expect(try storage.value(forKey: "\(seed)") == .blob(seed)) }
    }

    @Test func `a folder that has something in it is refused`() throws {
        try withCache { cache in
            try fill(cache)
            try FileManager.default.createDirectory(at: target(cache), withIntermediateDirectories: true)
            try Data().write(to: target(cache).appendingPathComponent("mine"))
            let error = #expect(throws: CacheStorageError.self) { try move(cache) }
            #expect(error?.code == .targetInUse)
            #expect(try cache.storage.value(forKey: "3") == .blob(3))
        }
    }

    @Test func `nothing there, or the same place, is nothing to do`() throws {
        let cache = try CacheFixture()
        #expect(try !DiskStorage.moveCache(from: cache.folder.url.appendingPathComponent("no"), to: target(cache)))
        try withCache { cache in
            try fill(cache)
            #expect(try !DiskStorage.moveCache(from: cache.directory, to: cache.directory))
        }
    }

    @Test func `a storage that is open on it is closed first`() throws {
        let cache = try CacheFixture()
        var environment = cache.environment
        environment.isShared = true
        let open = DiskStorage.Backend<Data>(
            noThrowConfig: cache.config, creatingDirectory: true, environment: environment)
        try open.store(value: .blob(1), forKey: "a")
        _ = try open.value(forKey: "a")
        #expect(try move(cache))
        #expect(try moved(cache).value(forKey: "a") == .blob(1))
        // The old one begins anew.
        #expect(try open.value(forKey: "a") == nil)
        try open.store(value: .blob(2), forKey: "b")
        #expect(try open.value(forKey: "b") == .blob(2))
    }

    @Test func `cancelling leaves everything where it was`() throws {
        try withCache { cache in
            try fill(cache)
            cache.storage.store.close()
            pretendOtherVolume(cache)
            let progress = Progress(totalUnitCount: 0)
            progress.cancel()
            #expect(throws: CancellationError.self) { try move(cache, progress: progress) }
            #expect(!FileManager.default.fileExists(atPath: target(cache).path))
            #expect(try cache.storage.value(forKey: "3") == .blob(3))
        }
    }

    /// Every call of the copying fails once: afterwards the cache is whole at one place, and moving again ends it.
    @Test(arguments: [FaultyFileSystem.Call.createFile, .write, .setModified, .synchronize, .rename, .unlink, .list])
    func `whatever fails, nothing is lost and the next try goes through`(call: FaultyFileSystem.Call) throws {
        for after in 0..<60 {
            let cache = try CacheFixture()
            try fill(cache, count: 3)
            cache.storage.store.close()
            pretendOtherVolume(cache)
            let counted = Locked(0)
            cache.fileSystem.observe { seen, _ in if seen == call { counted.withLock { $0 += 1 } } }
            cache.fileSystem.fail(call, EIO, after: after, times: 1)
            let result = Result { try move(cache) }
            cache.fileSystem.observe(nil)
            cache.fileSystem.heal()
            if case .failure = result {
                pretendOtherVolume(cache)
                #expect(try move(cache))
                cache.fileSystem.heal()
            }
            try expectAll(in: moved(cache), count: 3)
            #expect(!FileManager.default.fileExists(atPath: cache.directory.path))
            if counted.withLock({ $0 }) <= after { return }
        }
    }

    @Test func `what stays in the old folder does not stand in the way of the next launch`() throws {
        let cache = try CacheFixture()
        try fill(cache)
        cache.storage.store.close()
        let mine = cache.directory.appendingPathComponent("mine")
        try FileManager.default.createDirectory(at: mine, withIntermediateDirectories: true)
        pretendOtherVolume(cache)
        #expect(try move(cache))
        #expect(try FileManager.default.contentsOfDirectory(atPath: cache.directory.path) == ["mine"])
        #expect(try !move(cache))
        try expectAll(in: moved(cache))
        #expect(try !move(cache))
    }

    @Test func `what the new folder has removed meanwhile is removed from the old one too`() throws {
        let cache = try CacheFixture()
        try fill(cache)
        cache.storage.store.close()
        pretendOtherVolume(cache)
        // Ends where the first file of the old folder would be removed.
        cache.fileSystem.fail(.unlink, EIO, times: 1, path: cache.directory.path + "/")
        #expect(throws: CacheStorageError.self) { try move(cache) }
        cache.fileSystem.heal()
        let storage = moved(cache)
        try storage.remove(forKey: "3")
        storage.store.close()
        #expect(try move(cache))
        #expect(!FileManager.default.fileExists(atPath: cache.directory.path))
        #expect(try !move(cache))
        #expect(try storage.value(forKey: "3") == nil)
        #expect(try storage.value(forKey: "4") == .blob(4))
        storage.store.close()
    }

    @Test(arguments: [false, true])
    func `a symbolic link to the old folder moves the folder, not the link`(isOtherVolume: Bool) throws {
        let cache = try CacheFixture()
        try fill(cache)
        cache.storage.store.close()
        let link = cache.folder.url.appendingPathComponent("link")
        try FileManager.default.createSymbolicLink(
            atPath: link.path, withDestinationPath: cache.directory.lastPathComponent)
        if isOtherVolume { pretendOtherVolume(cache) }
        func moveLink() throws -> Bool {
            try DiskStorage.moveCache(from: link, to: target(cache), progress: nil, environment: cache.environment)
        }
        #expect(try moveLink())
        #expect(!FileManager.default.fileExists(atPath: cache.directory.path))
        #expect(try target(cache).resourceValues(forKeys: [.isSymbolicLinkKey]).isSymbolicLink == false)
        try expectAll(in: moved(cache))
        #expect(try !moveLink())
    }

    @Test func `a folder cannot move into itself, and nothing is made in it`() throws {
        try withCache { cache in
            try fill(cache)
            let before = try FileManager.default.contentsOfDirectory(atPath: cache.directory.path).sorted()
            let inside = cache.directory.appendingPathComponent("sub/new")
            #expect(throws: CacheStorageError.self) { try DiskStorage.moveCache(from: cache.directory, to: inside) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: cache.directory.path).sorted() == before)
            #expect(try cache.storage.value(forKey: "3") == .blob(3))
        }
    }

    @Test func `a file where the new folder is to be is refused before anything is copied`() throws {
        try withCache { cache in
            try fill(cache)
            cache.storage.store.close()
            pretendOtherVolume(cache)
            try FileManager.default.createDirectory(
                at: target(cache).deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data([1]).write(to: target(cache))
            let error = #expect(throws: CacheStorageError.self) { try move(cache) }
            #expect(error?.code == .targetInUse)
            #expect(try Data(contentsOf: target(cache)) == Data([1]))
            cache.fileSystem.heal()
        }
    }

    @Test func `a folder of somebody's with the name of ours is not removed`() throws {
        let cache = try CacheFixture()
        try fill(cache)
        cache.storage.store.close()
        let mine = target(cache).path + ".moving/mine"
        try FileManager.default.createDirectory(atPath: mine, withIntermediateDirectories: true)
        pretendOtherVolume(cache)
        #expect(try move(cache))
        #expect(FileManager.default.fileExists(atPath: mine))
        try expectAll(in: moved(cache))
    }

    @Test func `of two that move at once one does it, and neither fails`() throws {
        let cache = try CacheFixture()
        try fill(cache)
        cache.storage.store.close()
        let begun = Locked(false)
        // The other one is done just before this one's rename.
        cache.fileSystem.observe { [cache, target = target(cache)] call, path in
            guard call == .rename, path == target.path, !begun.withLock({ $0 }) else { return }
            begun.withLock { $0 = true }
            #expect((try? DiskStorage.moveCache(from: cache.directory, to: target)) == true)
        }
        #expect(try !move(cache))
        cache.fileSystem.observe(nil)
        try expectAll(in: moved(cache))
    }
}
