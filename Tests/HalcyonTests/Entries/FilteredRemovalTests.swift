import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// A removal by a filter removes matching images from memory and disk, and nothing that is stored later.
@Suite(.endsEvenIfItHangs) struct FilteredRemovalTests {
    private static let small: Tuning = {
        var tuning = Tuning.patient
        tuning.batchSize = 2
        return tuning
    }()

    private func fill(_ subject: CacheUnderTest, _ count: Int = 6) async throws {
        for seed in 0..<count {
            try await subject.cache.store(Pictures.image(), forKey: "a\(seed)")
            try await subject.cache.update(.init(tags: ["t"]), forKey: "a\(seed)")
        }
    }

    static let filters: [EntryFilter] = [
        .init(keyPrefix: "a"), .init(text: "A"), .init(tag: "t"), .init(minimumSize: 1), .all,
    ]

    @Test(arguments: filters) func `a removal by a filter covers memory and disk`(filter: EntryFilter) async throws {
        try await withImageCache(tuning: Self.small) { subject in
            try await fill(subject)
            let gone = try await subject.once { subject.cache.removeImages(matching: filter, completionHandler: $0) }
                .value.get()
            #expect(gone.count == 6)
            for seed in 0..<6 { #expect(subject.cache.imageCachedType(forKey: "a\(seed)") == .none) }
            #expect(subject.cache.memoryStorage.totalCacheCost() == 0)
        }
    }

    @Test func `a removal by a filter tries again what the system refused once`() throws {
        try withCache { cache in
            for key in ["a", "b", "c"] { try cache.storage.store(value: .blob(1), forKey: key) }
            cache.settle()
            cache.fileSystem.fail(.rename, EIO, times: 1)
            #expect(try cache.storage.removeEntries(matching: .all).count == 3)
        }
    }

    /// The others are read while the removal runs. The reads are only noted.
    @Test(arguments: [false, true])
    func `a removal spares entries that a read has moved out of the filter`(isAboutExpiration: Bool) throws {
        var tuning = Tuning.patient
        (tuning.batchSize, tuning.flushInterval) = (1, 3_600_000)
        try withCache(tuning: tuning) { cache in
            let (storage, keys) = (cache.storage, ["a", "b", "c"])
            let bound = cache.clock.now.date.addingTimeInterval(500)
            let filter =
                isAboutExpiration ? EntryFilter(expiresBefore: bound + 1_000) : EntryFilter(accessedBefore: bound)
            for key in keys { try storage.store(value: .blob(1), forKey: key, expiration: .seconds(900)) }
            cache.clock.advance(by: 600)
            let moment = try storage.store.moment(removing: filter)
            let isFirst = Locked(true)
            let gone = try storage.removeEntries(matching: filter, existingAt: moment, progress: nil) { batch in
                try batch()
                guard isFirst.replace(with: false) else { return }
                for key in keys { _ = try storage.value(forKey: key, extendingExpiration: .expirationTime(.days(9))) }
            }
            #expect(gone.count == 1 && keys.filter { storage.isCached(forKey: $0) }.count == 2)
        }
    }

    @Test func `a noted read decides whether an entry still meets a filter`() {
        let now = Timestamp(milliseconds: 1_000)
        func admits(_ filter: EntryFilter, expiresAt: Int64?) -> Bool {
            let end = expiresAt.map { Timestamp(milliseconds: $0) }
            return filter.admits(accessedAt: now, Lifetime(expiresAt: end, timeToLive: 1), at: now)
        }
        #expect(admits(.init(isExpired: true), expiresAt: 1_000) && !admits(.init(isExpired: true), expiresAt: 1_001))
        #expect(!admits(.init(isExpired: true), expiresAt: nil) && admits(.init(isExpired: false), expiresAt: 1_001))
        let soon = EntryFilter(expiresBefore: Date(timeIntervalSince1970: 2))
        #expect(admits(soon, expiresAt: 1_999) && !admits(soon, expiresAt: 2_000) && !admits(soon, expiresAt: nil))
        let unused = EntryFilter(accessedBefore: Date(timeIntervalSince1970: 1))
        #expect(!admits(unused, expiresAt: nil) && admits(.init(accessedAfter: .distantPast), expiresAt: nil))
    }

    @Test func `a date that is not a number matches nothing`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            let date = Date(timeIntervalSince1970: .nan)
            let filters: [EntryFilter] = [
                .init(createdAfter: date), .init(createdBefore: date), .init(accessedAfter: date),
                .init(accessedBefore: date), .init(expiresBefore: date),
            ]
            for filter in filters { #expect(try cache.storage.removeEntries(matching: filter).isEmpty) }
        }
    }

