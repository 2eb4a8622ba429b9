import Foundation
import Halcyon
import HalcyonTestSupport
import Testing

/// What you write first, with the public API alone.
@Suite struct FirstStepsTests {
    @Test func `a storage of data works with a few lines`() throws {
        let folder = try TemporaryFolder()
        let (png, icon) = (Data.blob(1), Data.blob(2))

        let storage = try DiskStorage.Backend<Data>(
            config: .init(name: "thumbnails", sizeLimit: 50_000_000, directory: folder.url))
        try storage.store(value: png, forKey: "https://example.com/a.png")
        try storage.store(value: icon, forKey: "icon", expiration: .never)
        let data = try storage.value(forKey: "https://example.com/a.png")
        let isThere = storage.isCached(forKey: "icon")
        let expired = try storage.removeExpiredValues()
        let evicted = try storage.removeSizeExceededValues()

        #expect(data == png && isThere && expired.isEmpty && evicted.isEmpty)
        #expect(storage.directoryURL.lastPathComponent == "com.onevcat.Kingfisher.ImageCache.thumbnails")
    }

    @Test func `queries, pins and metadata work together`() async throws {
        let folder = try TemporaryFolder()
        let cache = try ImageCache(name: "asked", cacheDirectoryURL: folder.url)
        let (key, data, etag) = ("https://img.example.com/a.png", Data.blob(1), "\"33a64df5\"")
        try await cache.storeToDisk(
            data, forKey: key,
            attributes: .init(tags: ["user 7"], validators: .init(etag: etag, maxAge: 3600), metadata: ["width": "320"])
        )
        try await cache.storeToDisk(data, forKey: key, processorIdentifier: "thumb")

        let storage = cache.diskStorage
        let page = try storage.entries(matching: .init(host: "img.example.com"), sortedBy: .size, descending: true)
        #expect(page.entries.count == 2 && page.next == nil)
        for try await entry in storage.allEntries(matching: .init(isExpired: true)) {
            Issue.record("\(entry.fileName)")
        }
        #expect(try storage.totals(matching: .init(accessedBefore: Date() - 30 * 86_400)).entries == 0)
        try await cache.update(.init(isPinned: true), forKey: key)
        try storage.update(forKey: key) { .init(tags: Set($0.tags).union(["offline"])) }
        let entry = try #require(try storage.entry(forKey: key))
        #expect(entry.isPinned && entry.tags == ["offline", "user 7"] && entry.validators?.maxAge == 3600)
        storage.config.countLimit = 5_000
        #expect(try storage.statistics.total.hitRate == nil)
        let tagged = try await cache.removeImages(matching: .init(tag: "user 7"))
        let variants = try await cache.removeImageAndVariants(forKey: key)
        #expect(tagged.count == 1 && variants.count == 1)
    }
}
