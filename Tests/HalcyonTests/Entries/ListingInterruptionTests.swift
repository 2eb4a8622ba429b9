import Foundation
import HalcyonSQLite
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// The making of the listing is given up anywhere, and entries change meanwhile: whoever goes on ends with the same rows.
@Suite(.endsEvenIfItHangs) struct ListingInterruptionTests {
    private struct GivenUp: Error {}

    private static let small: Tuning = {
        var tuning = Tuning.patient
        tuning.listingBatchSize = 2
        tuning.listingChunk = 3
        return tuning
    }()

    /// Some keys have a host, some a processor, one an origin and no processor.
    private func fill(_ storage: DiskStorage.Backend<Data>, _ seeds: Range<Int> = 0..<8, size: Int = 10) throws {
        for seed in seeds {
            let base = "https://host\(seed % 3).example.com/\(seed)"
            let isVariant = seed.isMultiple(of: 2)
            try storage.store(
                value: .blob(seed, count: size + seed), forKey: isVariant ? "\(base)@p\(seed % 4)" : base,
                origin: seed % 5 == 0 ? nil : KeyOrigin(baseKey: base),
                expiration: seed % 3 == 0 ? .never : .seconds(100), writeOptions: [], forcedExtension: nil,
                attributes: .init())
        }
    }

    /// One of each kind of change.
    private func change(_ storage: DiskStorage.Backend<Data>, round: Int) throws {
        let keys = try storage.entries(limit: 100).entries.compactMap(\.key)
        guard keys.count > 4 else { return try fill(storage, size: 50 + round) }
        try storage.remove(forKey: keys[0])
        try storage.store(value: .blob(round, count: 100 + round), forKey: keys[1], expiration: .never)
        try storage.update(.init(isPinned: round.isMultiple(of: 2)), forKey: keys[2])
        try storage.store(value: .blob(round), forKey: "https://new\(round).example.com/@x")
        try storage.store(
            value: .blob(round, count: 7), forKey: keys[0], origin: KeyOrigin(baseKey: keys[0]),
            expiration: .seconds(10), writeOptions: [], forcedExtension: nil, attributes: .init())
    }

    @Test(arguments: [false, true]) func `whoever asked gives up after each step`(changing: Bool) throws {
        try withCache(tuning: Self.small) { cache in
            try fill(cache.storage)
            for round in 0..<100 {
                do {
                    try cache.storage.store.updateListing { _, _ in throw GivenUp() }
                    break
                } catch is GivenUp {
                    // Each change is one more to list: it has to end all the same.
                    if changing, round < 12 { try change(cache.storage, round: round) }
                    if round.isMultiple(of: 2) { cache.reopen() }
                }
            }
            try cache.requireListing()
        }
    }

    @Test(arguments: [false, true]) func `each transaction is refused once`(changing: Bool) throws {
        let commits = try (0..<200).first { after in
            let cache = try CacheFixture(tuning: Self.small)
            try fill(cache.storage)
            cache.refuseCommits(after: after)
            let result = Result { try cache.storage.store.updateListing() }
            cache.refuseCommits(times: 0)
            if changing { try change(cache.storage, round: after) }
            if after.isMultiple(of: 3) { cache.reopen() }
            try cache.requireListing("after \(after)")
            try cache.requireClean()
            return (try? result.get()) != nil
        }
        // 8 entries: 5 transactions for the rows, 3 chunks of 6 tables in 2 batches and a mark.
        #expect(try #require(commits) > 30)
    }

    @Test func `a refused change leaves the listing as the entries are`() throws {
        try withCache(tuning: Self.small) { cache in
            try fill(cache.storage)
            try cache.requireListing()
            for after in 0..<20 {
                cache.refuseCommits(after: after)
                _ = Result { try change(cache.storage, round: after) }
                _ = Result { try cache.storage.store.updateListing() }
                cache.refuseCommits(times: 0)
                try cache.requireListing("after \(after)")
            }
        }
    }

