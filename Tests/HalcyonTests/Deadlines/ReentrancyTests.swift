import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// Code that the cache calls may call the cache: handlers on any queue, and all other code of the caller.
@Suite(.endsEvenIfItHangs) struct ReentrancyTests {
    /// The calls that a handler can make, with handlers to wait for.
    private static let asynchronous: [@Sendable (ImageCache, @escaping @Sendable () -> Void) -> Void] = [
        { cache, done in cache.storeToDisk(Pictures.small[0], forKey: "inner", callbackQueue: .untouch) { _ in done() }
        },
        { cache, done in cache.retrieveImage(forKey: "inner", callbackQueue: .untouch) { _ in done() } },
        { cache, done in cache.retrieveImageInDiskCache(forKey: "stored", callbackQueue: .untouch) { _ in done() } },
        { cache, done in
            cache.retrieveImage(forKey: "stored", options: [.loadDiskFileSynchronously], callbackQueue: .untouch) { _ in
                done()
            }
        },
        { cache, done in cache.imageCachedTypeAsync(forKey: "inner", callbackQueue: .untouch) { _ in done() } },
        { cache, done in cache.removeImage(forKey: "inner", callbackQueue: .untouch, completionHandler: done) },
        { cache, done in
            cache.removeImages(matching: .init(keyPrefix: "inner"), callbackQueue: .untouch) { _ in done() }
        },
        { cache, done in cache.update(.init(isPinned: true), forKey: "inner", callbackQueue: .untouch) { _ in done() }
        },
        { cache, done in cache.cleanExpiredCache(completion: done) },
        { cache, done in cache.calculateDiskStorageSize { _ in done() } },
        { cache, done in cache.clearCache(completion: done) },
    ]

    /// The calls that return at once on any thread.
    @Sendable private static func callAtOnce(_ cache: ImageCache) {
        _ = cache.isCached(forKey: "stored")
        _ = cache.imageCachedType(forKey: "none")
        _ = cache.retrieveImageInMemoryCache(forKey: "stored")
        _ = cache.cacheFileURLIfOnDisk(forKey: "stored")
        _ = cache.memoryStorageCacheCost
        cache.cleanExpiredMemoryCache()
        let disk = cache.diskStorage
        do {
            try disk.store(value: .blob(1), forKey: "at once")
            #expect(try disk.value(forKey: "at once") == .blob(1))
            _ = try disk.entries(sortedBy: .key)
            _ = try disk.removeExpiredValues()
            _ = try disk.removeSizeExceededValues()
            _ = try disk.totalSize()
            _ = try disk.statistics
            try disk.remove(forKey: "at once")
        } catch {
            Issue.record("\(error)")
        }
        cache.clearMemoryCache()
    }

    /// Makes all calls, and calls `done` after the last answer.
    @Sendable private static func callBack(_ cache: ImageCache, _ done: @escaping @Sendable () -> Void) {
        callAtOnce(cache)
        let left = Locked(asynchronous.count)
        for call in asynchronous {
            call(cache) {
                let isLast = left.withLock { left in
                    left -= 1
                    return left == 0
                }
                if isLast { done() }
            }
        }
    }

    private static let queues: [@Sendable () -> CallbackQueue] = [
        { .untouch }, { .mainAsync }, { .mainCurrentOrAsync }, { .dispatch(DispatchQueue(label: "serial")) },
        { .operationQueue(OperationQueue()) },
    ]

    /// Starts something and waits until all calls of its handler have answered.
    private func awaitInner(
        _ cache: ImageCache, _ start: (@escaping @Sendable () -> Void) throws -> Void
    ) async throws {
        let answered = Calls<Void>()
        try start { Self.callBack(cache) { answered.record(()) } }
        _ = await answered.first()
    }

    // MARK: Handlers

    @Test(arguments: CallbackTests.callsWithQueue.indices)
    func `a handler may call every function, on any queue`(index: Int) async throws {
        let start = CallbackTests.callsWithQueue[index].start
        for queue in Self.queues {
            try await withImageCache { subject in
                try await subject.fillForCalls()
                try await awaitInner(subject.cache) { try start(subject.cache, queue(), $0) }
                // A clear of everything ends after its handler, which may come before the call that began it returns.
                await subject.hop()
                try await eventually { subject.cache.order.isIdle }
            }
        }
    }

    @Test(arguments: CallbackTests.callsOnMainQueue.indices)
    func `a handler on the main queue may call everything`(index: Int) async throws {
        try await withImageCache { subject in
            try await subject.fillForCalls()
            try await awaitInner(subject.cache) { CallbackTests.callsOnMainQueue[index].start(subject.cache, $0) }
        }
    }

    @Test func `handlers of functions that Kingfisher lacks may call every function`() async throws {
        let calls: [@Sendable (ImageCache, CallbackQueue, @escaping @Sendable () -> Void) -> Void] = [
            { cache, queue, done in
                cache.removeImageAndVariants(forKey: "stored", callbackQueue: queue) { _ in done() }
            },
            { cache, queue, done in cache.removeImages(matching: .all, callbackQueue: queue) { _ in done() } },
            { cache, queue, done in
                cache.update(.init(isPinned: true), forKey: "stored", callbackQueue: queue) { _ in done() }
            },
            { cache, queue, done in
                cache.storeToDisk(.blob(1), forKey: "a", attributes: .init(), callbackQueue: queue) { _ in done() }
            },
        ]
        for call in calls {
            for queue in Self.queues {
                try await withImageCache { subject in
                    try await subject.fillForCalls()
                    try await awaitInner(subject.cache) { call(subject.cache, queue(), $0) }
                }
            }
        }
    }

