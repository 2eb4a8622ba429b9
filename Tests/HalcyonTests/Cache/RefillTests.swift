import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// A load that is overtaken must not bring stale images back into memory.
@Suite(.endsEvenIfItHangs) struct RefillTests {
    /// Starts a load of "a", runs an action after its bytes are read and before they are decoded, and lets the load end.
    private func overtake(
        _ subject: CacheUnderTest, _ options: KingfisherOptionsInfo, by change: @escaping @Sendable (ImageCache) -> Void
    ) async throws -> KFCrossPlatformImage? {
        let (cache, calls) = (subject.cache, Calls<KFCrossPlatformImage?>())
        try await cache.storeToDisk(Pictures.small[0], forKey: "a")
        let serializer = HookedSerializer(beforeLoading: { change(cache) })
        cache.retrieveImage(forKey: "a", options: options + [.cacheSerializer(serializer)], callbackQueue: .untouch) {
            calls.record((try? $0.get())?.image)
        }
        let loaded = await calls.first().value
        await subject.settle()
        #expect(calls.count == 1)
        return loaded
    }

    static let ways: [KingfisherOptionsInfo] = [[], [.backgroundDecode], [.loadDiskFileSynchronously]]

    @Test(arguments: ways) func `an overtaken load does not replace an image stored meanwhile`(
        options: KingfisherOptionsInfo
    ) async throws {
        try await withImageCache { subject in
            let newer = try Pictures.image(1)
            let loaded = try await overtake(subject, options) { $0.store(newer, forKey: "a", completionHandler: nil) }
            #expect(loaded?.number == 0)
            #expect(subject.cache.retrieveImageInMemoryCache(forKey: "a") === newer)
            #expect(try subject.storage.value(forKey: "a") == Pictures.small[1])
        }
    }

    @Test(arguments: ways) func `an overtaken load does not bring back a removed image`(options: KingfisherOptionsInfo)
        async throws
    {
        try await withImageCache { subject in
            _ = try await overtake(subject, options) { $0.removeImage(forKey: "a", completionHandler: nil) }
            #expect(!subject.cache.isCached(forKey: "a"))
            _ = try await overtake(subject, options) {
                $0.removeImage(forKey: "a", fromDisk: false, completionHandler: nil)
            }
            #expect(subject.cache.imageCachedType(forKey: "a") == .disk)
        }
    }

    @Test(arguments: ways) func `an overtaken load does not refill a cleared cache`(options: KingfisherOptionsInfo)
        async throws
    {
        try await withImageCache { subject in
            _ = try await overtake(subject, options) { $0.clearCache(completion: nil) }
            #expect(!subject.cache.isCached(forKey: "a"))
            _ = try await overtake(subject, options) { $0.clearMemoryCache() }
            #expect(subject.cache.imageCachedType(forKey: "a") == .disk)
        }
    }

    @Test(arguments: [false, true]) func `an overtaken load does not refill the memory of an app in the background`(
        keeps: Bool
    ) async throws {
        try await withImageCache { subject in
            subject.cache.memoryStorage.config.keepWhenEnteringBackground = keeps
            _ = try await overtake(subject, []) { $0.releaseMemoryInBackground() }
            #expect(subject.cache.imageCachedType(forKey: "a") == (keeps ? .memory : .disk))
        }
    }

    @Test(arguments: ways) func `changes of other keys do not keep a load out of memory`(options: KingfisherOptionsInfo)
        async throws
    {
        try await withImageCache { subject in
            let other = try Pictures.image(1)
            let loaded = try await overtake(subject, options) { cache in
                cache.store(other, forKey: "b", completionHandler: nil)
                cache.removeImage(forKey: "c", completionHandler: nil)
                cache.cleanExpiredCache(completion: nil)
            }
            #expect(subject.cache.retrieveImageInMemoryCache(forKey: "a") === loaded)
        }
    }

