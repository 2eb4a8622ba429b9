import Foundation
import HalcyonSQLite
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

@Suite(.endsEvenIfItHangs) struct LimitTests {
    @Test func `a store beyond the limit evicts the least recently used images, down to half of it`() async throws {
        try await withImageCache(configure: { $0.sizeLimit = 1_000 }) { subject in
            let notifications = CleanNotifications(of: subject.cache)
            for number in 0..<10 { try await subject.cache.storeToDisk(.blob(number), forKey: "\(number)") }
            await subject.settle()
            #expect(try subject.storage.totalSize() == 1_000 && notifications.postings.isEmpty)
            for key in ["0", "2"] { _ = try await subject.cache.retrieveImageInDiskCache(forKey: key) }
            try await subject.cache.storeToDisk(.blob(10), forKey: "10")
            #expect(try subject.storage.totalSize() == 500)
            await subject.settle()
            let left = (0...10).filter { subject.storage.isCached(forKey: "\($0)") }
            #expect(left == [0, 2, 8, 9, 10])
            #expect(notifications.names == [[1, 3, 4, 5, 6, 7].map { subject.cache.hash(forKey: "\($0)") }.sorted()])
            #expect(!notifications.postings.contains { !$0.isOnMainQueue })
        }
    }

    @Test func `a trim evicts entries that were used while the clock was ahead in their turn`() async throws {
        try await withImageCache(configure: { $0.countLimit = 6 }) { subject in
            func store(_ keys: [String]) async throws {
                for key in keys {
                    try await subject.cache.storeToDisk(.blob(1), forKey: key)
                    subject.clock.advance(by: 1)
                }
                await subject.settle()
            }
            subject.clock.set(by: 86_400)
            try await store(["ahead 0", "ahead 1"])
            subject.clock.set(by: -86_400)
            try await store(["a", "b", "c", "d", "e"])
            #expect(["ahead 0", "ahead 1"].allSatisfy { subject.storage.isCached(forKey: $0) })
            try await store(["f", "g", "h", "i"])
            #expect(["g", "h", "i"].allSatisfy { subject.storage.isCached(forKey: $0) })
            #expect(try subject.storage.totals().entries == 3)
        }
    }

    @Test func `storing an image enforces limits like storing bytes`() async throws {
        let size = UInt(Pictures.small[0].count)
        try await withImageCache(configure: { $0.sizeLimit = 4 * size }) { subject in
            for number in 0..<5 { try await subject.cache.store(Pictures.image(0), forKey: "\(number)") }
            await subject.settle()
            #expect(try subject.storage.totalSize() == 2 * size)
        }
    }

    @Test func `without a limit nothing is evicted`() async throws {
        try await withImageCache { subject in
            for number in 0..<50 { try await subject.cache.storeToDisk(.blob(1), forKey: "\(number)") }
            await subject.settle()
            #expect(try subject.storage.totalSize() == 5_000)
        }
    }

    @Test func `near the limit, only one trim runs for stores of half the limit`() async throws {
        try await withImageCache(configure: { $0.sizeLimit = 10_000 }) { subject in
            let notifications = CleanNotifications(of: subject.cache)
            for number in 0..<500 { try await subject.cache.storeToDisk(.blob(1), forKey: "\(number)") }
            await subject.settle()
            // One eviction at 10 100 bytes, and then one after every 51 more stores.
            #expect(notifications.names.map(\.count) == Array(repeating: 51, count: 8))
            #expect(Set(notifications.names.joined()).count == 8 * 51)
        }
    }

