import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

@Suite(.endsEvenIfItHangs) struct MoreLimitTests {
    struct Mark: Sendable {
        let ratio: Double
        let left: Int64
    }

    @Test func `more entries than the limit are evicted down to half of it`() throws {
        try withCache(configure: { $0.countLimit = 10 }) { cache in
            for seed in 0..<10 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            #expect(try cache.storage.removeSizeExceededValues() == [])
            try cache.storage.store(value: .blob(10), forKey: "10")
            _ = try cache.storage.value(forKey: "0")
            let gone = try cache.storage.removeSizeExceededValues()
            #expect(gone == (1...6).map { cache.storage.cacheFileURL(forKey: "\($0)") })
            #expect(cache.storage.isCached(forKey: "0"))
        }
    }

    @Test func `a store through the image cache enforces the count limit`() async throws {
        try await withImageCache(configure: { $0.countLimit = 10 }) { subject in
            for number in 0..<100 {
                try await subject.cache.storeToDisk(.blob(number), forKey: "\(number)")
                await subject.settle(rounds: 1)
                #expect(try subject.storage.totals().entries <= 10)
            }
            #expect(subject.storage.isCached(forKey: "99"))
        }
    }

    @Test func `with both limits, the one that requires more evictions decides`() throws {
        try withCache(configure: { config in
            config.countLimit = 4
            config.sizeLimit = 1_000
        }) { cache in
            for seed in 0..<5 { try cache.storage.store(value: .blob(seed, count: 10), forKey: "\(seed)") }
            #expect(try cache.storage.removeSizeExceededValues().count == 3)
            try cache.storage.store(value: .blob(9, count: 990), forKey: "large")
            #expect(try cache.storage.removeSizeExceededValues().count == 3)
            #expect(try cache.storage.totals() == Totals(entries: 0, bytes: 0))
        }
    }

    @Test(arguments: [
        Mark(ratio: 0.9, left: 90), Mark(ratio: 0.25, left: 25), Mark(ratio: 1, left: 100), Mark(ratio: 0, left: 0),
        Mark(ratio: -3, left: 0), Mark(ratio: 7, left: 100), Mark(ratio: .nan, left: 50),
    ])
    func `the low-water mark decides how much is kept`(mark: Mark) throws {
        try withCache(configure: { config in
            config.countLimit = 100
            config.lowWaterRatio = mark.ratio
        }) { cache in
            for seed in 0..<101 { try cache.storage.store(value: .blob(1, count: 1), forKey: "\(seed)") }
            _ = try cache.storage.removeSizeExceededValues()
            #expect(try cache.storage.totals().entries == mark.left)
        }
    }

    /// Blobs of this size take up no more than their own bytes.
    private var block: Int { 4_096 }

    @Test func `an eviction for a full volume frees an eighth more than the minimum`() throws {
        try withCache(configure: { $0.keepFreeBytes = UInt(8 * block) }) { cache in
            for seed in 0..<10 { try cache.storage.store(value: .blob(seed, count: block), forKey: "\(seed)") }
            cache.fileSystem.pretend(freeBytes: 8 * Int64(block))
            #expect(try cache.storage.removeSizeExceededValues() == [])
            cache.fileSystem.pretend(freeBytes: 6 * Int64(block) + 2_000)
            // Less than two blocks up to the minimum, and one more.
            #expect(try cache.storage.removeSizeExceededValues().count == 3)
            cache.fileSystem.fail(.freeBytes, EIO)
            #expect(try cache.storage.removeSizeExceededValues() == [])
            cache.fileSystem.pretend(freeBytes: 0)
            #expect(try cache.storage.removeSizeExceededValues().count == 7)
        }
    }

    @Test func `an eviction for a full volume counts the blobs that wait to be unlinked as free`() throws {
        var tuning = Tuning.patient
        tuning.unlinkDelay = 3_600_000
        try withCache(tuning: tuning, configure: { $0.keepFreeBytes = UInt(8 * block) }) { cache in
            for seed in 0..<10 { try cache.storage.store(value: .blob(seed, count: block), forKey: "\(seed)") }
            for seed in 0..<2 { try cache.storage.store(value: .blob(seed + 1, count: block), forKey: "\(seed)") }
            // With the two replaced blobs there are more than eight blocks.
            cache.fileSystem.pretend(freeBytes: 6 * Int64(block) + 2_000)
            #expect(try cache.storage.removeSizeExceededValues() == [])
            cache.fileSystem.pretend(freeBytes: 5 * Int64(block) + 2_000)
            #expect(try cache.storage.removeSizeExceededValues().count == 2)
        }
    }

    @Test func `stores on a full volume evict, without repeated searches that find nothing`() async throws {
        try await withImageCache(configure: { $0.keepFreeBytes = UInt(80 * block) }) { subject in
            for number in 0..<20 {
                try subject.storage.store(
                    value: .blob(number, count: block), forKey: "pinned \(number)", attributes: .init(isPinned: true))
            }
            subject.disk.fileSystem.pretend(freeBytes: 0)
            let notifications = CleanNotifications(of: subject.cache)
            for number in 0..<60 {
                try await subject.cache.storeToDisk(.blob(number, count: block), forKey: "\(number)")
            }
            await subject.settle()
            #expect(notifications.postings.count < 10)
            #expect(try subject.storage.totals(matching: .init(isPinned: true)).entries == 20)
            #expect(try subject.storage.totals().entries < 40)
        }
    }

    @Test func `changed limits apply from the next operation on`() throws {
        try withCache { cache in
            for seed in 0..<10 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            #expect(try cache.storage.removeSizeExceededValues() == [])
            cache.storage.config.countLimit = 5
            #expect(try cache.storage.removeSizeExceededValues().count == 8)
            cache.storage.config.countLimit = -5
            #expect(try cache.storage.removeSizeExceededValues() == [])
        }
    }

    @Test func `a fruitless eviction for a full volume does not raise the other limits`() async throws {
        try await withImageCache(configure: { config in
            config.sizeLimit = 1_000
            config.keepFreeBytes = 1_000_000
        }) { subject in
            try subject.fill((0..<9).map { "pinned \($0)" })
            for number in 0..<9 { try subject.storage.update(.init(isPinned: true), forKey: "pinned \(number)") }
            subject.disk.fileSystem.pretend(freeBytes: 0)
            try await subject.cache.storeToDisk(.blob(0), forKey: "first")
            await subject.settle()
            subject.disk.fileSystem.pretend(freeBytes: 2_000_000)
            try subject.storage.removeEntries(matching: .init(isPinned: true))
            for number in 0..<60 { try await subject.cache.storeToDisk(.blob(number), forKey: "\(number)") }
            await subject.settle()
            #expect(try subject.storage.totals().bytes <= 1_000)
        }
    }
}
