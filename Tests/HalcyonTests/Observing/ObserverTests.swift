import Foundation
import HalcyonSQLite
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// The events that an observer receives.
@Suite struct ObserverTests {
    private typealias Event = DiskStorage.Event

    private final class Events: Sendable {
        private let all = Locked<[DiskStorage.Event]>([])
        func note(_ event: DiskStorage.Event) { all.withLock { $0.append(event) } }

        func take() -> [DiskStorage.Event] {
            all.withLock { all in
                defer { all = [] }
                return all
            }
        }

        /// Events from another thread; waits for at most a minute.
        func waitFor(_ kind: DiskStorage.Event.Kind) -> DiskStorage.Event? {
            for _ in 0..<60_000 {
                if let event = take().first(where: { $0.kind == kind }) { return event }
                Thread.sleep(forTimeInterval: 0.001)
            }
            return nil
        }

        var kinds: [String] { take().map(\.kind.rawValue) }
    }

    private func observed(
        withKeys: Bool = false, tuning: Tuning = .patient,
        configure: @escaping (inout DiskStorage.Config) -> Void = { _ in }
    ) throws -> (CacheFixture, Events) {
        let events = Events()
        let cache = try CacheFixture(tuning: tuning) { config in
            config.observer = { events.note($0) }
            config.observesKeys = withKeys
            configure(&config)
        }
        cache.settle()
        return (cache, events)
    }

    @Test func `an observer's calls wait as long as any, also if the reported call does not`() async throws {
        let waits = Locked<[Bool]>([])
        let disk = try CacheFixture { config in
            config.observer = { event in
                if event.kind == .failure { waits.withLock { $0.append(!LockTimeout.isBrief) } }
            }
        }
        let cache = ImageCache(memoryStorage: CacheUnderTest.memory(clock: disk.clock), diskStorage: disk.storage)
        await cache.suspend()
        await #expect(throws: KingfisherError.self) { try await cache.diskStorageSize }
        #expect(waits.withLock { !$0.isEmpty && !$0.contains(false) })
        cache.resume()
    }

    @Test func `a load of a pending store or removal is reported with its key`() async throws {
        let (disk, events) = try observed(withKeys: true)
        let cache = ImageCache(memoryStorage: CacheUnderTest.memory(clock: disk.clock), diskStorage: disk.storage)
        let gate = DispatchSemaphore(value: 0)
        cache.ioQueue.async { gate.wait() }
        cache.storeToDisk(Pictures.small[0], forKey: "p", completionHandler: nil)
        cache.removeImage(forKey: "q", completionHandler: nil)
        _ = try await cache.retrieveImageInDiskCache(forKey: "p")
        _ = try await cache.retrieveImageInDiskCache(forKey: "q")
        let seen = events.take().filter { [.hit, .miss].contains($0.kind) }
        #expect(seen.map(\.key) == ["p", "q"])
        gate.signal()
        await withCheckedContinuation { continuation in cache.onceDone { continuation.resume() } }
    }

    @Test func `each read, store and removal is reported as an event`() throws {
        let (cache, events) = try observed()
        let storage = cache.storage
        try storage.store(value: .blob(1), forKey: "a")
        _ = try storage.value(forKey: "a")
        _ = try storage.value(forKey: "b")
        _ = storage.isCached(forKey: "a")
        _ = try storage.cachedValue(forKey: "a")
        try storage.remove(forKey: "a")
        try storage.remove(forKey: "a")
        let all = events.take()
        #expect(all.map(\.kind) == [.store, .hit, .miss, .hit, .removal])
        #expect(all.map(\.bytes) == [100, 100, 0, 100, 100] && all.allSatisfy { $0.count == 1 && $0.key == nil })
    }

    @Test func `events contain keys only on request`() throws {
        let (cache, events) = try observed(withKeys: true)
        try cache.storage.store(value: .blob(1), forKey: "a")
        _ = try cache.storage.value(forKey: "a")
        _ = try cache.storage.value(forKey: "b")
        try cache.storage.remove(forKey: "a")
        #expect(events.take().map(\.key) == ["a", "a", "b", "a"])
    }

