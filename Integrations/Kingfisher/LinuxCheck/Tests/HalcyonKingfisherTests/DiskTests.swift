import Foundation
import Halcyon
import HalcyonKingfisher
import Kingfisher
import Testing

private let key = "https://example.com/a.png"
/// SHA-256 of the key, and of the key with "@thumb".
private let name = "494a30704d4f32ac0b81739d18a66d3638d440cbc6f5669f6af66f840edee5ab"
private let thumbnailName = "c0cbf4b61960ee0c79c9418ec47fcdba1d9f9e5cf3fb73ee33225a15319db94b"

@Suite(.timeLimit(.minutes(10))) struct FileNameTests {
    @Test func `files have the same names as in Kingfisher`() async throws {
        let fixture = Fixture()
        let cache = try fixture.makeCache()
        let data = try Picture().data
        #expect(cache.hash(forKey: key) == name)
        #expect(cache.hash(forKey: key, processorIdentifier: "thumb") == thumbnailName)
        #expect(cache.hash(forKey: key, forcedExtension: "jpg") == name + ".jpg")
        #expect(cache.cacheFileURLIfOnDisk(forKey: key) == nil)
        try await cache.storeToDisk(data, forKey: key)
        try await cache.storeToDisk(data, forKey: key, processorIdentifier: "thumb", forcedExtension: "jpg")
        #expect(fixture.names(in: fixture.folder) == [name, thumbnailName + ".jpg"])
        #expect(cache.cachePath(forKey: key) == fixture.folder.appendingPathComponent(name).path)
        #expect(cache.cacheFileURLIfOnDisk(forKey: key)?.lastPathComponent == name)
        #expect(
            cache.cacheFileURLIfOnDisk(forKey: key, processorIdentifier: "thumb", forcedExtension: "jpg")?
                .lastPathComponent == thumbnailName + ".jpg")
        #expect(try await cache.diskStorageSize == UInt(2 * data.count))
        #expect(cache.stockCalls == [])
    }
}

@Suite(.timeLimit(.minutes(10))) struct VariantTests {
    @Test func `an image is removed with all its variants, also after a relaunch, and other images stay`() async throws
    {
        let fixture = Fixture()
        let picture = try Picture()
        let data = picture.data
        do {
            let cache = try fixture.makeCache()
            try await cache.storeToDisk(data, forKey: key)
            try await cache.storeToDisk(data, forKey: key, processorIdentifier: "thumb", forcedExtension: "jpg")
            try await cache.store(picture.image, forKey: key, processorIdentifier: "p(1.0)", toDisk: true)
            try await cache.storeToDisk(data, forKey: "\(key)@2x")
            let entries = try cache.halcyon.diskStorage.entries(sortedBy: .key).entries
            #expect(entries.map(\.baseKey) == [key, "\(key)@2x", key, key])
            #expect(entries.map(\.processorIdentifier) == ["", "", "p(1.0)", "thumb"])
        }
        let cache = try fixture.makeCache()
        _ = try await cache.retrieveImageInDiskCache(forKey: key)
        await withCheckedContinuation { continuation in
            cache.removeImageAndVariants(forKey: key) { continuation.resume() }
        }
        #expect(try cache.halcyon.diskStorage.entries().entries.map(\.key) == ["\(key)@2x"])
        #expect(cache.imageCachedType(forKey: key) == .none)
        #expect(cache.imageCachedType(forKey: key, processorIdentifier: "thumb", forcedExtension: "jpg") == .none)
    }
}

