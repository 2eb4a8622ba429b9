import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// Values that are fetched once for all who ask.
@Suite(.endsEvenIfItHangs) struct FetchingTests {
    private struct Refused: Error {}

    /// Answers as an origin does, when it may.
    private final class Origin: Sendable {
        private let isOpen: Locked<Bool>
        let fetches = Locked(0)
        let renewals = Locked(0)

        init(isOpen: Bool = true) { self.isOpen = Locked(isOpen) }

        func open() { isOpen.withLock { $0 = true } }

        func fetch(_ number: Int = 1) async throws -> DiskStorage.NewValue<Data> {
            fetches.withLock { $0 += 1 }
            while !isOpen.withLock({ $0 }) {
                try Task.checkCancellation()
                await Task.yield()
            }
            return .init(.blob(number), attributes: .init(tags: ["fetched"]))
        }
    }

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

    @Test func `an error is not kept`() async throws {
        let (cache, origin) = (try CacheFixture(), Origin())
        await #expect(throws: Refused.self) {
            try await cache.storage.async.value(forKey: "a") { throw Refused() }
        }
        let data = try await cache.storage.async.value(forKey: "a") { try await origin.fetch() }
        #expect(data == .blob(1))
    }

    @Test func `what cannot be stored is returned, and what cannot be read is fetched`() async throws {
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

    @Test func `one that asks for its own key gets an error`() async throws {
        let cache = try CacheFixture()
        let storage = cache.storage
        await #expect(throws: CacheStorageError.self) {
            try await storage.async.value(forKey: "a") {
                .init(try await storage.async.value(forKey: "a") { .init(Data()) })
            }
        }
    }

    @Test func `a fetch that nobody waits for is cancelled`() async throws {
        let (cache, origin) = (try CacheFixture(), Origin(isOpen: false))
        let storage = cache.storage
        let task = Task { try await storage.async.value(forKey: "a") { try await origin.fetch() } }
        try await eventually { origin.fetches.withLock { $0 } == 1 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let data = try await storage.async.value(forKey: "a") { .init(.blob(2)) }
        #expect(data == .blob(2))
    }

    // MARK: Stale values

    private func response(
        _ cache: CacheFixture, _ headers: [(name: String, value: String)]
    ) -> HTTPFreshness {
        HTTPFreshness(
            headers: headers, requestedAt: cache.clock.now.date, receivedAt: cache.clock.now.date, cache: .shared)
    }

    /// A value that was fresh for a minute, some seconds ago.
    private func staleCache(_ cacheControl: String, secondsAgo: Double) throws -> CacheFixture {
        let cache = try CacheFixture()
        let fetched = response(cache, [("Cache-Control", cacheControl), ("ETag", "\"1\"")])
        try cache.storage.store(
            value: .blob(1), forKey: "a", expiration: .days(9), attributes: .init(validators: .init(fetched)))
        cache.clock.advance(by: secondsAgo)
        return cache
    }

    private func load(
        _ cache: CacheFixture,
        renewing renew: @escaping @Sendable (DiskStorage.CachedValue<Data>) async throws -> DiskStorage.Renewal<Data>
    ) async throws -> Data {
        try await cache.storage.async.value(forKey: "a") {
            throw Refused()
        } renewing: {
            try await renew($0)
        }
    }

    @Test func `a fresh one is not renewed, nor one of which nothing is known`() async throws {
        let cache = try staleCache("max-age=60", secondsAgo: 59)
        try cache.storage.store(value: .blob(2), forKey: "b")
        var data = try await load(cache) { _ in throw Refused() }
        #expect(data == .blob(1))
        data = try await cache.storage.async.value(forKey: "b") {
            throw Refused()
        } renewing: { _ in
            throw Refused()
        }
        #expect(data == .blob(2))
    }

    @Test func `a stale one is renewed, and a confirmed one is fresh again without being written`() async throws {
        let cache = try staleCache("max-age=60", secondsAgo: 100)
        let before = try #require(try cache.storage.entry(forKey: "a"))
        let confirmed = response(cache, [("Cache-Control", "max-age=90")])
        let data = try await load(cache) { stale in
            #expect(stale.value == .blob(1) && stale.info.validators?.etag == "\"1\"")
            return .unchanged(confirmed)
        }
        #expect(data == .blob(1))
        let after = try #require(try cache.storage.entry(forKey: "a"))
        #expect(after.created == before.created)
        #expect(after.validators?.etag == "\"1\"" && after.validators?.isFresh(at: cache.clock.now.date) == true)
        cache.clock.advance(by: 89)
        let again = try await load(cache) { _ in throw Refused() }
        #expect(again == .blob(1))
    }

    @Test func `a stale one is replaced by a new one`() async throws {
        let cache = try staleCache("max-age=60", secondsAgo: 100)
        let data = try await load(cache) { _ in .new(.init(.blob(2))) }
        #expect(data == .blob(2))
        #expect(try cache.storage.value(forKey: "a") == .blob(2))
    }

    @Test func `while it is renewed nobody waits, and one renews`() async throws {
        let cache = try staleCache("max-age=60, stale-while-revalidate=100", secondsAgo: 100)
        let origin = Origin(isOpen: false)
        let confirmed = response(cache, [("Cache-Control", "max-age=60")])
        for _ in 0..<20 {
            let data = try await load(cache) { _ in
                origin.renewals.withLock { $0 += 1 }
                _ = try await origin.fetch()
                return .unchanged(confirmed)
            }
            #expect(data == .blob(1))
        }
        try await eventually { origin.renewals.withLock { $0 } == 1 }
        origin.open()
        let now = cache.clock.now.date
        try await eventually { try cache.storage.entry(forKey: "a")?.validators?.isFresh(at: now) == true }
        #expect(origin.renewals.withLock { $0 } == 1)
    }

    @Test(arguments: [("max-age=60", true), ("max-age=60, must-revalidate", false)])
    func `a failed renewal keeps the old one, which is used unless that is forbidden`(
        cacheControl: String, isUsed: Bool
    ) async throws {
        let cache = try staleCache(cacheControl, secondsAgo: 100)
        let before = try cache.storage.entry(forKey: "a")?.validators
        if isUsed {
            let data = try await load(cache) { _ in throw Refused() }
            #expect(data == .blob(1))
        } else {
            await #expect(throws: Refused.self) { try await load(cache) { _ in throw Refused() } }
        }
        #expect(try cache.storage.value(forKey: "a") == .blob(1))
        #expect(try cache.storage.entry(forKey: "a")?.validators == before)
    }

    @Test func `a confirmation says nothing of bytes that were stored meanwhile`() async throws {
        let cache = try staleCache("max-age=60", secondsAgo: 100)
        let confirmed = response(cache, [("Cache-Control", "max-age=90")])
        let storage = cache.storage
        _ = try await load(cache) { _ in
            try await storage.async.store(
                value: .blob(9), forKey: "a", attributes: .init(validators: .init(etag: "\"9\"", maxAge: 1)))
            return .unchanged(confirmed)
        }
        let entry = try #require(try storage.entry(forKey: "a"))
        #expect(entry.validators?.etag == "\"9\"" && entry.validators?.maxAge == 1)
    }
}
