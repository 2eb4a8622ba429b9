import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@testable import Halcyon

/// A call on a key sees the effect of earlier calls on that key, and calls on different keys do not wait for each other.
@Suite(.endsEvenIfItHangs, .serialized) struct OrderTests {
    /// Runs `body` while no work on the cache's queue can begin.
    private func withoutTurns(_ subject: CacheUnderTest, _ body: (ImageCache) async throws -> Void) async throws {
        subject.cache.ioQueue.queue.suspend()
        defer { subject.cache.ioQueue.queue.resume() }
        try await body(subject.cache)
    }

    /// Runs `body` while no load can begin.
    private func withoutLoads(_ body: () async throws -> Void) async throws {
        ImageCache.loads.workers.forEach { $0.suspend() }
        defer { ImageCache.loads.workers.forEach { $0.resume() } }
        try await body()
    }

    private func loadNow(_ cache: ImageCache, _ key: String, _ options: KingfisherOptionsInfo = []) -> Int?? {
        let found = Locked<Int??>(nil)
        cache.retrieveImage(
            forKey: key, options: options + [.loadDiskFileSynchronously], callbackQueue: .untouch
        ) { result in
            let number = (try? result.get())?.image?.number
            found.withLock { $0 = .some(number) }
        }
        return found.withLock { $0 }
    }

    // MARK: Between keys nothing waits

    @Test func `loads and checks wait for no other call`() async throws {
        try await withImageCache { subject in
            try await subject.cache.storeToDisk(Pictures.small[1], forKey: "disk")
            subject.cache.store(try Pictures.image(2), forKey: "memory", toDisk: false, completionHandler: nil)
            try await withoutTurns(subject) { cache in
                cache.store(try Pictures.image(3), forKey: "other", completionHandler: nil)
                cache.removeImage(forKey: "another", completionHandler: nil)
                cache.cleanExpiredCache(completion: nil)
                #expect(await cache.imageCachedTypeAsync(forKey: "memory") == .memory)
                #expect(await cache.imageCachedTypeAsync(forKey: "disk") == .disk)
                #expect(await cache.imageCachedTypeAsync(forKey: "none") == .none)
                try await #expect(cache.retrieveImage(forKey: "disk").image?.number == 1)
                try await #expect(cache.retrieveImageInDiskCache(forKey: "disk")?.number == 1)
                try await #expect(cache.retrieveImage(forKey: "none").cacheType == .none)
            }
        }
    }

