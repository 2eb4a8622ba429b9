import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@testable import Halcyon

/// Each handler is called exactly once, on the requested queue.
@Suite(.endsEvenIfItHangs) struct CallbackTests {
    typealias Done = @Sendable () -> Void

    /// All calls that take a handler and a queue.
    static let callsWithQueue:
        [(name: String, start: @Sendable (ImageCache, CallbackQueue, @escaping Done) throws -> Void)] = [
            (
                "store",
                { cache, queue, done in
                    cache.store(try Pictures.image(), forKey: "a", callbackQueue: queue) { _ in done() }
                }
            ),
            (
                "store in memory",
                { cache, queue, done in
                    cache.store(try Pictures.image(), forKey: "a", toDisk: false, callbackQueue: queue) { _ in done() }
                }
            ),
            (
                "store with options",
                { cache, queue, done in
                    let options = KingfisherParsedOptionsInfo([.callbackQueue(queue)])
                    cache.store(try Pictures.image(), forKey: "a", options: options) { _ in done() }
                }
            ),
            (
                "store without a serializer",
                { cache, queue, done in
                    cache.store(
                        try Pictures.image(), forKey: "a", cacheSerializer: NoSerializer(), callbackQueue: queue
                    ) { _ in
                        done()
                    }
                }
            ),
            (
                "storeToDisk",
                { cache, queue, done in
                    cache.storeToDisk(Pictures.small[0], forKey: "a", callbackQueue: queue) { _ in done() }
                }
            ),
            (
                "removeImage",
                { cache, queue, done in
                    cache.removeImage(forKey: "stored", callbackQueue: queue, completionHandler: done)
                }
            ),
            (
                "removeImage of nothing",
                { cache, queue, done in
                    cache.removeImage(forKey: "none", callbackQueue: queue, completionHandler: done)
                }
            ),
            (
                "removeImage from memory",
                { cache, queue, done in
                    cache.removeImage(forKey: "stored", fromDisk: false, callbackQueue: queue, completionHandler: done)
                }
            ),
            (
                "retrieveImage from memory",
                { cache, queue, done in
                    cache.retrieveImage(forKey: "stored", callbackQueue: queue) { _ in done() }
                }
            ),
            (
                "retrieveImage from disk",
                { cache, queue, done in
                    cache.retrieveImage(forKey: "on disk", callbackQueue: queue) { _ in done() }
                }
            ),
            (
                "retrieveImage of nothing",
                { cache, queue, done in
                    cache.retrieveImage(forKey: "none", callbackQueue: queue) { _ in done() }
                }
            ),
            (
                "retrieveImage of no image",
                { cache, queue, done in
                    cache.retrieveImage(forKey: "no image", callbackQueue: queue) { _ in done() }
                }
            ),
            (
                "retrieveImage from memory or not at all",
                { cache, queue, done in
                    cache.retrieveImage(
                        forKey: "on disk", options: [.fromMemoryCacheOrRefresh], callbackQueue: queue
                    ) { _ in done() }
                }
            ),
            (
                "retrieveImage, decoded",
                { cache, queue, done in
                    cache.retrieveImage(forKey: "on disk", options: [.backgroundDecode], callbackQueue: queue) { _ in
                        done()
                    }
                }
            ),
            (
                "retrieveImage on this thread",
                { cache, queue, done in
                    cache.retrieveImage(
                        forKey: "on disk", options: [.loadDiskFileSynchronously], callbackQueue: queue
                    ) { _ in done() }
                }
            ),
            (
                "retrieveImage with options",
                { cache, queue, done in
                    cache.retrieveImage(
                        forKey: "on disk", options: KingfisherParsedOptionsInfo(nil), callbackQueue: queue
                    ) { _ in done() }
                }
            ),
            (
                "retrieveImageInDiskCache",
                { cache, queue, done in
                    cache.retrieveImageInDiskCache(forKey: "on disk", callbackQueue: queue) { _ in done() }
                }
            ),
            (
                "retrieveImageInDiskCache of nothing",
                { cache, queue, done in
                    cache.retrieveImageInDiskCache(forKey: "none", callbackQueue: queue) { _ in done() }
                }
            ),
            (
                "imageCachedTypeAsync",
                { cache, queue, done in
                    cache.imageCachedTypeAsync(forKey: "stored", callbackQueue: queue) { _ in done() }
                }
            ),
        ]

    /// All calls whose handler runs on the main queue.
    static let callsOnMainQueue: [(name: String, start: @Sendable (ImageCache, @escaping Done) -> Void)] = [
        ("clearCache", { $0.clearCache(completion: $1) }),
        ("clearDiskCache", { $0.clearDiskCache(completion: $1) }),
        ("cleanExpiredCache", { $0.cleanExpiredCache(completion: $1) }),
        ("cleanExpiredDiskCache", { $0.cleanExpiredDiskCache(completion: $1) }),
        (
            "cleanExpiredDiskCache, watched",
            { cache, done in
                cache.cleanExpiredDiskCache(progress: .discreteProgress(totalUnitCount: 0), completion: done)
            }
        ),
        (
            "cleanExpiredDiskCache, cancelled",
            { cache, done in
                let progress = Progress.discreteProgress(totalUnitCount: 0)
                progress.cancel()
                cache.cleanExpiredDiskCache(progress: progress, completion: done)
            }
        ),
        ("calculateDiskStorageSize", { cache, done in cache.calculateDiskStorageSize { _ in done() } }),
    ]