    @Test func `keys become known, and names get others, while it is made`() throws {
        try withCache(tuning: Self.small) { cache in
            try fill(cache.storage)
            let keys = try cache.storage.entries(limit: 100).entries.compactMap(\.key)
            // As adopted files are.
            try cache.storage.store.index.write {
                try $0.execute("UPDATE entries SET key = NULL, base_length = NULL, source = NULL")
            }
            var left = keys
            for _ in 0..<100 {
                do {
                    try cache.storage.store.updateListing { _, _ in throw GivenUp() }
                    break
                } catch is GivenUp {
                    guard let key = left.popLast() else { continue }
                    _ = try cache.storage.value(forKey: key)
                    cache.storage.store.flushAccessLogNow()
                }
            }
            try cache.requireListing()
            #expect(try cache.storage.totals(matching: .init(host: "host1.example.com")).entries == 3)
        }
    }

    // MARK: Two at once

    @Test func `two builders on two storages, and a third that changes entries`() throws {
        try withCache(tuning: Self.small) { cache in
            try fill(cache.storage, 0..<30)
            let others = [cache.makeStorage(), cache.makeStorage()]
            let failures: Locked<[String]> = Locked([])
            DispatchQueue.concurrentPerform(iterations: 3) { worker in
                do {
                    guard worker < 2 else {
                        for round in 0..<8 { try change(cache.storage, round: round) }
                        return
                    }
                    try others[worker].store.updateListing()
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
            #expect(failures.withLock { $0 } == [])
            try cache.requireListing()
        }
    }

    @Test(arguments: 0..<12) func `everything is removed in the middle`(step: Int) throws {
        try withCache(tuning: Self.small) { cache in
            try fill(cache.storage)
            let other = cache.makeStorage()
            var calls = 0
            try other.store.updateListing { _, _ in
                calls += 1
                guard calls == step else { return }
                try cache.storage.removeAll()
                try fill(cache.storage, 4..<11, size: 500)
            }
            try cache.requireListing()
            #expect(try cache.storage.entries(sortedBy: .size).entries.count == (calls >= step && step > 0 ? 7 : 8))
        }
    }

    @Test func `a listing made while everything is removed is not cleared`() throws {
        var tuning = Tuning.patient
        tuning.batchSize = 1
        tuning.listingBatchSize = 2
        try withCache(tuning: tuning) { cache in
            try fill(cache.storage)
            let other = cache.makeStorage()
            let isFirst = Locked(true)
            cache.fileSystem.observe { call, path in
                guard call == .unlink, path.contains("/trash/"), isFirst.withLock({ $0.take() }) else { return }
                // Between two batches of the removal.
                _ = Result { try fill(other, 20..<25) }
                _ = Result { try other.store.updateListing() }
            }
            try cache.storage.removeAll()
            cache.fileSystem.observe(nil)
            #expect(!isFirst.withLock { $0 })
            try cache.requireListing()
            #expect(try cache.storage.entries(sortedBy: .size).entries.count == 5)
        }
    }

    @Test func `rows of a listing that was cleared and made again meanwhile do not get into the new one`() throws {
        var slow = Tuning.patient
        slow.listingBatchSize = 1
        try withCache(tuning: slow) { cache in
            try fill(cache.storage, 0..<60)
            cache.environment.tuning = .patient
            let fast = cache.makeStorage()
            _ = try fast.totalSize()
            let ended = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                _ = Result { try cache.storage.store.updateListing() }
                ended.signal()
            }
            // It has read its rows, and writes them one by one.
            let index = try Connection(path: cache.index.path, access: .queryOnly)
            while try index.integer("SELECT count(*) FROM listing_by_size") == 0 { sched_yield() }
            try fast.removeAll()
            // The same ids, other sizes.
            try fill(fast, 0..<60, size: 1_000)
            do { try fast.store.updateListing { _, _ in throw GivenUp() } } catch is GivenUp {}
            ended.wait()
            try cache.requireListing()
        }
    }
}

extension Bool {
    /// true once.
    fileprivate mutating func take() -> Bool {
        defer { self = false }
        return self
    }
}
