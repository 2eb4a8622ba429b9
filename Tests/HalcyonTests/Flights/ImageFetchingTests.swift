import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@testable import Halcyon

@Suite(.endsEvenIfItHangs) struct ImageFetchingTests {
    private struct Refused: Error {}

    // MARK: Bytes

    @Test func `cached data comes with its info, as stored`() async throws {
        try await withImageCache { subject in
            let cache = subject.cache
            try await cache.storeToDisk(
                .blob(1), forKey: "a", processorIdentifier: "small", expiration: .days(2),
                attributes: .init(validators: .init(etag: "\"1\"")))
            let cached = try #require(try await cache.cachedData(forKey: "a", processorIdentifier: "small"))
            #expect(cached.value == .blob(1) && cached.info.validators?.etag == "\"1\"")
            #expect(cached.info.baseKey == "a" && cached.info.processorIdentifier == "small")
            let original = try await cache.cachedData(forKey: "a")
            #expect(original == nil)
        }
    }

    @Test func `a read of cached data waits for an earlier store, but not for a removal`() async throws {
        try await withImageCache { subject in
            let cache = subject.cache
            try subject.storage.store(value: .blob(7), forKey: "gone")
            cache.ioQueue.queue.suspend()
            cache.storeToDisk(.blob(1), forKey: "a", attributes: .init(tags: ["t"])) { _ in }
            cache.removeImage(forKey: "gone") {}
            let gone = try await cache.cachedData(forKey: "gone")
            #expect(gone == nil)
            async let waiting = cache.cachedData(forKey: "a")
            cache.ioQueue.queue.resume()
            let cached = try await waiting
            #expect(cached?.value == .blob(1) && cached?.info.tags == ["t"])
        }
    }

    // MARK: Images