    /// Makes each of the calls in turn, on a cache with the same contents.
    private func forEachCall(
        _ location: SourceLocation = #_sourceLocation, on queue: CallbackQueue,
        prepare: (CacheUnderTest) -> Void = { _ in }, heal: (CacheUnderTest) -> Void = { _ in },
        _ check: @escaping @Sendable (String) -> Void
    ) async throws {
        try await withImageCache { subject in
            for (name, start) in Self.callsWithQueue {
                try await subject.cache.store(Pictures.image(), forKey: "stored")
                try await subject.cache.storeToDisk(Pictures.small[1], forKey: "on disk")
                try await subject.cache.storeToDisk(.blob(1), forKey: "no image")
                subject.cache.memoryStorage.remove(forKey: "on disk")
                prepare(subject)
                try await subject.onceDone(location) { done in
                    try start(subject.cache, queue) {
                        check(name)
                        done()
                    }
                }
                heal(subject)
            }
        }
    }

    @Test func `a handler is called once on the caller's queue`() async throws {
        let key = DispatchSpecificKey<Int>()
        let queue = DispatchQueue(label: "callbacks")
        queue.setSpecific(key: key, value: 7)
        try await forEachCall(on: .dispatch(queue)) { name in
            #expect(DispatchQueue.getSpecific(key: key) == 7, "\(name)")
        }
    }

    @Test func `a handler is called once as an operation`() async throws {
        let queue = OperationQueue()
        queue.name = "callbacks"
        try await forEachCall(on: .operationQueue(queue)) { name in
            #expect(OperationQueue.current?.name == "callbacks", "\(name)")
        }
    }

