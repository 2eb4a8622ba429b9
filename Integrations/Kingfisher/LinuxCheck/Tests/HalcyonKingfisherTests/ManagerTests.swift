import Foundation
// As in an app: a file that imports Kingfisher but not Halcyon needs no module names.
import Kingfisher
import Testing

// Members of the image, which UIKit has on Apple platforms.
import class Halcyon.HalcyonImage

@testable import HalcyonKingfisher

@Suite(.timeLimit(.minutes(10))) struct ManagerTests {
    private let key = "https://example.com/a.png"

    @Test func `an image is downloaded once, then in memory, then on disk, then in memory again`() async throws {
        let fixture = Fixture()
        let cache = try fixture.makeCache()
        let app = try App(cache)
        let options: KingfisherOptionsInfo = [.processor(Thumbnail()), .cacheOriginalImage, .waitForCache]

        #expect(try await app.get(key, options).cacheType == .none)
        #expect(try await app.get(key, options).cacheType == .memory)
        cache.clearMemoryCache()
        #expect(cache.imageCachedType(forKey: key, processorIdentifier: "thumb") == .disk)
        let found = try await app.get(key, options)
        #expect(found.cacheType == .disk)
        #expect(found.image.red == 200)
        #expect(cache.memoryStorage.keys == [key + "@thumb"])
        #expect(try await app.get(key, options).cacheType == .memory)
        // The original, stored as bytes, is a separate entry and not in memory.
        #expect(cache.imageCachedType(forKey: key) == .disk)
        #expect(fixture.names(in: fixture.folder).count == 2)
        #expect(fixture.names(in: fixture.stockFolder) == [])

        // The removed image is made from the original and found again.
        try await cache.removeImage(forKey: key, processorIdentifier: "thumb")
        #expect(cache.imageCachedType(forKey: key, processorIdentifier: "thumb") == .none)
        #expect(try await app.get(key, options).cacheType == .none)
        #expect(cache.isCached(forKey: key, processorIdentifier: "thumb"))
        #expect(app.downloads.all == [key: 1])
        await withCheckedContinuation { continuation in cache.clearCache { continuation.resume() } }
        #expect(!cache.isCached(forKey: key))
        #expect(fixture.names(in: fixture.folder) == [])
        #expect(try await app.get(key, options).cacheType == .none)
        #expect(app.downloads.all == [key: 2])
        #expect(cache.stockCalls == [])
    }

    @Test func `the manager's cache can be replaced by a named one`() {
        let manager = KingfisherManager(downloader: .default, cache: .default)
        // Its folder would be the user's, but nothing is opened before the first use.
        manager.cache = HalcyonCache(name: "halcyon-check")
        let folder = manager.cache.diskStorage.directoryURL
        #expect(!FileManager.default.fileExists(atPath: folder.path + ".halcyon"))
        try? FileManager.default.removeItem(at: folder)
    }

    @Test func `images prefetched into the manager's cache are not downloaded again`() async throws {
        let fixture = Fixture()
        let cache = try fixture.makeCache()
        let app = try App(cache)
        let url = try #require(URL(string: key))
        // As in the README.
        #expect(await app.prefetch([url], [.targetCache(app.manager.cache)]) == ["completed": 1])
        #expect(cache.isCached(forKey: key))
        cache.clearMemoryCache()
        #expect(await app.prefetch([url], [.targetCache(app.manager.cache)]) == ["skipped": 1])
        #expect(try await app.get(key).cacheType == .disk)
        #expect(app.downloads.all == [key: 1])
        #expect(cache.stockCalls == [])
    }

    @Test func `a prefetcher without a target cache uses Kingfisher's own`() async throws {
        let fixture = Fixture()
        let app = try App(try fixture.makeCache())
        let url = try #require(URL(string: "https://example.com/\(UUID())"))
        app.manager.defaultOptions = [.targetCache(app.manager.cache)]
        #expect(await app.prefetch([url], []) == ["completed": 1])
        #expect(ImageCache.default.isCached(forKey: url.cacheKey))
        #expect(try await app.get(url.cacheKey).cacheType == .none)
        #expect(app.downloads.all == [url.cacheKey: 2])
    }

    @Test func `an option that makes the manager download cached images again logs a warning`() async throws {
        let fixture = Fixture()
        let cache = try fixture.makeCache()
        let app = try App(cache)
        try await cache.storeToDisk(try Picture().data, forKey: key)
        #expect(try await app.get(key).cacheType == .disk)
        cache.clearMemoryCache()
        #expect(!cache.isAdviceGiven)
        #expect(try await app.get(key, [.asyncCacheTypeCheck]).cacheType == .none)
        #expect(app.downloads.all == [key: 1])
        #expect(cache.isAdviceGiven)
    }

    @Test func `the files of a live photo are found by their extensions`() async throws {
        // As Kingfisher does: tries two file name extensions in turn.
        let fixture = Fixture()
        let cache = try fixture.makeCache()
        for (key, type) in [("a", "heic"), ("b", "mov")] {
            try await cache.storeToDisk(
                Data(type.utf8), forKey: key, processorIdentifier: "live", forcedExtension: type)
            let found = ["heic", "mov"].compactMap {
                cache.cacheFileURLIfOnDisk(forKey: key, processorIdentifier: "live", forcedExtension: $0)
            }
            #expect(found.map(\.pathExtension) == [type])
            #expect(try found.map { try Data(contentsOf: $0) } == [Data(type.utf8)])
        }
        #expect(cache.stockCalls == [])
    }

    @Test func `a load right after a store finds the image without waiting`() async throws {
        let fixture = Fixture()
        let cache = try fixture.makeCache()
        for red in UInt8(0)..<20 {
            let picture = try Picture(red: red)
            cache.store(
                picture.image, original: picture.data, forKey: key, options: .thumbnail, completionHandler: nil)
            let found = try await cache.retrieveImageInDiskCache(forKey: key, options: [.processor(Thumbnail())])
            #expect(found?.red == red)
        }
        #expect(cache.stockCalls == [])
    }

    @Test func `a synchronous load calls back before it returns`() async throws {
        let fixture = Fixture()
        let cache = try fixture.makeCache()
        let picture = try Picture()
        try await cache.storeToDisk(picture.data, forKey: key)
        let calls = Counter()
        cache.retrieveImage(
            forKey: key, options: [.loadDiskFileSynchronously], callbackQueue: .untouch
        ) { if case .success(.disk) = $0 { calls.count("disk") } }
        #expect(calls.all == ["disk": 1])
    }

    @Test func `a load from memory only does not read the disk`() async throws {
        let fixture = Fixture()
        let cache = try fixture.makeCache()
        try await cache.storeToDisk(try Picture().data, forKey: key)
        #expect(try await cache.retrieveImage(forKey: key, options: [.fromMemoryCacheOrRefresh]).cacheType == .none)
        #expect(try await cache.retrieveImage(forKey: key).cacheType == .disk)
    }

    @Test func `Kingfisher's serializer encodes and decodes, with its own options`() async throws {
        struct Marking: CacheSerializer {
            let calls: Counter
            func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
                calls.count("data")
                return original.map { Data("mark".utf8) + $0 }
            }
            func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
                calls.count("image at \(options.scaleFactor)")
                return KFCrossPlatformImage(data: Data(data.dropFirst(4)), scale: options.scaleFactor)
            }
        }
        let fixture = Fixture()
        let cache = try fixture.makeCache()
        let picture = try Picture()
        let calls = Counter()
        let options: KingfisherOptionsInfo = [.cacheSerializer(Marking(calls: calls)), .scaleFactor(2)]
        try await cache.store(
            picture.image, original: picture.data, forKey: key, options: KingfisherParsedOptionsInfo(options))
        cache.clearMemoryCache()
        let path = cache.cachePath(forKey: key)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("mark".utf8) + picture.data)
        #expect(try await cache.retrieveImage(forKey: key, options: options).image?.scale == 2)
        #expect(calls.all == ["data": 1, "image at 2.0": 1])
        cache.clearMemoryCache()
        let decoded = try await cache.retrieveImage(forKey: key, options: options + [.backgroundDecode]).image
        // The fake's decoding creates an image from pixels.
        #expect(decoded?.isDecoded == true)
    }

    @Test func `data that is not an image is a miss`() async throws {
        let fixture = Fixture()
        let cache = try fixture.makeCache()
        try await cache.storeToDisk(Data("no image".utf8), forKey: key)
        #expect(try await cache.retrieveImage(forKey: key).cacheType == .none)
        #expect(cache.memoryStorage.keys == [])
    }
}

