import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@testable import Halcyon

@Suite(.endsEvenIfItHangs) struct LoadOptionTests {
    @Test func `loadDiskFileSynchronously reads on the caller's thread, before the call returns`() async throws {
        try await withImageCache { subject in
            try await subject.cache.storeToDisk(Pictures.small[1], forKey: "a")
            subject.loadSynchronously()
        }
    }

    @Test func `with untouch, a load from memory calls back before it returns`() async throws {
        try await withImageCache { subject in
            try await subject.cache.store(Pictures.image(), forKey: "a")
            let calls = Calls<Bool>()
            subject.cache.retrieveImage(forKey: "a", callbackQueue: .untouch) { _ in calls.record(true) }
            #expect(calls.count == 1)
            subject.cache.retrieveImage(
                forKey: "b", options: [.fromMemoryCacheOrRefresh], callbackQueue: .untouch
            ) { _ in calls.record(true) }
            #expect(calls.count == 2)
        }
    }

    @Test func `the serializer of the options makes the image`() async throws {
        try await withImageCache { subject in
            let count = Locked(0)
            let serializer = HookedSerializer(beforeLoading: { count.withLock { $0 += 1 } })
            try await subject.cache.storeToDisk(Pictures.small[1], forKey: "a")
            #expect(try await subject.load("a", [.cacheSerializer(serializer)]).image?.number == 1)
            #expect(count.withLock { $0 } == 1)
            subject.cache.clearMemoryCache()
            #expect(try await subject.load("a", [.cacheSerializer(NoSerializer())]).cacheType == .none)
        }
    }

    @Test func `scaleFactor is the number of pixels per point`() async throws {
        try await withImageCache { subject in
            try await subject.cache.storeToDisk(Pictures.small[3], forKey: "a")
            for options: KingfisherOptionsInfo in [[.scaleFactor(2)], [.scaleFactor(2), .backgroundDecode]] {
                let image = try #require(try await subject.load("a", options).image)
                #expect(image.hasScale2)
                #if !canImport(AppKit)
                    #expect(image.size == CGSize(width: 2, height: 1))
                #endif
                subject.cache.clearMemoryCache()
            }
        }
    }

    @Test func `onlyLoadFirstFrame makes a still image of an animation`() async throws {
        try await withImageCache { subject in
            try await subject.cache.storeToDisk(Pictures.fixture("moving.gif"), forKey: "a")
            let still = try #require(try await subject.load("a", [.onlyLoadFirstFrame]).image)
            #expect(!still.isAnimation)
            subject.cache.clearMemoryCache()
            let moving = try #require(try await subject.load("a").image)
            #expect(moving.kf.imageFrameCount ?? 0 > 1)
            #expect(moving.cacheCost == still.cacheCost * (moving.kf.imageFrameCount ?? 0) || !codecsAreAvailable)
        }
    }

    @Test func `an animation of which only the first picture was loaded is stored as its file`() async throws {
        try await withImageCache { subject in
            let file = try Pictures.fixture("moving.gif")
            try await subject.cache.storeToDisk(file, forKey: "a")
            let still = try #require(try await subject.load("a", [.onlyLoadFirstFrame]).image)
            try await subject.cache.store(still, forKey: "a")
            #expect(try subject.storage.value(forKey: "a") == file)
        }
    }

    // MARK: Expirations

    @Test func `each read from memory extends the expiration by the image's own duration`() async throws {
        try await withImageCache { subject in
            let options = KingfisherParsedOptionsInfo([.memoryCacheExpiration(.seconds(10))])
            try await subject.cache.store(Pictures.image(), forKey: "a", options: options, toDisk: false)
            for _ in 0..<3 {
                subject.clock.advance(by: 8)
                #expect(try await subject.load("a").cacheType == .memory)
            }
            subject.clock.advance(by: 8)
            #expect(try await subject.load("a", [.memoryCacheAccessExtendingExpiration(.none)]).cacheType == .memory)
            subject.clock.advance(by: 3)
            #expect(try await subject.load("a").cacheType == .none)
        }
    }

    @Test func `a read from memory can extend the expiration by another duration`() async throws {
        try await withImageCache { subject in
            try await subject.cache.store(Pictures.image(), forKey: "a", toDisk: false)
            let options: KingfisherOptionsInfo = [.memoryCacheAccessExtendingExpiration(.expirationTime(.seconds(20)))]
            #expect(subject.cache.retrieveImageInMemoryCache(forKey: "a", options: options) != nil)
            subject.clock.advance(by: 21)
            #expect(subject.cache.retrieveImageInMemoryCache(forKey: "a") == nil)
        }
    }

    @Test func `checking whether an image is cached does not extend its expiration`() async throws {
        try await withImageCache { subject in
            let options = KingfisherParsedOptionsInfo([
                .memoryCacheExpiration(.seconds(10)), .diskCacheExpiration(.seconds(10)),
            ])
            try await subject.cache.store(Pictures.image(), forKey: "a", options: options)
            subject.clock.advance(by: 8)
            #expect(subject.cache.isCached(forKey: "a"))
            subject.clock.advance(by: 3)
            #expect(!subject.cache.isCached(forKey: "a"))
            await subject.cache.cleanExpiredCache()
        }
    }

