import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@testable import Halcyon

@Suite(.endsEvenIfItHangs) struct LookingTests {
    @Test func `an image in memory and on disk is reported as in memory`() async throws {
        try await withImageCache { subject in
            let cache = subject.cache
            #expect(cache.imageCachedType(forKey: "a") == .none && !cache.isCached(forKey: "a"))
            try await cache.store(Pictures.image(), forKey: "a", toDisk: false)
            #expect(cache.imageCachedType(forKey: "a") == .memory && cache.isCached(forKey: "a"))
            try await cache.store(Pictures.image(), forKey: "a")
            #expect(cache.imageCachedType(forKey: "a") == .memory)
            cache.clearMemoryCache()
            #expect(cache.imageCachedType(forKey: "a") == .disk && cache.isCached(forKey: "a"))
            await cache.clearCache()
            #expect(cache.imageCachedType(forKey: "a") == .none && !cache.isCached(forKey: "a"))
        }
    }

    @Test func `a cache type tells whether the image is cached`() {
        #expect([CacheType.none, .memory, .disk].map(\.cached) == [false, true, true])
    }

    @Test func `a result has an image and a type`() throws {
        let image = try Pictures.image()
        let results: [ImageCacheResult] = [.none, .memory(image), .disk(image)]
        #expect(results.map(\.cacheType) == [.none, .memory, .disk])
        #expect(results.map(\.image) == [nil, image, image])
    }

    @Test func `an asynchronous check sees the effect of earlier calls`() async throws {
        try await withImageCache { subject in
            let call = await subject.once { done in
                subject.cache.storeToDisk(Pictures.small[0], forKey: "a", completionHandler: nil)
                subject.cache.imageCachedTypeAsync(forKey: "a", completionHandler: done)
            }
            #expect(call.value == .disk && call.isOnMainQueue)
            let gone = await subject.once { done in
                subject.cache.removeImage(forKey: "a", completionHandler: nil)
                subject.cache.imageCachedTypeAsync(forKey: "a", callbackQueue: .untouch, completionHandler: done)
            }
            #expect(gone.value == .none && !gone.isOnMainQueue)
        }
    }

    @Test func `checking does not wait for other calls`() async throws {
        try await withImageCache { subject in
            try await subject.cache.store(Pictures.image(), forKey: "a")
            subject.cache.clearMemoryCache()
            subject.cache.ioQueue.queue.suspend()
            #expect(subject.cache.imageCachedType(forKey: "a") == .disk)
            #expect(subject.cache.cacheFileURLIfOnDisk(forKey: "a") != nil)
            subject.cache.ioQueue.queue.resume()
        }
    }

    @Test func `hash, path and address name the same file`() async throws {
        try await withImageCache { subject in
            let cache = subject.cache
            for (identifier, forced) in [("", nil), ("small", nil), ("", "jpg"), ("small", "jpg")]
                as [(String, String?)]
            {
                let path = cache.cachePath(forKey: "a", processorIdentifier: identifier, forcedExtension: forced)
                let hash = cache.hash(forKey: "a", processorIdentifier: identifier, forcedExtension: forced)
                func address() -> URL? {
                    cache.cacheFileURLIfOnDisk(forKey: "a", processorIdentifier: identifier, forcedExtension: forced)
                }
                #expect(path == subject.storage.directoryURL.appendingPathComponent(hash).path)
                #expect(address() == nil && !subject.disk.isThere(path))
                try await cache.store(
                    Pictures.image(), forKey: "a", processorIdentifier: identifier, forcedExtension: forced)
                #expect(address()?.path == path && subject.disk.isThere(path))
            }
            #expect(
                cache.hash(forKey: "abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
            #expect(cache.hash(forKey: "a", processorIdentifier: "b") == "a@b".kf.sha256)
        }
    }

    @Test func `names follow the disk's settings`() async throws {
        try await withImageCache { subject in
            let cache = subject.cache
            subject.storage.config.pathExtension = "img"
            #expect(cache.hash(forKey: "a.png") == "a.png".kf.sha256 + ".img")
            #expect(cache.hash(forKey: "a.png", forcedExtension: "jpg") == "a.png".kf.sha256 + ".jpg")
            subject.storage.config.pathExtension = nil
            subject.storage.config.autoExtAfterHashedFileName = true
            #expect(cache.hash(forKey: "a.png", processorIdentifier: "p.x") == "a.png@p.x".kf.sha256 + ".png")
            #expect(cache.hash(forKey: "a.jpg?v=2") == "a.jpg?v=2".kf.sha256)
            subject.storage.config.usesHashedFileName = false
            #expect(cache.hash(forKey: "a.png", processorIdentifier: "p") == "a.png@p")
        }
    }

    @Test func `a file URL is returned for images on disk only, and not after they expire`() async throws {
        try await withImageCache { subject in
            try await subject.cache.store(Pictures.image(), forKey: "a", toDisk: false)
            #expect(subject.cache.cacheFileURLIfOnDisk(forKey: "a") == nil)
            try await subject.cache.storeToDisk(Pictures.small[0], forKey: "a", expiration: .seconds(1))
            #expect(subject.cache.cacheFileURLIfOnDisk(forKey: "a") != nil)
            subject.clock.advance(by: 2)
            #expect(subject.cache.cacheFileURLIfOnDisk(forKey: "a") == nil)
            await subject.cache.cleanExpiredDiskCache()
        }
    }

    @Test func `the size on disk is the sum of the files, expired ones too`() async throws {
        try await withImageCache { subject in
            let empty = await subject.once { subject.cache.calculateDiskStorageSize(completion: $0) }
            #expect(try empty.value.get() == 0 && empty.isOnMainQueue)
            for number in 0..<4 { try await subject.cache.store(Pictures.image(number), forKey: "\(number)") }
            try await subject.cache.storeToDisk(.blob(1), forKey: "old", expiration: .seconds(1))
            subject.clock.advance(by: 2)
            let expected = UInt(Pictures.small.reduce(100) { $0 + $1.count })
            #expect(try await subject.cache.diskStorageSize == expected)
            let size = await subject.once { subject.cache.calculateDiskStorageSize(completion: $0) }
            #expect(try size.value.get() == expected)
            await subject.cache.cleanExpiredDiskCache()
        }
    }

    @Test func `the size includes earlier stores that are pending`() async throws {
        try await withImageCache { subject in
            let image = try Pictures.image()
            let size = await subject.once { done in
                subject.cache.store(image, forKey: "a", completionHandler: nil)
                subject.cache.calculateDiskStorageSize(completion: done)
            }
            #expect(try size.value.get() == UInt(Pictures.small[0].count))
        }
    }

    @Test func `the cost in memory is that of the bitmaps`() async throws {
        try await withImageCache { subject in
            let images = try (0..<4).map { try Pictures.image($0) }
            for (number, image) in images.enumerated() {
                try await subject.cache.store(image, forKey: "\(number)", toDisk: false)
            }
            #expect(subject.cache.memoryStorageCacheCost == images.reduce(0) { $0 + $1.cacheCost })
            #if ImageCodecs && os(Linux)
                #expect(subject.cache.memoryStorageCacheCost == (1 + 2 + 3 + 4) * 2 * 4)
            #endif
        }
    }
}
