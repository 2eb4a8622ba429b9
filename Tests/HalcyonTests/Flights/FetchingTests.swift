import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// Values that are fetched once for all callers.
@Suite(.endsEvenIfItHangs) struct FetchingTests {
    private struct Refused: Error {}

    // MARK: Missing values

    @Test func `64 tasks fetch a missing value once, and it is stored`() async throws {
        let (cache, origin) = (try CacheFixture(), Origin(isOpen: false))
        let storage = cache.storage
        try await withThrowingTaskGroup(of: Data.self) { group in
            for _ in 0..<64 {
                group.addTask { try await storage.async.value(forKey: "a") { try await origin.fetch() } }
            }
            try await eventually { try storage.statistics.total.misses == 64 }
            origin.open()
            for try await data in group { #expect(data == .blob(1)) }
        }
        #expect(origin.fetches.withLock { $0 } == 1)
        #expect(try storage.value(forKey: "a") == .blob(1))
        #expect(try storage.entry(forKey: "a")?.tags == ["fetched"])
        let total = try storage.statistics.total
        #expect(total.misses == 64 && total.stores == 1)
    }

    @Test func `a value that is there is not fetched`() async throws {
        let (cache, origin) = (try CacheFixture(), Origin())
        try cache.storage.store(value: .blob(7), forKey: "a")
        let data = try await cache.storage.async.value(forKey: "a") { try await origin.fetch() }
        #expect(data == .blob(7) && origin.fetches.withLock { $0 } == 0)
    }

    @Test func `a failed fetch is not cached`() async throws {
        let (cache, origin) = (try CacheFixture(), Origin())
        await #expect(throws: Refused.self) {
            try await cache.storage.async.value(forKey: "a") { throw Refused() }
        }
        let data = try await cache.storage.async.value(forKey: "a") { try await origin.fetch() }
        #expect(data == .blob(1))
    }

    @Test func `a value that cannot be stored is returned, and one that cannot be read is fetched`() async throws {
        let (cache, origin) = (try CacheFixture(), Origin())
        cache.fileSystem.fail(.createFile, ENOSPC, times: nil)
        var data = try await cache.storage.async.value(forKey: "a") { try await origin.fetch() }
        #expect(data == .blob(1) && !cache.storage.isCached(forKey: "a"))
        cache.fileSystem.heal()
        try cache.storage.store(value: .blob(7), forKey: "a")
        cache.fileSystem.fail(.read, EIO, times: nil)
        data = try await cache.storage.async.value(forKey: "a") { try await origin.fetch(2) }
        #expect(data == .blob(2))
    }