    @Test func `a slow serializer delays only the loads of its own key`() async throws {
        try await withImageCache { subject in
            let cache = subject.cache
            try await cache.storeToDisk(Pictures.small[1], forKey: "other")
            let (begins, goesOn, count) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), Locked(0))
            let serializer = HookedSerializer(beforeStoring: {
                count.withLock { $0 += 1 }
                begins.signal()
                goesOn.wait()
            })
            cache.store(try Pictures.image(2), forKey: "slow", cacheSerializer: serializer, completionHandler: nil)
            cache.clearMemoryCache()
            await begins.reached()
            // More loads than processors.
            let slow = Calls<Int?>()
            for _ in 0..<32 {
                cache.retrieveImage(forKey: "slow", options: [.scaleFactor(2)], callbackQueue: .untouch) {
                    slow.record((try? $0.get())?.image?.number)
                }
            }
            try await #expect(cache.retrieveImage(forKey: "other").image?.number == 1)
            #expect(slow.count == 0)
            goesOn.signal()
            _ = await slow.first()
            await subject.settle()
            #expect(slow.values == Array(repeating: 2, count: 32))
            #expect(count.withLock { $0 } == 1)
        }
    }

    @Test func `loads of different keys run in parallel, one for each processor`() async throws {
        try await withImageCache { subject in
            let count = ProcessInfo.processInfo.activeProcessorCount
            for number in 0..<3 * count { try await subject.cache.storeToDisk(Pictures.small[1], forKey: "\(number)") }
            let (begins, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let (running, most, done) = (Locked(0), Locked(0), Calls<Void>())
            let serializer = HookedSerializer(beforeLoading: {
                let now = running.withLock { running in
                    running += 1
                    return running
                }
                most.withLock { $0 = max($0, now) }
                begins.signal()
                goesOn.wait()
                running.withLock { $0 -= 1 }
            })
            for number in 0..<3 * count {
                subject.cache.retrieveImageInDiskCache(
                    forKey: "\(number)", options: [.cacheSerializer(serializer)], callbackQueue: .untouch
                ) { _ in done.record(()) }
            }
            for _ in 0..<count { await begins.reached() }
            // One too many would begin now.
            try await Task.sleep(nanoseconds: 20_000_000)
            #expect(running.withLock { $0 } == count)
            for _ in 0..<3 * count { goesOn.signal() }
            while done.count < 3 * count { try await Task.sleep(nanoseconds: 1_000_000) }
            #expect(most.withLock { $0 } == count)
        }
    }

    @Test func `a check of the disk does not wait for loads that decode`() async throws {
        try await withImageCache { subject in
            try await subject.cache.storeToDisk(Pictures.small[1], forKey: "a")
            try await withoutLoads { #expect(await subject.cache.imageCachedTypeAsync(forKey: "a") == .disk) }
        }
    }

    // MARK: What is pending answers

    @Test func `a load returns the bytes of a pending store, through its own serializer and options`()
        async throws
    {
        try await withImageCache { subject in
            try await subject.cache.storeToDisk(Pictures.small[1], forKey: "a")
            try await withoutTurns(subject) { cache in
                cache.store(try Pictures.image(2), forKey: "a", completionHandler: nil)
                cache.clearMemoryCache()
                let count = Locked(0)
                let serializer = HookedSerializer(beforeLoading: { count.withLock { $0 += 1 } })
                let options: KingfisherOptionsInfo = [.cacheSerializer(serializer), .scaleFactor(2)]
                let image = try await cache.retrieveImage(forKey: "a", options: options)
                #expect(image.cacheType == .disk && image.image?.number == 2 && image.image?.hasScale2 == true)
                #expect(count.withLock { $0 } == 1)
                #expect(cache.imageCachedType(forKey: "a") == .memory)
                cache.storeToDisk(Pictures.small[3], forKey: "a", completionHandler: nil)
                try await #expect(cache.retrieveImageInDiskCache(forKey: "a")?.number == 3)
            }
            await subject.hop()
            #expect(try subject.storage.value(forKey: "a") == Pictures.small[3])
        }
    }

    @Test func `the extension of the file is part of the key`() async throws {
        try await withImageCache { subject in
            try await withoutTurns(subject) { cache in
                cache.storeToDisk(Pictures.small[1], forKey: "a", forcedExtension: "png", completionHandler: nil)
                #expect(cache.imageCachedType(forKey: "a", forcedExtension: "png") == .disk)
                #expect(cache.imageCachedType(forKey: "a") == .none)
                try await #expect(cache.retrieveImageInDiskCache(forKey: "a") == nil)
                let options: KingfisherOptionsInfo = [.forcedCacheFileExtension("png")]
                try await #expect(cache.retrieveImageInDiskCache(forKey: "a", options: options)?.number == 1)
            }
        }
    }

    @Test func `loads miss after a pending removal or clear, until something is stored`() async throws {
        let removals: [@Sendable (ImageCache) -> Void] = [
            { $0.removeImage(forKey: "a", completionHandler: nil) },
            { $0.clearCache(completion: nil) },
            { $0.clearDiskCache(completion: nil) },
            { $0.removeImageAndVariants(forKey: "a", completionHandler: nil) },
            { $0.removeImages(matching: .init(keyPrefix: "a"), completionHandler: nil) },
        ]
        for remove in removals {
            try await withImageCache { subject in
                try await subject.cache.storeToDisk(Pictures.small[1], forKey: "a")
                try await subject.cache.storeToDisk(Pictures.small[1], forKey: "b")
                try await withoutTurns(subject) { cache in
                    remove(cache)
                    try await #expect(cache.retrieveImage(forKey: "a").cacheType == .none)
                    #expect(loadNow(cache, "a") == .some(nil))
                    #expect(cache.imageCachedType(forKey: "a") == .none)
                    #expect(await cache.imageCachedTypeAsync(forKey: "a") == .none)
                    cache.storeToDisk(Pictures.small[2], forKey: "a", completionHandler: nil)
                    try await #expect(cache.retrieveImage(forKey: "a").image?.number == 2)
                    #expect(cache.isCached(forKey: "a"))
                }
                // Ends when no state of the calls is left.
                repeat { await subject.settle() } while !subject.cache.order.isIdle
                #expect(try subject.storage.value(forKey: "a") == Pictures.small[2])
            }
        }
    }

    @Test func `a removal by keys does not affect loads of other keys`() async throws {
        try await withImageCache { subject in
            try await subject.cache.storeToDisk(Pictures.small[1], forKey: "other")
            try await withoutTurns(subject) { cache in
                cache.removeImageAndVariants(forKey: "a", completionHandler: nil)
                try await #expect(cache.retrieveImage(forKey: "other").image?.number == 1)
            }
        }
    }

    @Test func `a load on the caller's thread waits for no serializer`() async throws {
        try await withImageCache { subject in
            try await subject.cache.storeToDisk(Pictures.small[1], forKey: "a")
            try await withoutTurns(subject) { cache in
                // The store is not serialized yet, so the load finds what is on disk.
                cache.store(try Pictures.image(2), forKey: "a", completionHandler: nil)
                cache.clearMemoryCache()
                #expect(loadNow(cache, "a") == 1)
                // That image is out of date by now, so memory does not keep it.
                #expect(cache.imageCachedType(forKey: "a") == .disk)
                cache.storeToDisk(Pictures.small[3], forKey: "a", completionHandler: nil)
                #expect(loadNow(cache, "a") == 3)
                cache.clearMemoryCache()
                cache.store(try Pictures.image(2), forKey: "a", completionHandler: nil)
                cache.clearMemoryCache()
                #expect(loadNow(cache, "a") == 3)
                cache.removeImage(forKey: "a", completionHandler: nil)
                cache.store(try Pictures.image(2), forKey: "a", completionHandler: nil)
                cache.clearMemoryCache()
                #expect(loadNow(cache, "a") == .some(nil))
                cache.clearCache(completion: nil)
                cache.store(try Pictures.image(2), forKey: "a", completionHandler: nil)
                cache.clearMemoryCache()
                #expect(loadNow(cache, "a") == .some(nil))
            }
            await subject.settle()
            try await #expect(subject.load("a").image?.number == 2)
        }
    }

    @Test func `a failed store leaves the old value, even if a load returned the new one in between`() async throws {
        try await withImageCache { subject in
            try await subject.cache.storeToDisk(Pictures.small[1], forKey: "a")
            let outcome = Calls<Bool>()
            try await withoutTurns(subject) { cache in
                cache.storeToDisk(Pictures.small[2], forKey: "a") { result in
                    outcome.record((try? result.diskCacheResult.get()) != nil)
                }
                try await #expect(cache.retrieveImageInDiskCache(forKey: "a")?.number == 2)
                subject.disk.refuseFiles()
            }
            #expect(await outcome.first().value == false)
            subject.disk.fileSystem.heal()
            try await #expect(subject.cache.retrieveImageInDiskCache(forKey: "a")?.number == 1)
        }
    }

    @Test func `a store that cannot serialize its image changes nothing on disk`() async throws {
        try await withImageCache { subject in
            try await subject.cache.storeToDisk(Pictures.small[1], forKey: "a")
            try await withoutTurns(subject) { cache in
                cache.store(try Pictures.image(2), forKey: "a", cacheSerializer: NoSerializer(), completionHandler: nil)
                try await #expect(cache.retrieveImageInDiskCache(forKey: "a")?.number == 1)
            }
        }
    }

    @Test func `a store that cannot serialize its image does not hide an earlier clear or store`() async throws {
        try await withImageCache { subject in
            try await subject.cache.storeToDisk(Pictures.small[1], forKey: "a")
            func storeInVain(_ cache: ImageCache) throws {
                cache.store(try Pictures.image(2), forKey: "a", cacheSerializer: NoSerializer(), completionHandler: nil)
                cache.clearMemoryCache()
            }
            try await withoutTurns(subject) { cache in
                cache.storeToDisk(Pictures.small[3], forKey: "a", completionHandler: nil)
                try storeInVain(cache)
                try await #expect(cache.retrieveImageInDiskCache(forKey: "a")?.number == 3)
                cache.clearCache(completion: nil)
                try storeInVain(cache)
                try await #expect(cache.retrieveImage(forKey: "a").cacheType == .none)
                #expect(loadNow(cache, "a") == .some(nil))
                #expect(cache.imageCachedType(forKey: "a") == .none)
            }
            await subject.settle()
            #expect(subject.cache.imageCachedType(forKey: "a") == .none)
        }
    }

    @Test func `an image stored during an earlier removal by conditions is found at once`()
        async throws
    {
        try await withImageCache { subject in
            let cache = subject.cache
            for number in 0..<3 { try await cache.storeToDisk(Pictures.small[1], forKey: "a\(number)") }
            let progress = HeldProgress.make()
            let (removed, measured) = (Calls<Void>(), Calls<UInt>())
            cache.removeImages(matching: .init(keyPrefix: "a"), progress: progress) { _ in removed.record(()) }
            await progress.isHeld.reached()
            cache.calculateDiskStorageSize { measured.record((try? $0.get()) ?? 0) }
            try await cache.storeToDisk(Pictures.small[2], forKey: "a0")
            try await #expect(cache.retrieveImage(forKey: "a0").image?.number == 2)
            #expect(cache.cacheFileURLIfOnDisk(forKey: "a0") != nil)
            #expect(!cache.isCached(forKey: "a1") && cache.cacheFileURLIfOnDisk(forKey: "a1") == nil)
            try await cache.removeImage(forKey: "a0")
            #expect(!cache.isCached(forKey: "a0"))
            try await cache.storeToDisk(Pictures.small[3], forKey: "a0")
            #expect(removed.count == 0 && measured.count == 0)
            progress.goesOn.signal()
            #expect(await measured.first().value == UInt(Pictures.small[3].count), "measured after the removal")
            #expect(removed.count == 1)
            try await #expect(cache.retrieveImage(forKey: "a0").image?.number == 3)
            #expect(cache.order.isIdle)
        }
    }

    /// A progress that blocks when a removal begins, or after its first batch.
    private final class HeldProgress: Progress, @unchecked Sendable {
        let (isHeld, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        private var (blocksAtBegin, blocksAtEnd) = (true, false)

        /// Async functions cannot call the initializer.
        static func make(blocksAtEnd: Bool = false) -> HeldProgress {
            let progress = HeldProgress(parent: nil, userInfo: nil)
            (progress.blocksAtBegin, progress.blocksAtEnd) = (!blocksAtEnd, blocksAtEnd)
            return progress
        }

        override var totalUnitCount: Int64 {
            get { super.totalUnitCount }
            set {
                super.totalUnitCount = newValue
                if blocksAtBegin { block() }
            }
        }

        override var completedUnitCount: Int64 {
            get { super.completedUnitCount }
            set {
                super.completedUnitCount = newValue
                guard blocksAtEnd, newValue > 0 else { return }
                blocksAtEnd = false
                block()
            }
        }

        private func block() {
            isHeld.signal()
            goesOn.wait()
        }
    }

    @Test func `a removal takes an image from memory, even if its key changes on the disk alone meanwhile`()
        async throws
    {
        try await withImageCache { subject in
            let (cache, gone) = (subject.cache, Calls<Void>())
            let (isStored, isRemoved) = (Calls<Void>(), Calls<Void>())
            for key in ["stored", "removed", "kept"] {
                cache.store(try Pictures.image(1), forKey: key, attributes: .init(tags: ["t"])) { _ in
                    isStored.record(())
                }
            }
            try await eventually { isStored.count == 3 }
            let progress = HeldProgress.make(blocksAtEnd: true)
            cache.removeImages(matching: .init(tag: "t"), progress: progress) { _ in gone.record(()) }
            await progress.isHeld.reached()
            cache.storeToDisk(Pictures.small[2], forKey: "stored") { _ in isRemoved.record(()) }
            cache.removeImage(forKey: "removed", fromMemory: false) { isRemoved.record(()) }
            cache.store(try Pictures.image(3), forKey: "kept", toDisk: false, completionHandler: nil)
            progress.goesOn.signal()
            _ = await gone.first()
            try await eventually { isRemoved.count == 2 }
            #expect(
                cache.imageCachedType(forKey: "stored") == .disk && cache.imageCachedType(forKey: "removed") == .none)
            #expect(cache.imageCachedType(forKey: "kept") == .memory)
        }
    }

    @Test func `after a store that fails, the data are those that an earlier removal leaves`() async throws {
        try await withImageCache { subject in
            let (cache, isGone, begun) = (subject.cache, Calls<Void>(), Locked(false))
            try await cache.storeToDisk(Pictures.small[1], forKey: "a")
            let progress = HeldProgress.make()
            cache.removeImages(matching: .init(keyPrefix: "a"), progress: progress) { _ in isGone.record(()) }
            await progress.isHeld.reached()
            cache.ioQueue.queue.suspend()
            let options = KingfisherParsedOptionsInfo([.cacheSerializer(NoSerializer())])
            cache.store(try Pictures.image(2), forKey: "a", options: options, completionHandler: nil)
            let reading = Task {
                begun.withLock { $0 = true }
                return try await cache.cachedData(forKey: "a")
            }
            try await eventually { begun.withLock { $0 } }
            // It waits for the store by then.
            for _ in 0..<1_000 { await Task.yield() }
            cache.ioQueue.queue.resume()
            #expect(try await reading.value == nil)
            progress.goesOn.signal()
            _ = await isGone.first()
        }
    }

    @Test func `a refused removal leaves memory unchanged`() async throws {
        try await withImageCache { subject in
            subject.cache.store(try Pictures.image(1), forKey: "a", toDisk: false, completionHandler: nil)
            for filter in [DiskStorage.EntryFilter(text: ""), .init(keyPrefix: "")] {
                await #expect(throws: KingfisherError.self) {
                    try await subject.cache.removeImages(matching: filter)
                }
            }
            #expect(subject.cache.imageCachedType(forKey: "a") == .memory)
        }
    }

    @Test func `after concurrent stores of a key, memory and disk have the same image`() async throws {
        try await withImageCache { subject in
            let cache = subject.cache
            let images = try (0..<4).map { try Pictures.image($0) }
            for round in 0..<200 {
                DispatchQueue.concurrentPerform(iterations: 4) { number in
                    if number == 3, round.isMultiple(of: 2) {
                        cache.removeImage(forKey: "a", completionHandler: nil)
                    } else {
                        cache.store(images[number], forKey: "a", completionHandler: nil)
                    }
                }
                await subject.hop()
                let inMemory = cache.retrieveImageInMemoryCache(forKey: "a")?.number
                try await #expect(cache.retrieveImageInDiskCache(forKey: "a")?.number == inMemory)
            }
        }
    }

    @Test func `storing an expired image changes nothing`() async throws {
        try await withImageCache { subject in
            try await subject.cache.storeToDisk(Pictures.small[1], forKey: "a")
            try await withoutTurns(subject) { cache in
                cache.storeToDisk(Pictures.small[2], forKey: "a", expiration: .expired, completionHandler: nil)
                try await #expect(cache.retrieveImageInDiskCache(forKey: "a")?.number == 1)
            }
        }
    }

    // MARK: Loads of one key are one

    /// A serializer that is a class.
    private final class CountingSerializer: CacheSerializer {
        let count = Locked(0)
        func data(with image: KFCrossPlatformImage, original: Data?) -> Data? { nil }
        func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
            count.withLock { $0 += 1 }
            return DefaultCacheSerializer.default.image(with: data, options: options)
        }
    }

    @Test func `64 loads of one key read and decode once, and each counts as a hit`() async throws {
        try await withImageCache { subject in
            let (cache, serializer) = (subject.cache, CountingSerializer())
            try await cache.storeToDisk(Pictures.small[1], forKey: "a")
            let (numbers, before) = (Calls<Int?>(), try subject.storage.statistics.sinceOpening.hits)
            let opened = try await subject.calls(of: .openForReading) {
                try await withoutLoads {
                    for _ in 0..<64 {
                        cache.retrieveImage(
                            forKey: "a", options: [.cacheSerializer(serializer)], callbackQueue: .untouch
                        ) { numbers.record((try? $0.get())?.image?.number) }
                    }
                }
                _ = await numbers.first()
                await subject.settle()
            }
            #expect(numbers.values == Array(repeating: 1, count: 64))
            #expect(serializer.count.withLock { $0 } == 1)
            #expect(opened == 1)
            #expect(try subject.storage.statistics.sinceOpening.hits == before + 64)
        }
    }

    @Test func `loads of one key are one during a removal from all keys, and after it they read again`() async throws {
        try await withImageCache { subject in
            let (cache, numbers) = (subject.cache, Calls<Int?>())
            try await cache.storeToDisk(Pictures.small[1], forKey: "a")
            let load = { @Sendable in
                cache.retrieveImage(forKey: "a", callbackQueue: .untouch) {
                    numbers.record((try? $0.get())?.image?.number)
                }
            }
            let removed = Calls<Void>()
            let opened = try await subject.calls(of: .openForReading) {
                try await withoutLoads {
                    try await withoutTurns(subject) { cache in
                        // Conditions on more than keys: the entries tell which images it removes.
                        cache.removeImages(matching: .init(maximumSize: 1)) { _ in removed.record(()) }
                        for _ in 0..<8 { load() }
                    }
                    _ = await removed.first()
                    load()
                }
                while numbers.count < 9 { try await Task.sleep(nanoseconds: 1_000_000) }
            }
            #expect(numbers.values == Array(repeating: 1, count: 9))
            #expect(opened == 2)
        }
    }

    @Test func `joined loads keep their own expirations and queues`() async throws {
        try await withImageCache { subject in
            let (cache, calls) = (subject.cache, Calls<Void>())
            try cache.diskStorage.store(value: Pictures.small[1], forKey: "a", expiration: .seconds(100))
            try await withoutLoads {
                cache.retrieveImageInDiskCache(
                    forKey: "a", options: [.diskCacheAccessExtendingExpiration(.none)], callbackQueue: .mainAsync
                ) { _ in calls.record(()) }
                cache.retrieveImageInDiskCache(
                    forKey: "a", options: [.diskCacheAccessExtendingExpiration(.expirationTime(.seconds(5_000)))]
                ) { _ in calls.record(()) }
            }
            _ = await calls.first()
            await subject.settle()
            #expect(calls.count == 2)
            #expect(cache.imageCachedType(forKey: "a") == .disk)
            subject.clock.advance(by: 4_000)
            #expect(cache.imageCachedType(forKey: "a") == .disk)
        }
    }

    private final class HeldSerializer: CacheSerializer {
        let (isDecoding, mayDecode) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))

        func data(with image: KFCrossPlatformImage, original: Data?) -> Data? { original }

        func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
            isDecoding.signal()
            mayDecode.wait()
            return DefaultCacheSerializer.default.image(with: data, options: options)
        }
    }

    @Test func `a joined load does not extend the expiration of a store that comes after the read`() async throws {
        try await withImageCache { subject in
            let (cache, calls, serializer) = (subject.cache, Calls<Void>(), HeldSerializer())
            try cache.diskStorage.store(value: Pictures.small[1], forKey: "a", expiration: .seconds(100))
            for extending in [ExpirationExtending.none, .expirationTime(.days(7))] {
                let options: KingfisherOptionsInfo = [
                    .cacheSerializer(serializer), .diskCacheAccessExtendingExpiration(extending),
                ]
                cache.retrieveImageInDiskCache(forKey: "a", options: options) { _ in calls.record(()) }
            }
            await serializer.isDecoding.reached()
            try await cache.storeToDisk(Pictures.small[2], forKey: "a", expiration: .seconds(60))
            serializer.mayDecode.signal()
            try await eventually { calls.count == 2 }
            await subject.settle()
            try #expect(subject.storage.statistics.total.hits == 2)
            #expect(subject.storage.isCached(forKey: "a"))
            subject.clock.advance(by: 3_600)
            #expect(!subject.storage.isCached(forKey: "a"))
        }
    }

    @Test func `joined loads do not open a cache that was closed while they decoded`() async throws {
        try await withImageCache { subject in
            let (cache, calls, serializer) = (subject.cache, Calls<Void>(), HeldSerializer())
            try cache.diskStorage.store(value: Pictures.small[1], forKey: "a", expiration: .seconds(60))
            for _ in 0..<2 {
                cache.retrieveImageInDiskCache(forKey: "a", options: [.cacheSerializer(serializer)]) { _ in
                    calls.record(())
                }
            }
            await serializer.isDecoding.reached()
            subject.storage.close()
            serializer.mayDecode.signal()
            try await eventually { calls.count == 2 }
            await subject.settle()
            #expect(!subject.storage.store.index.isOpen)
        }
    }

    @Test func `a joined load keeps the extension of the load that it joins`() async throws {
        try await withImageCache { subject in
            let (cache, calls, serializer) = (subject.cache, Calls<Void>(), HeldSerializer())
            try cache.diskStorage.store(value: Pictures.small[1], forKey: "a", expiration: .seconds(60))
            for extending in [ExpirationExtending.expirationTime(.days(7)), .cacheTime] {
                let options: KingfisherOptionsInfo = [
                    .cacheSerializer(serializer), .diskCacheAccessExtendingExpiration(extending),
                ]
                cache.retrieveImageInDiskCache(forKey: "a", options: options) { _ in calls.record(()) }
            }
            serializer.mayDecode.signal()
            try await eventually { calls.count == 2 }
            await subject.settle()
            subject.clock.advance(by: 3_600)
            #expect(subject.storage.isCached(forKey: "a"))
        }
    }

    @Test func `a joined load of a file without a row does not extend a later store`() async throws {
        try await withImageCache { subject in
            let (cache, calls, serializer) = (subject.cache, Calls<Void>(), HeldSerializer())
            subject.disk.settle()
            subject.disk.fileSystem.fail(.list, EIO, times: nil)
            try Pictures.small[1].write(to: subject.storage.cacheFileURL(forKey: "a"))
            try subject.disk.beginAdoption()
            for extending in [ExpirationExtending.none, .expirationTime(.days(7))] {
                let options: KingfisherOptionsInfo = [
                    .cacheSerializer(serializer), .diskCacheAccessExtendingExpiration(extending),
                ]
                cache.retrieveImageInDiskCache(forKey: "a", options: options) { _ in calls.record(()) }
            }
            await serializer.isDecoding.reached()
            subject.clock.advance(by: 1)
            try await cache.storeToDisk(Pictures.small[2], forKey: "a", expiration: .seconds(60))
            subject.clock.advance(by: 1)
            serializer.mayDecode.signal()
            try await eventually { calls.count == 2 }
            await subject.settle()
            #expect(subject.storage.isCached(forKey: "a"))
            subject.clock.advance(by: 3_600)
            #expect(!subject.storage.isCached(forKey: "a"))
            subject.disk.fileSystem.heal()
        }
    }

    /// Loads something else first, on its thread.
    private final class PeekingLoader: ImageCache, @unchecked Sendable {
        override func retrieveImage(
            forKey key: String, options: KingfisherParsedOptionsInfo, callbackQueue: CallbackQueue,
            completionHandler: (@Sendable (Result<ImageCacheResult, KingfisherError>) -> Void)?
        ) {
            retrieveImageInDiskCache(forKey: "other", options: [.loadDiskFileSynchronously]) { _ in }
            super.retrieveImage(
                forKey: key, options: options, callbackQueue: callbackQueue, completionHandler: completionHandler)
        }
    }

    @Test func `a load on its thread does not keep the one after it from being taken back`() async throws {
        try await withImageCache(making: { PeekingLoader(memoryStorage: $0, diskStorage: $1) }) { subject in
            let cache = subject.cache
            for key in ["disk", "other"] { try await cache.storeToDisk(Pictures.small[1], forKey: key) }
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                _ = try await cache.retrieveImage(forKey: "disk", options: KingfisherParsedOptionsInfo(nil))
            }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            await subject.settle()
            #expect(cache.memoryStorage.value(forKey: "disk") == nil)
        }
    }

    @Test func `the configuration of a store's call applies at its turn`() async throws {
        try await withImageCache { subject in
            let (cache, storage) = (subject.cache, subject.storage)
            for key in ["removed", "former"] { try storage.store(value: Pictures.small[1], forKey: key) }
            cache.ioQueue.queue.suspend()
            cache.storeToDisk(Pictures.small[2], forKey: "stored", completionHandler: nil)
            cache.removeImage(forKey: "removed", completionHandler: nil)
            cache.update(.init(tags: ["t"]), forKey: "stored", completionHandler: nil)
            storage.config.expiration = .expired
            // Nothing is stored.
            cache.storeToDisk(Pictures.small[2], forKey: "former", completionHandler: nil)
            storage.config.expiration = .days(7)
            storage.config.pathExtension = "x"
            cache.ioQueue.queue.resume()
            await subject.settle()
            storage.config.pathExtension = nil
            #expect(try storage.entry(forKey: "stored")?.tags == ["t"])
            #expect(!storage.isCached(forKey: "removed"))
            #expect(try storage.value(forKey: "former") == Pictures.small[1])
        }
    }

    @Test func `a load that a pending store answers extends the expiration once it is stored`() async throws {
        try await withImageCache { subject in
            let cache = subject.cache
            let days: KingfisherOptionsInfo = [.diskCacheAccessExtendingExpiration(.expirationTime(.days(7)))]
            cache.ioQueue.queue.suspend()
            for key in ["a", "b"] {
                cache.storeToDisk(Pictures.small[1], forKey: key, expiration: .seconds(60), completionHandler: nil)
                let calls = Calls<CacheType?>()
                cache.retrieveImage(forKey: key, options: days, callbackQueue: .untouch) {
                    calls.record(try? $0.get().cacheType)
                }
                #expect(await calls.first().value == .disk)
            }
            // A later store has its own expiration.
            cache.storeToDisk(Pictures.small[2], forKey: "b", expiration: .seconds(60), completionHandler: nil)
            cache.ioQueue.queue.resume()
            await subject.settle()
            subject.clock.advance(by: 3_600)
            #expect(subject.storage.isCached(forKey: "a") && !subject.storage.isCached(forKey: "b"))
            try #expect(subject.storage.statistics.total.hits == 2)
        }
    }

    @Test func `a load that a pending store answers does not open a cache that was closed meanwhile`() async throws {
        try await withImageCache { subject in
            let (cache, mayDecode, calls) = (subject.cache, DispatchSemaphore(value: 0), Calls<Void>())
            cache.ioQueue.queue.suspend()
            cache.storeToDisk(Pictures.small[1], forKey: "a", completionHandler: nil)
            let options: KingfisherOptionsInfo = [
                .diskCacheAccessExtendingExpiration(.expirationTime(.days(7))),
                .cacheSerializer(HookedSerializer(beforeLoading: { mayDecode.wait() })),
            ]
            cache.retrieveImage(forKey: "a", options: options, callbackQueue: .untouch) { _ in calls.record(()) }
            cache.ioQueue.queue.resume()
            await cache.close()
            mayDecode.signal()
            _ = await calls.first()
            await subject.settle()
            #expect(!subject.storage.store.index.isOpen)
        }
    }

    @Test func `a load with another result, or after a change, reads separately`() async throws {
        try await withImageCache { subject in
            let (cache, image) = (subject.cache, try Pictures.image(2))
            let apart: [(KingfisherOptionsInfo, KingfisherOptionsInfo, @Sendable (ImageCache) -> Void)] = [
                ([], [.scaleFactor(2)], { _ in }),
                ([], [.onlyLoadFirstFrame], { _ in }),
                ([], [.backgroundDecode], { _ in }),
                ([], [.cacheSerializer(CountingSerializer())], { _ in }),
                ([.cacheSerializer(HookedSerializer())], [.cacheSerializer(HookedSerializer())], { _ in }),
                ([], [], { $0.clearMemoryCache() }),
                ([], [], { $0.removeImage(forKey: "a", fromDisk: false, completionHandler: nil) }),
                ([], [], { $0.store(image, forKey: "a", toDisk: false, completionHandler: nil) }),
            ]
            for (first, second, change) in apart {
                try await cache.storeToDisk(Pictures.small[1], forKey: "a")
                cache.clearMemoryCache()
                let (opened, calls) = (Locked(0), Calls<Void>())
                subject.disk.fileSystem.observe { call, _ in
                    if call == .openForReading { opened.withLock { $0 += 1 } }
                }
                try await withoutLoads {
                    cache.retrieveImageInDiskCache(forKey: "a", options: first) { _ in calls.record(()) }
                    change(cache)
                    cache.retrieveImageInDiskCache(forKey: "a", options: second) { _ in calls.record(()) }
                }
                _ = await calls.first()
                await subject.settle()
                subject.disk.fileSystem.observe(nil)
                #expect(calls.count == 2)
                #expect(opened.withLock { $0 } == 2)
            }
        }
    }

    @Test func `loads of files with different extensions read separately`() async throws {
        try await withImageCache { subject in
            let (cache, found) = (subject.cache, Calls<Int?>())
            try await cache.storeToDisk(Pictures.small[1], forKey: "a")
            try await cache.storeToDisk(Pictures.small[2], forKey: "a", forcedExtension: "png")
            try await withoutLoads {
                for options in [[], [.forcedCacheFileExtension("png")]] as [KingfisherOptionsInfo] {
                    cache.retrieveImageInDiskCache(forKey: "a", options: options, callbackQueue: .untouch) {
                        found.record((try? $0.get())?.number)
                    }
                }
            }
            while found.count < 2 { await Task.yield() }
            #expect(Set(found.values) == [1, 2])
        }
    }

    @Test func `while one of two removals is pending, a load finds what was stored after both`() async throws {
        try await withImageCache { subject in
            let (cache, order) = (subject.cache, subject.cache.order)
            let removals = (0..<2).map { _ in order.beginWideRemoval { _ in } }
            try await cache.storeToDisk(Pictures.small[1], forKey: "a")
            for removal in removals {
                try await #expect(cache.retrieveImageInDiskCache(forKey: "a")?.number == 1)
                order.endWideRemoval(removal)
            }
            #expect(order.isIdle)
        }
    }

    @Test func `removals that always overlap keep no key that was stored before all of them`() async throws {
        try await withImageCache { subject in
            let (cache, order) = (subject.cache, subject.cache.order)
            var removal = order.beginWideRemoval { _ in }
            for number in 0..<20 {
                try await cache.storeToDisk(Pictures.small[1], forKey: "\(number)")
                try await #expect(cache.retrieveImageInDiskCache(forKey: "\(number)") != nil)
                let next = order.beginWideRemoval { _ in }
                order.endWideRemoval(removal)
                try await #expect(cache.retrieveImageInDiskCache(forKey: "\(number)") == nil)
                #expect(order.keyCount == 0)
                removal = next
            }
            order.endWideRemoval(removal)
            #expect(order.isIdle)
        }
    }

    @Test func `a load on the caller's thread is not shared with other callers`() async throws {
        try await withImageCache { subject in
            let cache = subject.cache
            try await cache.storeToDisk(Pictures.small[1], forKey: "a")
            let (begins, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let count = Locked(0)
            let serializer = HookedSerializer(beforeLoading: {
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                guard number == 1 else { return }
                begins.signal()
                goesOn.wait()
            })
            let done = Calls<Void>()
            Thread.detachNewThread {
                let options: KingfisherOptionsInfo = [.loadDiskFileSynchronously, .cacheSerializer(serializer)]
                cache.retrieveImageInDiskCache(forKey: "a", options: options) { _ in done.record(()) }
            }
            await begins.reached()
            let image = try await cache.retrieveImageInDiskCache(forKey: "a", options: [.cacheSerializer(serializer)])
            #expect(image?.number == 1 && done.count == 0)
            goesOn.signal()
            _ = await done.first()
        }
    }

    @Test func `loads with different built-in serializers share a decode`() async throws {
        try await withImageCache { subject in
            try await subject.cache.storeToDisk(Pictures.small[1], forKey: "a")
            let calls = Calls<Void>()
            let opened = try await subject.calls(of: .openForReading) {
                try await withoutLoads {
                    for serializer: any CacheSerializer in [
                        DefaultCacheSerializer.default, FormatIndicatedCacheSerializer.png,
                    ] {
                        subject.cache.retrieveImageInDiskCache(
                            forKey: "a", options: [.cacheSerializer(serializer)]
                        ) { _ in calls.record(()) }
                    }
                }
                _ = await calls.first()
                await subject.settle()
            }
            #expect(calls.count == 2 && opened == 1)
        }
    }

    // MARK: Cancelling

    @Test func `a task that is cancelled takes back a load that has not begun`() async throws {
        try await withImageCache { subject in
            let cache = subject.cache
            try await cache.storeToDisk(Pictures.small[1], forKey: "a")
            for isJoined in [false, true] {
                cache.clearMemoryCache()
                let others = Calls<Int?>()
                var task: Task<ImageCacheResult, any Error>?
                let opened = try await subject.calls(of: .openForReading) {
                    try await withoutLoads {
                        if isJoined {
                            cache.retrieveImage(forKey: "a", callbackQueue: .untouch) {
                                others.record((try? $0.get())?.image?.number)
                            }
                        }
                        let cancelled = Task { try await cache.retrieveImage(forKey: "a") }
                        while cache.order.isIdle { await Task.yield() }
                        cancelled.cancel()
                        await #expect(throws: CancellationError.self) { try await cancelled.value }
                        task = cancelled
                    }
                    await subject.settle()
                }
                #expect(task?.isCancelled == true)
                #expect(opened == (isJoined ? 1 : 0))
                #expect(others.values == (isJoined ? [1] : []))
                #expect(cache.order.isIdle)
            }
        }
    }

    @Test(arguments: [[], [.loadDiskFileSynchronously]] as [KingfisherOptionsInfo])
    func `a task that was cancelled before its load gets images from memory only`(
        options: KingfisherOptionsInfo
    ) async throws {
        try await withImageCache { subject in
            let cache = subject.cache
            try await cache.storeToDisk(Pictures.small[1], forKey: "disk")
            cache.store(try Pictures.image(2), forKey: "memory", toDisk: false, completionHandler: nil)
            try await withoutLoads {
                let task = Task {
                    while !Task.isCancelled { await Task.yield() }
                    try await #expect(cache.retrieveImage(forKey: "memory").image?.number == 2)
                    _ = try await cache.retrieveImageInDiskCache(forKey: "disk", options: options)
                }
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
            }
        }
    }

    /// Loads in a task of its own, as a subclass does that asks another service first.
    private final class LateLoader: ImageCache, @unchecked Sendable {
        let (isCalled, mayLoad, hasBegun) = (Locked(false), Locked(false), Locked(false))

        override func retrieveImageInDiskCache(
            forKey key: String, options: KingfisherOptionsInfo? = nil, callbackQueue: CallbackQueue = .untouch,
            completionHandler: @escaping @Sendable (Result<KFCrossPlatformImage?, KingfisherError>) -> Void
        ) {
            isCalled.withLock { $0 = true }
            Task {
                while !mayLoad.withLock({ $0 }) { await Task.yield() }
                super.retrieveImageInDiskCache(
                    forKey: key, options: options, callbackQueue: callbackQueue, completionHandler: completionHandler)
                hasBegun.withLock { $0 = true }
            }
        }
    }

    @Test func `a load that a subclass begins after its caller was cancelled is taken back`() async throws {
        try await withImageCache(making: { LateLoader(memoryStorage: $0, diskStorage: $1) }) { subject in
            let cache = try #require(subject.cache as? LateLoader)
            try await cache.storeToDisk(Pictures.small[1], forKey: "a")
            let task = Task { try await cache.retrieveImageInDiskCache(forKey: "a") }
            try await eventually { cache.isCalled.withLock { $0 } }
            task.cancel()
            cache.mayLoad.withLock { $0 = true }
            await #expect(throws: CancellationError.self) { _ = try await task.value }
            try await eventually { cache.hasBegun.withLock { $0 } }
            await subject.settle()
            #expect(cache.order.isIdle)
        }
    }

    /// Loads another image first, for itself.
    private final class CuriousLoader: ImageCache, @unchecked Sendable {
        let others = Calls<Int?>()
        let hasBegunBoth = Locked(false)

        override func retrieveImageInDiskCache(
            forKey key: String, options: KingfisherOptionsInfo? = nil, callbackQueue: CallbackQueue = .untouch,
            completionHandler: @escaping @Sendable (Result<KFCrossPlatformImage?, KingfisherError>) -> Void
        ) {
            super.retrieveImageInDiskCache(forKey: "other", options: options, callbackQueue: callbackQueue) {
                [others] in others.record((try? $0.get())??.number)
            }
            super.retrieveImageInDiskCache(
                forKey: key, options: options, callbackQueue: callbackQueue, completionHandler: completionHandler)
            hasBegunBoth.withLock { $0 = true }
        }
    }

    @Test func `a load that a subclass begins beside the one of the task is not taken back`() async throws {
        try await withImageCache(making: { CuriousLoader(memoryStorage: $0, diskStorage: $1) }) { subject in
            let cache = try #require(subject.cache as? CuriousLoader)
            for (number, key) in ["other", "a"].enumerated() {
                try await cache.storeToDisk(Pictures.small[number], forKey: key)
            }
            var task: Task<KFCrossPlatformImage?, any Error>?
            try await withoutLoads {
                let cancelled = Task { try await cache.retrieveImageInDiskCache(forKey: "a") }
                while !cache.hasBegunBoth.withLock({ $0 }) { await Task.yield() }
                cancelled.cancel()
                task = cancelled
            }
            #expect(await cache.others.first().value == 0)
            try await #expect(task?.value?.number == 1)
            await subject.settle()
        }
    }

    /// Loads another image first, and answers with it.
    private final class DetouringLoader: ImageCache, @unchecked Sendable {
        let others = Calls<Int?>()

        override func retrieveImageInDiskCache(
            forKey key: String, options: KingfisherOptionsInfo? = nil, callbackQueue: CallbackQueue = .untouch,
            completionHandler: @escaping @Sendable (Result<KFCrossPlatformImage?, KingfisherError>) -> Void
        ) {
            super.retrieveImageInDiskCache(forKey: "other", options: options, callbackQueue: callbackQueue) {
                [others] in
                others.record((try? $0.get())??.number)
                completionHandler($0)
            }
        }
    }

    @Test func `a load that is taken back answers a subclass's own handler, as a miss`() async throws {
        try await withImageCache(making: { DetouringLoader(memoryStorage: $0, diskStorage: $1) }) { subject in
            let cache = try #require(subject.cache as? DetouringLoader)
            try await cache.storeToDisk(Pictures.small[0], forKey: "other")
            try await withoutLoads {
                let task = Task { try await cache.retrieveImageInDiskCache(forKey: "a") }
                while cache.order.isIdle { await Task.yield() }
                task.cancel()
                await #expect(throws: CancellationError.self) { _ = try await task.value }
            }
            await subject.settle()
            #expect(cache.others.values == [nil])
        }
    }

    @Test func `a load that has begun ends, cancelled or not, and a store is never withdrawn`() async throws {
        try await withImageCache { subject in
            let cache = subject.cache
            try await cache.storeToDisk(Pictures.small[1], forKey: "a")
            let (begins, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let serializer = HookedSerializer(beforeLoading: {
                begins.signal()
                goesOn.wait()
            })
            let load = Task { try await cache.retrieveImage(forKey: "a", options: [.cacheSerializer(serializer)]) }
            await begins.reached()
            load.cancel()
            goesOn.signal()
            try await #expect(load.value.image?.number == 1)
            let store = Task {
                while !Task.isCancelled { await Task.yield() }
                try await cache.storeToDisk(Pictures.small[2], forKey: "b")
            }
            store.cancel()
            try await store.value
            #expect(try subject.storage.value(forKey: "b") == Pictures.small[2])
        }
    }

    // MARK: Stores

    @Test func `a call about all keys comes after earlier stores and before later ones`() async throws {
        try await withImageCache { subject in
            let (bytes, sizes, kept) = (Pictures.small[1].count, Calls<UInt?>(), Calls<Bool>())
            try await withoutTurns(subject) { cache in
                cache.storeToDisk(Pictures.small[1], forKey: "a", completionHandler: nil)
                cache.calculateDiskStorageSize { sizes.record(try? $0.get()) }
                cache.storeToDisk(Pictures.small[2], forKey: "b") { [storage = subject.storage] _ in
                    kept.record(storage.isCached(forKey: "a"))
                }
                cache.clearDiskCache(completion: nil)
                cache.storeToDisk(Pictures.small[1], forKey: "c", completionHandler: nil)
                // After a clear it includes what is stored before the clear ends.
                cache.calculateDiskStorageSize { sizes.record(try? $0.get()) }
            }
            await subject.settle()
            // On the main queue.
            while sizes.count < 2 { try await Task.sleep(nanoseconds: 1_000_000) }
            #expect(sizes.values == [UInt(bytes), UInt(bytes)] && kept.values == [true])
            #expect(["a", "b", "c"].map { subject.storage.isCached(forKey: $0) } == [false, false, true])
        }
    }

    @Test func `stores report in the order of their calls, and a flush reports after the stores before it`()
        async throws
    {
        try await withImageCache { subject in
            let reported = Calls<Int>()
            try await withoutTurns(subject) { cache in
                for number in 0..<100 {
                    if number == 50 {
                        cache.flush { _ in reported.record(-1) }
                    }
                    cache.storeToDisk(Pictures.small[number % 4], forKey: "\(number)") { _ in reported.record(number) }
                }
            }
            await subject.hop()
            #expect(reported.values == Array(0..<50) + [-1] + Array(50..<100))
        }
    }
}

extension DispatchSemaphore {
    /// Waits on a thread that may block.
    fileprivate func reached() async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                self.wait()
                continuation.resume()
            }
        }
    }
}
