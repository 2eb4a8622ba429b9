import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@testable import Halcyon

@Suite(.endsEvenIfItHangs) struct StoringTests {
    @Test func `an image is in memory when store returns, whatever the disk does`() async throws {
        try await withImageCache { subject in
            let (cache, image) = (subject.cache, try Pictures.image())
            cache.ioQueue.queue.suspend()
            cache.store(image, forKey: "a", completionHandler: nil)
            #expect(cache.retrieveImageInMemoryCache(forKey: "a") === image)
            #expect(cache.imageCachedType(forKey: "a") == .memory)
            #expect(!subject.storage.isCached(forKey: "a"))
            cache.ioQueue.queue.resume()
            await subject.settle()
            #expect(subject.storage.isCached(forKey: "a"))
        }
    }

    @Test func `stores share a commit although another call waits for the first`() async throws {
        try await withImageCache { subject in
            let cache = subject.cache
            await subject.settle()
            let before = subject.disk.commitCount
            cache.ioQueue.queue.suspend()
            cache.storeToDisk(.blob(1), forKey: "a", completionHandler: nil)
            // As `cachedData` does.
            cache.ioQueue.asyncAfterEarlier {}
            cache.storeToDisk(.blob(2), forKey: "b", completionHandler: nil)
            cache.ioQueue.queue.resume()
            await subject.hop()
            #expect(subject.disk.commitCount == before + 1)
        }
    }

    @Test func `a store reports on memory and on disk`() async throws {
        try await withImageCache { subject in
            let image = try Pictures.image()
            let result = await subject.once { subject.cache.store(image, forKey: "a", completionHandler: $0) }.value
            guard case .success = result.memoryCacheResult else { return }
            #expect(result.diskCacheResult.error == nil)
            #expect(try subject.storage.value(forKey: "a") == Pictures.small[0])
        }
    }

    @Test func `without toDisk, the disk is unchanged and its result is a success`() async throws {
        try await withImageCache { subject in
            let image = try Pictures.image()
            for options in [nil, KingfisherParsedOptionsInfo(nil)] {
                let result = await subject.once { done in
                    if let options {
                        subject.cache.store(
                            image, forKey: "a", options: options, toDisk: false, completionHandler: done)
                    } else {
                        subject.cache.store(image, forKey: "a", toDisk: false, completionHandler: done)
                    }
                }
                #expect(result.value.diskCacheResult.error == nil)
            }
            #expect(subject.cache.imageCachedType(forKey: "a") == .memory)
            #expect(try subject.storage.totalSize() == 0)
        }
    }

    @Test func `stores in a row share a commit, and calls between them run between them`() async throws {
        try await withImageCache { subject in
            let cache = subject.cache
            subject.disk.settle()
            let before = subject.disk.commitCount
            let answers = Calls<String>()
            cache.ioQueue.queue.suspend()
            for key in ["a", "b", "c"] { cache.storeToDisk(.blob(1), forKey: key) { _ in answers.record(key) } }
            cache.removeImage(forKey: "b", fromMemory: false) { answers.record("removed") }
            for key in ["b", "d"] { cache.storeToDisk(.blob(2), forKey: key) { _ in answers.record(key) } }
            cache.removeImage(forKey: "d", fromMemory: false) { answers.record("removed") }
            cache.ioQueue.queue.resume()
            await subject.hop()
            #expect(answers.values == ["a", "b", "c", "removed", "b", "d", "removed"])
            let values = try ["a", "b", "c", "d"].map { try subject.storage.value(forKey: $0) }
            #expect(values == [.blob(1), .blob(2), .blob(1), nil])
            // Two for stores, two for removals, and those of housekeeping.
            #expect(subject.disk.commitCount - before < 7)
        }
    }