    @Test func `a batch of removals is reported with number, bytes and age`() throws {
        let (cache, events) = try observed { $0.sizeLimit = 1_000 }
        let storage = cache.storage
        for number in 0..<12 {
            try storage.store(value: .blob(number), forKey: "\(number)", expiration: .days(number < 2 ? 1 : 9))
        }
        _ = events.take()
        cache.clock.advance(by: 10)
        #expect(try storage.removeSizeExceededValues().count == 7)
        let eviction = try #require(events.take().first)
        #expect(eviction.kind == .eviction && eviction.count == 7 && eviction.bytes == 700)
        #expect(eviction.seconds > 69 && eviction.seconds < 71)
        try storage.store(value: .blob(1), forKey: "short", expiration: .seconds(5))
        cache.clock.advance(by: 6)
        #expect(try storage.removeExpiredValues().count == 1)
        #expect(events.kinds == ["store", "expiration"])
        try storage.update(.init(tags: ["t"]), forKey: "11")
        #expect(try storage.removeEntries(matching: .init(tag: "t")).count == 1)
        try storage.removeAll()
        let removals = events.take()
        #expect(removals.map(\.kind) == [.removal, .removal] && removals.map(\.count) == [1, 4])
    }

    @Test func `an image that cannot be serialized is reported, also after a fetch`() async throws {
        let (disk, events) = try observed()
        let cache = ImageCache(memoryStorage: CacheUnderTest.memory(clock: disk.clock), diskStorage: disk.storage)
        let image = try Pictures.image(0)
        _ = try await cache.retrieveImage(forKey: "a", options: [.cacheSerializer(NoSerializer())]) { .init(image) }
        try await cache.flush()
        #expect(events.take().filter { $0.kind == .failure }.map(\.error?.code) == [.unconvertibleValue])
    }

    @Test func `a removal is reported with its key if the index does not know it`() throws {
        let (cache, events) = try observed(withKeys: true) { $0.storesKeys = false }
        try cache.storage.store(value: .blob(1), forKey: "a")
        try cache.storage.remove(forKey: "a")
        #expect(events.take().map(\.key) == ["a", "a"])
    }

    @Test func `evictions for a full disk are counted and reported like others`() throws {
        let (cache, events) = try observed { $0.sizeLimit = 300 }
        for number in 0..<5 { try cache.storage.store(value: .blob(number), forKey: "\(number)") }
        cache.clock.advance(by: 10)
        cache.settle()
        _ = events.take()
        cache.fileSystem.fail(.rename, ENOSPC, times: nil, path: "/trash/")
        try cache.storage.remove(forKey: "0")
        #expect(try cache.storage.removeSizeExceededValues().count == 3)
        let told = events.take()
        #expect(told.map(\.kind) == [.removal, .eviction])
        #expect(told.map(\.count) == [1, 3] && told.map(\.bytes) == [100, 300])
        #expect(told.last?.seconds ?? 0 > 29)
        let counts = try cache.storage.statistics.total
        #expect(counts.removals == 1 && counts.evictions == 3 && counts.bytesEvicted == 300)
        #expect(counts.millisecondsUnusedBeforeEviction > 29_000)
        try cache.requireClean()
    }

    @Test func `errors are reported without a key, and repaired damage is reported`() throws {
        let (cache, events) = try observed(withKeys: true)
        try cache.storage.store(value: .blob(1), forKey: "secret")
        _ = events.take()
        cache.fileSystem.fail(.createFile, EIO, times: nil)
        #expect(throws: KingfisherError.self) { try cache.storage.store(value: .blob(2), forKey: "secret") }
        let failure = try #require(events.take().first { $0.kind == .failure })
        #expect(failure.error?.code == .fileSystem && failure.error?.description.contains("secret") == false)
        cache.fileSystem.heal()
        cache.storage.store.close()
        try Data(repeating: 7, count: 9_000).write(to: cache.index)
        #expect(try cache.storage.value(forKey: "secret") == .blob(1))
        #expect(events.waitFor(.repair) != nil)
    }