    @Test(arguments: [CallbackQueue.mainAsync, .mainCurrentOrAsync])
    func `a handler is called once on the main queue`(queue: CallbackQueue) async throws {
        try await forEachCall(on: queue) { name in #expect(MainQueue.isCurrent, "\(name)") }
    }

    @Test func `with untouch, a handler is called once, and never on the main queue`() async throws {
        try await forEachCall(on: .untouch) { name in #expect(!MainQueue.isCurrent, "\(name)") }
    }

    @Test func `a handler is called once if every disk operation fails`() async throws {
        for call in [FaultyFileSystem.Call.createFile, .openForReading, .rename, .exchange, .status] {
            try await forEachCall(
                on: .untouch, prepare: { $0.disk.fileSystem.fail(call, EACCES, times: nil) },
                heal: { $0.disk.fileSystem.heal() }, { _ in })
        }
    }

    @Test func `a handler without a queue is called once on the main queue, whatever the disk does`() async throws {
        try await withImageCache { subject in
            for call in [nil, FaultyFileSystem.Call.rename, .list, .status] {
                for (name, start) in Self.callsOnMainQueue {
                    try subject.fill(["expired"], expiration: .seconds(1))
                    subject.clock.advance(by: 2)
                    if let call { subject.disk.fileSystem.fail(call, EACCES, times: nil) }
                    let done = await subject.onceDone { start(subject.cache, $0) }
                    #expect(done.isOnMainQueue, "\(name)")
                    subject.disk.fileSystem.heal()
                }
            }
            await subject.cache.clearDiskCache()
        }
    }

    @Test func `if the folder cannot be created, stores fail and loads miss`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("file")
        try Data().write(to: file)
        let disk = ImageDisk(
            noThrowConfig: DiskStorage.Config(name: "a", sizeLimit: 0, directory: file), creatingDirectory: true)
        let cache = ImageCache(memoryStorage: CacheUnderTest.memory(clock: ManualClock()), diskStorage: disk)
        let error = await #expect(throws: KingfisherError.self) {
            try await cache.store(Pictures.image(), forKey: "a")
        }
        #expect(error?.errorCode == 3011)
        #expect(cache.imageCachedType(forKey: "a") == .memory)
        let stored = await #expect(throws: KingfisherError.self) {
            try await cache.storeToDisk(Pictures.small[0], forKey: "a")
        }
        #expect(stored?.errorCode == 3011)
        let loaded = await #expect(throws: KingfisherError.self) {
            try await cache.retrieveImageInDiskCache(forKey: "a")
        }
        #expect(loaded?.errorCode == 3011)
        await cache.clearCache()
        await cache.cleanExpiredCache()
        #expect(!cache.isCached(forKey: "a"))
    }

    @Test func `without a queue, loads call back on the main queue, and disk calls on the thread that did the work`()
        async throws
    {
        try await withImageCache { subject in
            let (cache, image) = (subject.cache, try Pictures.image())
            let stored = await subject.once { cache.store(image, forKey: "a", completionHandler: $0) }
            let written = await subject.once { cache.storeToDisk(.blob(1), forKey: "b", completionHandler: $0) }
            let found = await subject.once { cache.retrieveImageInDiskCache(forKey: "a", completionHandler: $0) }
            let removed = await subject.onceDone { cache.removeImage(forKey: "b", completionHandler: $0) }
            #expect(!stored.isOnMainQueue && !written.isOnMainQueue && !found.isOnMainQueue && !removed.isOnMainQueue)
            for _ in 0..<2 {
                let loaded = await subject.once { cache.retrieveImage(forKey: "a", completionHandler: $0) }
                #expect(loaded.isOnMainQueue)
                cache.clearMemoryCache()
            }
            let type = await subject.once { cache.imageCachedTypeAsync(forKey: "a", completionHandler: $0) }
            let options = KingfisherParsedOptionsInfo(nil)
            let optional = await subject.once {
                cache.store(image, forKey: "a", options: options, completionHandler: $0)
            }
            #expect(type.isOnMainQueue && optional.isOnMainQueue)
        }
    }

    @Test func `a load that a handler on the cache's queue calls begins once that handler has returned`() async throws {
        try await withImageCache { subject in
            let (cache, image) = (subject.cache, try Pictures.image())
            let handlers: [(@escaping Done) -> Void] = [
                { done in cache.store(image, forKey: "a") { _ in done() } },
                { done in cache.storeToDisk(Pictures.small[0], forKey: "b") { _ in done() } },
                { done in cache.removeImage(forKey: "b", completionHandler: done) },
            ]
            for call in handlers {
                let ended = Locked(false)
                let (loaded, hasEnded) = await withCheckedContinuation { continuation in
                    call {
                        cache.memoryStorage.removeAll()
                        let isLoaded = DispatchSemaphore(value: 0)
                        cache.retrieveImageInDiskCache(forKey: "a") { result in
                            isLoaded.signal()
                            continuation.resume(returning: (try? result.get(), ended.withLock { $0 }))
                        }
                        #expect(isLoaded.wait(timeout: .now() + 0.05) == .timedOut)
                        ended.withLock { $0 = true }
                    }
                }
                #expect(loaded != nil && hasEnded)
            }
        }
    }

    @Test func `a load that a store's handler calls does not wait for later stores`() async throws {
        var tuning = Tuning.patient
        tuning.storeBatchSize = 1
        try await withImageCache(tuning: tuning) { subject in
            let (cache, image, isLoaded) = (subject.cache, try Pictures.image(), DispatchSemaphore(value: 0))
            let waiting = HookedSerializer(beforeStoring: {
                #expect(isLoaded.wait(timeout: .now() + 20) == .success)
            })
            subject.cache.ioQueue.queue.suspend()
            cache.store(image, forKey: "a") { _ in
                cache.retrieveImageInDiskCache(forKey: "c") { _ in isLoaded.signal() }
            }
            cache.store(image, forKey: "b", cacheSerializer: waiting, completionHandler: nil)
            subject.cache.ioQueue.queue.resume()
            await subject.settle()
        }
    }

    @Test func `every handler may be nil`() async throws {
        try await withImageCache { subject in
            let (cache, image) = (subject.cache, try Pictures.image())
            cache.store(image, forKey: "a", completionHandler: nil)
            cache.store(image, forKey: "a", options: KingfisherParsedOptionsInfo(nil), completionHandler: nil)
            cache.storeToDisk(Pictures.small[0], forKey: "b", completionHandler: nil)
            cache.retrieveImage(forKey: "b", completionHandler: nil)
            cache.removeImage(forKey: "b", completionHandler: nil)
            cache.cleanExpiredCache(completion: nil)
            cache.cleanExpiredDiskCache(completion: nil)
            await subject.settle()
            #expect(cache.isCached(forKey: "a") && !cache.isCached(forKey: "b"))
            cache.clearDiskCache(completion: nil)
            cache.clearCache(completion: nil)
            await subject.settle()
            #expect(!cache.isCached(forKey: "a"))
        }
    }

    @Test @MainActor func `on the main queue, a load from memory calls back before it returns`() async throws {
        let subject = try CacheUnderTest()
        try await subject.cache.store(Pictures.image(), forKey: "a")
        let calls = Calls<Void>()
        subject.cache.retrieveImage(forKey: "a") { _ in calls.record(()) }
        subject.cache.retrieveImage(forKey: "b", options: [.fromMemoryCacheOrRefresh]) { _ in calls.record(()) }
        #expect(calls.count == 2)
        subject.cache.retrieveImage(forKey: "a", callbackQueue: .mainAsync) { _ in calls.record(()) }
        #expect(calls.count == 2)
        await subject.settle()
        #expect(calls.count == 3)
        try subject.disk.requireClean()
    }
}