@Suite(.timeLimit(.minutes(10))) struct SettingsTests {
    @Test func `changes to the disk storage's configuration apply from the next call on`() async throws {
        let fixture = Fixture()
        let cache = try fixture.makeCache()
        #expect(cache.hash(forKey: key) == name)
        cache.diskStorage.config.pathExtension = "img"
        #expect(cache.hash(forKey: key) == name + ".img")
        cache.diskStorage.config.pathExtension = nil
        cache.diskStorage.config.autoExtAfterHashedFileName = true
        #expect(cache.hash(forKey: key, processorIdentifier: "thumb") == thumbnailName + ".png")
        cache.diskStorage.config.usesHashedFileName = false
        #expect(cache.hash(forKey: "a", processorIdentifier: "thumb") == "a@thumb")
        #expect(cache.stockCalls == [])
    }

    @Test func `the expiration of a call overrides the configured one`() async throws {
        let fixture = Fixture()
        let cache = try fixture.makeCache()
        let picture = try Picture()
        cache.diskStorage.config.expiration = .expired
        try await cache.storeToDisk(picture.data, forKey: "a")
        try await cache.storeToDisk(picture.data, forKey: "b", expiration: .never)
        var options = Kingfisher.KingfisherParsedOptionsInfo(nil)
        try await cache.store(picture.image, forKey: "c", options: options)
        options.diskCacheExpiration = .days(1)
        try await cache.store(picture.image, forKey: "d", options: options)
        cache.clearMemoryCache()
        #expect(["a", "b", "c", "d"].filter { cache.isCached(forKey: $0) } == ["b", "d"])
    }

    @Test func `the limit is enforced after stores, and the cache posts one notification`() async throws {
        let fixture = Fixture()
        let cache = try fixture.makeCache()
        let counter = Counter()
        let observers = [nil, cache].map { (object: HalcyonCache?) in
            NotificationCenter.default.addObserver(
                forName: Notification.Name("com.onevcat.Kingfisher.KingfisherDidCleanDiskCache"), object: object,
                queue: nil
            ) { [weak cache] message in
                guard let cache, message.object as AnyObject === cache else { return }
                let names = message.userInfo?[Kingfisher.KingfisherDiskCacheCleanedHashKey] as? [String]
                counter.count("\(object == nil ? "anybody's" : "its"): \(names ?? [])")
            }
        }
        defer { observers.forEach { NotificationCenter.default.removeObserver($0) } }
        cache.diskStorage.config.sizeLimit = 1_000
        cache.diskStorage.config.usesHashedFileName = false
        for name in ["a", "b"] { try await cache.storeToDisk(Data(count: 450), forKey: name) }
        #expect(cache.isCached(forKey: "a"))
        try await cache.storeToDisk(Data(count: 450), forKey: "c")
        #expect(try await cache.diskStorageSize == 450)
        await Task { @MainActor in }.value
        // Runs on the main queue after the posted notifications.
        await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
        #expect(counter.all == [#"anybody's: ["a", "b"]"#: 1, #"its: ["a", "b"]"#: 1])
        #expect(cache.stockCalls == [])
    }

    @Test func `cleaning removes expired images, then evicts down to the limit`() async throws {
        let fixture = Fixture()
        let cache = try fixture.makeCache()
        cache.memoryStorage.store(value: try Picture().image, forKey: "m", expiration: .seconds(0.001))
        try await cache.storeToDisk(Data(count: 10), forKey: "a", expiration: .seconds(0.001))
        for name in ["b", "c"] { try await cache.storeToDisk(Data(count: 400), forKey: name) }
        // Set after the stores, so that nothing has been cleaned yet.
        cache.diskStorage.config.sizeLimit = 800
        while cache.isCached(forKey: "a") { await Task.yield() }
        await cache.cleanExpiredCache()
        #expect(try await cache.diskStorageSize == 400)
        #expect(cache.memoryStorage.keys == [])
        await withCheckedContinuation { continuation in cache.cleanExpiredCache { continuation.resume() } }
        #expect(cache.isCached(forKey: "c"))
        #expect(cache.stockCalls == [])
    }

    @Test func `a clean that opens the folder closes it again, as it may run in the background`() async throws {
        let fixture = Fixture()
        try fixture.leave(Picture().data, as: String(repeating: "0", count: 64))
        let cache = try fixture.makeCache()
        func isOpen() -> Bool {
            let (files, links) = (FileManager.default, "/proc/self/fd")
            let numbers = (try? files.contentsOfDirectory(atPath: links)) ?? []
            return numbers.contains {
                (try? files.destinationOfSymbolicLink(atPath: "\(links)/\($0)"))?.hasPrefix(fixture.folder.path) == true
            }
        }
        await withCheckedContinuation { continuation in cache.cleanExpiredDiskCache { continuation.resume() } }
        #expect(!isOpen() && fixture.names(in: fixture.folder).count == 1)
        // Later cleans leave it as it is.
        try await cache.storeToDisk(Data(count: 10), forKey: "b")
        await withCheckedContinuation { continuation in cache.cleanExpiredDiskCache { continuation.resume() } }
        #expect(isOpen())
    }

    @Test func `Halcyon's own cleans follow the settings too`() async throws {
        let fixture = Fixture()
        let cache = try fixture.makeCache()
        for name in ["a", "b"] { try await cache.storeToDisk(Data(count: 400), forKey: name) }
        let halcyon = cache.halcyon
        cache.diskStorage.config.sizeLimit = 800
        // The function that the timer calls.
        await withCheckedContinuation { continuation in
            halcyon.cleanExpiredDiskCache(completion: { continuation.resume() })
        }
        #expect(try halcyon.diskStorage.totalSize() == 400)
    }
}

@Suite(.timeLimit(.minutes(10))) struct TakeoverTests {
    @Test func `Kingfisher's files are adopted once`() async throws {
        let fixture = Fixture()
        let data = try Picture(red: 7).data
        try fixture.leave(data, as: name)
        let cache = try fixture.makeCache()
        #expect(fixture.names(in: fixture.stockFolder) == [name])
        #expect(cache.isCached(forKey: key))
        // Other Kingfisher caches of that name can continue to use the folder.
        #expect(FileManager.default.fileExists(atPath: fixture.stockFolder.path))
        #expect(fixture.names(in: fixture.stockFolder) == [])
        #expect(fixture.names(in: fixture.folder) == [name])
        #expect(try await cache.retrieveImage(forKey: key).image?.red == 7)
        #expect(try await cache.diskStorageSize == UInt(data.count))

        // At the next launch, Kingfisher's storage creates its folder again and something is stored there.
        try fixture.leave(data, as: thumbnailName)
        let next = try fixture.makeCache()
        #expect(next.isCached(forKey: key))
        #expect(!next.isCached(forKey: key, processorIdentifier: "thumb"))
        #expect(fixture.names(in: fixture.stockFolder) == [thumbnailName])
        #expect(next.stockCalls == [])
    }

    @Test func `settings that change after the cache was created decide how its files are read`() async throws {
        let fixture = Fixture()
        try fixture.leave(try Picture(red: 7).data, as: "a")
        let cache = try fixture.makeCache()
        cache.diskStorage.config.usesHashedFileName = false
        #expect(try await cache.retrieveImage(forKey: "a").image?.red == 7)
        #expect(try await cache.diskStorageSize > 0)
    }

    @Test func `a process that ended after the renaming has lost nothing`() async throws {
        let fixture = Fixture()
        try fixture.leave(try Picture(red: 7).data, as: name)
        try FileManager.default.moveItem(at: fixture.stockFolder, to: fixture.folder)
        let cache = try fixture.makeCache()
        #expect(try await cache.retrieveImage(forKey: key).image?.red == 7)
        #expect(cache.stockCalls == [])
    }

    @Test func `Kingfisher's default cache next to it is left alone`() async throws {
        let fixture = Fixture()
        try fixture.leave(try Picture(red: 7).data, as: name)
        let stock = try Kingfisher.ImageCache(name: "images", cacheDirectoryURL: fixture.parent)
        let cache = try fixture.makeCache()
        #expect(cache.isCached(forKey: key))
        await stock.clearDiskCache()
        #expect(cache.isCached(forKey: key))
        #expect(stock.stockCalls == ["clearDiskCache()"])
        #expect(cache.stockCalls == [])
    }

    @Test func `Kingfisher finds the files in Halcyon's folder`() async throws {
        let fixture = Fixture()
        let cache = try fixture.makeCache()
        try await cache.storeToDisk(try Picture().data, forKey: key, expiration: .days(2))
        // As described in the guide for going back to Kingfisher.
        let kingfisher = try Kingfisher.ImageCache(name: "images", cacheDirectoryURL: fixture.parent) { parent, name in
            parent.appendingPathComponent(name + ".halcyon", isDirectory: true)
        }
        #expect(kingfisher.diskStorage.directoryURL.path == cache.halcyon.diskStorage.directoryURL.path)
        let file = kingfisher.diskStorage.directoryURL.appendingPathComponent(name)
        let expiration = try FileManager.default.attributesOfItem(atPath: file.path)[.modificationDate] as? Date
        #expect(try #require(expiration) > Date(timeIntervalSinceNow: 86_400))
    }

    @Test func `a cache that was cleared stays empty`() async throws {
        let fixture = Fixture()
        let cache = try fixture.makeCache()
        await cache.clearCache()
        try fixture.leave(try Picture().data, as: name)
        #expect(!(try fixture.makeCache()).isCached(forKey: key))
    }

    @Test func `of many caches that open at the same time one adopts the files, and all find them`() async throws {
        let fixture = Fixture()
        try fixture.leave(try Picture(red: 7).data, as: name)
        let caches = try (0..<8).map { _ in try fixture.makeCache() }
        let found = await withTaskGroup(of: Bool.self) { group in
            for cache in caches { group.addTask { cache.isCached(forKey: key) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(found.count == 8)
        #expect(caches.allSatisfy { $0.isCached(forKey: key) })
    }
}
