import Foundation
import HalcyonSQLite
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// Stale values, which are renewed once for all callers.
@Suite(.endsEvenIfItHangs) struct RenewalTests {
    private struct Refused: Error {}
    private struct NotFound: Error {}

    private func response(
        _ cache: CacheFixture, _ headers: [(name: String, value: String)]
    ) -> HTTPFreshness {
        HTTPFreshness(
            headers: headers, requestedAt: cache.clock.now.date, receivedAt: cache.clock.now.date, cache: .shared)
    }

    /// A value that was fresh for a minute, stored some seconds ago.
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

    @Test func `a fresh value is not renewed, nor one without validators`() async throws {
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

    @Test func `an entry that a renewal cannot remove is reported to the observer`() async throws {
        let cache = try staleCache("max-age=60", secondsAgo: 100)
        let failures = Locked<[CacheStorageError.Code?]>([])
        cache.storage.config.observer = { event in
            if event.kind == .failure { failures.withLock { $0.append(event.error?.code) } }
        }
        cache.fileSystem.fail(.rename, EACCES, times: nil, path: "/trash/")
        await #expect(throws: NotFound.self) { _ = try await load(cache) { _ in .gone(NotFound()) } }
        #expect(failures.replace(with: []) == [.fileSystem])
        #expect(cache.storage.isCached(forKey: "a"))
        cache.fileSystem.heal()
        await #expect(throws: NotFound.self) { _ = try await load(cache) { _ in .gone(NotFound()) } }
        #expect(failures.withLock { $0 } == [] && !cache.storage.isCached(forKey: "a"))
    }

    @Test func `a value that cannot be read is reported once`() async throws {
        let cache = try staleCache("max-age=60", secondsAgo: 1)
        let failures = Locked(0)
        cache.storage.config.observer = { event in
            if event.kind == .failure { failures.withLock { $0 += 1 } }
        }
        cache.fileSystem.fail(.openForReading, EIO, times: nil)
        let value = try await cache.storage.async.value(forKey: "a") { .init(.blob(2)) }
        #expect(value == .blob(2) && failures.withLock { $0 } == 1)
    }

    @Test func `a stale value is renewed, and a confirmed one is fresh again without a write of its bytes`()
        async throws
    {
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

    @Test func `a stale value is replaced by a new one`() async throws {
        let cache = try staleCache("max-age=60", secondsAgo: 100)
        let data = try await load(cache) { _ in .new(.init(.blob(2))) }
        #expect(data == .blob(2))
        #expect(try cache.storage.value(forKey: "a") == .blob(2))
    }

    @Test(arguments: ["max-age=60", "max-age=60, stale-while-revalidate=900"])
    func `a new value that must not be stored removes the stale one`(cacheControl: String) async throws {
        let cache = try staleCache(cacheControl, secondsAgo: 100)
        let data = try await load(cache) { _ in .new(.init(.blob(2), expiration: .expired)) }
        #expect(data == .blob(cacheControl.contains("stale") ? 1 : 2))
        try await eventually { !cache.storage.isCached(forKey: "a") }
    }

    @Test func `with stale-while-revalidate callers do not wait, and one task renews`() async throws {
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
    func `a failed renewal keeps the old value, and returns it unless the response forbids that`(
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

    @Test func `a confirmation does not renew a value that was stored meanwhile`() async throws {
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

    // MARK: Counts

    /// Each call on an entry counts once, whatever the renewal does.
    @Test(arguments: ["fresh", "while revalidating", "confirmed", "replaced", "gone", "failed"])
    func `each call counts as one hit or one miss, whatever the renewal does`(outcome: String) async throws {
        let isUsable = outcome == "while revalidating"
        let cache = try staleCache(
            isUsable ? "max-age=60, stale-while-revalidate=900" : "max-age=60",
            secondsAgo: outcome == "fresh" ? 0 : 100)
        let confirmed = response(cache, [("Cache-Control", "max-age=60")])
        let before = try cache.storage.statistics.total
        _ = try? await load(cache) { _ in
            switch outcome {
            case "replaced": .new(.init(.blob(2)))
            case "gone": .gone(NotFound())
            case "failed": throw Refused()
            default: .unchanged(confirmed)
            }
        }
        try await eventually { cache.storage.flights.count == 0 }
        let counts = try cache.storage.statistics.total
        #expect(counts.hits - before.hits == 1 && counts.misses == before.misses)
        if outcome != "replaced", outcome != "gone" { #expect(try cache.storage.entry(forKey: "a")?.hits == 1) }
    }

    @Test func `64 callers of a stale value are 64 hits and one renewal`() async throws {
        let cache = try staleCache("max-age=60", secondsAgo: 100)
        let origin = Origin(isOpen: false)
        let name = cache.storage.blobName(forKey: "a", forcedExtension: nil)
        try await withThrowingTaskGroup(of: Data.self) { group in
            for _ in 0..<64 {
                group.addTask {
                    try await load(cache) { _ in .new(try await origin.fetch(2)) }
                }
            }
            try await eventually { cache.storage.flights.callerCount(of: name) == 64 }
            origin.open()
            for try await data in group { #expect(data == .blob(2)) }
        }
        #expect(origin.fetches.withLock { $0 } == 1)
        let counts = try cache.storage.statistics.total
        #expect(counts.hits == 64 && counts.misses == 0)
    }

    // MARK: Values that are gone

    @Test(arguments: ["max-age=60", "max-age=60, must-revalidate"])
    func `a value that the server has deleted is removed, and all callers get the error`(cacheControl: String)
        async throws
    {
        let cache = try staleCache(cacheControl, secondsAgo: 100)
        let origin = Origin(isOpen: false)
        let name = cache.storage.blobName(forKey: "a", forcedExtension: nil)
        let callers = (0..<3).map { _ in
            Task {
                try await load(cache) { _ in
                    _ = try await origin.fetch()
                    return .gone(NotFound())
                }
            }
        }
        try await eventually { cache.storage.flights.callerCount(of: name) == 3 }
        origin.open()
        for caller in callers { await #expect(throws: NotFound.self) { try await caller.value } }
        #expect(!cache.storage.isCached(forKey: "a"))
        #expect(try cache.storage.statistics.total.removals == 1)
    }

    @Test func `a value that is removed before its renewal begins does not return`() async throws {
        for _ in 0..<50 {
            let cache = try staleCache("max-age=60, stale-while-revalidate=900", secondsAgo: 100)
            let storage = cache.storage
            let data = try await storage.async.value(forKey: "a") {
                .init(.blob(3))
            } renewing: { _ in
                .new(.init(.blob(2)))
            }
            #expect(data == .blob(1))
            try storage.remove(forKey: "a")
            try await eventually { storage.flights.count == 0 }
            #expect(!storage.isCached(forKey: "a"))
        }
    }

    @Test func `a value that is removed right after it was read is not renewed`() async throws {
        let cache = try staleCache("max-age=60, stale-while-revalidate=900", secondsAgo: 100)
        let (storage, isRemoved) = (cache.storage, Locked(false))
        storage.config.observer = { [weak storage] event in
            guard event.kind == .hit, !isRemoved.replace(with: true) else { return }
            try? storage?.remove(forKey: "a")
        }
        let data = try await storage.async.value(forKey: "a") {
            .init(.blob(3))
        } renewing: { _ in
            .new(.init(.blob(2)))
        }
        #expect(data == .blob(1) && isRemoved.withLock { $0 })
        try await eventually { storage.flights.count == 0 }
        #expect(!storage.isCached(forKey: "a"))
    }

    @Test(arguments: [false, true])
    func `a renewal that begins while a removal waits for the lock stores nothing`(removesAll: Bool) async throws {
        let cache = try staleCache("max-age=60", secondsAgo: 100)
        let (storage, renewals, gate) = (cache.storage, Locked(0), AsyncStream<Void>.makeStream())
        // No sweep may wait for the lock too.
        cache.settle()
        let other = try Connection(path: cache.index.path)
        try other.begin()
        // Not on a thread that tasks need.
        let hasBegun = Locked(false)
        let removal = Task.detached {
            try await storage.async.perform {
                hasBegun.withLock { $0 = true }
                try removesAll ? $0.removeAll() : $0.remove(forKey: "a")
            }
        }
        try await eventually { hasBegun.withLock { $0 } }
        let renewal = Task.detached {
            try await storage.async.value(forKey: "a") {
                .init(.blob(3))
            } renewing: { _ in
                renewals.withLock { $0 += 1 }
                for await _ in gate.stream { break }
                return .new(.init(.blob(2)))
            }
        }
        try await eventually { renewals.withLock { $0 } == 1 }
        other.rollBack()
        try await removal.value
        gate.continuation.yield()
        #expect(try await renewal.value == .blob(2))
        #expect(!storage.isCached(forKey: "a"))
    }

    @Test func `a stale value that the server has deleted is returned once more and removed`() async throws {
        let cache = try staleCache("max-age=60, stale-while-revalidate=900", secondsAgo: 100)
        let data = try await load(cache) { _ in .gone(NotFound()) }
        #expect(data == .blob(1))
        try await eventually { !cache.storage.isCached(forKey: "a") }
    }

    @Test func `a deletion on the server does not remove a value that was stored meanwhile`() async throws {
        let cache = try staleCache("max-age=60", secondsAgo: 100)
        let storage = cache.storage
        await #expect(throws: NotFound.self) {
            try await load(cache) { _ in
                try await storage.async.store(value: .blob(9), forKey: "a")
                return .gone(NotFound())
            }
        }
        #expect(try storage.value(forKey: "a") == .blob(9))
    }

    @Test func `a deletion on the server does not remove a value stored meanwhile after the clock was set back`()
        async throws
    {
        let cache = try CacheFixture()
        let storage = cache.storage
        try storage.store(value: .blob(1), forKey: "latest")
        cache.clock.advance(by: -50)
        try storage.store(
            value: .blob(1), forKey: "a",
            attributes: .init(validators: .init(maxAge: 0, validatedAt: Date(timeIntervalSince1970: 0))))
        await #expect(throws: NotFound.self) {
            try await load(cache) { _ in
                try await storage.async.store(value: .blob(9), forKey: "a")
                return .gone(NotFound())
            }
        }
        #expect(try storage.value(forKey: "a") == .blob(9))
    }

    @Test func `a renewal that would wait for itself is an error, even if there is an old value`() async throws {
        let cache = try staleCache("max-age=60", secondsAgo: 100)
        await #expect(throws: CacheStorageError.self) {
            try await load(cache) { _ in .new(.init(try await load(cache) { _ in throw Refused() })) }
        }
    }

    // MARK: Confirmations of other bytes

    @Test func `a confirmation of other bytes renews nothing, and the value is fetched`() async throws {
        let cache = try staleCache("max-age=60", secondsAgo: 100)
        let other = response(cache, [("Cache-Control", "max-age=90"), ("ETag", "\"2\"")])
        let data = try await cache.storage.async.value(forKey: "a") {
            .init(.blob(2), attributes: .init(validators: .init(other)))
        } renewing: { _ in
            .unchanged(other)
        }
        #expect(data == .blob(2))
        let entry = try #require(try cache.storage.entry(forKey: "a"))
        #expect(entry.validators?.etag == "\"2\"")
    }

    @Test func `a new value does not replace one that was stored meanwhile`() async throws {
        let cache = try staleCache("max-age=60", secondsAgo: 100)
        let (storage, other) = (cache.storage, response(cache, [("Cache-Control", "max-age=90")]))
        let data = try await load(cache) { _ in
            try await storage.async.store(value: .blob(2), forKey: "a")
            return .new(.init(.blob(3), attributes: .init(validators: .init(other))))
        }
        #expect(data == .blob(3))
        #expect(try storage.value(forKey: "a") == .blob(2))
        #expect(try storage.entry(forKey: "a")?.validators == nil)
    }

    // MARK: Removals

    @Test func `a removal overtakes a renewal`() async throws {
        let cache = try staleCache("max-age=60, stale-while-revalidate=900", secondsAgo: 100)
        let origin = Origin(isOpen: false)
        _ = try await load(cache) { _ in .new(try await origin.fetch(2)) }
        try await eventually { origin.fetches.withLock { $0 } == 1 }
        try cache.storage.remove(forKey: "a")
        _ = try await cache.storage.async.value(forKey: "a") { .init(.blob(3)) }
        origin.open()
        try await eventually { origin.isAnswered }
        try await cache.storage.async.perform { _ in }
        #expect(try cache.storage.value(forKey: "a") == .blob(3))
    }

    /// Batches before that of the key, and after it, give a store time to get in.
    @Test func `a removal by tag overtakes a renewal while its later batches run`() async throws {
        var tuning = Tuning.patient
        tuning.batchSize = 1
        let cache = try CacheFixture(tuning: tuning)
        let storage = cache.storage
        let keys = (0..<20).map { "\($0)" }
        let stale = DiskStorage.EntryAttributes(
            tags: ["t"], validators: .init(maxAge: 0, validatedAt: Date(timeIntervalSince1970: 0)))
        for key in keys { try storage.store(value: .blob(1), forKey: key, attributes: stale) }
        let origin = Origin(isOpen: false)
        let renewing = keys.map { key in
            Task {
                try await storage.async.value(forKey: key) {
                    .init(.blob(3))
                } renewing: { _ in
                    .new(try await origin.fetch(2))
                }
            }
        }
        try await eventually { origin.fetches.withLock { $0 } == keys.count }
        let moment = try storage.store.moment(removing: .init(tag: "t"))
        let batches = Locked(0)
        let gone = try await storage.async.perform { storage in
            try storage.removeEntries(matching: .init(tag: "t"), existingAt: moment, progress: nil) { batch in
                try batch()
                guard
                    batches.withLock({
                        $0 += 1
                        return $0
                    }) == keys.count / 2
                else { return }
                origin.open()
                while storage.flights.count > 0 { usleep(1_000) }
            }
        }
        for task in renewing { #expect(try await task.value == .blob(2)) }
        #expect(gone.count == keys.count)
        #expect(!keys.contains { storage.isCached(forKey: $0) })
    }

    /// The renewal begins after the moment of the removal and before its batch.
    @Test func `a value that a removal by tag takes during its renewal is not given to later callers`() async throws {
        let cache = try staleCache("max-age=60", secondsAgo: 100)
        let (storage, isOpen, begun) = (cache.storage, Locked(false), Locked(false))
        try storage.update(.init(tags: ["t"]), forKey: "a")
        let confirmed = response(cache, [("ETag", "\"1\""), ("Cache-Control", "max-age=60")])
        let moment = try storage.store.moment(removing: .init(tag: "t"))
        let renewing = Task {
            try await storage.async.value(forKey: "a") {
                .init(.blob(2))
            } renewing: { _ in
                begun.withLock { $0 = true }
                while !isOpen.withLock({ $0 }) { await Task.yield() }
                return .unchanged(confirmed)
            }
        }
        try await eventually { begun.withLock { $0 } }
        let removed = try storage.removeEntries(matching: .init(tag: "t"), existingAt: moment, progress: nil) {
            try $0()
        }
        #expect(removed.count == 1)
        isOpen.withLock { $0 = true }
        #expect(try await renewing.value == .blob(2))
        #expect(try storage.value(forKey: "a") == .blob(2))
    }

    @Test func `a value that a removal by tag takes during its background renewal is not fetched for nobody`()
        async throws
    {
        let cache = try staleCache("max-age=60, stale-while-revalidate=900", secondsAgo: 100)
        let (storage, isOpen, begun, fetches) = (cache.storage, Locked(false), Locked(false), Locked(0))
        try storage.update(.init(tags: ["t"]), forKey: "a")
        let confirmed = response(cache, [("ETag", "\"1\""), ("Cache-Control", "max-age=60")])
        let moment = try storage.store.moment(removing: .init(tag: "t"))
        let stale = try await storage.async.value(forKey: "a") {
            fetches.withLock { $0 += 1 }
            return .init(.blob(2))
        } renewing: { _ in
            begun.withLock { $0 = true }
            while !isOpen.withLock({ $0 }) { await Task.yield() }
            return .unchanged(confirmed)
        }
        #expect(stale == .blob(1))
        try await eventually { begun.withLock { $0 } }
        _ = try storage.removeEntries(matching: .init(tag: "t"), existingAt: moment, progress: nil) { try $0() }
        isOpen.withLock { $0 = true }
        try await eventually { storage.flights.count == 0 }
        #expect(fetches.withLock { $0 } == 0 && !storage.isCached(forKey: "a"))
    }

    @Test func `a caller that is cancelled during a renewal gets no stale value`() async throws {
        let cache = try staleCache("max-age=60", secondsAgo: 100)
        let begun = Locked(false)
        let renewing = Task {
            try await load(cache) { _ in
                begun.withLock { $0 = true }
                while true {
                    try Task.checkCancellation()
                    await Task.yield()
                }
            }
        }
        try await eventually { begun.withLock { $0 } }
        renewing.cancel()
        await #expect(throws: CancellationError.self) { try await renewing.value }
    }

    @Test(arguments: [
        ("private, max-age=600", true), ("no-store", true), ("no-store, max-age=600", true), ("public", false),
    ]) func `a confirmation that forbids to keep the value removes it`(control: String, isGone: Bool) async throws {
        let cache = try staleCache("max-age=60", secondsAgo: 100)
        let confirmed = response(cache, [("Cache-Control", control)])
        #expect(try await load(cache) { _ in .unchanged(confirmed) } == .blob(1))
        #expect(cache.storage.isCached(forKey: "a") != isGone)
    }

    // MARK: In the background

    @Test func `a background renewal has one task for any number of callers`() async throws {
        let cache = try staleCache("max-age=60, stale-while-revalidate=900", secondsAgo: 100)
        let origin = Origin(isOpen: false)
        let name = cache.storage.blobName(forKey: "a", forcedExtension: nil)
        for _ in 0..<100 { _ = try await load(cache) { _ in .new(try await origin.fetch(2)) } }
        try await eventually { origin.fetches.withLock { $0 } == 1 }
        #expect(cache.storage.flights.callerCount(of: name) == 1)
        origin.open()
        try await eventually { try cache.storage.value(forKey: "a") == .blob(2) }
        #expect(origin.fetches.withLock { $0 } == 1)
    }

    private enum Request {
        @TaskLocal static var id = 0
    }

    @Test func `a background renewal does not inherit task-local values`() async throws {
        let cache = try staleCache("max-age=60, stale-while-revalidate=900", secondsAgo: 100)
        let seen = Locked(-1)
        _ = try await Request.$id.withValue(7) {
            try await load(cache) { _ in
                seen.withLock { $0 = Request.id }
                return .new(.init(.blob(2)))
            }
        }
        try await eventually { seen.withLock { $0 } == 0 }
    }
}
