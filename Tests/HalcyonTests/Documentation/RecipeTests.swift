import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// The recipes of Cookbook.md and Migrating.md, executed.
@Suite(.endsEvenIfItHangs) struct RecipeTests {
    private let day = 86_400.0

    @Test func `a month from the last use, and a week from the download`() async throws {
        try await withImageCache { subject in
            subject.storage.config.expiration = .days(30)
            try await subject.cache.storeToDisk(Pictures.small[0], forKey: "month")
            subject.storage.config.expiration = .days(7)
            for key in ["week from use", "week"] { try await subject.cache.storeToDisk(Pictures.small[0], forKey: key) }
            subject.clock.advance(by: 6 * day)
            _ = try await subject.load("week from use")
            _ = try await subject.load("week", [.diskCacheAccessExtendingExpiration(.none)])
            subject.clock.advance(by: 2 * day)
            #expect(subject.storage.isCached(forKey: "week from use"))
            #expect(!subject.storage.isCached(forKey: "week"))
            subject.clock.advance(by: 21 * day)
            #expect(subject.storage.isCached(forKey: "month"))
        }
    }

    // MARK: Offline

    /// As in Cookbook.md.
    private func keep(_ pictures: [String], as tag: String, in cache: ImageCache) async throws {
        for key in pictures {
            let isKnown = try cache.diskStorage.update(forKey: key) {
                .init(isPinned: true, tags: Set($0.tags).union([tag]))
            }
            guard !isKnown || !cache.diskStorage.isCached(forKey: key) else { continue }
            try await cache.storeToDisk(.blob(2), forKey: key, attributes: .init(isPinned: true, tags: [tag]))
        }
    }

