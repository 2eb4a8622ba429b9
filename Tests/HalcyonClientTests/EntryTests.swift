import Foundation
import Halcyon
import Testing

/// Features that Kingfisher lacks: queries, pins, metadata, removal by conditions.
@Suite struct EntryTests {
    private let key = "https://example.com/a.png"

    @Test func `settings that Kingfisher lacks have defaults`() {
        var config = DiskStorage.Config(name: "a", sizeLimit: 0)
        #expect(config.countLimit == 0 && config.keepFreeBytes == 0 && config.lowWaterRatio == 0.5)
        #expect(config.storesKeys && config.cleanInterval == 600)
        (config.countLimit, config.keepFreeBytes, config.lowWaterRatio) = (1, 2, 0.25)
        (config.storesKeys, config.cleanInterval) = (false, 60)
        #expect(config.countLimit == 1 && config.keepFreeBytes == 2 && config.lowWaterRatio == 0.25)
        #expect(config.evictionOrder == .leastRecentlyUsed)
        config.evictionOrder = .frequencyBonus
        #expect(DiskStorage.EvictionOrder.allCases == [.leastRecentlyUsed, config.evictionOrder])
        #expect(!config.storesKeys && config.cleanInterval == 60)
    }

    @Test func `an entry's info has all its attributes`() async throws {
        try await withStorage { storage in
            var validators = DiskStorage.HTTPValidators()
            (validators.etag, validators.lastModified, validators.maxAge) = ("e", "m", 60)
            var attributes = DiskStorage.EntryAttributes()
            (attributes.isPinned, attributes.tags) = (true, ["t"])
            (attributes.validators, attributes.metadata) = (validators, ["k": "v"])
            try storage.store(value: Data([1, 2]), forKey: key, attributes: attributes)
            let entry: DiskStorage.EntryInfo = try #require(try storage.entry(forKey: key))
            #expect(entry.key == key && entry.size == 2 && entry.allocatedSize >= 2 && entry.hits == 0)
            #expect(entry.isPinned && entry.tags == ["t"] && entry.metadata == ["k": "v"])
            validators.validatedAt = entry.created
            #expect(entry.validators == validators && validators.isFresh() && validators.isUsable())
            #expect(validators.currentAge(at: entry.created) == 0 && !validators.mustRevalidate)
            #expect(validators.age == nil && validators.staleWhileRevalidate == nil)
            #expect(entry.fileURL == storage.cacheFileURL(forKey: key))
            #expect(entry.fileName == entry.fileURL.lastPathComponent)
            #expect(entry.created <= entry.lastAccess && entry.expiration != nil && !entry.isExpired())
            #expect(
                !entry.isExpired(at: entry.created) && entry.baseKey == entry.key && entry.processorIdentifier == "")
        }
    }

    @Test func `an entry's attributes can be updated`() async throws {
        try await withStorage { storage in
            try storage.store(value: Data([1]), forKey: key, attributes: .init(tags: ["a"]))
            #expect(try storage.update(.init(isPinned: true), forKey: key))
            try storage.update(forKey: key) { entry in .init(tags: Set(entry.tags).union(["b"])) }
            let entry = try #require(try storage.entry(forKey: key))
            #expect(entry.isPinned && entry.tags == ["a", "b"])
            #expect(try !storage.update(.init(isPinned: true), forKey: "nobody"))
        }
    }

    @Test func `entries can be listed in pages and one by one`() async throws {
        try await withStorage { storage in
            for size in 1...3 { try storage.store(value: Data(count: size), forKey: "\(size)") }
            let first: DiskStorage.EntryPage = try storage.entries(sortedBy: .size, descending: true, limit: 2)
            let cursor: DiskStorage.EntryCursor = try #require(first.next)
            let second = try storage.entries(after: cursor, limit: 2)
            #expect(first.entries.map(\.size) == [3, 2] && second.entries.map(\.size) == [1] && second.next == nil)
            var sizes: [Int64] = []
            let sequence: DiskStorage.EntrySequence = storage.allEntries(sortedBy: .size)
            for try await entry in sequence { sizes.append(entry.size) }
            #expect(sizes == [1, 2, 3])
            var iterator: DiskStorage.EntrySequence.AsyncIterator = sequence.makeAsyncIterator()
            #expect(try await iterator.next()?.size == 1)
            for order in DiskStorage.EntryOrder.allCases {
                #expect(try storage.entries(matching: .all, sortedBy: order).entries.count == 3)
            }
            #expect(DiskStorage.EntryOrder.allCases == [.access, .eviction, .size, .created, .expiration, .key])
        }
    }

    @Test func `a filter can combine conditions of every kind`() async throws {
        try await withStorage { storage in
            try storage.store(value: Data(count: 10), forKey: key)
            var filter = DiskStorage.EntryFilter()
            (filter.keyPrefix, filter.text, filter.host) = ("https:", "a.png", "example.com")
            (filter.minimumSize, filter.maximumSize) = (10, 10)
            (filter.createdAfter, filter.createdBefore) = (.distantPast, .distantFuture)
            (filter.accessedAfter, filter.accessedBefore) = (.distantPast, .distantFuture)
            (filter.expiresBefore, filter.isExpired, filter.isPinned) = (.distantFuture, false, false)
            let totals: DiskStorage.Totals = try storage.totals(matching: filter)
            #expect(totals == DiskStorage.Totals(entries: 1, bytes: 10))
            (filter.baseKey, filter.processorIdentifier, filter.tag) = ("b", "p", "t")
            #expect(try storage.totals(matching: filter).entries == 0 && storage.totals().entries == 1)
            let progress = Progress(totalUnitCount: 0)
            let removed = try storage.removeEntries(matching: .init(host: "example.com"), progress: progress)
            #expect(removed.map(\.key) == [key])
        }
    }

    @Test func `a storage reports its statistics and its usage`() async throws {
        try await withStorage { storage in
            try storage.store(value: Data(count: 10), forKey: key, attributes: .init(isPinned: true))
            _ = (try storage.value(forKey: key), try storage.value(forKey: "b"))
            let counts: DiskStorage.Statistics.Counts = try storage.statistics.sinceOpening
            #expect(counts.hits == 1 && counts.misses == 1 && counts.stores == 1 && counts.hitRate == 0.5)
            #expect(counts.removals == 0 && counts.evictions == 0 && counts.expirations == 0)
            #expect(counts.bytesRead == 10 && counts.bytesWritten == 10)
            #expect(counts.bytesEvicted == 0 && counts.millisecondsUnusedBeforeEviction == 0)
            let all = try storage.statistics
            #expect(all.total == counts && all.since != nil)
            try storage.resetStatistics()
            #expect(try storage.statistics.total == DiskStorage.Statistics.Counts())

            let usage: DiskStorage.Usage = try storage.usage()
            #expect(usage.total.bytes == 10 && usage.pinned.entries == 1 && usage.expired.entries == 0)
            #expect(usage.allocatedBytes >= 10 && usage.freeBytes ?? 1 > 0 && usage.pinnedExcess == nil)
            #expect(usage.indexBytes > 0 && usage.logBytes >= 0)
        }
    }

    @Test func `a storage works again after a suspension, a close and an adoption`() async throws {
        try await withStorage { storage in
            try storage.store(value: Data([1]), forKey: key)
            storage.suspend()
            #expect(try storage.value(forKey: key) == nil)
            storage.resume()
            #expect(try storage.value(forKey: key) == Data([1]))
            try storage.flush()
            storage.close()
            #expect(try storage.entry(forKey: key)?.hits == 1)
            for await progress: AdoptionProgress in storage.adoptionProgress {
                #expect(progress.files <= progress.total)
            }
        }
    }

    @Test func `a cache removes variants, and images by a condition`() async throws {
        try await withCache { cache in
            func store() async throws {
                try await cache.store(Pictures.image(), forKey: key)
                try await cache.store(Pictures.image(), forKey: key, processorIdentifier: "p")
            }
            try await store()
            let variants = await handled { done in cache.removeImageAndVariants(forKey: key) { done($0) } }
            #expect(try Set(variants.get().map(\.processorIdentifier)) == ["", "p"])
            try await store()
            let progress = Progress(totalUnitCount: 0)
            let matching = await handled { done in
                cache.removeImages(matching: .init(processorIdentifier: "p"), progress: progress) { done($0) }
            }
            #expect(try matching.get().map(\.baseKey) == [key])
            try await cache.removeImages(matching: .init(host: "example.com"))
            #expect(try await cache.diskStorageSize == 0)
            try await store()
            let removed = try await cache.removeImageAndVariants(forKey: key, fromMemory: false, fromDisk: true)
            #expect(removed.count == 2 && cache.imageCachedType(forKey: key) == .memory)
            try await store()
            #expect(try cache.diskStorage.totals(matching: .init(baseKeys: [key, "another"])).entries == 2)
            #expect(DiskStorage.EntryFilter(baseKey: key) == .init(baseKeys: [key]))
            let several = await handled { done in
                cache.removeImagesAndVariants(forKeys: ["another", key]) { done($0) }
            }
            #expect(try several.get().count == 2)
            try await store()
            #expect(try await cache.removeImagesAndVariants(forKeys: [key], fromMemory: false).count == 2)
        }
    }

    @Test func `a cache keeps the attributes of an image`() async throws {
        try await withCache { cache in
            let (image, data) = (try Pictures.image(), try Pictures.data())
            await done { done in
                cache.store(image, forKey: "a", attributes: .init(tags: ["t"])) { _ in done() }
            }
            await done { done in
                cache.storeToDisk(data, forKey: "b", attributes: .init(tags: ["t"])) { _ in done() }
            }
            try await cache.store(image, original: data, forKey: "c", attributes: .init(tags: ["t"]))
            try await cache.storeToDisk(data, forKey: "d", attributes: .init(tags: ["t"]))
            #expect(try cache.diskStorage.totals(matching: .init(tag: "t")).entries == 4)
            let isChanged = await handled { done in cache.update(.init(isPinned: true), forKey: "a") { done($0) } }
            let isChangedToo = try await cache.update(.init(isPinned: true), forKey: "b")
            #expect(try isChanged.get() && isChangedToo)
            #expect(try cache.diskStorage.totals(matching: .init(isPinned: true)).entries == 2)
        }
    }

    @Test func `a clean reports progress, and a suspension releases the folder`() async throws {
        try await withCache { cache in
            try await cache.storeToDisk(Data([1]), forKey: "a")
            let progress = Progress(totalUnitCount: 0)
            await done { done in cache.cleanExpiredDiskCache(progress: progress) { done() } }
            await cache.cleanExpiredDiskCache(progress: progress)
            #expect(progress.isFinished)
            await cache.suspend()
            #expect(!cache.isCached(forKey: "a"))
            cache.resume()
            await done { done in cache.suspend { done() } }
            cache.resume()
            try await cache.flush()
            let isFlushed: Result<(), KingfisherError> = await handled { cache.flush(completion: $0) }
            #expect(throws: Never.self) { try isFlushed.get() }
            await cache.close()
            await done { done in cache.close { done() } }
            #expect(cache.isCached(forKey: "a") && cache.notificationObject === cache)
        }
    }
}