    @Test func `loads during a removal put images into memory, and those that it removes leave it`() async throws {
        try await withImageCache { subject in
            let cache = subject.cache
            for (number, key) in ["a", "b"].enumerated() {
                try await cache.storeToDisk(Pictures.small[number], forKey: key)
            }
            try subject.storage.update(.init(tags: ["doomed"]), forKey: "a")
            cache.ioQueue.queue.suspend()
            let removal = Task { try await cache.removeImages(matching: .init(tag: "doomed")) }
            while cache.order.isIdle { await Task.yield() }
            for key in ["a", "b"] {
                _ = try await cache.retrieveImage(forKey: key)
                #expect(cache.imageCachedType(forKey: key) == .memory)
            }
            cache.ioQueue.queue.resume()
            _ = try await removal.value
            #expect(!cache.isCached(forKey: "a") && cache.imageCachedType(forKey: "b") == .memory)
        }
    }

    @Test func `loads during a clear put what was stored since into memory`() async throws {
        try await withImageCache { subject in
            let cache = subject.cache
            cache.ioQueue.queue.suspend()
            let clear = Task { await cache.clearCache() }
            while cache.order.isIdle { await Task.yield() }
            while cache.order.latestChange(of: cache.blob(of: "a", .init(nil))) == 0 { await Task.yield() }
            cache.storeToDisk(Pictures.small[1], forKey: "a", completionHandler: nil)
            _ = try await cache.retrieveImage(forKey: "a")
            #expect(cache.imageCachedType(forKey: "a") == .memory)
            cache.ioQueue.queue.resume()
            await clear.value
            #expect(cache.imageCachedType(forKey: "a") == .memory)
        }
    }

    @Test func `a load on the caller's thread while a removal waits for its turn finds nothing`() async throws {
        try await withImageCache { subject in
            let cache = subject.cache
            for clears in [false, true] {
                try await cache.store(Pictures.image(), forKey: "a")
                cache.ioQueue.queue.suspend()
                if clears {
                    cache.clearCache(completion: nil)
                } else {
                    cache.removeImage(forKey: "a", completionHandler: nil)
                }
                let found = Locked<CacheType?>(nil)
                cache.retrieveImage(forKey: "a", options: [.loadDiskFileSynchronously], callbackQueue: .untouch) {
                    let type = (try? $0.get())?.cacheType
                    found.withLock { $0 = type }
                }
                #expect(found.withLock { $0 } == CacheType.none)
                cache.ioQueue.queue.resume()
                await subject.settle()
                #expect(!cache.isCached(forKey: "a"))
            }
        }
    }

    @Test func `a load after a pending removal and a store puts the stored image into memory`() async throws {
        try await withImageCache { subject in
            let cache = subject.cache
            for clears in [false, true] {
                cache.ioQueue.queue.suspend()
                if clears {
                    cache.clearCache(completion: nil)
                } else {
                    cache.removeImage(forKey: "a", completionHandler: nil)
                }
                cache.storeToDisk(Pictures.small[2], forKey: "a", completionHandler: nil)
                let calls = Calls<CacheType?>()
                cache.retrieveImage(forKey: "a") { calls.record((try? $0.get())?.cacheType) }
                cache.ioQueue.queue.resume()
                #expect(await calls.first().value == .disk)
                #expect(cache.retrieveImageInMemoryCache(forKey: "a")?.number == 2)
                await cache.clearCache()
            }
        }
    }

    /// A cache whose memory calls a hook for the time, at each store and lookup: the hook acts at exactly that moment.
    private func withHookedClock(_ body: (CacheUnderTest, Locked<(@Sendable () -> Void)?>) async throws -> Void)
        async throws
    {
        let hook = Locked<(@Sendable () -> Void)?>(nil)
        let config = MemoryStorage.Config(totalCostLimit: 0, cleanInterval: 0)
        let now = Date()
        let memory = ImageMemory(config: config) {
            hook.withLock { $0.take() }?()
            return now
        }
        try await withImageCache(making: { ImageCache(memoryStorage: memory, diskStorage: $1) }) { subject in
            try await body(subject, hook)
        }
    }