    @Test func `entries that cannot be evicted do not make every store search for them`() async throws {
        try await withImageCache(configure: { $0.sizeLimit = 10_000 }) { subject in
            try subject.fill((0..<120).map { "pinned\($0)" })
            try subject.disk.pinEverything()
            let notifications = CleanNotifications(of: subject.cache)
            for number in 0..<200 { try await subject.cache.storeToDisk(.blob(1), forKey: "\(number)") }
            await subject.settle()
            #expect(notifications.postings.count <= 16)
            for number in 0..<120 { #expect(subject.storage.isCached(forKey: "pinned\(number)")) }
            #expect(try subject.storage.totalSize() <= 12_000 + 10_000 / 8 + 100)
            #expect(subject.storage.isCached(forKey: "199"))
        }
    }

    @Test func `an image larger than the limit pushes nothing out`() async throws {
        try await withImageCache(configure: { $0.sizeLimit = 1_000 }) { subject in
            try subject.fill((0..<9).map { "\($0)" })
            let result = await subject.once {
                subject.cache.storeToDisk(.blob(1, count: 1_001), forKey: "big", completionHandler: $0)
            }
            #expect(result.value.diskCacheResult.error == nil)
            #expect(try subject.storage.totalSize() == 900)
            for number in 0..<9 { #expect(subject.storage.isCached(forKey: "\(number)")) }
            #expect(!subject.storage.isCached(forKey: "big"))
            let counts = try subject.storage.statistics.total
            #expect(counts.evictions == 1 && counts.bytesEvicted == 1_001)
        }
    }

    @Test func `an image of more than half of the limit pushes out the others, and stays`() async throws {
        try await withImageCache(configure: { $0.sizeLimit = 1_000 }) { subject in
            try subject.fill((0..<9).map { "\($0)" })
            for key in ["large", "also large"] {
                try await subject.cache.storeToDisk(.blob(1, count: 900), forKey: key)
                #expect(subject.storage.isCached(forKey: key))
                #expect(try subject.storage.totalSize() == 900)
            }
            try await subject.cache.storeToDisk(.blob(1, count: 100), forKey: "small")
            #expect(try subject.storage.totalSize() == 1_000)
            try await subject.cache.storeToDisk(.blob(1, count: 200), forKey: "next")
            try await eventually { try subject.storage.totalSize() == 300 }
            #expect(subject.storage.isCached(forKey: "small") && subject.storage.isCached(forKey: "next"))
        }
    }

    @Test func `with a limit of one entry, the last one stays`() async throws {
        try await withImageCache(configure: { $0.countLimit = 1 }) { subject in
            for key in ["a", "b", "c"] {
                try await subject.cache.storeToDisk(.blob(1), forKey: key)
                #expect(subject.storage.isCached(forKey: key))
                try #expect(subject.storage.totals().entries == 1)
            }
            await subject.settle()
            try subject.storage.store(value: .blob(1), forKey: "d")
            #expect(try subject.storage.removeSizeExceededValues().count == 1)
            #expect(subject.storage.isCached(forKey: "d"))
        }
    }

    @Test func `an image stored during an eviction stays, if it is of more than half of the limit`() async throws {
        try await withTrim { subject in
            subject.storage.config.countLimit = 0
            subject.storage.config.sizeLimit = 2_000
            let queue = subject.cache.ioQueue
            queue.queue.suspend()
            subject.cache.storeToDisk(.blob(1), forKey: "new", completionHandler: nil)
            queue.async {}
            subject.cache.storeToDisk(.blob(1, count: 1_900), forKey: "large", completionHandler: nil)
            queue.queue.resume()
            await subject.settle()
            try await eventually { try subject.storage.totalSize() == 1_900 }
            #expect(subject.storage.isCached(forKey: "large"))
        }
    }

    @Test func `the eviction of an image larger than the limit is reported with bytes and age`() throws {
        let events = Locked<[DiskStorage.Event]>([])
        let cache = try CacheFixture { $0.observer = { event in events.withLock { $0.append(event) } } }
        try cache.storage.store(value: .blob(1, count: 1_001), forKey: "big")
        cache.clock.advance(by: 10)
        let name = cache.storage.blobName(forKey: "big", forcedExtension: nil)
        #expect(try cache.storage.store.remove(name, counting: \.evictions) { $0.size > 1_000 })
        #expect(try !cache.storage.store.remove(name, counting: \.evictions) { $0.size > 1_000 })
        let counts = try cache.storage.statistics.total
        #expect(counts.evictions == 1 && counts.bytesEvicted == 1_001)
        #expect((9_900...10_000).contains(counts.millisecondsUnusedBeforeEviction))
        let eviction = try #require(events.withLock { $0 }.last)
        #expect(eviction.kind == .eviction && eviction.count == 1 && eviction.bytes == 1_001)
        #expect(eviction.seconds > 9.8 && eviction.seconds < 10.1)
        try cache.requireClean()
    }

    @Test(arguments: [true, false])
    func `a pinned image larger than the limit stays`(isPinnedByItsStore: Bool) async throws {
        try await withImageCache(configure: { $0.sizeLimit = 1_000 }) { subject in
            let notifications = CleanNotifications(of: subject.cache)
            let pin = DiskStorage.EntryAttributes(isPinned: true)
            if !isPinnedByItsStore {
                try subject.storage.store(value: .blob(1), forKey: "big", attributes: pin)
            }
            try await subject.cache.storeToDisk(
                .blob(2, count: 1_001), forKey: "big", attributes: isPinnedByItsStore ? pin : .init())
            await subject.settle()
            #expect(try subject.storage.value(forKey: "big") == .blob(2, count: 1_001))
            #expect(try subject.storage.entry(forKey: "big")?.isPinned == true)
            #expect(notifications.postings.isEmpty)
            // Once unpinned, it is removed like any other image: by its next store or by the next clean.
            try await subject.cache.storeToDisk(
                .blob(3, count: 1_002), forKey: "big", attributes: .init(isPinned: false))
            #expect(!subject.storage.isCached(forKey: "big"))
            #expect(try subject.storage.statistics.sinceOpening.evictions == 1)
        }
    }

    @Test func `of two images stored together under one key the smaller one stays`() async throws {
        try await withImageCache(configure: { $0.sizeLimit = 1_000 }) { subject in
            subject.cache.ioQueue.queue.suspend()
            subject.cache.storeToDisk(.blob(1, count: 1_001), forKey: "a", completionHandler: nil)
            subject.cache.storeToDisk(.blob(2), forKey: "a", completionHandler: nil)
            subject.cache.ioQueue.queue.resume()
            await subject.hop()
            try #expect(subject.storage.value(forKey: "a") == .blob(2))
        }
    }

    @Test func `storing an expired image evicts nothing, however large it is`() async throws {
        try await withImageCache(configure: { $0.sizeLimit = 1_000 }) { subject in
            let notifications = CleanNotifications(of: subject.cache)
            try subject.fill(["a"])
            try await subject.cache.storeToDisk(.blob(1, count: 2_000), forKey: "a", expiration: .expired)
            await subject.settle()
            #expect(subject.storage.isCached(forKey: "a") && notifications.postings.isEmpty)
        }
    }

    /// A cache with 100 entries, whose next store begins an eviction of four entries in each batch.
    private func withTrim(_ body: (CacheUnderTest) async throws -> Void) async throws {
        var tuning = Tuning.patient
        tuning.batchSize = 4
        try await withImageCache(tuning: tuning) { subject in
            try subject.fill((0..<100).map { "\($0)" })
            subject.storage.config.countLimit = 20
            try await body(subject)
        }
    }

    @Test func `an eviction under way ends if its limit is corrected`() async throws {
        try await withTrim { subject in
            let queue = subject.cache.ioQueue
            queue.queue.suspend()
            subject.cache.storeToDisk(.blob(1), forKey: "new", completionHandler: nil)
            queue.async { subject.storage.config.countLimit = 1_000 }
            queue.queue.resume()
            await subject.settle()
            try #expect(subject.storage.totals().entries == 97)
        }
    }

    @Test(arguments: [false, true])
    func `an eviction under way opens no index that another cache closes or deletes`(isDeleted: Bool) async throws {
        try await withTrim { subject in
            let queue = subject.cache.ioQueue
            queue.queue.suspend()
            subject.cache.storeToDisk(.blob(1), forKey: "new", completionHandler: nil)
            queue.async {
                subject.storage.close()
                if isDeleted { try? FileManager.default.removeItem(at: subject.storage.directoryURL) }
            }
            queue.queue.resume()
            await subject.settle()
            #expect(!subject.storage.store.index.isOpen)
            #expect(subject.disk.isThere(subject.storage.directoryURL.path) != isDeleted)
            try #expect(subject.storage.totals().entries == (isDeleted ? 0 : 97))
        }
    }

    @Test func `a store while an eviction goes down to a former limit keeps the present one`() async throws {
        try await withTrim { subject in
            let queue = subject.cache.ioQueue
            queue.queue.suspend()
            subject.cache.storeToDisk(.blob(1), forKey: "new", completionHandler: nil)
            queue.async { subject.storage.config.countLimit = 4 }
            subject.cache.storeToDisk(.blob(1), forKey: "last", completionHandler: nil)
            queue.queue.resume()
            await subject.settle()
            try await eventually { try subject.storage.totals().entries == 2 }
        }
    }

    @Test func `a clean under way goes down to a corrected limit`() async throws {
        try await withTrim { subject in
            let queue = subject.cache.ioQueue
            let commits = Locked(0)
            subject.disk.beforeCommit {
                commits.withLock { $0 += 1 }
                // The second batch of the eviction.
                if commits.withLock({ $0 }) == 2 { subject.storage.config.countLimit = 90 }
                return true
            }
            queue.queue.suspend()
            subject.cache.cleanExpiredDiskCache(completion: nil)
            queue.queue.resume()
            await subject.settle()
            try #expect(subject.storage.totals().entries == 45)
        }
    }

    @Test func `an eviction under way does not open an index that is closed`() async throws {
        try await withTrim { subject in
            let (queue, closed) = (subject.cache.ioQueue, Locked(false))
            queue.queue.suspend()
            subject.cache.storeToDisk(.blob(1), forKey: "new", completionHandler: nil)
            subject.cache.close { closed.withLock { $0 = true } }
            queue.queue.resume()
            try await eventually { closed.withLock { $0 } }
            await subject.hop()
            await subject.hop()
            #expect(!subject.storage.store.index.isOpen)
            try #expect(subject.storage.totals().entries == 97)
        }
    }

    @Test func `a limit set later counts from the next store on`() async throws {
        try await withImageCache { subject in
            try subject.fill((0..<400).map { "\($0)" })
            subject.storage.config.sizeLimit = 1_000
            // That many stores in one millisecond share a stamp.
            subject.clock.advance(by: 1)
            try await subject.cache.storeToDisk(.blob(1), forKey: "new")
            // In batches, so that other calls run in between.
            try await eventually { try subject.storage.totalSize() <= 500 }
            #expect(subject.storage.isCached(forKey: "new"))
        }
    }

    @Test func `many stores never exceed the limit by more than one entry`() async throws {
        try await withImageCache(configure: { $0.sizeLimit = 40_000 }) { subject in
            let highest = Locked<UInt>(0)
            let calls = Calls<Void>()
            let clock = subject.clock
            for number in 0..<5_000 {
                subject.cache.storeToDisk(.blob(number, count: 100), forKey: "\(number)") { _ in
                    let total = (try? subject.storage.totalSize()) ?? .max
                    highest.withLock { $0 = max($0, total) }
                    // Gives the stores distinct times: a tenth of a second has room for only a hundred stamps.
                    clock.advance(by: 1)
                    calls.record(())
                }
            }
            _ = await calls.first()
            while calls.count < 5_000 { await subject.hop() }
            #expect(highest.withLock { $0 } <= 40_100)
            await subject.settle()
            try #expect(subject.storage.totalSize() <= 40_000)
            #expect(subject.storage.isCached(forKey: "4999"))
        }
    }

    @Test func `stores succeed even if evictions fail`() async throws {
        try await withImageCache(configure: { $0.sizeLimit = 1_000 }) { subject in
            try subject.fill((0..<10).map { "\($0)" })
            subject.disk.fileSystem.fail(.rename, EPERM, times: nil, path: "trash/")
            for number in 10..<15 {
                let result = await subject.once {
                    subject.cache.storeToDisk(.blob(1), forKey: "\(number)", completionHandler: $0)
                }
                #expect(result.value.diskCacheResult.error == nil)
            }
            subject.disk.fileSystem.heal()
            await subject.cache.cleanExpiredDiskCache()
            #expect(try subject.storage.totalSize() <= 500)
        }
    }
}

extension CacheFixture {
    /// Pins all entries with SQL, as the user of `sqlite3` can.
    fileprivate func pinEverything() throws {
        settle()
        try Connection(path: index.path).execute("UPDATE entries SET pinned = 1")
    }
}