    @Test func `a tour's pictures are pinned, cached before or not, and keep their other tags`() async throws {
        try await withImageCache(configure: { $0.sizeLimit = 1_000 }) { subject in
            try await subject.cache.storeToDisk(.blob(1), forKey: "there", attributes: .init(tags: ["user 7"]))
            try await subject.cache.store(Pictures.image(0), forKey: "in memory alone", toDisk: false)
            try await subject.cache.storeToDisk(.blob(3), forKey: "gone")
            try FileManager.default.removeItem(at: subject.storage.cacheFileURL(forKey: "gone"))
            try await keep(["there", "new", "in memory alone", "gone"], as: "tour 12", in: subject.cache)
            for number in 0..<20 { try await subject.cache.storeToDisk(.blob(number), forKey: "\(number)") }
            await subject.settle()
            subject.clock.advance(by: 100 * day)
            await subject.cache.cleanExpiredDiskCache()
            #expect(try subject.storage.totals() == Totals(entries: 4, bytes: 400))
            #expect(try subject.storage.entry(forKey: "there")?.tags == ["tour 12", "user 7"])

            for try await entry in subject.storage.allEntries(matching: .init(tag: "tour 12", isPinned: true)) {
                try subject.storage.update(.init(isPinned: false), forKey: try #require(entry.key))
            }
            await subject.cache.cleanExpiredDiskCache()
            #expect(try subject.storage.totals().entries == 0)
        }
    }

    // MARK: One user's pictures

    @Test func `one user's pictures are removed from disk and memory`() async throws {
        try await withImageCache { subject in
            let image = try Pictures.image(0)
            for (key, user) in [("a", "user 7"), ("b", "user 8")] {
                try await subject.cache.store(image, forKey: key, attributes: .init(tags: [user]))
            }
            try await subject.cache.store(image, forKey: "memory", toDisk: false)
            let gone = try await subject.cache.removeImages(matching: .init(tag: "user 7"))
            #expect(gone.map(\.key) == ["a"])
            #expect(subject.cache.imageCachedType(forKey: "a") == .none)
            #expect(subject.cache.imageCachedType(forKey: "memory") == .memory)
            subject.cache.clearMemoryCache()
            #expect(subject.cache.imageCachedType(forKey: "memory") == .none)
            #expect(subject.cache.imageCachedType(forKey: "b") == .disk)
        }
    }

    @Test func `a picture with the tags of two users is removed with the first user`() async throws {
        try await withImageCache { subject in
            for key in ["added", "replaced"] {
                try await subject.cache.storeToDisk(.blob(1), forKey: key, attributes: .init(tags: ["user 7"]))
            }
            try subject.storage.update(forKey: "added") { .init(tags: Set($0.tags).union(["user 8"])) }
            try await subject.cache.storeToDisk(.blob(1), forKey: "replaced", attributes: .init(tags: ["user 8"]))
            #expect(try await subject.cache.removeImages(matching: .init(tag: "user 7")).map(\.key) == ["added"])
        }
    }

    // MARK: Seeding

    /// As in Cookbook.md.
    private func seed(_ cache: ImageCache, with pictures: [(address: URL, file: URL)]) async throws {
        for picture in pictures where !cache.diskStorage.isCached(forKey: picture.address.cacheKey) {
            let data = try Data(contentsOf: picture.file, options: .mappedIfSafe)
            try await cache.storeToDisk(data, forKey: picture.address.cacheKey, expiration: .never)
        }
    }

    @Test func `a seeded picture is found by its address, a year later, and again after it was evicted`() async throws {
        try await withImageCache { subject in
            let address = try #require(URL(string: "https://img.example.com/cat.png"))
            let file = subject.disk.folder.url.appendingPathComponent("cat.png")
            try Pictures.small[0].write(to: file)
            try await seed(subject.cache, with: [(address, file)])
            _ = try await subject.load(address.cacheKey)
            subject.clock.advance(by: 365 * day)
            await subject.cache.cleanExpiredCache()
            #expect(try await subject.load(address.cacheKey).cacheType == .disk)

            try await subject.cache.storeToDisk(.blob(9), forKey: address.cacheKey)
            try await seed(subject.cache, with: [(address, file)])
            #expect(try subject.storage.value(forKey: address.cacheKey) == .blob(9), "what was downloaded since stays")

            try await subject.cache.removeImage(forKey: address.cacheKey)
            try await seed(subject.cache, with: [(address, file)])
            #expect(try subject.storage.value(forKey: address.cacheKey) == Pictures.small[0])
        }
    }

    // MARK: Shared with extensions

    @Test func `during a suspension a removal affects memory only, and its handler is called`() async throws {
        try await withImageCache { subject in
            try await subject.cache.store(Pictures.image(0), forKey: "a")
            await subject.cache.suspend()
            #expect(subject.cache.isCached(forKey: "a"))
            await subject.onceDone { subject.cache.removeImage(forKey: "a", completionHandler: $0) }
            #expect(!subject.cache.isCached(forKey: "a"))
            await subject.cache.clearDiskCache()
            subject.cache.resume()
            #expect(try await subject.load("a").cacheType == .disk)
        }
    }

    // MARK: Back to Kingfisher

    @Test func `a file's date is the expiration at its store, even if reads have extended it`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a", expiration: .days(7))
            let url = cache.storage.cacheFileURL(forKey: "a")
            func noted() throws -> Date? {
                try url.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate
            }
            let stored = try #require(try noted())
            #expect(abs(stored.timeIntervalSince(cache.clock.now.date) - 7 * day) < 1)
            cache.clock.advance(by: 6 * day)
            _ = try cache.storage.value(forKey: "a")
            cache.storage.store.flushAccessLogNow()
            #expect(try noted() == stored)
        }
    }

    // MARK: On a server

    @Test func `a path block gives the cache exactly that folder`() throws {
        try withCache { cache in
            let folder = cache.folder.url.appendingPathComponent("thumbnails", isDirectory: true)
            var config = DiskStorage.Config(name: "thumbnails", sizeLimit: 0)
            config.cachePathBlock = { _, _ in folder }
            let storage = try DiskStorage.Backend<Data>(config: config, environment: cache.environment)
            try storage.store(value: .blob(1), forKey: "a")
            #expect(storage.directoryURL.path == folder.path)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            #expect(names == [".halcyon", storage.cacheFileName(forKey: "a")])
        }
    }
}