    @Test func `the handler of a suspension may resume and call every function`() async throws {
        try await withImageCache { subject in
            try await subject.fillForCalls()
            let cache = subject.cache
            try await awaitInner(cache) { done in
                cache.suspend {
                    cache.resume()
                    done()
                }
            }
        }
    }

    // MARK: Everything else of the caller's

    @Test func `an observer of the clean notification may call every function`() async throws {
        try await withImageCache { subject in
            try await subject.fillForCalls()
            try subject.fill(["expired"], expiration: .seconds(1))
            subject.clock.advance(by: 2)
            let (cache, isFirst) = (subject.cache, Once())
            let answered = Calls<Void>()
            let observer = NotificationCenter.default.addObserver(
                forName: .KingfisherDidCleanDiskCache, object: cache, queue: nil
            ) { _ in
                // The calls include a clean, which posts again.
                isFirst.run { Self.callBack(cache) { answered.record(()) } }
            }
            cache.cleanExpiredDiskCache(completion: nil)
            _ = await answered.first()
            NotificationCenter.default.removeObserver(observer)
        }
    }

    @Test func `a serializer may call the cache when it encodes and when it decodes`() async throws {
        try await withImageCache { subject in
            try await subject.fillForCalls()
            let (cache, isFirst) = (subject.cache, Once())
            try await awaitInner(cache) { done in
                let serializer = HookedSerializer(beforeStoring: { isFirst.run(done) })
                cache.store(try Pictures.image(), forKey: "hooked", cacheSerializer: serializer)
            }
            try await cache.storeToDisk(Pictures.small[0], forKey: "hooked")
            let isFirstLoad = Once()
            try await awaitInner(cache) { done in
                let serializer = HookedSerializer(beforeLoading: { isFirstLoad.run(done) })
                cache.retrieveImage(
                    forKey: "hooked", options: [.cacheSerializer(serializer)], callbackQueue: .untouch
                ) { _ in }
            }
        }
    }

    @Test func `a value may call the storage when it is encoded and when it is decoded`() throws {
        try withCache { cache in
            let storage = try DiskStorage.Backend<CallingValue>(config: cache.config, environment: cache.environment)
            let value = CallingValue { _ = try? cache.storage.totalSize() }
            try storage.store(value: value, forKey: "a")
            CallingValue.hook.withLock { $0 = { try? cache.storage.store(value: .blob(1), forKey: "b") } }
            #expect(try storage.value(forKey: "a") != nil)
            CallingValue.hook.withLock { $0 = nil }
            #expect(try cache.storage.value(forKey: "b") == .blob(1))
        }
    }

    @Test func `progress closures of a check or an adoption may call the storage`() throws {
        var tuning = Tuning.patient
        tuning.flushBatchSize = 8
        tuning.adoptionBatchSize = 8
        try withCache(tuning: tuning) { cache in
            for number in 0..<50 { try cache.storage.store(value: .blob(1), forKey: "\(number)") }
            cache.settle()
            let calls = Locked(0)
            let callBack: @Sendable () -> Void = {
                let number = calls.withLock { calls in
                    calls += 1
                    return calls
                }
                do {
                    try cache.storage.store(value: .blob(2), forKey: "watched \(number)")
                    #expect(try cache.storage.value(forKey: "watched \(number)") == .blob(2))
                    try cache.storage.remove(forKey: "watched \(number)")
                } catch {
                    Issue.record("\(error)")
                }
            }
            _ = try cache.storage.check { _ in callBack() }
            #expect(calls.withLock { $0 } >= 7)
            _ = try cache.storage.check(repair: true) { _ in callBack() }
            let progress = Progress(totalUnitCount: 0)
            // Foundation calls it on another thread.
            let isCalled = DispatchSemaphore(value: 0)
            progress.cancellationHandler = {
                callBack()
                isCalled.signal()
            }
            progress.cancel()
            _ = try cache.storage.removeEntries(matching: .all, progress: progress)
            isCalled.wait()
            let before = calls.withLock { $0 }
            cache.storage.store.close()
            try FileManager.default.removeItem(at: cache.metadata)
            cache.reopen()
            try cache.storage.finishAdoption { _ in callBack() }
            cache.settle()
            #expect(calls.withLock { $0 } > before)
        }
    }
}

/// Runs a closure only the first time.
private final class Once: Sendable {
    private let hasRun = Locked(false)

    func run(_ body: () -> Void) {
        let isFirst = hasRun.withLock { hasRun in
            defer { hasRun = true }
            return !hasRun
        }
        if isFirst { body() }
    }
}

/// Calls a closure when it is encoded and when it is decoded.
private struct CallingValue: DataTransformable, Sendable {
    static let hook: Locked<(@Sendable () -> Void)?> = Locked(nil)
    static var empty: CallingValue { CallingValue {} }

    let whenStored: @Sendable () -> Void

    func toData() throws -> Data {
        whenStored()
        return .blob(1)
    }

    static func fromData(_ data: Data) throws -> CallingValue {
        hook.withLock { $0 }?()
        return .empty
    }
}

extension CacheUnderTest {
    /// The entries that the calls of ``CallbackTests`` expect.
    fileprivate func fillForCalls() async throws {
        try await cache.store(Pictures.image(), forKey: "stored")
        try await cache.storeToDisk(Pictures.small[1], forKey: "on disk")
        try await cache.storeToDisk(.blob(1), forKey: "no image")
        cache.memoryStorage.remove(forKey: "on disk")
    }
}