    @Test func `each read from disk extends the expiration, unless the options say otherwise`() async throws {
        try await withImageCache { subject in
            let cache = subject.cache
            for key in ["a", "b", "c"] {
                try await cache.storeToDisk(Pictures.small[0], forKey: key, expiration: .seconds(10))
            }
            subject.clock.advance(by: 8)
            #expect(try await cache.retrieveImageInDiskCache(forKey: "a") != nil)
            let none: KingfisherOptionsInfo = [.diskCacheAccessExtendingExpiration(.none)]
            #expect(try await cache.retrieveImageInDiskCache(forKey: "b", options: none) != nil)
            let long: KingfisherOptionsInfo = [.diskCacheAccessExtendingExpiration(.expirationTime(.seconds(100)))]
            #expect(try await cache.retrieveImageInDiskCache(forKey: "c", options: long) != nil)
            subject.clock.advance(by: 8)
            #expect(["a", "b", "c"].map { cache.isCached(forKey: $0) } == [true, false, true])
            subject.clock.advance(by: 80)
            #expect(["a", "b", "c"].map { cache.isCached(forKey: $0) } == [false, false, true])
            await cache.cleanExpiredDiskCache()
        }
    }

    @Test func `an image read from disk stays in memory as long as the options say`() async throws {
        try await withImageCache { subject in
            try await subject.cache.storeToDisk(Pictures.small[0], forKey: "a")
            _ = try await subject.load("a", [.memoryCacheExpiration(.seconds(10))])
            #expect(subject.cache.imageCachedType(forKey: "a") == .memory)
            subject.clock.advance(by: 11)
            #expect(subject.cache.imageCachedType(forKey: "a") == .disk)
            _ = try await subject.load("a", [.memoryCacheExpiration(.expired)])
            #expect(subject.cache.imageCachedType(forKey: "a") == .disk)
        }
    }

    #if ImageCodecs && os(Linux)
        @Test func `a load does not decode the pixels without backgroundDecode`() async throws {
            try await withImageCache { subject in
                for option in [KingfisherOptionsInfoItem.loadDiskFileSynchronously, .scaleFactor(1)] {
                    try await subject.cache.storeToDisk(Pictures.small[1], forKey: "a")
                    subject.cache.clearMemoryCache()
                    #expect(try await subject.load("a", [option]).image?.isDecoded == false)
                    subject.cache.clearMemoryCache()
                    #expect(try await subject.load("a", [option, .backgroundDecode]).image?.isDecoded == true)
                }
            }
        }

        @Test func `pixels are decoded off the cache's queue, so a small image does not wait for a large one`()
            async throws
        {
            try await withImageCache { subject in
                try await subject.cache.storeToDisk(Pictures.small[1], forKey: "a")
                let hold = DispatchSemaphore(value: 0)
                let slow = HookedSerializer(beforeLoading: { hold.wait() })
                let calls = Calls<KFCrossPlatformImage?>()
                subject.cache.retrieveImage(
                    forKey: "a", options: [.backgroundDecode, .cacheSerializer(slow)], callbackQueue: .untouch
                ) { calls.record((try? $0.get())?.image) }
                // Returns although the other load is still running.
                #expect(try await subject.cache.retrieveImageInDiskCache(forKey: "a")?.number == 1)
                #expect(calls.count == 0)
                hold.signal()
                #expect(await calls.first().value?.isDecoded == true)
            }
        }

        @Test func `preloadAllAnimationData decodes all pictures of an animation`() async throws {
            try await withImageCache { subject in
                try await subject.cache.storeToDisk(Pictures.fixture("moving.gif"), forKey: "a")
                #expect(try await subject.load("a").image?.isDecoded == false)
                subject.cache.clearMemoryCache()
                #expect(try await subject.load("a", [.preloadAllAnimationData]).image?.isDecoded == true)
            }
        }

        @Test func `with backgroundDecode, an image with damaged pixels is a miss`() async throws {
            try await withImageCache { subject in
                var data = try Pictures.demo("horse-silhouette.png")
                data.replaceSubrange(2_000..<6_000, with: Data(count: 4_000))
                try await subject.cache.storeToDisk(data, forKey: "a")
                #expect(try await subject.load("a", [.backgroundDecode]).cacheType == .none)
                #expect(subject.cache.imageCachedType(forKey: "a") == .disk)
            }
        }
    #endif
}

#if ImageCodecs && os(Linux)
    let codecsAreAvailable = true
#else
    let codecsAreAvailable = false
#endif

extension CacheUnderTest {
    /// Not async, so that the test sees what happens before the call returns.
    fileprivate func loadSynchronously() {
        let here = ObjectIdentifier(Thread.current)
        let seen = Locked<[Bool]>([])
        cache.retrieveImageInDiskCache(forKey: "a", options: [.loadDiskFileSynchronously]) { _ in
            let isHere = ObjectIdentifier(Thread.current) == here
            seen.withLock { $0.append(isHere) }
        }
        cache.retrieveImage(forKey: "a", options: [.loadDiskFileSynchronously], callbackQueue: .untouch) { _ in
            let isHere = ObjectIdentifier(Thread.current) == here
            seen.withLock { $0.append(isHere) }
        }
        #expect(seen.withLock { $0 } == [true, true])
    }
}