    @Test func `an image that cannot be serialized does not affect the other stores`() async throws {
        struct Picky: CacheSerializer {
            let refused: Int
            func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
                original?.count == refused ? nil : original
            }
            func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? { nil }
        }
        try await withImageCache { subject in
            let (cache, image) = (subject.cache, try Pictures.image())
            let answers = Calls<Bool>()
            cache.ioQueue.queue.suspend()
            for count in 1...3 {
                cache.store(
                    image, original: .blob(count, count: count), forKey: "\(count)", cacheSerializer: Picky(refused: 2)
                ) { answers.record($0.diskCacheResult.error == nil) }
            }
            cache.ioQueue.queue.resume()
            await subject.hop()
            #expect(answers.values == [true, false, true])
            #expect((1...3).map { subject.storage.isCached(forKey: "\($0)") } == [true, false, true])
        }
    }

    @Test func `the limit is kept while stores in a row share commits`() async throws {
        try await withImageCache(configure: { $0.sizeLimit = 2_000 }) { subject in
            let cache = subject.cache
            cache.ioQueue.queue.suspend()
            for number in 0..<60 { cache.storeToDisk(.blob(number), forKey: "\(number)", completionHandler: nil) }
            cache.storeToDisk(.blob(7, count: 2_001), forKey: "too large", completionHandler: nil)
            cache.ioQueue.queue.resume()
            await subject.settle()
            let size = try subject.storage.store.evictor.totals().bytes
            #expect(size <= 2_000)
            #expect(subject.storage.isCached(forKey: "59") && !subject.storage.isCached(forKey: "too large"))
        }
    }

    private final class Token: Sendable {}

    /// Stores a value with a handler that holds the only reference to an object; returns whether the object still exists.
    private static func storeHolding(_ token: Token, in cache: ImageCache) -> @Sendable () -> Bool {
        cache.storeToDisk(.blob(0), forKey: "0") { _ in withExtendedLifetime(token) {} }
        return { [weak token] in token != nil }
    }

    @Test func `a stored image is released while other stores still wait`() async throws {
        try await withImageCache { subject in
            let cache = subject.cache
            let held = Calls<Bool>()
            cache.ioQueue.queue.suspend()
            let isHeld = Self.storeHolding(Token(), in: cache)
            // More than fit one batch.
            for number in 1..<40 {
                cache.storeToDisk(.blob(number), forKey: "\(number)") { _ in if number == 39 { held.record(isHeld()) } }
            }
            #expect(isHeld())
            cache.ioQueue.queue.resume()
            #expect(await held.first().value == false)
        }
    }

    @Test func `an image that replaces one larger than the limit stays`() async throws {
        try await withImageCache(configure: { $0.sizeLimit = 2_000 }) { subject in
            let cache = subject.cache
            cache.ioQueue.queue.suspend()
            cache.storeToDisk(.blob(7, count: 2_001), forKey: "a", completionHandler: nil)
            cache.storeToDisk(.blob(1), forKey: "a", completionHandler: nil)
            cache.storeToDisk(.blob(2), forKey: "b", completionHandler: nil)
            cache.ioQueue.queue.resume()
            await subject.settle()
            let values = try ["a", "b"].map { try subject.storage.value(forKey: $0) }
            #expect(values == [.blob(1), .blob(2)])
        }
    }

    @Test func `stores are written and answered in the order of their calls`() async throws {
        try await withImageCache { subject in
            let answers = Calls<Int>()
            for number in 0..<40 {
                let image = try Pictures.image(number % 4)
                subject.cache.store(image, forKey: "a") { _ in answers.record(number) }
                subject.cache.storeToDisk(Pictures.small[number % 4], forKey: "b") { _ in answers.record(100 + number) }
            }
            await subject.settle()
            #expect(answers.values == (0..<40).flatMap { [$0, 100 + $0] })
            #expect(try subject.storage.value(forKey: "a") == Pictures.small[3])
            #expect(try subject.storage.value(forKey: "b") == Pictures.small[3])
        }
    }

    @Test func `images are serialized on the queue of the cache, not on the caller's thread`() async throws {
        try await withImageCache { subject in
            let key = DispatchSpecificKey<Int>()
            subject.cache.ioQueue.queue.setSpecific(key: key, value: 7)
            let places = Locked<[Int?]>([])
            let serializer = HookedSerializer {
                places.withLock { $0.append(DispatchQueue.getSpecific(key: key)) }
            }
            try await subject.cache.store(Pictures.image(), forKey: "a", cacheSerializer: serializer)
            #expect(places.withLock { $0 } == [7])
        }
    }

    @Test func `an image that cannot be serialized is in memory only, and the handler gets the error`() async throws {
        try await withImageCache { subject in
            let (image, original) = (try Pictures.image(), Data.blob(1))
            let result = await subject.once {
                subject.cache.store(
                    image, original: original, forKey: "a", cacheSerializer: NoSerializer(), completionHandler: $0)
            }.value
            guard
                case .cacheError(.cannotSerializeImage(let failed, let data, let serializer))? =
                    result.diskCacheResult.error
            else {
                Issue.record("another result: \(result.diskCacheResult)")
                return
            }
            #expect(failed === image && data == original && serializer is NoSerializer)
            #expect(result.diskCacheResult.error?.errorCode == 3008)
            #expect(subject.cache.imageCachedType(forKey: "a") == .memory)
        }
    }

    @Test func `a failed disk write is reported, and the image is in memory anyway`() async throws {
        try await withImageCache { subject in
            subject.disk.refuseFiles()
            let image = try Pictures.image()
            let result = await subject.once { subject.cache.store(image, forKey: "a", completionHandler: $0) }
            #expect(result.value.diskCacheResult.error?.errorCode == 3009)
            #expect(subject.cache.imageCachedType(forKey: "a") == .memory)
            let bytes = await subject.once {
                subject.cache.storeToDisk(Pictures.small[0], forKey: "b", completionHandler: $0)
            }
            #expect(bytes.value.diskCacheResult.error?.errorCode == 3009)
            subject.disk.fileSystem.heal()
            #expect(!subject.storage.isCached(forKey: "a") && !subject.storage.isCached(forKey: "b"))
        }
    }

    @Test func `storeToDisk puts nothing into memory`() async throws {
        try await withImageCache { subject in
            let result = await subject.once {
                subject.cache.storeToDisk(Pictures.small[1], forKey: "a", completionHandler: $0)
            }
            #expect(result.value.diskCacheResult.error == nil)
            #expect(subject.cache.imageCachedType(forKey: "a") == .disk)
            #expect(subject.cache.memoryStorageCacheCost == 0)
            try await #expect(subject.load("a").image?.number == 1)
        }
    }

    @Test func `storeToDisk replaces the value and can set its own expiration`() async throws {
        try await withImageCache { subject in
            try await subject.cache.storeToDisk(Pictures.small[0], forKey: "a")
            try await subject.cache.storeToDisk(Pictures.small[1], forKey: "a", expiration: .seconds(10))
            #expect(try subject.storage.value(forKey: "a", extendingExpiration: .none) == Pictures.small[1])
            subject.clock.advance(by: 11)
            #expect(!subject.cache.isCached(forKey: "a"))
            subject.cache.cleanExpiredDiskCache(completion: nil)
        }
    }

    // MARK: What is it called

    @Test(arguments: ["", "a", "Grüße 🦊👩‍👩‍👧", "../../etc/passwd", String(repeating: "k", count: 65_536)])
    func `any string is a key`(key: String) async throws {
        try await withImageCache { subject in
            for identifier in ["", "small"] {
                let image = try Pictures.image(identifier.count % 4)
                try await subject.cache.store(image, forKey: key, processorIdentifier: identifier)
                #expect(subject.cache.imageCachedType(forKey: key, processorIdentifier: identifier) == .memory)
                subject.cache.clearMemoryCache()
                let options: KingfisherOptionsInfo = [.processor(Variant(identifier))]
                #expect(try await subject.load(key, options).image?.number == image.number)
                #expect(subject.cache.cacheFileURLIfOnDisk(forKey: key, processorIdentifier: identifier) != nil)
            }
            #expect(try subject.storage.totalSize() == UInt(Pictures.small[0].count + Pictures.small[1].count))
            for identifier in ["", "small"] {
                try await subject.cache.removeImage(forKey: key, processorIdentifier: identifier)
                #expect(!subject.cache.isCached(forKey: key, processorIdentifier: identifier))
            }
        }
    }

    @Test func `keys that are equal only by Unicode normalization are different keys`() async throws {
        try await withImageCache { subject in
            try await subject.cache.store(Pictures.image(1), forKey: "caf\u{E9}")
            #expect(!subject.cache.isCached(forKey: "cafe\u{301}"))
        }
    }

    @Test func `a processor's identifier and the processor itself name the same entry`() async throws {
        try await withImageCache { subject in
            let cache = subject.cache
            try await cache.store(Pictures.image(1), forKey: "a", processorIdentifier: "small")
            let options = KingfisherParsedOptionsInfo([.processor(Variant("small"))])
            #expect(cache.retrieveImageInMemoryCache(forKey: "a", options: options)?.number == 1)
            #expect(try subject.storage.value(forKey: "a@small") == Pictures.small[1])
            try await cache.store(Pictures.image(2), forKey: "a", options: options)
            #expect(try subject.storage.value(forKey: "a@small") == Pictures.small[2])
            #expect(!cache.isCached(forKey: "a") && cache.isCached(forKey: "a", processorIdentifier: "small"))
            #expect("a".computedKey(with: "small") == "a@small" && "a".computedKey(with: "") == "a")
        }
    }

    @Test func `a forced extension is part of the entry's identity, and of its file's name`() async throws {
        try await withImageCache { subject in
            let cache = subject.cache
            try await cache.store(Pictures.image(1), forKey: "a", forcedExtension: "jpg")
            #expect(cache.hash(forKey: "a", forcedExtension: "jpg").hasSuffix(".jpg"))
            #expect(subject.disk.isThere(cache.cachePath(forKey: "a", forcedExtension: "jpg")))
            cache.clearMemoryCache()
            #expect(cache.imageCachedType(forKey: "a", forcedExtension: "jpg") == .disk)
            #expect(cache.imageCachedType(forKey: "a") == .none)
            #expect(try await subject.load("a").cacheType == .none)
            #expect(try await subject.load("a", [.forcedCacheFileExtension("jpg")]).image?.number == 1)
            try await cache.store(
                Pictures.image(2), forKey: "b",
                options: KingfisherParsedOptionsInfo([.forcedCacheFileExtension("png")]))
            #expect(cache.cacheFileURLIfOnDisk(forKey: "b", forcedExtension: "png") != nil)
        }
    }

    // MARK: How long, and how

    @Test func `memory and disk have separate expirations`() async throws {
        try await withImageCache { subject in
            let options = KingfisherParsedOptionsInfo([
                .memoryCacheExpiration(.seconds(10)), .diskCacheExpiration(.seconds(100)),
            ])
            try await subject.cache.store(Pictures.image(), forKey: "a", options: options)
            subject.clock.advance(by: 9)
            #expect(subject.cache.imageCachedType(forKey: "a") == .memory)
            subject.clock.advance(by: 2)
            #expect(subject.cache.imageCachedType(forKey: "a") == .disk)
            subject.clock.advance(by: 90)
            #expect(subject.cache.imageCachedType(forKey: "a") == .none)
            await subject.cache.cleanExpiredDiskCache()
        }
    }

    @Test func `without options memory keeps for five minutes and the disk for a week`() async throws {
        try await withImageCache { subject in
            try await subject.cache.store(Pictures.image(), forKey: "a")
            subject.clock.advance(by: 299)
            #expect(subject.cache.imageCachedType(forKey: "a") == .memory)
            subject.clock.advance(by: 2)
            #expect(subject.cache.imageCachedType(forKey: "a") == .disk)
            subject.clock.advance(by: 7 * 86_400 - 302)
            #expect(subject.cache.imageCachedType(forKey: "a") == .disk)
            subject.clock.advance(by: 2)
            #expect(subject.cache.imageCachedType(forKey: "a") == .none)
            await subject.cache.cleanExpiredDiskCache()
        }
    }

    @Test func `storing an expired image does nothing and succeeds`() async throws {
        try await withImageCache { subject in
            let options = KingfisherParsedOptionsInfo([
                .memoryCacheExpiration(.expired), .diskCacheExpiration(.expired),
            ])
            try await subject.cache.store(Pictures.image(), forKey: "a", options: options)
            try await subject.cache.storeToDisk(Pictures.small[0], forKey: "b", expiration: .expired)
            #expect(!subject.cache.isCached(forKey: "a") && !subject.cache.isCached(forKey: "b"))
            #expect(try subject.storage.totalSize() == 0)
        }
    }

    /// nil: the configuration says so. Dates do not resolve a billionth of a second.
    @Test(arguments: [nil, .expired, .seconds(1e-9)] as [StorageExpiration?])
    func `storing an expired image removes the previous one from memory`(expiration: StorageExpiration?) async throws {
        try await withImageCache { subject in
            let cache = subject.cache
            try await cache.store(Pictures.image(1), forKey: "a")
            if expiration == nil { cache.memoryStorage.config.expiration = .expired }
            let options: KingfisherOptionsInfo = expiration.map { [.memoryCacheExpiration($0)] } ?? []
            try await cache.store(Pictures.image(2), forKey: "a", options: KingfisherParsedOptionsInfo(options))
            #expect(cache.retrieveImageInMemoryCache(forKey: "a") == nil)
            #expect(try await subject.load("a").image?.number == 2)
        }
    }

    @Test func `withoutOverwriting refuses to replace a value, and atomic changes nothing`() async throws {
        try await withImageCache { subject in
            let careful = KingfisherParsedOptionsInfo([.diskStoreWriteOptions([.withoutOverwriting])])
            try await subject.cache.store(Pictures.image(1), forKey: "a", options: careful)
            let error = await #expect(throws: KingfisherError.self) {
                try await subject.cache.store(Pictures.image(2), forKey: "a", options: careful)
            }
            #expect(error?.errorCode == 3009)
            #expect(try subject.storage.value(forKey: "a") == Pictures.small[1])
            let atomic = KingfisherParsedOptionsInfo([.diskStoreWriteOptions([.atomic])])
            try await subject.cache.store(Pictures.image(2), forKey: "a", options: atomic)
            #expect(try subject.storage.value(forKey: "a") == Pictures.small[2])
        }
    }

    @Test func `the format of the original data decides what is stored`() async throws {
        try await withImageCache { subject in
            for name in ["flower.jpg", "horse-silhouette.png", "night-city.gif", "terminal-intro.gif"] {
                let original = try Pictures.demo(name)
                let image = try Pictures.image(of: original)
                try await subject.cache.store(image, original: original, forKey: name)
                let stored = try #require(try subject.storage.value(forKey: name))
                #expect(stored.kf.imageFormat == original.kf.imageFormat)
                subject.cache.clearMemoryCache()
                #expect(try await subject.load(name).image?.kf.imageFrameCount == image.kf.imageFrameCount)
            }
        }
    }

    @Test func `stores that are pending when the cache is released still land`() async throws {
        let disk = try CacheFixture { $0.cleanInterval = 0 }
        let calls = Calls<Bool>()
        try
            ({
                let cache = ImageCache(
                    memoryStorage: CacheUnderTest.memory(clock: disk.clock), diskStorage: disk.storage)
                cache.ioQueue.queue.suspend()
                for number in 0..<20 {
                    try cache.store(Pictures.image(number % 4), forKey: "\(number)") {
                        calls.record($0.diskCacheResult.error == nil)
                    }
                }
                cache.ioQueue.queue.resume()
            })()
        _ = await calls.first()
        while calls.count < 20 { await Task.yield() }
        #expect(calls.values == Array(repeating: true, count: 20))
        for number in 0..<20 { try #expect(disk.storage.value(forKey: "\(number)") == Pictures.small[number % 4]) }
        try disk.requireClean()
    }
}
