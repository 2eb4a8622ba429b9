import Foundation
import HalcyonTestSupport
import Testing

@testable import Halcyon

/// `ImageCache.suspend`, `resume`, and the preparations before the system suspends the process.
@Suite struct PausingTests {
    /// A cache on its own folder, with a queue that the test can hold.
    private final class Fixture: @unchecked Sendable {
        // Sendable because all members are Sendable constants.
        let files: CacheFixture
        let cache: ImageCache

        init(inAppGroup: Bool = false) throws {
            files = try CacheFixture { config in
                guard inAppGroup else { return }
                config.cachePathBlock = { parent, name in parent.appendingPathComponent("Shared/AppGroup/1/\(name)") }
            }
            cache = ImageCache(
                memoryStorage: CacheUnderTest.memory(clock: files.clock), diskStorage: files.storage)
        }

        var isOpen: Bool { files.storage.store.index.isOpen }

        /// Runs `body` while the cache's queue cannot begin any work.
        func holdingQueue(_ body: () -> Void) {
            let gate = DispatchSemaphore(value: 0)
            cache.ioQueue.async { gate.wait() }
            body()
            gate.signal()
        }

        func prepare(unlessResumedSince count: Int) async {
            await withCheckedContinuation { continuation in
                cache.prepareForSuspension(unlessResumedSince: count) { continuation.resume() }
            }
        }
    }

    @Test func `a suspension that was resumed in time does not end a later one of another cache`() async throws {
        let fixture = try Fixture()
        try fixture.files.storage.store(value: .blob(1), forKey: "a")
        fixture.holdingQueue {
            fixture.cache.suspend()
            fixture.cache.resume()
            fixture.files.storage.suspend()
        }
        await withCheckedContinuation { continuation in fixture.cache.onceDone { continuation.resume() } }
        #expect(!fixture.cache.isCached(forKey: "a") && !fixture.isOpen)
        fixture.cache.resume()
        #expect(fixture.cache.isCached(forKey: "a"))
    }

    @Test func `a cache of the same folder that resumes ends a suspension that waits for its turn`() async throws {
        let fixture = try Fixture()
        let other = ImageCache(
            memoryStorage: CacheUnderTest.memory(clock: fixture.files.clock), diskStorage: fixture.files.storage)
        try fixture.files.storage.store(value: .blob(1), forKey: "a")
        fixture.holdingQueue {
            fixture.cache.suspend()
            other.resume()
        }
        await withCheckedContinuation { continuation in fixture.cache.onceDone { continuation.resume() } }
        #expect(fixture.cache.isCached(forKey: "a") && other.isCached(forKey: "a"))
    }

    @Test func `a suspension waits for earlier stores, and later ones fail with the reason`() async throws {
        let fixture = try Fixture()
        let cache = fixture.cache
        let results = Locked([Bool]())
        let note: @Sendable (CacheStoreResult) -> Void = { result in
            let isStored = (try? result.diskCacheResult.get()) != nil
            results.withLock { $0.append(isStored) }
        }
        fixture.holdingQueue {
            cache.storeToDisk(.blob(1), forKey: "before", completionHandler: note)
            cache.suspend()
            cache.storeToDisk(.blob(2), forKey: "after", completionHandler: note)
        }
        await cache.suspend()
        #expect(results.withLock { $0 } == [true, false])
        #expect(!cache.isCached(forKey: "before"))
        #if os(Linux)
            #expect(try openFiles(under: fixture.files.directory) == [])
        #endif
        cache.resume()
        #expect(cache.imageCachedType(forKey: "before") == .disk)
        #expect(cache.imageCachedType(forKey: "after") == .none)
        try fixture.files.requireClean()
    }

    @Test func `a resume cancels suspensions that are still waiting`() async throws {
        let fixture = try Fixture()
        try await fixture.cache.storeToDisk(.blob(1), forKey: "a")
        fixture.holdingQueue {
            fixture.cache.suspend()
            fixture.cache.suspend()
            fixture.cache.resume()
        }
        #expect(await fixture.cache.imageCachedTypeAsync(forKey: "a") == .disk)
        try await fixture.cache.storeToDisk(.blob(2), forKey: "b")
        try fixture.files.requireClean()
    }

    /// Two caches on one folder, as an app has them by accident or for two kinds of images.
    private func twoCaches(_ files: CacheFixture) -> [ImageCache] {
        files.environment.isShared = true
        return (0..<2).map { _ in
            ImageCache(memoryStorage: CacheUnderTest.memory(clock: files.clock), diskStorage: files.makeStorage())
        }
    }