    @Test func `a fetch that requests its own key gets an error`() async throws {
        let cache = try CacheFixture()
        let storage = cache.storage
        await #expect(throws: CacheStorageError.self) {
            try await storage.async.value(forKey: "a") {
                .init(try await storage.async.value(forKey: "a") { .init(Data()) })
            }
        }
    }

    @Test func `a fetch without waiting callers is cancelled`() async throws {
        let (cache, origin) = (try CacheFixture(), Origin(isOpen: false))
        let storage = cache.storage
        let task = Task { try await storage.async.value(forKey: "a") { try await origin.fetch() } }
        try await eventually { origin.fetches.withLock { $0 } == 1 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let data = try await storage.async.value(forKey: "a") { .init(.blob(2)) }
        #expect(data == .blob(2))
    }

    // MARK: Removals

    @Test(arguments: ["key", "all", "prefix", "tag"])
    func `a value whose key is removed during the fetch is not stored, and later tasks fetch again`(
        how: String
    ) async throws {
        let (cache, origin) = (try CacheFixture(), Origin(isOpen: false))
        let storage = cache.storage
        let first = Task { try await storage.async.value(forKey: "a") { try await origin.fetch(1) } }
        try await eventually { origin.fetches.withLock { $0 } == 1 }
        switch how {
        case "key": try storage.remove(forKey: "a")
        case "all": try storage.removeAll()
        case "prefix": try storage.removeEntries(matching: .init(keyPrefix: "a"))
        default:
            try storage.store(value: .blob(9), forKey: "a", attributes: .init(tags: ["t"]))
            try storage.removeEntries(matching: .init(tag: "t"))
        }
        let second = try await storage.async.value(forKey: "a") { .init(.blob(2)) }
        origin.open()
        let old = try await first.value
        #expect(second == .blob(2) && old == .blob(1))
        #expect(try storage.value(forKey: "a") == .blob(2))
    }

    @Test func `what is stored during a fetch stays`() async throws {
        let (cache, origin) = (try CacheFixture(), Origin(isOpen: false))
        let storage = cache.storage
        let first = Task { try await storage.async.value(forKey: "a") { try await origin.fetch(1) } }
        try await eventually { origin.fetches.withLock { $0 } == 1 }
        try storage.store(value: .blob(2), forKey: "b")
        try storage.store(value: .blob(2), forKey: "a")
        let second = try await storage.async.value(forKey: "a") { .init(.blob(3)) }
        origin.open()
        let fetched = try await first.value
        #expect(fetched == .blob(1) && second == .blob(2))
        #expect(try storage.value(forKey: "a") == .blob(2))
    }

    @Test(arguments: [true, false])
    func `a fetch during which files get other names is overtaken too`(isStored: Bool) async throws {
        let cache = try CacheFixture()
        let storage = cache.storage
        let fetched = try await storage.async.value(forKey: "a") {
            storage.config.pathExtension = "x"
            if isStored { try storage.store(value: .blob(2), forKey: "a") } else { try storage.remove(forKey: "a") }
            return .init(.blob(1))
        }
        #expect(fetched == .blob(1))
        #expect(try storage.value(forKey: "a") == (isStored ? .blob(2) : nil))
    }

    @Test(arguments: ["store", "remove", "clear"])
    func `a fetch that begins while a change commits is overtaken too`(change: String) async throws {
        let (cache, origin) = (try CacheFixture(), Origin(isOpen: false))
        let storage = cache.storage
        // A removal leaves nothing to a fetch, but a renewal has found the value.
        let stale = DiskStorage.EntryAttributes(
            validators: .init(maxAge: 0, validatedAt: Date(timeIntervalSince1970: 0)))
        if change != "store" { try storage.store(value: .blob(9), forKey: "a", attributes: stale) }
        cache.settle()
        let fetching = Locked<Task<Data, any Error>?>(nil)
        cache.beforeCommit {
            guard fetching.withLock({ $0 }) == nil else { return true }
            let task = Task {
                try await storage.async.value(forKey: "a") {
                    try await origin.fetch(1)
                } renewing: { _ in
                    .new(try await origin.fetch(1))
                }
            }
            fetching.withLock { $0 = task }
            for _ in 0..<20_000 where origin.fetches.withLock({ $0 }) == 0 { usleep(1_000) }
            return true
        }
        try await onThread {
            switch change {
            case "store": try storage.store(value: .blob(2), forKey: "a")
            case "remove": try storage.remove(forKey: "a")
            default: try storage.removeAll()
            }
        }
        try #require(origin.fetches.withLock { $0 } == 1)
        // It joins no other.
        #expect(storage.flights.count == 0)
        origin.open()
        _ = try await fetching.withLock { $0 }?.value
        #expect(try storage.value(forKey: "a") == (change == "store" ? .blob(2) : nil))
    }

    private func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
        }
    }

    @Test func `a refused store during a fetch changes nothing`() async throws {
        let (cache, origin) = (try CacheFixture(), Origin(isOpen: false))
        let storage = cache.storage
        let fetching = Task { try await storage.async.value(forKey: "a") { try await origin.fetch(1) } }
        try await eventually { origin.fetches.withLock { $0 } == 1 }
        try storage.store(value: .blob(2), forKey: "a", expiration: .expired)
        let name = storage.blobName(forKey: "a", forcedExtension: nil)
        cache.fileSystem.fail(.rename, EIO, times: nil, path: "/" + name.text)
        #expect(throws: KingfisherError.self) { try storage.store(value: .blob(2), forKey: "a") }
        cache.fileSystem.heal()
        #expect(storage.flights.count == 1)
        origin.open()
        _ = try await fetching.value
        #expect(try storage.value(forKey: "a") == .blob(1))
    }

    @Test func `a removal of other keys does not affect a fetch`() async throws {
        let (cache, origin) = (try CacheFixture(), Origin(isOpen: false))
        let storage = cache.storage
        let fetching = Task { try await storage.async.value(forKey: "a") { try await origin.fetch() } }
        try await eventually { origin.fetches.withLock { $0 } == 1 }
        try storage.remove(forKey: "b")
        try storage.removeEntries(matching: .init(keyPrefix: "b"))
        #expect(storage.flights.count == 1)
        origin.open()
        _ = try await fetching.value
        #expect(try storage.value(forKey: "a") == .blob(1))
    }

    @Test func `a store whose key was removed before it got the write lock stores nothing`() throws {
        let cache = try CacheFixture()
        let storage = cache.storage
        let isRemoved = Locked(false)
        func store(_ value: Data) throws {
            let request = try storage.request(
                toStore: value, forKey: "a", named: storage.blobName(forKey: "a", forcedExtension: nil),
                origin: KeyOrigin(baseKey: "a"), expiration: nil, writeOptions: [], attributes: .init())
            var fetched = try #require(request)
            fetched.isWanted = { !isRemoved.withLock { $0 } }
            try storage.store(fetched)
        }
        try store(.blob(1))
        #expect(storage.isCached(forKey: "a"))
        isRemoved.withLock { $0 = true }
        let before = try storage.statistics.total
        try store(.blob(2))
        #expect(storage.peek(storage.blobName(forKey: "a", forcedExtension: nil))?.value == .blob(1))
        #expect(try storage.statistics.total == before)
        try cache.requireClean()
    }

    @Test func `an abandoned fetch that ignores its cancellation stores nothing`() async throws {
        let cache = try CacheFixture()
        let storage = cache.storage
        let (begun, mayEnd, ended) = (Locked(false), Locked(false), Locked(false))
        let task = Task {
            try await storage.async.value(forKey: "a") {
                begun.withLock { $0 = true }
                while !mayEnd.withLock({ $0 }) { await Task.yield() }
                ended.withLock { $0 = true }
                return .init(.blob(1))
            }
        }
        try await eventually { begun.withLock { $0 } }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        _ = try await storage.async.value(forKey: "a") { .init(.blob(2)) }
        mayEnd.withLock { $0 = true }
        try await eventually { ended.withLock { $0 } }
        try await storage.async.perform { _ in }
        #expect(try storage.value(forKey: "a") == .blob(2))
    }

    // MARK: Second looks

    @Test func `a value stored between the miss and the fetch is not fetched, and counts only as a miss`() async throws
    {
        let storage = Locked<DiskStorage.Backend<Data>?>(nil)
        let cache = try CacheFixture { config in
            config.observer = { event in
                guard event.kind == .miss else { return }
                try? storage.withLock { $0 }?.store(value: .blob(7), forKey: "a")
            }
        }
        storage.withLock { $0 = cache.storage }
        defer { storage.withLock { $0 = nil } }
        let data = try await cache.storage.async.value(forKey: "a") { throw Refused() }
        #expect(data == .blob(7))
        let total = try cache.storage.statistics.total
        #expect(total.hits == 0 && total.misses == 1)
    }

    @Test func `a removal waits for a fetched value that is just being stored`() async throws {
        let cache = try CacheFixture()
        let storage = cache.storage
        cache.settle()
        let (path, isFirst, isRemoved) = (storage.cacheFileURL(forKey: "a").path, Locked(true), Locked(false))
        cache.fileSystem.observe { call, target in
            guard call == .rename, target == path, isFirst.replace(with: false) else { return }
            Thread.detachNewThread {
                try? storage.remove(forKey: "a")
                isRemoved.withLock { $0 = true }
            }
            // A removal that does not wait ends meanwhile.
            for _ in 0..<300 where !isRemoved.withLock({ $0 }) { usleep(1_000) }
        }
        _ = try await storage.async.value(forKey: "a") { .init(.blob(1)) }
        try await eventually { isRemoved.withLock { $0 } }
        cache.fileSystem.observe(nil)
        #expect(try storage.value(forKey: "a") == nil)
    }
}