    @Test func `images in memory only are removed if the conditions are about keys`() async throws {
        try await withImageCache { subject in
            let image = try Pictures.image()
            for key in ["a", "ab", "b", "https://A.b/c", "a@x"] {
                try await subject.cache.store(image, forKey: key, toDisk: false)
            }
            _ = try await subject.cache.removeImages(matching: .init(tag: "t"))
            #expect(subject.cache.memoryStorage.keys.count == 5)
            _ = try await subject.cache.removeImages(matching: .init(host: "a.B"))
            #expect(subject.cache.memoryStorage.keys == ["a", "ab", "b", "a@x"])
            _ = try await subject.cache.removeImageAndVariants(forKey: "a")
            #expect(subject.cache.memoryStorage.keys == ["ab", "b"])
        }
    }

    @Test func `a variant whose key hides its host is removed from memory too`() async throws {
        try await withImageCache { subject in
            let (key, processor) = ("https://img.example.com", BlurOrSo())
            let options = KingfisherParsedOptionsInfo([.processor(processor)])
            _ = try await subject.once {
                subject.cache.store(try Pictures.image(1), forKey: key, options: options, completionHandler: $0)
            }
            let gone = try await subject.cache.removeImages(matching: .init(host: "img.example.com"))
            #expect(gone.count == 1)
            #expect(subject.cache.imageCachedType(forKey: key, processorIdentifier: processor.identifier) == .none)
        }
    }

    private struct BlurOrSo: ImageProcessor {
        let identifier = "p"
        func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? { nil }
    }

    @Test(arguments: filters) func `an image stored by a later call stays, in memory too`(filter: EntryFilter)
        async throws
    {
        try await withImageCache(tuning: Self.small) { subject in
            try await fill(subject)
            let later = try Pictures.image(1)
            subject.cache.ioQueue.queue.suspend()
            let calls = Calls<Result<[DiskStorage.EntryInfo], KingfisherError>>()
            subject.cache.removeImages(matching: filter) { calls.record($0) }
            subject.cache.store(later, forKey: "a1", completionHandler: nil)
            subject.cache.store(later, forKey: "a2", toDisk: false, completionHandler: nil)
            subject.cache.ioQueue.queue.resume()
            let gone = try await calls.first().value.get()
            #expect(Set(gone.map(\.fileName)).count == gone.count)
            await subject.settle()
            #expect(calls.count == 1)
            for key in ["a1", "a2"] {
                #expect(subject.cache.retrieveImageInMemoryCache(forKey: key)?.number == 1, "\(key)")
            }
            subject.cache.clearMemoryCache()
            #expect(try await subject.load("a1").image?.number == 1)
            for key in ["a0", "a2", "a3", "a4", "a5"] {
                #expect(subject.cache.imageCachedType(forKey: key) == .none, "\(key)")
            }
        }
    }