    @Test func `a suspension first completes the stores that another cache on the folder has accepted`() async throws {
        let files = try CacheFixture { $0.cleanInterval = 0 }
        let caches = twoCaches(files)
        let stored = Calls<CacheStoreResult>()
        let gate = DispatchSemaphore(value: 0)
        caches[1].ioQueue.async { gate.wait() }
        for number in 0..<20 {
            caches[1].storeToDisk(.blob(number), forKey: "\(number)") { stored.record($0) }
        }
        caches[0].suspend(completion: nil)
        caches[1].storeToDisk(.blob(1), forKey: "late", completionHandler: nil)
        gate.signal()
        await caches[0].suspend()
        #expect(stored.count == 20)
        #expect(!stored.values.contains { $0.diskCacheResult.error != nil })
        await #expect(throws: KingfisherError.self) { try await caches[1].storeToDisk(.blob(1), forKey: "later") }
        caches[0].resume()
        for number in 0..<20 { #expect(caches[1].isCached(forKey: "\(number)")) }
        await caches[1].close()
        try files.requireClean()
    }

    @Test func `two caches that suspend at the same time wait only for each other's stores`() async throws {
        let files = try CacheFixture { $0.cleanInterval = 0 }
        let caches = twoCaches(files)
        for round in 0..<50 {
            let stored = Calls<CacheStoreResult>()
            await withTaskGroup(of: Void.self) { group in
                for (number, cache) in caches.enumerated() {
                    cache.storeToDisk(.blob(round), forKey: "\(number) \(round)") { stored.record($0) }
                }
                for cache in caches { group.addTask { await cache.suspend() } }
            }
            #expect(stored.count == 2 && !stored.values.contains { $0.diskCacheResult.error != nil })
            for cache in caches { cache.resume() }
        }
        await caches[0].close()
        try files.requireClean()
    }

    @Test func `a flush and a close run after all earlier calls`() async throws {
        let fixture = try Fixture()
        let cache = fixture.cache
        fixture.holdingQueue {
            cache.storeToDisk(.blob(1), forKey: "a", completionHandler: nil)
            cache.close()
        }
        await cache.close()
        #expect(!fixture.isOpen)
        #expect(cache.isCached(forKey: "a"))
        _ = try await cache.retrieveImageInDiskCache(forKey: "a")
        try await cache.flush()
        #expect(try fixture.files.storage.entry(forKey: "a")?.hits == 1)
        try fixture.files.requireClean()
    }

    @Test func `a flush waits for earlier removals by filter, but not for later ones`() async throws {
        try await withImageCache { subject in
            let cache = subject.cache
            let (first, second) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let events = Locked([String]())
            cache.removalQueue.async { first.wait() }
            cache.removeImages(matching: .init(tag: "t")) { _ in events.withLock { $0.append("first") } }
            cache.flush { _ in events.withLock { $0.append("flush") } }
            // The turns of both.
            await withCheckedContinuation { continuation in cache.ioQueue.async { continuation.resume() } }
            cache.removalQueue.async { second.wait() }
            cache.removeImages(matching: .init(tag: "t")) { _ in events.withLock { $0.append("second") } }
            first.signal()
            try await eventually { events.withLock { $0.count } == 2 }
            second.signal()
            await subject.settle()
            #expect(events.withLock { $0 } == ["first", "flush", "second"])
        }
    }

    @Test func `a suspension after a resume takes effect`() async throws {
        let fixture = try Fixture()
        try await fixture.cache.storeToDisk(.blob(1), forKey: "a")
        fixture.holdingQueue {
            fixture.cache.suspend()
            fixture.cache.resume()
            fixture.cache.suspend()
        }
        await fixture.cache.suspend()
        #expect(!fixture.isOpen)
        #expect(await fixture.cache.imageCachedTypeAsync(forKey: "a") == .none)
        fixture.cache.resume()
        #expect(await fixture.cache.imageCachedTypeAsync(forKey: "a") == .disk)
        try fixture.files.requireClean()
    }

    @Test func `the last of many suspend and resume calls decides`() async throws {
        let fixture = try Fixture()
        try await fixture.cache.storeToDisk(.blob(1), forKey: "a")
        var generator = SeededGenerator.ofThisRun
        for _ in 0..<100 {
            var isSuspended = false
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                isSuspended = Bool.random(using: &generator)
                if isSuspended { fixture.cache.suspend(completion: nil) } else { fixture.cache.resume() }
            }
            // Runs after all of them and does nothing.
            _ = try? await fixture.cache.update(.init(), forKey: "none")
            let type = await fixture.cache.imageCachedTypeAsync(forKey: "a")
            #expect(type == (isSuspended ? .none : .disk))
            fixture.cache.resume()
        }
        try fixture.files.requireClean()
    }

    @Test func `memory keeps working during a suspension`() async throws {
        let fixture = try Fixture()
        await fixture.cache.suspend()
        let gif = try #require(Data(base64Encoded: "R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw=="))
        let image = try Pictures.image(of: gif)
        await #expect(throws: KingfisherError.self) { try await fixture.cache.store(image, forKey: "a") }
        #expect(try await fixture.cache.retrieveImage(forKey: "a").cacheType == .memory)
        #expect(try await fixture.cache.retrieveImage(forKey: "b").cacheType == .none)
        fixture.cache.resume()
        try fixture.files.requireClean()
    }