    @Test(arguments: [false, true]) func `a load that begins during a store does not undo it`(
        waitsItsTurn: Bool
    ) async throws {
        try await withHookedClock { subject, hook in
            let (cache, newer) = (subject.cache, try Pictures.image(1))
            try await cache.storeToDisk(Pictures.small[0], forKey: "a")
            let calls = Calls<Void>()
            hook.withLock { hook in
                hook = {
                    Thread.detachNewThread {
                        let way: KingfisherOptionsInfo = waitsItsTurn ? [] : [.loadDiskFileSynchronously]
                        cache.retrieveImage(forKey: "a", options: way, callbackQueue: .untouch) { _ in
                            calls.record(())
                        }
                    }
                    // Gives a load that does not wait for the store time to finish.
                    usleep(10_000)
                }
            }
            cache.store(newer, forKey: "a", completionHandler: nil)
            _ = await calls.first()
            #expect(cache.retrieveImageInMemoryCache(forKey: "a") === newer)
        }
    }

    /// Loads once more before the disk is cleared, as another thread might.
    private final class LateReader: ImageCache, @unchecked Sendable {
        override func clearDiskCache(completion handler: (@Sendable () -> Void)? = nil) {
            retrieveImage(forKey: "a", callbackQueue: .untouch) { _ in }
            super.clearDiskCache(completion: handler)
        }

        override func clearDiskCache() async {
            _ = try? await retrieveImage(forKey: "a")
            await super.clearDiskCache()
        }
    }

    @Test func `a load between clearing the memory and clearing the disk leaves memory empty`() async throws {
        try await withImageCache(making: { LateReader(memoryStorage: $0, diskStorage: $1) }) { subject in
            let cache = subject.cache
            try await cache.storeToDisk(Pictures.small[0], forKey: "a")
            await subject.onceDone { cache.clearCache(completion: $0) }
            #expect(!cache.isCached(forKey: "a"))
            try await cache.storeToDisk(Pictures.small[0], forKey: "a")
            await cache.clearCache()
            #expect(!cache.isCached(forKey: "a"))
        }
    }

    /// Stores once more before the disk is cleared, and again after it, as another thread might.
    private final class LateWriter: ImageCache, @unchecked Sendable {
        let images: [KFCrossPlatformImage] = (1...2).compactMap { try? Pictures.image($0) }

        override func clearDiskCache(completion handler: (@Sendable () -> Void)? = nil) {
            store(images[0], forKey: "before", completionHandler: nil)
            super.clearDiskCache(completion: handler)
            store(images[1], forKey: "after", completionHandler: nil)
        }

        override func clearDiskCache() async {
            store(images[0], forKey: "before", completionHandler: nil)
            await super.clearDiskCache()
            store(images[1], forKey: "after", completionHandler: nil)
        }
    }

    @Test(arguments: [false, true])
    func `memory keeps nothing that was stored between clearing the memory and clearing the disk`(
        isAsync: Bool
    ) async throws {
        try await withImageCache(making: { LateWriter(memoryStorage: $0, diskStorage: $1) }) { subject in
            let cache = subject.cache
            if isAsync {
                await cache.clearCache()
            } else {
                await subject.onceDone { cache.clearCache(completion: $0) }
            }
            await subject.settle()
            #expect(!cache.isCached(forKey: "before"))
            #expect(cache.imageCachedType(forKey: "after") == .memory && subject.storage.isCached(forKey: "after"))
        }
    }

    #if os(Linux)
        @Test func `memory keeps nothing that was stored while matching images were removed from it`() async throws {
            try await withImageCache { subject in
                let (cache, late) = (subject.cache, try Pictures.image(1))
                try {
                    let image = try Self.image(Pictures.small[0]) {
                        cache.store(late, forKey: "a late", completionHandler: nil)
                        cache.store(late, forKey: "late", completionHandler: nil)
                    }
                    cache.store(image, forKey: "a", toDisk: false, completionHandler: nil)
                }()
                try await cache.removeImages(matching: .init(keyPrefix: "a"))
                #expect(!cache.isCached(forKey: "a late"))
                #expect(cache.imageCachedType(forKey: "late") == .memory)
            }
        }