    @Test(arguments: filters) func `an image loaded between two batches is not kept in memory`(filter: EntryFilter)
        async throws
    {
        try await withImageCache(tuning: Self.small) { subject in
            try await fill(subject)
            subject.cache.clearMemoryCache()
            let cache = subject.cache
            let loads = Calls<Result<ImageCacheResult, KingfisherError>>()
            let isFirst = Locked(true)
            subject.disk.fileSystem.observe { call, path in
                guard call == .rename, path.contains("/trash/") else { return }
                guard
                    isFirst.withLock({ first in
                        defer { first = false }
                        return first
                    })
                else { return }
                // During the first batch: these loads run before the second one.
                for seed in 0..<6 { cache.retrieveImage(forKey: "a\(seed)") { loads.record($0) } }
            }
            _ = try await cache.removeImages(matching: filter)
            subject.disk.fileSystem.observe(nil)
            await subject.settle()
            #expect(loads.count == 6)
            for seed in 0..<6 { #expect(cache.imageCachedType(forKey: "a\(seed)") == .none) }
        }
    }

    @Test func `without stored keys, memory is searched by file names`() async throws {
        try await withImageCache(configure: { $0.storesKeys = false }) { subject in
            try await fill(subject)
            try await subject.cache.store(Pictures.image(), forKey: "b")
            try await subject.cache.storeToDisk(Pictures.small[0], forKey: "c", forcedExtension: "png")
            try await subject.cache.update(.init(tags: ["t"]), forKey: "c", forcedExtension: "png")
            _ = try await subject.cache.retrieveImage(forKey: "c", options: [.forcedCacheFileExtension("png")])
            #expect(try await subject.cache.removeImages(matching: .init(tag: "t")).count == 7)
            #expect(subject.cache.memoryStorage.keys == ["b"])
        }
    }

    // MARK: Ending early

    @Test func `a removal that is cancelled halfway keeps the remaining entries unchanged`() async throws {
        try await withImageCache(tuning: Self.small) { subject in
            try await fill(subject)
            let progress = Progress.discreteProgress(totalUnitCount: 0)
            subject.disk.fileSystem.observe { call, path in
                if call == .rename, path.contains("/trash/") { progress.cancel() }
            }
            let result = await subject.once {
                subject.cache.removeImages(matching: .init(tag: "t"), progress: progress, completionHandler: $0)
            }
            subject.disk.fileSystem.observe(nil)
            let gone = try result.value.get()
            #expect(gone.count == 2 && progress.completedUnitCount == 2 && progress.totalUnitCount == 6)
            let left = try subject.storage.entries(sortedBy: .key).entries
            #expect(left.count == 4 && left.allSatisfy { $0.tags == ["t"] })
            for entry in left { #expect(subject.cache.imageCachedType(forKey: entry.key ?? "") == .memory) }
            for entry in gone { #expect(subject.cache.imageCachedType(forKey: entry.key ?? "") == .none) }
            try subject.disk.requireViews()
        }
    }

    @Test func `a removal that is cancelled before it begins removes nothing`() async throws {
        try await withImageCache { subject in
            try await fill(subject)
            let progress = Progress.discreteProgress(totalUnitCount: 0)
            progress.cancel()
            #expect(try await subject.cache.removeImages(matching: .init(tag: "t"), progress: progress) == [])
            #expect(try subject.storage.totals(matching: .all).entries == 6)
        }
    }

    @Test func `a removal in a task that is cancelled removes everything that matches`() async throws {
        try await withImageCache { subject in
            try await fill(subject)
            let task = Task { [cache = subject.cache] in
                withUnsafeCurrentTask { $0?.cancel() }
                return try await cache.removeImages(matching: .init(tag: "t"))
            }
            #expect(try await task.value.count == 6)
            #expect(try subject.storage.totals(matching: .all).entries == 0)
        }
    }

    @Test func `a failed removal reports once, and memory matches the disk`() async throws {
        try await withImageCache { subject in
            try await fill(subject)
            subject.disk.fileSystem.fail(.rename, EPERM, times: nil, path: "/trash/")
            let call = await subject.once {
                subject.cache.removeImages(matching: .init(tag: "t"), completionHandler: $0)
            }
            subject.disk.fileSystem.heal()
            #expect(call.value.error != nil)
            for seed in 0..<6 { #expect(subject.cache.imageCachedType(forKey: "a\(seed)") == .memory) }
            #expect(subject.cache.order.isIdle)
        }
    }

    @Test func `entries removed before a failure are reported`() throws {
        var tuning = Tuning.patient
        tuning.batchSize = 2
        try withCache(tuning: tuning) { cache in
            for seed in 0..<6 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            struct Stop: Error {}
            let store = cache.storage.store
            func remove(upTo last: Int) throws -> Int {
                let moment = try store.moment(removing: .all)
                var batches = 0
                let gone = try store.remove(
                    matching: EntryFilter.all, existingAt: moment, shouldContinue: { _ in true },
                    perform: { batch in
                        batches += 1
                        guard batches <= last else { throw Stop() }
                        try batch()
                    })
                return gone.count
            }
            #expect(try remove(upTo: 2) == 4)
            #expect(throws: Stop.self) { try remove(upTo: 0) }
            #expect(try cache.storage.totals().entries == 2)
        }
    }

    @Test func `a progress that is used again begins anew while the next removal waits`() throws {
        try withCache { cache in
            for key in ["a", "b", "c"] { try cache.storage.store(value: .blob(1), forKey: key) }
            let progress = Progress.discreteProgress(totalUnitCount: 0)
            try cache.storage.removeEntries(matching: .all, progress: progress)
            try cache.storage.announce(.all, progress)
            #expect(progress.completedUnitCount == 0 && progress.totalUnitCount == 1)
        }
    }
}
