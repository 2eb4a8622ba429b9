import Foundation
import Halcyon
import Testing

/// What a server needs from a cache.
@Suite struct ServerTests {
    private let key = "https://example.com/a.png"
    private let sent = Date(timeIntervalSince1970: 1_700_000_000)

    private struct Refused: Error {}

    private func response(_ headers: KeyValuePairs<String, String>, statusCode: Int = 200) -> HTTPFreshness {
        HTTPFreshness(
            headers: headers.map { (name: $0.key, value: $0.value) }, statusCode: statusCode, requestedAt: sent,
            receivedAt: sent, cache: .shared)
    }

    @Test func `a response determines how long it is fresh`() {
        let response = response(["Cache-Control": "max-age=60, stale-while-revalidate=30", "ETag": "e", "Age": "5"])
        #expect(response.lifetime == 60 && response.staleWhileRevalidate == 30 && response.initialAge == 5)
        #expect(response.etag == "e" && response.lastModified == nil && response.receivedAt == sent)
        #expect(response.isStorable && !response.isHeuristic && !response.mustRevalidate && response.statusCode == 200)
        #expect(response.isFresh(at: sent + 54) && !response.isFresh(at: sent + 55) && response.age(at: sent + 1) == 6)
        #expect(response.isUsable(at: sent + 84) && !response.isUsable(at: sent + 85))
        let mine = HTTPFreshness(
            headers: [(name: "Cache-Control", value: "private")], requestedAt: sent, receivedAt: sent, cache: .private,
            isAuthorized: true)
        #expect(mine.isStorable && !self.response(["Cache-Control": "private"]).isStorable)
        #expect(Set([mine, response]).count == 2 && HTTPFreshness.Cache.shared != .private)
    }

    @Test func `a confirmation renews validators`() {
        var validators = DiskStorage.HTTPValidators(response(["Cache-Control": "max-age=60", "ETag": "e"]))
        #expect(validators.isFresh(at: sent + 59) && !validators.isFresh(at: sent + 60))
        validators = validators.renewed(by: response(["Cache-Control": "max-age=90"], statusCode: 304))
        #expect(validators.etag == "e" && validators.maxAge == 90 && validators.validatedAt == sent)
        (validators.age, validators.staleWhileRevalidate, validators.mustRevalidate) = (80, 10, false)
        #expect(validators.currentAge(at: sent + 15) == 95 && validators.isUsable(at: sent + 15))
    }

    @Test func `async calls do what the other calls do`() async throws {
        try await withStorage { storage in
            let calls: DiskStorage.Backend<Data>.AsyncCalls = storage.async
            try await calls.store(value: Data([1]), forKey: key, attributes: .init(tags: ["t"]))
            let value = try await calls.value(forKey: key)
            let cached: DiskStorage.CachedValue<Data>? = try await calls.cachedValue(forKey: key)
            #expect(value == Data([1]) && cached?.value == value && cached?.info.tags == ["t"])
            let isUpdated = try await calls.update(.init(isPinned: true), forKey: key)
            try await calls.update(forKey: key) { .init(tags: Set($0.tags).union(["u"])) }
            let entry = try await calls.entry(forKey: key)
            #expect(isUpdated && entry?.isPinned == true && entry?.tags == ["t", "u"])
            let isCached = try await calls.isCached(forKey: key)
            #expect(isCached)
            let open = try #require(try await calls.fileHandle(forKey: key))
            let usage = try await calls.perform { try $0.usage() }
            #expect(usage.total.entries == 1)
            try await calls.remove(forKey: key)
            #expect(try open.value.readToEnd() == Data([1]) && open.info.size == 1)
            #expect(try storage.cachedValue(forKey: key) == nil && storage.fileHandle(forKey: key) == nil)
        }
    }