        /// Returns an image that runs `end` when it is released.
        private static func image(_ file: Data, end: @escaping @Sendable () -> Void) throws -> KFCrossPlatformImage {
            let bytes = UnsafeMutableRawPointer.allocate(byteCount: file.count, alignment: 1)
            file.copyBytes(to: bytes.assumingMemoryBound(to: UInt8.self), count: file.count)
            let data = Data(
                bytesNoCopy: bytes, count: file.count,
                deallocator: .custom { bytes, _ in
                    end()
                    bytes.deallocate()
                })
            return try #require(KFCrossPlatformImage(data: data))
        }

        private func rowID(of key: String, _ cache: ImageCache) -> Int64 {
            cache.blob(of: key, .init(nil)).name.rowID
        }

        @Test func `a load that ends while a removal takes images out of memory brings none back`() async throws {
            try await withImageCache { subject in
                let (cache, hasRead) = (subject.cache, Calls<Void>())
                let (gate, hasLoaded) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
                // In the order in which they leave memory.
                let keys = ["a", "b", "c"].sorted { rowID(of: $0, cache) < rowID(of: $1, cache) }
                for key in keys {
                    try await cache.storeToDisk(Pictures.small[0], forKey: key)
                    try subject.storage.update(.init(tags: ["doomed"]), forKey: key)
                }
                let serializer = HookedSerializer(beforeLoading: {
                    hasRead.record(())
                    gate.wait()
                })
                let options: KingfisherOptionsInfo = [.cacheSerializer(serializer)]
                try {
                    let image = try Self.image(Pictures.small[0]) {
                        gate.signal()
                        hasLoaded.wait()
                    }
                    cache.store(image, forKey: keys[2], toDisk: false, completionHandler: nil)
                }()
                await subject.settle()
                cache.ioQueue.queue.suspend()
                let removal = Task { try await cache.removeImages(matching: .init(tag: "doomed")) }
                while cache.order.isIdle { await Task.yield() }
                cache.retrieveImage(forKey: keys[0], options: options, callbackQueue: .untouch) { _ in
                    hasLoaded.signal()
                }
                _ = await hasRead.first()
                cache.ioQueue.queue.resume()
                _ = try await removal.value
                #expect(cache.imageCachedType(forKey: keys[0]) == .none)
            }
        }

        @Test func `an image that a load evicts from memory may call the cache from its deinit`() async throws {
            try await withImageCache { subject in
                let (cache, file) = (subject.cache, Pictures.small[0])
                cache.memoryStorage.config.countLimit = 1
                try await cache.storeToDisk(file, forKey: "b")
                let gone = Calls<Void>()
                try {
                    let image = try Self.image(file) {
                        cache.removeImage(forKey: "c", completionHandler: nil)
                        gone.record(())
                    }
                    cache.store(image, forKey: "a", toDisk: false, completionHandler: nil)
                }()
                #expect(try await subject.load("b").cacheType == .disk)
                _ = await gone.first()
            }
        }
    #endif

    @Test func `an image that a batched removal takes out of memory may call the cache from its deinit`() throws {
        let order = CallOrder()
        let memory = MemoryFixture(of: Token.self)
        var begin = 0
        order.beginChangeOfAll { begin = $0 }
        let isGone = Locked(false)
        memory.storage.store(
            value: Token {
                // The first step of every store.
                order.change(DiskLoad.Blob(key: MemoryKey("a"), name: BlobName(text: "a"), baseKey: "a")) {}
                isGone.withLock { $0 = true }
            }, forKey: "a")
        order.remove(MemoryKey("a"), unlessChangedSince: begin) { memory.storage.take(MemoryKey("a")) }
        #expect(isGone.withLock { $0 })
        order.endChangeOfAll(begin)
        #expect(order.isIdle)
    }

