import Foundation
import HalcyonKingfisher
// As in an app: where Kingfisher is imported and Halcyon is not, no name needs its module.
import Kingfisher
import Testing

// Members of the image, which on Apple's systems UIKit has.
import class Halcyon.HalcyonImage

@Suite(.timeLimit(.minutes(10))) struct ManagerTests {
    private let key = "https://example.com/a.png"

    private func get(
        _ manager: KingfisherManager, _ picture: Picture, downloads: Counter
    ) async throws -> ImageCacheResult {
        let data = picture.data
        return try await withCheckedThrowingContinuation { continuation in
            manager.retrieveImage(forKey: key, options: .thumbnail) {
                downloads.count("download")
                return data
            } completionHandler: {
                continuation.resume(with: $0)
            }
        }
    }

    @Test func `an image is downloaded once, then in memory, then on disk, then in memory again`() async throws {
        let fixture = Fixture()
        let cache = try fixture.makeCache()
        let manager = KingfisherManager(cache: cache)
        let picture = try Picture()
        let downloads = Counter()
        func type() async throws -> CacheType {
            try await get(manager, picture, downloads: downloads).cacheType
        }

        #expect(try await type() == .none)
        #expect(try await type() == .memory)
        cache.clearMemoryCache()
        #expect(cache.imageCachedType(forKey: key, processorIdentifier: "thumb") == .disk)
        let found = try await get(manager, picture, downloads: downloads)
        #expect(found.cacheType == .disk)
        #expect(found.image?.red == 200)
        #expect(cache.memoryStorage.keys == [key + "@thumb"])
        #expect(try await type() == .memory)
        #expect(downloads.all == ["download": 1])
        // The original, which was stored as bytes, is an entry of its own and not in memory.
        #expect(cache.imageCachedType(forKey: key) == .disk)
        #expect(fixture.names(in: fixture.folder).count == 2)
        #expect(fixture.names(in: fixture.stockFolder) == [])

        await cache.removeImage(forKey: key, processorIdentifier: "thumb")
        #expect(cache.imageCachedType(forKey: key, processorIdentifier: "thumb") == .none)
        #expect(cache.isCached(forKey: key))
        #expect(try await type() == .none)
        #expect(downloads.all == ["download": 2])
        await withCheckedContinuation { continuation in cache.clearCache { continuation.resume() } }
        #expect(!cache.isCached(forKey: key))
        #expect(fixture.names(in: fixture.folder) == [])
        #expect(cache.stockCalls == [])
    }

    @Test func `the manager's cache can be replaced by one of a name`() {
        let manager = KingfisherManager(cache: .default)
        // Its folder would be the user's: nothing is opened before the first use.
        manager.cache = HalcyonCache(name: "halcyon-check")
        let folder = manager.cache.diskStorage.directoryURL
        #expect(!FileManager.default.fileExists(atPath: folder.path + ".halcyon"))
        try? FileManager.default.removeItem(at: folder)
    }

    @Test func `what is stored is found by whoever asks after it, without waiting`() async throws {
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

    @Test func `a load that is to be synchronous has called back when it returns`() async throws {
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

    @Test func `a load from memory alone does not look on the disk`() async throws {
        let fixture = Fixture()
        let cache = try fixture.makeCache()
        try await cache.storeToDisk(try Picture().data, forKey: key)
        #expect(try await cache.retrieveImage(forKey: key, options: [.fromMemoryCacheOrRefresh]).cacheType == .none)
        #expect(try await cache.retrieveImage(forKey: key).cacheType == .disk)
    }

    @Test func `Kingfisher's serializer makes the bytes and the images, with its own options`() async throws {
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
        // The fake's decoding makes an image of pixels.
        #expect(decoded?.isDecoded == true)
    }

    @Test func `bytes that are no image are a miss`() async throws {
        let fixture = Fixture()
        let cache = try fixture.makeCache()
        try await cache.storeToDisk(Data("no image".utf8), forKey: key)
        #expect(try await cache.retrieveImage(forKey: key).cacheType == .none)
        #expect(cache.memoryStorage.keys == [])
    }
}