    @Test func `a clean or a clear that fails is reported`() async throws {
        try await withImageCache { subject in
            let events = Locked<[DiskStorage.Event]>([])
            subject.storage.config.observer = { event in events.withLock { $0.append(event) } }
            func failures() -> [CacheStorageError.Code?] {
                events.replace(with: []).filter { $0.kind == .failure }.map { $0.error?.code }
            }
            try await subject.cache.storeToDisk(.blob(1), forKey: "a", expiration: .seconds(10))
            subject.clock.advance(by: 20)
            subject.disk.fileSystem.fail(.rename, EACCES, times: nil, path: "/trash/")
            await subject.cache.cleanExpiredDiskCache()
            #expect(failures() == [.fileSystem])
            await subject.cache.clearDiskCache()
            #expect(failures() == [.fileSystem])
            subject.disk.fileSystem.heal()
            await subject.cache.clearDiskCache()
            #expect(failures() == [])
            #expect(try subject.storage.totalSize() == 0)
        }
    }

    @Test func `a conversion for which another disk has no space is no failure of the cache's disk`() throws {
        struct Full: DataTransformable, Sendable {
            func toData() throws -> Data { Data([1]) }
            static func fromData(_ data: Data) throws -> Self {
                throw CocoaError(.fileWriteOutOfSpace, userInfo: [NSUnderlyingErrorKey: POSIXError(.ENOSPC)])
            }
            static let empty = Self()
        }
        let (cache, events) = try observed()
        let storage = DiskStorage.Backend<Full>(
            noThrowConfig: cache.config, creatingDirectory: true, environment: cache.environment)
        try storage.store(value: .empty, forKey: "a")
        #expect(throws: KingfisherError.self) { try storage.value(forKey: "a") }
        #expect(events.take().compactMap(\.error?.code) == [.unconvertibleValue])
    }

    @Test func `errors from before the storage is reached are reported`() throws {
        struct Unconvertible: DataTransformable, Sendable, Error {
            let secret = "secret"
            func toData() throws -> Data { throw self }
            static func fromData(_ data: Data) throws -> Self { Self() }
            static let empty = Self()
        }
        let (cache, events) = try observed()
        let unconvertible = DiskStorage.Backend<Unconvertible>(
            noThrowConfig: cache.config, creatingDirectory: true, environment: cache.environment)
        #expect(throws: KingfisherError.self) { try unconvertible.store(value: .empty, forKey: "a") }
        let failures = events.take()
        #expect(failures.map(\.error?.code) == [.unconvertibleValue])
        #expect(failures.first?.error?.description.contains("secret") == false)
        let file = cache.folder.url.appendingPathComponent("file")
        try Data().write(to: file)
        var config = DiskStorage.Config(name: "test", sizeLimit: 0, directory: file)
        config.observer = cache.config.observer
        let error = #expect(throws: KingfisherError.self) {
            try DiskStorage.Backend<Data>(
                config: .init(name: "test", sizeLimit: 0, directory: file.appendingPathComponent("deeper")))
        }
        guard case .cacheError(.cannotCreateDirectory(_, let cause as CacheStorageError)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(cause.code == .fileSystem && cause.errnoCode == ENOTDIR)
        let blocked = DiskStorage.Backend<Data>(
            noThrowConfig: config, creatingDirectory: true, environment: cache.environment)
        #expect(throws: KingfisherError.self) { try blocked.store(value: .blob(1), forKey: "a") }
        #expect(events.take().map(\.error?.errnoCode) == [EEXIST])
    }

