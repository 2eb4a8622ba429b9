import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

@Suite(.endsEvenIfItHangs) struct CleaningTests {
    @Test func `cleaning memory removes what has expired there, and nothing on disk`() async throws {
        try await withImageCache { subject in
            let options = KingfisherParsedOptionsInfo([.memoryCacheExpiration(.seconds(1))])
            try await subject.cache.store(Pictures.image(), forKey: "a", options: options)
            try await subject.cache.store(Pictures.image(), forKey: "b")
            let cost = subject.cache.memoryStorageCacheCost
            subject.clock.advance(by: 2)
            #expect(subject.cache.memoryStorageCacheCost == cost)
            subject.cache.cleanExpiredMemoryCache()
            #expect(subject.cache.memoryStorageCacheCost == cost / 2)
            #expect(subject.cache.imageCachedType(forKey: "a") == .disk)
            #expect(subject.cache.imageCachedType(forKey: "b") == .memory)
        }
    }

    @Test func `cleaning the disk removes expired entries, posts their files, and then calls the handler`() async throws
    {
        try await withImageCache { subject in
            let notifications = CleanNotifications(of: subject.cache)
            try subject.fill(["a", "b"], expiration: .seconds(1))
            try subject.fill(["c"])
            subject.clock.advance(by: 2)
            let calls = await subject.once { done in
                subject.cache.cleanExpiredDiskCache { done(notifications.names) }
            }
            #expect(calls.isOnMainQueue)
            // The notification precedes the handler.
            #expect(calls.value == [[subject.cache.hash(forKey: "a"), subject.cache.hash(forKey: "b")].sorted()])
            #expect(!notifications.postings.contains { !$0.isOnMainQueue })
            #expect(notifications.postings.count == 1)
            #expect(subject.storage.isCached(forKey: "c"))
            #expect(!subject.disk.isThere(subject.cache.cachePath(forKey: "a")))
        }
    }

    @Test func `the timer opens no closed index, and brings back no directory that was deleted`() async throws {
        try await withImageCache { subject in
            try subject.fill(["a"], expiration: .seconds(1))
            subject.clock.advance(by: 2)
            await subject.cache.close()
            subject.cache.cleanByTimer()
            await subject.settle()
            #expect(!subject.storage.store.index.isOpen && subject.disk.isThere(subject.cache.cachePath(forKey: "a")))
            // Also if its turn comes after that of a close.
            try subject.fill(["open"])
            let closed = Locked(false)
            subject.cache.ioQueue.queue.suspend()
            subject.cache.clearDiskCache(completion: nil)
            subject.cache.close { closed.withLock { $0 = true } }
            subject.cache.cleanByTimer()
            subject.cache.ioQueue.queue.resume()
            try await eventually { closed.withLock { $0 } }
            await subject.settle()
            #expect(!subject.storage.store.index.isOpen && !subject.cache.isCleaningByTimer.withLock { $0 })
            try subject.fill(["b"])
            try subject.disk.removeFolder()
            subject.cache.cleanByTimer()
            await subject.settle()
            #expect(!subject.disk.isThere(subject.disk.directory.path))
            // The next use opens it.
            try subject.fill(["c"], expiration: .seconds(1))
            subject.clock.advance(by: 2)
            subject.cache.cleanByTimer()
            try await eventually { !subject.disk.isThere(subject.cache.cachePath(forKey: "c")) }
        }
    }

    @Test func `the timer takes over no files after a close`() async throws {
        try await withImageCache { subject in
            try subject.fill(["a"])
            subject.disk.settle()
            try subject.disk.beginAdoption()
            subject.storage.close()
            #expect(subject.storage.store.condition.isSearching)
            subject.cache.cleanByTimer()
            await subject.settle()
            #expect(!subject.storage.store.index.isOpen)
            // Also if its turn comes after that of a close.
            let (gate, store) = (DispatchSemaphore(value: 0), subject.storage.store)
            store.housekeeping.sweeps.async { gate.wait() }
            #expect(subject.storage.isCached(forKey: "a") && store.condition.isSearching)
            subject.cache.cleanByTimer()
            await subject.hop()
            let closed = Locked(false)
            Thread.detachNewThread {
                store.close()
                closed.withLock { $0 = true }
            }
            try await eventually { (try? store.settler.stopIfClosing()) == nil }
            gate.signal()
            try await eventually { closed.withLock { $0 } }
            await subject.settle()
            #expect(!store.index.isOpen)
        }
    }