    @Test func `a clean during a suspension ends and removes nothing`() async throws {
        let fixture = try Fixture()
        try await fixture.cache.storeToDisk(.blob(1), forKey: "a", expiration: .seconds(1))
        await fixture.cache.suspend()
        fixture.files.clock.advance(by: 2)
        await fixture.cache.cleanExpiredDiskCache()
        await fixture.cache.clearDiskCache()
        #expect(!fixture.isOpen)
        fixture.cache.resume()
        #expect(try await fixture.cache.diskStorageSize == 100)
        await fixture.cache.cleanExpiredDiskCache()
        #expect(try await fixture.cache.diskStorageSize == 0)
        try fixture.files.requireClean()
    }

    // MARK: Before the system suspends the process

    @Test func `a shared folder is closed for a suspension and reopened after it`() async throws {
        let fixture = try Fixture(inAppGroup: true)
        try await fixture.cache.storeToDisk(.blob(1), forKey: "a")
        await fixture.prepare(unlessResumedSince: fixture.cache.resumptionCount)
        #expect(!fixture.isOpen)
        fixture.cache.resumeAfterSuspension()
        #expect(fixture.cache.imageCachedType(forKey: "a") == .disk)
        try fixture.files.requireClean()
    }

    @Test func `while an app that has returned waits for a late suspension, it waits for other processes too`() throws {
        let fixture = try Fixture(inAppGroup: true)
        let (count, index) = (fixture.cache.resumptionCount, fixture.cache.diskStorage.store.index)
        fixture.cache.resumeAfterSuspension()
        fixture.holdingQueue {
            fixture.cache.prepareForSuspension(unlessResumedSince: count) {}
            #expect(index.service.withLock { $0 == .running })
        }
    }

    @Test func `an app that has returned to the foreground keeps a shared folder open`() async throws {
        let fixture = try Fixture(inAppGroup: true)
        let count = fixture.cache.resumptionCount
        try await fixture.cache.storeToDisk(.blob(1), forKey: "a")
        fixture.cache.resumeAfterSuspension()
        await fixture.prepare(unlessResumedSince: count)
        #expect(fixture.isOpen)
        try fixture.files.requireClean()
    }

    @Test func `when the background time runs out, a shared folder is closed at once`() async throws {
        let fixture = try Fixture(inAppGroup: true)
        let cache = fixture.cache
        try await cache.storeToDisk(.blob(1), forKey: "a")
        fixture.holdingQueue {
            cache.cleanExpiredDiskCache()
            cache.prepareForSuspension(unlessResumedSince: cache.resumptionCount) {}
            cache.releaseSharedFolder(unlessResumedSince: fixture.cache.resumptionCount)
            #expect(!fixture.isOpen)
        }
        await cache.suspend()
        #expect(!fixture.isOpen)
        cache.resumeAfterSuspension()
        #expect(cache.imageCachedType(forKey: "a") == .disk)
        try fixture.files.requireClean()
    }

    @Test func `an app that returns while a shared folder is released keeps it open`() async throws {
        let fixture = try Fixture(inAppGroup: true)
        let cache = fixture.cache
        try await cache.storeToDisk(.blob(1), forKey: "a")
        cache.releaseSharedFolder(unlessResumedSince: cache.resumptionCount) { store, isObsolete in
            cache.resumeAfterSuspension()
            #expect(isObsolete())
            store.index.refuse(unless: isObsolete)
        }
        #expect(cache.imageCachedType(forKey: "a") == .disk)
        try fixture.files.requireClean()
    }

    /// A call after the resume must not be refused, not even for a moment.
    @Test func `no suspension that has become obsolete refuses calls`() throws {
        let fixture = try CacheFixture()
        let store = fixture.storage.store
        try fixture.storage.store(value: .blob(1), forKey: "a")
        store.index.stopWaiting { true }
        #expect(store.index.service.withLock { $0 == .running })
        store.index.refuse { true }
        #expect(store.index.isInService)
        store.suspendAtOnce { true }
        #expect(store.index.isInService)
        store.suspend { true }
        #expect(store.index.isInService)
        #expect(try fixture.storage.value(forKey: "a") == .blob(1))
        try fixture.requireClean()
    }

    @Test func `the app's own folder stays open, and pending reads are written to the index`() async throws {
        let fixture = try Fixture()
        try await fixture.cache.storeToDisk(.blob(1), forKey: "a")
        fixture.files.clock.advance(by: 60)
        _ = try fixture.files.storage.value(forKey: "a")
        await fixture.prepare(unlessResumedSince: fixture.cache.resumptionCount)
        #expect(fixture.isOpen)
        #expect(try fixture.files.storage.store.index.read { try $0.accessRange().latest } == fixture.files.clock.now)
        fixture.cache.releaseSharedFolder(unlessResumedSince: fixture.cache.resumptionCount)
        #expect(fixture.isOpen)
        try fixture.files.requireClean()
    }
}