/// The parts of Kingfisher that an app uses: a manager with a cache, and a server with one image for all URLs.
struct App {
    let manager: KingfisherManager
    let downloads = Counter()

    init(_ cache: ImageCache) throws {
        let data = try Picture().data
        let downloader = ImageDownloader(name: "test")
        downloader.server = { [downloads] url in
            downloads.count(url.absoluteString)
            return data
        }
        manager = KingfisherManager(downloader: downloader, cache: cache)
    }

    /// - Parameter isWanted: called by Kingfisher during the load.
    func get(
        _ key: String, _ options: KingfisherOptionsInfo = [], isWanted: (@Sendable () -> Bool)? = nil
    ) async throws -> RetrieveImageResult {
        let url = try #require(URL(string: key))
        return try await withCheckedThrowingContinuation { continuation in
            manager.retrieveImage(with: url, options: options + [.callbackQueue(.untouch)], isWanted: isWanted) {
                continuation.resume(with: $0)
            }
        }
    }

    /// The number of resources by result.
    func prefetch(_ urls: [URL], _ options: KingfisherOptionsInfo) async -> [String: Int] {
        await withCheckedContinuation { continuation in
            let options = options + [.downloader(manager.downloader)]
            ImagePrefetcher(urls: urls, options: options) { skipped, failed, completed in
                let counts = ["skipped": skipped.count, "failed": failed.count, "completed": completed.count]
                continuation.resume(returning: counts.filter { $0.value > 0 })
            }.start()
        }
    }
}