    @Test func `tasks that need an image under different file names fetch both`() async throws {
        try await withImageCache { subject in
            let (cache, image) = (subject.cache, try Pictures.image())
            let (began, fetches) = (Locked(0), Locked(0))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for pathExtension in ["png", "jpg"] {
                    group.addTask {
                        let options: KingfisherOptionsInfo = [
                            .forcedCacheFileExtension(pathExtension), .memoryCacheExpiration(.expired),
                        ]
                        _ = try await cache.retrieveImage(forKey: "a", options: options) {
                            began.withLock { $0 += 1 }
                            try await eventually { began.withLock { $0 == 2 } }
                            fetches.withLock { $0 += 1 }
                            return .init(image, original: Pictures.small[0])
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(fetches.withLock { $0 } == 2)
        }
    }

    @Test func `64 tasks fetch a missing image once`() async throws {
        try await withImageCache { subject in
            let (cache, image) = (subject.cache, try Pictures.image())
            let (isOpen, fetches) = (Locked(false), Locked(0))
            try await withThrowingTaskGroup(of: KFCrossPlatformImage.self) { group in
                for _ in 0..<64 {
                    group.addTask {
                        try await cache.retrieveImage(forKey: "a") {
                            fetches.withLock { $0 += 1 }
                            while !isOpen.withLock({ $0 }) { await Task.yield() }
                            return .init(image, original: Pictures.small[0], attributes: .init(tags: ["t"]))
                        }
                    }
                }
                try await eventually { try subject.storage.statistics.total.misses == 64 }
                isOpen.withLock { $0 = true }
                for try await found in group { #expect(found === image) }
            }
            #expect(fetches.withLock { $0 } == 1)
            await subject.settle()
            #expect(try subject.storage.value(forKey: "a") == Pictures.small[0])
            #expect(try subject.storage.entry(forKey: "a")?.tags == ["t"])
        }
    }

    @Test func `a cached image is not fetched`() async throws {
        try await withImageCache { subject in
            let (cache, image) = (subject.cache, try Pictures.image())
            try await cache.store(image, original: Pictures.small[0], forKey: "a", attributes: .init())
            let found = try await cache.retrieveImage(forKey: "a") { throw Refused() }
            #expect(found === image)
            cache.clearMemoryCache()
            _ = try await cache.retrieveImage(forKey: "a") { throw Refused() }
            await #expect(throws: Refused.self) {
                _ = try await cache.retrieveImage(forKey: "b") { throw Refused() }
            }
        }
    }

    @Test(arguments: ["key", "clear", "prefix"], [false, true])
    func `an image that is removed during its fetch is not cached, and later tasks fetch again`(
        how: String, isSuspended: Bool
    ) async throws {
        try await withImageCache { subject in
            let (cache, isOpen, begun) = (subject.cache, Locked(false), Locked(false))
            let (old, new) = (try Pictures.image(0), try Pictures.image(1))
            let first = Task {
                try await cache.retrieveImage(forKey: "a") {
                    begun.withLock { $0 = true }
                    while !isOpen.withLock({ $0 }) { await Task.yield() }
                    return .init(old, original: Pictures.small[0])
                }
            }
            try await eventually { begun.withLock { $0 } }
            // Then nothing can be removed from the disk.
            if isSuspended { subject.storage.suspend() }
            switch how {
            case "key": cache.removeImage(forKey: "a") {}
            case "clear": cache.clearCache {}
            default: cache.removeImages(matching: .init(keyPrefix: "a")) { _ in }
            }
            await subject.settle()
            let second = try await cache.retrieveImage(forKey: "a") { .init(new, original: Pictures.small[1]) }
            isOpen.withLock { $0 = true }
            let firstImage = try await first.value
            #expect(firstImage === old && second === new)
            #expect(cache.retrieveImageInMemoryCache(forKey: "a") === new)
            await subject.settle()
            guard !isSuspended else { return subject.storage.resume() }
            #expect(try subject.storage.value(forKey: "a") == Pictures.small[1])
        }
    }

    @Test(arguments: [[], [.diskCacheExpiration(.expired)]] as [KingfisherOptionsInfo])
    func `an image that is stored in memory alone during a fetch stays`(options: KingfisherOptionsInfo) async throws {
        try await withImageCache { subject in
            let cache = subject.cache
            let (fetched, stored) = (try Pictures.image(0), try Pictures.image(1))
            let image = try await cache.retrieveImage(forKey: "a") {
                try await cache.store(
                    stored, forKey: "a", options: KingfisherParsedOptionsInfo(options), toDisk: !options.isEmpty)
                return .init(fetched, original: Pictures.small[0])
            }
            await subject.settle()
            #expect(image === fetched && cache.retrieveImageInMemoryCache(forKey: "a") === stored)
            #expect(!subject.storage.isCached(forKey: "a"))
        }
    }

    @Test(arguments: [StorageExpiration.never, .expired])
    func `nothing comes between the decision to store a fetched image and the store`(
        expiration: StorageExpiration
    ) async throws {
        try await withImageCache { subject in
            let (cache, isStored, stored) = (subject.cache, Locked(false), try Pictures.image(1))
            func keepFetched(_ fetched: KFCrossPlatformImage) {
                cache.storeInBoth(
                    fetched, original: Pictures.small[0], as: cache.blob(of: "a", .init(nil)),
                    options: .init([.diskCacheExpiration(expiration)]),
                    attributes: .init(),
                    ifWanted: { _ in
                        let end = DispatchSemaphore(value: 0)
                        Thread.detachNewThread {
                            cache.store(stored, original: Pictures.small[1], forKey: "a", toDisk: false)
                            isStored.withLock { $0 = true }
                            end.signal()
                        }
                        // If it does not wait for the decision, it ends at once.
                        _ = end.wait(timeout: .now() + 0.1)
                        return true
                    }, report: { _ in })
            }
            keepFetched(try Pictures.image(0))
            try await eventually { isStored.withLock { $0 } }
            await subject.settle()
            #expect(cache.retrieveImageInMemoryCache(forKey: "a") === stored)
        }
    }

    @Test(arguments: [false, true])
    func `an image that is stored during a fetch stays`(isPending: Bool) async throws {
        try await withImageCache { subject in
            let (cache, isOpen, begun) = (subject.cache, Locked(false), Locked(false))
            let (fetched, stored) = (try Pictures.image(0), try Pictures.image(1))
            let fetching = Task {
                try await cache.retrieveImage(forKey: "a") {
                    begun.withLock { $0 = true }
                    while !isOpen.withLock({ $0 }) { await Task.yield() }
                    return .init(fetched, original: Pictures.small[0])
                }
            }
            try await eventually { begun.withLock { $0 } }
            if isPending { cache.ioQueue.queue.suspend() }
            cache.store(stored, original: Pictures.small[1], forKey: "a", completionHandler: nil)
            if !isPending { await subject.settle() }
            isOpen.withLock { $0 = true }
            let image = try await fetching.value
            if isPending { cache.ioQueue.queue.resume() }
            await subject.settle()
            #expect(image === fetched && cache.retrieveImageInMemoryCache(forKey: "a") === stored)
            #expect(try subject.storage.value(forKey: "a") == Pictures.small[1])
        }
    }

    @Test(arguments: [false, true])
    func `an image that cannot be stored on disk during a fetch stays in memory`(isSuspended: Bool) async throws {
        try await withImageCache { subject in
            let cache = subject.cache
            let (fetched, stored) = (try Pictures.image(0), try Pictures.image(1))
            _ = try await cache.retrieveImage(forKey: "a") {
                if isSuspended { subject.storage.suspend() } else { subject.disk.refuseFiles() }
                await #expect(throws: KingfisherError.self) { try await cache.store(stored, forKey: "a") }
                return .init(fetched, original: Pictures.small[0])
            }
            await subject.settle()
            #expect(cache.retrieveImageInMemoryCache(forKey: "a") === stored)
            subject.disk.fileSystem.heal()
            subject.storage.resume()
        }
    }

    @Test func `a fetched image overtakes no other fetch of its name`() async throws {
        try await withImageCache { subject in
            let (cache, isOpen, begun) = (subject.cache, Locked(false), Locked(false))
            let (storage, image) = (subject.storage, try Pictures.image(0))
            let fetching = Task {
                try await storage.async.value(forKey: "a") {
                    begun.withLock { $0 = true }
                    while !isOpen.withLock({ $0 }) { await Task.yield() }
                    return .init(Pictures.small[1])
                }
            }
            try await eventually { begun.withLock { $0 } }
            _ = try await cache.retrieveImage(forKey: "a") { .init(image, original: Pictures.small[0]) }
            await subject.settle()
            #expect(try storage.value(forKey: "a") == Pictures.small[0])
            isOpen.withLock { $0 = true }
            _ = try await fetching.value
            // The value stored last remains.
            #expect(try storage.value(forKey: "a") == Pictures.small[1])
        }
    }

    @Test func `a fetched image has its own expiration, and is not kept if it has expired`() async throws {
        try await withImageCache { subject in
            let (cache, image) = (subject.cache, try Pictures.image(0))
            let found = try await cache.retrieveImage(forKey: "a") {
                .init(image, original: Pictures.small[0], expiration: .expired)
            }
            await subject.settle()
            #expect(found === image && cache.retrieveImageInMemoryCache(forKey: "a") == nil)
            #expect(try subject.storage.entry(forKey: "a") == nil)
            _ = try await cache.retrieveImage(forKey: "a", options: [.diskCacheExpiration(.days(1))]) {
                .init(image, original: Pictures.small[0], expiration: .never)
            }
            await subject.settle()
            #expect(cache.retrieveImageInMemoryCache(forKey: "a") === image)
            let entry = try #require(try subject.storage.entry(forKey: "a"))
            #expect(entry.expiration == nil)
        }
    }

    @Test func `a pending removal overtakes a running fetch`() async throws {
        try await withImageCache { subject in
            let (cache, isOpen, begun) = (subject.cache, Locked(false), Locked(false))
            let image = try Pictures.image(0)
            let fetching = Task {
                try await cache.retrieveImage(forKey: "a") {
                    begun.withLock { $0 = true }
                    while !isOpen.withLock({ $0 }) { await Task.yield() }
                    return .init(image, original: Pictures.small[0])
                }
            }
            try await eventually { begun.withLock { $0 } }
            cache.ioQueue.queue.suspend()
            cache.removeImage(forKey: "a") {}
            isOpen.withLock { $0 = true }
            _ = try await fetching.value
            cache.ioQueue.queue.resume()
            await subject.settle()
            #expect(cache.retrieveImageInMemoryCache(forKey: "a") == nil && !subject.storage.isCached(forKey: "a"))
        }
    }

    @Test func `a cancelled fetch does not wait for the turn of an earlier removal`() async throws {
        try await withImageCache { subject in
            let cache = subject.cache
            cache.ioQueue.queue.suspend()
            cache.removeImage(forKey: "a") {}
            let fetching = Task {
                try await cache.retrieveImage(forKey: "a") { throw CacheStorageError(.fileSystem, "", remedy: "") }
            }
            // The lookup has ended by then.
            try await Task.sleep(nanoseconds: 200_000_000)
            fetching.cancel()
            await #expect(throws: CancellationError.self) { _ = try await fetching.value }
            cache.ioQueue.queue.resume()
            await subject.settle()
        }
    }

    @Test func `when a removal by keys has had its turn, a fetch from before it takes no more callers`() async throws {
        try await withImageCache { subject in
            let (cache, isOpen, begun) = (subject.cache, Locked(false), Locked(false))
            let image = try Pictures.image(0)
            let fetching = Task {
                try await cache.retrieveImage(forKey: "a") {
                    begun.withLock { $0 = true }
                    while !isOpen.withLock({ $0 }) { await Task.yield() }
                    return .init(image, original: Pictures.small[0])
                }
            }
            try await eventually { begun.withLock { $0 } }
            cache.ioQueue.queue.suspend()
            cache.removeImageAndVariants(forKey: "a") { _ in }
            let inFlight = Locked(1)
            cache.ioQueue.async { inFlight.withLock { $0 = cache.flights.count } }
            cache.ioQueue.queue.resume()
            await subject.settle()
            #expect(inFlight.withLock { $0 } == 0)
            isOpen.withLock { $0 = true }
            _ = try await fetching.value
        }
    }

    @Test(arguments: ["key", "tag"])
    func `an image fetched after a removal by filter was called is kept, however long that takes`(_ filter: String)
        async throws
    {
        try await withImageCache { subject in
            let (cache, isOpen, begun) = (subject.cache, Locked(false), Locked(false))
            try await cache.storeToDisk(.blob(1), forKey: "a", attributes: .init(tags: ["t"]))
            let gate = DispatchSemaphore(value: 0)
            // An earlier removal takes long.
            cache.removalQueue.async { gate.wait() }
            if filter == "key" {
                cache.removeImageAndVariants(forKey: "a") { _ in }
            } else {
                cache.removeImages(matching: .init(tag: "t")) { _ in }
            }
            if filter == "tag" { cache.removeImage(forKey: "a") {} }
            let fetching = Task {
                try await cache.retrieveImage(forKey: "a") {
                    begun.withLock { $0 = true }
                    while !isOpen.withLock({ $0 }) { await Task.yield() }
                    return .init(try Pictures.image(0), original: Pictures.small[0])
                }
            }
            try await eventually { begun.withLock { $0 } }
            gate.signal()
            await subject.settle()
            isOpen.withLock { $0 = true }
            _ = try await fetching.value
            await subject.settle()
            #expect(cache.imageCachedType(forKey: "a") == .memory)
            #expect(subject.storage.isCached(forKey: "a"))
        }
    }

    @Test(arguments: [false, true])
    func `a fetch that begins during a removal is overtaken only by a later one`(isRemovedAgain: Bool) async throws {
        try await withImageCache { subject in
            let (cache, isOpen, begun) = (subject.cache, Locked(false), Locked(false))
            let image = try Pictures.image(0)
            var underWay = 0
            cache.order.beginWideRemoval { underWay = $0 }
            let fetching = Task {
                try await cache.retrieveImage(forKey: "a") {
                    begun.withLock { $0 = true }
                    while !isOpen.withLock({ $0 }) { await Task.yield() }
                    return .init(image, original: Pictures.small[0])
                }
            }
            try await eventually { begun.withLock { $0 } }
            cache.ioQueue.queue.suspend()
            if isRemovedAgain { cache.removeImage(forKey: "a") {} }
            isOpen.withLock { $0 = true }
            _ = try await fetching.value
            cache.ioQueue.queue.resume()
            cache.order.endWideRemoval(underWay)
            await subject.settle()
            #expect(cache.isCached(forKey: "a") == !isRemovedAgain)
            #expect(subject.storage.isCached(forKey: "a") == !isRemovedAgain)
        }
    }
}