    @Test func `the end of one removal forgets no image that was stored during another one`() {
        let order = CallOrder()
        let blob = DiskLoad.Blob(key: MemoryKey("a"), name: BlobName(text: "a"), baseKey: "a")
        var isRemoved = false
        let begin = order.beginChangeOfAll()
        let other = order.beginChangeOfAll()
        order.change(blob) { nil }
        order.endChangeOfAll(other)
        order.remove(blob.key, unlessChangedSince: begin) {
            isRemoved = true
            return nil
        }
        order.endChangeOfAll(begin)
        #expect(!isRemoved && order.isIdle)
    }

    @Test func `removals that always overlap keep no key that changed before all of them`() {
        let order = CallOrder()
        var removal = order.beginChangeOfAll()
        for number in 0..<20 {
            let key = MemoryKey("\(number)")
            order.change(DiskLoad.Blob(key: key, name: BlobName(text: key.text), baseKey: key.text)) { nil }
            let next = order.beginChangeOfAll()
            order.endChangeOfAll(removal)
            #expect(order.keyCount == 0)
            removal = next
        }
        order.endChangeOfAll(removal)
        #expect(order.isIdle)
    }

    @Test func `objects in a replaced configuration may call the cache from their deinit`() throws {
        try withCache { cache in
            let storage = cache.storage
            let isGone = Locked(false)
            _ = {
                let token = Token {
                    _ = storage.config
                    isGone.withLock { $0 = true }
                }
                var config = storage.config
                config.cachePathBlock = { parent, _ in withExtendedLifetime(token) { parent } }
                storage.config = config
            }()
            storage.config = cache.config
            #expect(isGone.withLock { $0 })
        }
    }

    @Test func `a store that is not wanted changes nothing`() throws {
        let order = CallOrder()
        let blob = DiskLoad.Blob(key: MemoryKey("a"), name: BlobName(text: "a"), baseKey: "a")
        var (removal, latest) = (0, 0)
        let change = order.beginChangeOfAll()
        order.begin(blob, storing: nil) { removal = $0 }
        order.endRemoval(removal, of: blob.key)
        func store(_ isWanted: Bool) -> Int {
            var calls = 0
            order.begin(blob, storing: nil) {
                latest = $0
                return isWanted
            } memory: {
                calls += 1
                return nil
            } enqueue: {
                removal = $0
                calls += 1
            }
            return calls
        }
        #expect(store(false) == 0 && latest == 0)
        #expect(store(true) == 2 && store(false) == 0 && latest == removal)
        order.endRemoval(removal, of: blob.key)
        // Loads are not overtaken either, nor is what a removal of all takes from memory.
        let count = order.changeCount
        #expect(store(false) == 0 && order.changeCount == count)
        order.endChangeOfAll(change)
        #expect(order.isIdle)
    }

    @Test func `a change is in memory before its turn on disk can come`() {
        let (order, steps) = (CallOrder(), Locked<[String]>([]))
        let blob = DiskLoad.Blob(key: MemoryKey("a"), name: BlobName(text: "a"), baseKey: "a")
        order.begin(
            blob, storing: nil,
            memory: {
                steps.withLock { $0.append("memory") }
                return nil
            }, enqueue: { _ in steps.withLock { $0.append("disk") } })
        #expect(steps.withLock { $0 } == ["memory", "disk"])
    }

    @Test func `no state is kept of completed loads and changes`() throws {
        let order = CallOrder()
        for key in ["a", "b"] {
            let blob = DiskLoad.Blob(key: MemoryKey(key), name: BlobName(text: key), baseKey: key)
            let member = DiskLoad.Member(options: .init(nil), entersMemory: true) { _ in }
            let (load, isNew) = try #require(order.admit(member, of: blob, since: order.changeCount))
            #expect(isNew)
            #expect(order.isIdle == false)
            var number = 0
            order.begin(blob, storing: nil, enqueue: { number = $0 })
            order.endRemoval(number, of: blob.key)
            #expect(order.begin(load) != nil)
            #expect(order.end(load) { _ in nil }.count == 1)
        }
        #expect(order.isIdle)
    }
}