    /// One that ran inside the one before would need thousands of stack frames.
    @Test func `thousands of cleans that wait for a removal run one after another`() async throws {
        try await withImageCache { subject in
            let (gate, count, done) = (DispatchSemaphore(value: 0), 10_000, Locked(0))
            subject.cache.removalQueue.async { gate.wait() }
            subject.cache.removeImages(matching: .init(tag: "t")) { _ in }
            for _ in 0..<count { subject.cache.cleanExpiredDiskCache { done.withLock { $0 += 1 } } }
            gate.signal()
            try await eventually { done.withLock { $0 } == count }
        }
    }

    @Test func `the notification's names include processors and extensions`() async throws {
        try await withImageCache { subject in
            let notifications = CleanNotifications(of: subject.cache)
            let cache = subject.cache
            try await cache.storeToDisk(
                .blob(1), forKey: "a", processorIdentifier: "p", forcedExtension: "jpg", expiration: .seconds(1))
            subject.clock.advance(by: 2)
            await subject.onceDone { cache.cleanExpiredDiskCache(completion: $0) }
            #expect(
                notifications.names
                    == [[cache.hash(forKey: "a", processorIdentifier: "p", forcedExtension: "jpg")]])
        }
    }

    @Test func `while the main queue is busy, one notification collects the names of all cleans`() async throws {
        try await withImageCache { subject in
            let notifications = CleanNotifications(of: subject.cache)
            let gate = DispatchSemaphore(value: 0)
            DispatchQueue.main.async { gate.wait() }
            for name in ["a", "b", "c"] { subject.cache.postDidClean(removed: [name]) }
            gate.signal()
            try await eventually { !notifications.postings.isEmpty }
            subject.cache.postDidClean(removed: ["d"])
            try await eventually { notifications.postings.count == 2 }
            #expect(notifications.names == [["a", "b", "c"], ["d"]])
            // More than anyone may collect.
            DispatchQueue.main.async { gate.wait() }
            for number in 0..<40_000 { subject.cache.postDidClean(removed: ["\(number)"]) }
            #expect(subject.cache.cleanedNames.withLock { $0.count } < 20_000)
            gate.signal()
        }
    }

    @Test func `the notification's name and key are the ones apps know`() {
        #expect(
            Notification.Name.KingfisherDidCleanDiskCache.rawValue
                == "com.onevcat.Kingfisher.KingfisherDidCleanDiskCache")
        #expect(KingfisherDiskCacheCleanedHashKey == "com.onevcat.Kingfisher.cleanedHash")
    }

    @Test func `an observer may ask for the main operation queue`() async throws {
        try await withImageCache { subject in
            let isNotified = Locked(false)
            let observer = NotificationCenter.default.addObserver(
                forName: .KingfisherDidCleanDiskCache, object: subject.cache, queue: .main
            ) { _ in isNotified.withLock { $0 = true } }
            defer { NotificationCenter.default.removeObserver(observer) }
            try subject.fill(["a"], expiration: .seconds(1))
            subject.clock.advance(by: 2)
            // The handler follows, also if the notification has to wait for another operation of the queue.
            let gate = DispatchSemaphore(value: 0)
            OperationQueue.main.addOperation { gate.wait() }
            let cache = subject.cache
            let isFollowing = await subject.once { done in
                cache.cleanExpiredDiskCache { done(isNotified.withLock { $0 }) }
                Task {
                    await cache.cleanExpiredDiskCache()
                    gate.signal()
                }
            }
            #expect(isFollowing.value)
        }
    }

    @Test func `a clean with nothing to do posts nothing and calls its handler`() async throws {
        try await withImageCache { subject in
            let notifications = CleanNotifications(of: subject.cache)
            try subject.fill(["a"])
            await subject.onceDone { subject.cache.cleanExpiredDiskCache(completion: $0) }
            await subject.onceDone { subject.cache.cleanExpiredCache(completion: $0) }
            #expect(notifications.postings.isEmpty && subject.storage.isCached(forKey: "a"))
        }
    }

    @Test func `a clean removes expired entries first, then evicts down to half of the limit`() async throws {
        try await withImageCache { subject in
            let notifications = CleanNotifications(of: subject.cache)
            try subject.fill((0..<4).map { "old\($0)" }, expiration: .seconds(1))
            try subject.fill((0..<10).map { "\($0)" })
            _ = try subject.storage.value(forKey: "0")
            subject.storage.config.sizeLimit = 1_000
            subject.clock.advance(by: 2)
            await subject.onceDone { subject.cache.cleanExpiredDiskCache(completion: $0) }
            #expect(try subject.storage.totalSize() == 500)
            #expect((0..<10).filter { subject.storage.isCached(forKey: "\($0)") } == [0, 6, 7, 8, 9])
            let gone = (0..<4).map { "old\($0)" } + (1..<6).map { "\($0)" }
            #expect(notifications.names == [gone.map { subject.cache.hash(forKey: $0) }.sorted()])
        }
    }

    @Test func `cleaning the cache cleans memory at once and then the disk`() async throws {
        try await withImageCache { subject in
            let options = KingfisherParsedOptionsInfo([
                .memoryCacheExpiration(.seconds(1)), .diskCacheExpiration(.seconds(1)),
            ])
            try await subject.cache.store(Pictures.image(), forKey: "a", options: options)
            subject.clock.advance(by: 2)
            subject.cache.ioQueue.queue.suspend()
            let calls = Calls<Void>()
            subject.cache.cleanExpiredCache { calls.record(()) }
            #expect(subject.cache.memoryStorageCacheCost == 0)
            subject.cache.ioQueue.queue.resume()
            #expect(await calls.first().isOnMainQueue)
            #expect(try subject.storage.totalSize() == 0)
        }
    }

    @Test func `a clean skips a file that cannot be removed, and calls its handler`() async throws {
        var tuning = Tuning.patient
        tuning.batchSize = 4
        try await withImageCache(tuning: tuning) { subject in
            try subject.fill((0..<40).map { "\($0)" }, expiration: .seconds(1))
            subject.clock.advance(by: 2)
            let stuck = subject.storage.cacheFileName(forKey: "17")
            subject.disk.fileSystem.fail(
                .rename, EPERM, times: nil, path: "trash/\(BlobName(text: stuck).rowID).")
            let notifications = CleanNotifications(of: subject.cache)
            await subject.onceDone { subject.cache.cleanExpiredDiskCache(completion: $0) }
            #expect(try subject.storage.totalSize() == 100)
            #expect(notifications.names.map(\.count) == [39])
            subject.disk.fileSystem.heal()
            await subject.cache.cleanExpiredDiskCache()
            #expect(try subject.storage.totalSize() == 0)
        }
    }

    @Test func `a clean of a cache whose index cannot be used ends`() async throws {
        try await withImageCache { subject in
            try subject.fill(["a"], expiration: .seconds(1))
            subject.clock.advance(by: 2)
            subject.disk.refuseCommits(times: 1_000)
            await subject.onceDone { subject.cache.cleanExpiredDiskCache(completion: $0) }
            await subject.onceDone { subject.cache.clearDiskCache(completion: $0) }
            subject.disk.refuseCommits(times: 0)
            await subject.cache.cleanExpiredDiskCache()
        }
    }

    // MARK: Long cleans

    @Test func `a clean comes after an earlier removal by conditions, and before later calls`() async throws {
        var tuning = Tuning.patient
        tuning.batchSize = 1
        let subject = try CacheUnderTest(tuning: tuning)
        for seed in 0..<40 {
            let tags: Set = [seed < 20 ? "stays" : "goes"]
            try subject.storage.store(value: .blob(seed), forKey: "\(seed)", attributes: .init(tags: tags))
            subject.clock.advance(by: 1)
        }
        subject.storage.config.sizeLimit = 1_500
        let done = Locked([String]())
        subject.cache.removeImages(matching: .init(tag: "goes")) { _ in done.withLock { $0.append("removed") } }
        subject.cache.cleanExpiredDiskCache { done.withLock { $0.append("cleaned") } }
        let left = Locked<UInt?>(nil)
        subject.cache.calculateDiskStorageSize { size in left.withLock { $0 = try? size.get() } }
        try await eventually { left.withLock { $0 } != nil && done.withLock { $0.count } == 2 }
        #expect(done.withLock { $0 } == ["removed", "cleaned"])
        // 2,000 bytes are left after the removal, and the clean evicts down to half of the limit.
        #expect(left.withLock { $0 } == 700)
    }

    @Test func `a clean that a clear interrupts evicts nothing that was stored since`() async throws {
        var tuning = Tuning.patient
        tuning.batchSize = 1
        let subject = try CacheUnderTest(tuning: tuning)
        let (cache, isCleared) = (subject.cache, Locked(false))
        for seed in 0..<30 { try subject.storage.store(value: .blob(seed), forKey: "\(seed)") }
        subject.disk.settle()
        subject.storage.config.sizeLimit = 2_000
        let folder = subject.disk.directory.path
        subject.disk.beforeCommit {
            // In the middle of the eviction.
            guard (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? 0 < 28,
                !isCleared.replace(with: true)
            else { return true }
            cache.clearDiskCache()
            for seed in 30..<45 { cache.storeToDisk(.blob(seed), forKey: "\(seed)", completionHandler: nil) }
            return true
        }
        await withCheckedContinuation { continuation in cache.cleanExpiredDiskCache { continuation.resume() } }
        await subject.settle()
        #expect(isCleared.withLock { $0 })
        #expect(try subject.storage.totalSize() == 1_500)
    }

    @Test func `a load runs between the batches of a long clean`() async throws {
        // Observes the disk's own calls: handlers run on other queues, so their order says nothing.
        let order = Calls<String>()
        let observe: @Sendable (inout DiskStorage.Config) -> Void = { config in
            config.observesKeys = true
            config.observer = { if $0.kind == .hit || $0.key == "b" { order.record($0.kind.rawValue) } }
        }
        var tuning = Tuning.patient
        tuning.batchSize = 100
        try await withImageCache(tuning: tuning, configure: observe) { subject in
            try subject.fill((0..<500).map { "\($0)" }, byteCount: 1, expiration: .seconds(1))
            try await subject.cache.storeToDisk(Pictures.small[2], forKey: "a")
            subject.clock.advance(by: 2)
            // The first batch ends when the others have been called, and the second one when the load has got in.
            let (isUnlinking, areCalled) = (Locked(false), Locked(false))
            subject.disk.fileSystem.observe { call, _ in
                guard call == .unlink else { return }
                isUnlinking.withLock { $0 = true }
                for _ in 0..<50_000 {
                    guard !areCalled.withLock({ $0 }) || order.values == ["store"] else { break }
                    usleep(1_000)
                }
            }
            subject.cache.cleanDisk(progress: nil) { order.record("clean") }
            try await eventually { isUnlinking.withLock { $0 } }
            subject.cache.retrieveImage(forKey: "a", callbackQueue: .untouch) { _ in }
            subject.cache.storeToDisk(.blob(1), forKey: "b") { _ in }
            areCalled.withLock { $0 = true }
            try await eventually { order.count == 3 }
            // All caches share the threads that load, so the store may come first.
            #expect(Set(order.values.prefix(2)) == ["hit", "store"])
            #expect(try subject.storage.totalSize() == UInt(Pictures.small[2].count + 100))
        }
    }

    @Test func `progress counts the removed bytes and ends at its total`() async throws {
        var tuning = Tuning.patient
        tuning.batchSize = 8
        try await withImageCache(tuning: tuning) { subject in
            try subject.fill((0..<20).map { "old\($0)" }, expiration: .seconds(1))
            try subject.fill((0..<20).map { "\($0)" })
            subject.storage.config.sizeLimit = 2_000
            subject.clock.advance(by: 2)
            let progress = Progress.discreteProgress(totalUnitCount: 0)
            let seen = Locked<[Int64]>([])
            subject.disk.fileSystem.observe { call, _ in
                if call == .unlink { seen.withLock { $0.append(progress.completedUnitCount) } }
            }
            await subject.onceDone { subject.cache.cleanExpiredDiskCache(progress: progress, completion: $0) }
            #expect(progress.totalUnitCount == 3_000 && progress.completedUnitCount == 3_000)
            #expect(progress.isFinished)
            #expect(Set(seen.withLock { $0 }) == [0, 800, 1_600, 2_000, 2_800])
            // A second use restarts the progress.
            try subject.fill(["old"], expiration: .seconds(1))
            subject.clock.advance(by: 2)
            await subject.cache.cleanExpiredDiskCache(progress: progress)
            #expect(progress.totalUnitCount == 100 && progress.completedUnitCount == 100)
        }
    }

    @Test func `progress also ends at its total if there is nothing to remove, or less than expected`() async throws {
        try await withImageCache(configure: { $0.sizeLimit = 1_000 }) { subject in
            let idle = Progress.discreteProgress(totalUnitCount: 0)
            await subject.cache.cleanExpiredDiskCache(progress: idle)
            #expect(idle.isFinished && idle.fractionCompleted == 1)
            try subject.fill(["a"], expiration: .seconds(1))
            subject.clock.advance(by: 2)
            subject.disk.fileSystem.fail(.rename, EPERM, times: nil)
            let stuck = Progress.discreteProgress(totalUnitCount: 0)
            await subject.cache.cleanExpiredDiskCache(progress: stuck)
            #expect(stuck.isFinished)
            subject.disk.fileSystem.heal()
            // Two entries are removed, although one and a half would be enough.
            try subject.fill(["b", "c", "d"], byteCount: 400)
            let uneven = Progress.discreteProgress(totalUnitCount: 0)
            await subject.cache.cleanExpiredDiskCache(progress: uneven)
            #expect(uneven.isFinished && uneven.completedUnitCount == uneven.totalUnitCount)
        }
    }

    @Test func `a cancelled clean stops after the current batch and calls its handler once`() async throws {
        var tuning = Tuning.patient
        tuning.batchSize = 8
        try await withImageCache(tuning: tuning) { subject in
            try subject.fill((0..<40).map { "\($0)" }, expiration: .seconds(1))
            subject.clock.advance(by: 2)
            let progress = Progress.discreteProgress(totalUnitCount: 0)
            let notifications = CleanNotifications(of: subject.cache)
            subject.disk.fileSystem.observe { call, _ in
                if call == .unlink, progress.completedUnitCount == 800 { progress.cancel() }
            }
            await subject.onceDone { subject.cache.cleanExpiredDiskCache(progress: progress, completion: $0) }
            #expect(try subject.storage.totalSize() == 2_400)
            #expect(notifications.names.map(\.count) == [16])
            #expect(!progress.isFinished && progress.completedUnitCount == 1_600)
            subject.disk.fileSystem.observe(nil)
            await subject.cache.cleanExpiredDiskCache()
        }
    }

    @Test func `a clean that is cancelled before it begins removes nothing and calls its handler`() async throws {
        try await withImageCache { subject in
            try subject.fill(["a"], expiration: .seconds(1))
            subject.clock.advance(by: 2)
            let progress = Progress.discreteProgress(totalUnitCount: 0)
            progress.cancel()
            await subject.onceDone { subject.cache.cleanExpiredDiskCache(progress: progress, completion: $0) }
            #expect(try subject.storage.totalSize() == 100)
            await Task {
                withUnsafeCurrentTask { $0?.cancel() }
                await subject.cache.cleanExpiredDiskCache()
            }.value
            #expect(try subject.storage.totalSize() == 100)
            await subject.cache.cleanExpiredDiskCache()
        }
    }

    // MARK: The timer

    @Test func `the timer removes what has expired, on disk and in memory`() async throws {
        try await withImageCache { subject in
            let notifications = CleanNotifications(of: subject.cache)
            try subject.fill(["a"], expiration: .seconds(1))
            let options = KingfisherParsedOptionsInfo([.memoryCacheExpiration(.seconds(1))])
            try await subject.cache.store(Pictures.image(), forKey: "b", options: options, toDisk: false)
            subject.clock.advance(by: 2)
            subject.storage.config.cleanInterval = 0.01
            subject.cache.memoryStorage.config.cleanInterval = 0.01
            try await eventually {
                try subject.storage.totalSize() == 0 && subject.cache.memoryStorageCacheCost == 0
            }
            try await eventually { notifications.names == [[subject.cache.hash(forKey: "a")]] }
            subject.storage.config.cleanInterval = 0
            #expect(subject.cache.memoryStorage.cleanTimer != nil)
        }
    }

    @Test func `a timer that fires during a clean starts no second one`() async throws {
        var tuning = Tuning.patient
        tuning.batchSize = 8
        try await withImageCache(tuning: tuning) { subject in
            let (cache, storage) = (subject.cache, subject.storage)
            try subject.fill((0..<40).map { "\($0)" }, expiration: .seconds(1))
            // A clean waits until the folder has been searched for files to adopt.
            subject.disk.settle()
            subject.clock.advance(by: 2)
            cache.ioQueue.queue.suspend()
            for _ in 0..<100 { cache.cleanByTimer() }
            let left = Calls<UInt?>()
            cache.ioQueue.async { left.record(try? storage.totalSize()) }
            cache.ioQueue.queue.resume()
            // One batch of one clean.
            #expect(await left.first().value == 3_200)
            try await eventually { try storage.totalSize() == 0 }
            await subject.settle()
            try subject.fill(["later"], expiration: .seconds(1))
            subject.clock.advance(by: 2)
            cache.cleanByTimer()
            try await eventually { try storage.totalSize() == 0 }
        }
    }

    @Test(arguments: [0, -1, .nan, .infinity]) func `an invalid interval switches the timer off`(
        seconds: TimeInterval
    ) throws {
        var cleaning = PeriodicCleaning()
        let owner = ObjectIdentifier(Progress.self)
        cleaning.begin(owner: owner, interval: 600) {}
        #expect(cleaning.timer != nil)
        cleaning.setInterval(seconds)
        #expect(cleaning.timer == nil)
        cleaning.setInterval(600)
        #expect(cleaning.timer != nil)
        cleaning.end(owner: owner)
        #expect(cleaning.timer == nil)
    }

    @Test func `a storage that two caches share is cleaned while either of them exists`() async throws {
        for keepsFirst in [true, false] {
            let disk = try CacheFixture { $0.cleanInterval = 0.01 }
            let memory = CacheUnderTest.memory(clock: disk.clock)
            var caches: [ImageCache?] = (0..<2).map { _ in
                ImageCache(memoryStorage: memory, diskStorage: disk.storage)
            }
            caches[keepsFirst ? 1 : 0] = nil
            try disk.storage.store(value: .blob(1), forKey: "a", expiration: .seconds(1))
            disk.clock.advance(by: 2)
            // The clean may still be unlinking.
            try await eventually { try disk.storage.totalSize() == 0 && disk.names(in: "trash").isEmpty }
            caches = []
            try disk.requireClean()
        }
    }

    @Test func `an unreferenced cache is released while timers run and work is pending`() async throws {
        let disk = try CacheFixture { $0.cleanInterval = 0.001 }
        weak var released: ImageCache?
        try {
            let cache = ImageCache(memoryStorage: CacheUnderTest.memory(clock: disk.clock), diskStorage: disk.storage)
            released = cache
            cache.memoryStorage.config.cleanInterval = 0.001
            let image = try Pictures.image()
            cache.store(image, forKey: "a", completionHandler: nil)
            cache.retrieveImage(forKey: "a", options: [.backgroundDecode]) { _ in }
            cache.retrieveImage(forKey: "b") { _ in }
            cache.cleanExpiredCache(completion: nil)
            cache.calculateDiskStorageSize { _ in }
            cache.imageCachedTypeAsync(forKey: "a") { _ in }
        }()
        try await eventually { released == nil }
        try disk.requireClean()
    }
}

/// Waits until the condition holds, for about a minute.
func eventually(
    _ location: SourceLocation = #_sourceLocation, _ condition: () throws -> Bool
) async throws {
    // Not a deadline: after a pause of the whole machine, nothing else has run yet when it passes.
    for _ in 0..<50_000 {
        if try condition() { return }
        // A yield would come back before a task of lower priority.
        try await Task.sleep(nanoseconds: 1_000_000)
    }
    Issue.record("it never came", sourceLocation: location)
}