    @Test func `a removal of many entries is counted batch by batch`() throws {
        var tuning = Tuning.patient
        tuning.batchSize = 2
        let (cache, events) = try observed(tuning: tuning)
        let (storage, log) = (cache.storage, cache.storage.store.recorder.log)
        let counts = Locked<Set<Int64>>([])
        for number in 0..<6 {
            try storage.store(value: .blob(number), forKey: "\(number)", expiration: .seconds(number < 3 ? 5 : 500))
        }
        cache.clock.advance(by: 9)
        cache.fileSystem.observe { _, _ in
            let counted = log.withLock { $0.counts.expirations + $0.counts.removals }
            counts.withLock { _ = $0.insert(counted) }
        }
        #expect(try storage.removeExpiredValues().count == 3)
        #expect(counts.replace(with: []).isSuperset(of: [0, 2]))
        try storage.removeAll()
        cache.fileSystem.observe(nil)
        #expect(counts.withLock { $0 }.contains(5))
        #expect(events.take().filter { [.removal, .expiration].contains($0.kind) }.map(\.count) == [3, 3])
        let total = try storage.statistics.total
        #expect(total.expirations == 3 && total.removals == 3)
    }

    @Test func `a wait for another process is reported with its duration`() throws {
        var tuning = Tuning.patient
        tuning.briefTimeout = 20
        let (cache, events) = try observed(tuning: tuning)
        try cache.storage.store(value: .blob(1), forKey: "a")
        cache.settle()
        _ = events.take()
        let other = try Connection(path: cache.index.path)
        try other.execute("BEGIN IMMEDIATE")
        let storage = cache.storage
        let store = Thread { try? storage.store(value: .blob(2), forKey: "b") }
        store.start()
        while !storage.store.index.patience.isRefused { usleep(1_000) }
        other.rollBack()
        while !storage.isCached(forKey: "b") { sched_yield() }
        cache.settle()
        let wait = try #require(events.waitFor(.wait))
        #expect(wait.seconds > 0.01 && wait.count == 0)
    }

    @Test func `a released storage receives no events, and two on a folder receive those of both`() throws {
        let (cache, events) = try observed()
        let others = Events()
        var config = cache.config
        config.observer = { others.note($0) }
        var environment = StorageEnvironment()
        environment.isShared = true
        var first: DiskStorage.Backend<Data>? = .init(
            noThrowConfig: config, creatingDirectory: true, environment: environment)
        let second = DiskStorage.Backend<Data>(
            noThrowConfig: config, creatingDirectory: true, environment: environment)
        try second.store(value: .blob(1), forKey: "a")
        #expect(others.kinds == ["store", "store"])
        first = nil
        try second.store(value: .blob(1), forKey: "a")
        #expect(others.kinds == ["store"])
        second.config.observer = nil
        try second.store(value: .blob(1), forKey: "a")
        #expect(others.kinds == [] && events.kinds == [])
        _ = first
    }

    @Test func `an observer may call the storage during any event`() throws {
        let (storage, told) = (Locked<DiskStorage.Backend<Data>?>(nil), Locked<Set<String>>([]))
        let cache = try CacheFixture { config in
            config.observer = { event in
                guard told.withLock({ $0.insert(event.kind.rawValue).inserted }) else { return }
                try? storage.withLock { $0 }?.store(value: .blob(9), forKey: "of the observer")
                _ = try? storage.withLock { $0 }?.usage()
            }
        }
        storage.withLock { $0 = cache.storage }
        defer { storage.withLock { $0 = nil } }
        try cache.storage.store(value: .blob(1), forKey: "a")
        _ = try cache.storage.value(forKey: "a")
        _ = try cache.storage.value(forKey: "none")
        try cache.storage.remove(forKey: "a")
        try cache.storage.removeAll()
        cache.storage.store.close()
        try Data(repeating: 7, count: 9_000).write(to: cache.index)
        _ = try cache.storage.value(forKey: "a")
        for _ in 0..<60_000 where !told.withLock({ $0.contains("repair") }) { Thread.sleep(forTimeInterval: 0.001) }
        #expect(told.withLock { $0 }.isSuperset(of: ["store", "hit", "miss", "removal", "repair"]))
    }
}