    @Test func `keepLimits enforces the limits until its task is cancelled`() async throws {
        try await withStorage { storage in
            let cleaning = Task { try await storage.async.keepLimits(every: 0.01) }
            for round in 0..<3 {
                storage.config.sizeLimit = 0
                for number in 0..<10 {
                    try await storage.async.store(value: Data(count: 100), forKey: "\(round) \(number)")
                }
                storage.config.sizeLimit = 500
                for _ in 0..<2_000 {
                    guard try storage.totals().bytes >= 500 else { break }
                    try await Task.sleep(nanoseconds: 10_000_000)
                }
                // Not always half of it: a clean that began with the former limit may have evicted between two stores.
                #expect(try storage.totals().bytes < 500)
            }
            cleaning.cancel()
            await #expect(throws: CancellationError.self) { try await cleaning.value }
        }
    }

    @Test func `a missing value is fetched, and a stale one is renewed`() async throws {
        try await withStorage { storage in
            let stale = DiskStorage.HTTPValidators(response(["Cache-Control": "max-age=1"]))
            var new = DiskStorage.NewValue(Data([1]), expiration: .days(1))
            new.attributes = .init(validators: stale)
            #expect(new.value == Data([1]) && new.expiration != nil)
            var value = try await storage.async.value(forKey: key) { [new] in new }
            #expect(value == Data([1]))
            let confirmed = response(["Cache-Control": "max-age=1"], statusCode: 304)
            for renewal in [DiskStorage.Renewal.unchanged(confirmed), .new(.init(Data([2])))] {
                value = try await storage.async.value(forKey: key) {
                    throw Refused()
                } renewing: { _ in
                    renewal
                }
            }
            #expect(value == Data([2]))
            try await storage.async.update(.init(validators: stale), forKey: key)
            await #expect(throws: Refused.self) {
                try await storage.async.value(forKey: key) {
                    .init(Data())
                } renewing: { _ in
                    .gone(Refused())
                }
            }
            #expect(!storage.isCached(forKey: key))
            await #expect(throws: CacheStorageError.self) {
                try await storage.async.value(forKey: "b") {
                    .init(try await storage.async.value(forKey: "b") { .init(Data()) })
                }
            }
            #expect(CacheStorageError.Code.cyclicFetch.rawValue == 3115)
            #expect(CacheStorageError.Code.unconvertibleValue.rawValue == 3116)
        }
    }

    @Test func `a missing image is fetched, and its bytes are available without decoding`() async throws {
        try await withCache { cache in
            let (picture, data) = (try Pictures.image(), try Pictures.data())
            var new = ImageCache.NewImage(picture, original: data)
            new.attributes = .init(tags: ["t"])
            #expect(new.original == data && new.image === picture)
            let image = try await cache.retrieveImage(forKey: key) { [new] in new }
            #expect(image === picture)
            let cached = try #require(try await cache.cachedData(forKey: key))
            #expect(cached.value == data && cached.info.tags == ["t"])
        }
    }

    @Test func `an observer receives events`() async throws {
        let events = Notes<DiskStorage.Event>()
        try await withStorage { config in
            config.observer = { events.note($0) }
            config.observesKeys = true
        } _: { storage in
            try storage.store(value: Data([1]), forKey: key, attributes: .init(keepsExpiration: true))
            #expect(try storage.entry(forKey: key)?.keepsExpiration == true)
            _ = try storage.value(forKey: key)
            _ = try storage.value(forKey: "none")
            try storage.remove(forKey: key)
        }
        #expect(events.values.map(\.kind) == [.store, .hit, .miss, .removal])
        let first = try #require(events.values.first)
        #expect(first.key == key && first.count == 1 && first.bytes == 1 && first.seconds == 0 && first.error == nil)
        let kinds: [DiskStorage.Event.Kind] = [.eviction, .expiration, .repair, .wait, .failure]
        #expect(kinds.map(\.rawValue) == ["eviction", "expiration", "repair", "wait", "failure"])
        #expect(DiskStorage.Event.Kind(rawValue: "hit") == .hit)
    }
}
