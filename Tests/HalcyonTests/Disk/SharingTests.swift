import Foundation
import Halcyon
import HalcyonTestSupport
import Testing

/// Several storages on one folder, many threads on one storage.
@Suite struct SharingTests {
    @Test func `one storage sees the stores of another at once`() throws {
        try withCache { cache in
            let other = cache.makeStorage()
            #expect(try other.value(forKey: "a") == nil)
            try cache.storage.store(value: .blob(1), forKey: "a")
            #expect(other.isCached(forKey: "a"))
            #expect(try other.value(forKey: "a") == .blob(1))
            try other.remove(forKey: "a")
            #expect(!cache.storage.isCached(forKey: "a"))
            #expect(try cache.storage.totalSize() == 0)
        }
    }

    @Test func `two storages of one process share connections and pending notes`() throws {
        let folder = try TemporaryFolder()
        let config = DiskStorage.Config(name: "shared", sizeLimit: 0, directory: folder.url)
        let first = try DiskStorage.Backend<Data>(config: config)
        let second = try DiskStorage.Backend<Data>(config: config)
        #expect(first.store === second.store)
        let elsewhere = DiskStorage.Config(name: "other", sizeLimit: 0, directory: folder.url)
        #expect(try DiskStorage.Backend<Data>(config: elsewhere).store !== first.store)
    }

    #if os(Linux)
        @Test func `directories whose names are canonically equal have their own storages`() throws {
            let folder = try TemporaryFolder()
            let storages = try ["caf\u{E9}", "cafe\u{301}"].map { name in
                try DiskStorage.Backend<Data>(config: .init(name: name, sizeLimit: 0, directory: folder.url))
            }
            #expect(storages[0].store !== storages[1].store)
            try storages[0].store(value: .blob(1), forKey: "a")
            #expect(!storages[1].isCached(forKey: "a"))
            for storage in storages { storage.close() }
        }
    #endif

    @Test func `an access note never changes the expiration of a newer entry`() throws {
        try withCache { cache in
            let other = cache.makeStorage()
            try cache.storage.store(value: .blob(1), forKey: "a", expiration: .seconds(60))
            _ = try other.value(forKey: "a", extendingExpiration: .expirationTime(.days(10)))
            try cache.storage.store(value: .blob(2), forKey: "a", expiration: .seconds(60))
            _ = try other.value(forKey: "b")
            other.store.close()
            cache.clock.advance(by: 61)
            #expect(!cache.storage.isCached(forKey: "a"))
            #expect(!other.isCached(forKey: "a"))
            try cache.storage.remove(forKey: "a")
            other.store.close()
            #expect(try cache.storage.totalSize() == 0)
        }
    }

    @Test(arguments: [[], [.exchange], [.exchange, .link]] as [[FaultyFileSystem.Call]])
    func `overwrites are atomic for readers`(missing: [FaultyFileSystem.Call]) throws {
        try withCache { cache in
            for call in missing { cache.fileSystem.fail(call, ENOTSUP, times: nil) }
            let other = cache.makeStorage()
            let values = (0..<100).map { Data.blob($0, count: 64 * 1024) }
            try cache.storage.store(value: values[0], forKey: "a")
            let wrong = Locked(0)
            DispatchQueue.concurrentPerform(iterations: 4) { worker in
                if worker == 0 {
                    for value in values + values { try? cache.storage.store(value: value, forKey: "a") }
                } else {
                    for _ in 0..<500 {
                        let data = try? (worker == 1 ? cache.storage : other).value(forKey: "a")
                        if !values.contains(where: { $0 == data }) { wrong.withLock { $0 += 1 } }
                    }
                }
            }
            #expect(wrong.withLock { $0 } == 0)
        }
    }

    @Test func `eight threads mix operations and change settings without errors`() throws {
        try withCache(configure: { $0.sizeLimit = 20_000 }) { cache in
            let other = cache.makeStorage()
            let base = SeededGenerator.ofThisRun
            let failures: Locked<[String]> = Locked([])
            DispatchQueue.concurrentPerform(iterations: 8) { worker in
                var generator = base
                for _ in 0..<worker { _ = generator.next() }
                let storage = worker.isMultiple(of: 2) ? cache.storage : other
                for step in 0..<300 {
                    let seed = Int.random(in: 0..<60, using: &generator)
                    do {
                        switch Int.random(in: 0..<20, using: &generator) {
                        case 0...7: try storage.store(value: .blob(seed, count: 500), forKey: "\(seed)")
                        case 8...14:
                            let data = try storage.value(forKey: "\(seed)")
                            if let data, data != .blob(seed, count: 500) {
                                failures.withLock { $0.append("wrong bytes of \(seed)") }
                            }
                        case 15: _ = storage.isCached(forKey: "\(seed)")
                        case 16: try storage.remove(forKey: "\(seed)")
                        case 17: _ = try storage.removeSizeExceededValues()
                        case 18: _ = try storage.removeExpiredValues()
                        default: storage.config.sizeLimit = UInt(10_000 + step)
                        }
                    } catch {
                        failures.withLock { $0.append("\(error)") }
                    }
                }
            }
            #expect(failures.withLock { $0 } == [])
        }
    }

    @Test func `an eviction in one storage and stores of the same keys in another do not conflict`() throws {
        var tuning = Tuning.patient
        tuning.batchSize = 4
        try withCache(tuning: tuning, configure: { $0.sizeLimit = 5_000 }) { cache in
            let other = cache.makeStorage()
            let lost = Locked(0)
            DispatchQueue.concurrentPerform(iterations: 2) { worker in
                for round in 0..<40 {
                    if worker == 0 {
                        _ = try? cache.storage.removeSizeExceededValues()
                    } else {
                        for seed in 0..<20 {
                            try? other.store(value: .blob(round &+ seed, count: 300), forKey: "\(seed)")
                            // It was just stored, so it is the most recently used entry and stays.
                            if (try? other.value(forKey: "\(seed)")) != .blob(round &+ seed, count: 300) {
                                lost.withLock { $0 += 1 }
                            }
                        }
                    }
                }
            }
            #expect(lost.withLock { $0 } == 0)
        }
    }

    @Test func `entries stored during a removal of everything survive`() throws {
        var tuning = Tuning.patient
        tuning.batchSize = 4
        try withCache(tuning: tuning) { cache in
            for seed in 0..<100 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            let isFirst = Locked(true)
            cache.fileSystem.observe { call, path in
                guard call == .unlink, path.contains("/trash/"),
                    isFirst.withLock({ first in
                        defer { first = false }
                        return first
                    })
                else { return }
                // Between two batches: no lock is held.
                for seed in 0..<20 { try? cache.storage.store(value: .blob(seed + 1_000), forKey: "\(seed * 5)") }
            }
            try cache.storage.removeAll()
            cache.fileSystem.observe(nil)
            #expect(try cache.storage.totalSize() == 2_000)
            for seed in 0..<20 { #expect(try cache.storage.value(forKey: "\(seed * 5)") == .blob(seed + 1_000)) }
        }
    }

    @Test func `a lookup does not wait for a writer`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            let other = cache.makeStorage()
            _ = other.isCached(forKey: "a")
            // During a write transaction of this storage, lookups from another thread and of another process.
            try cache.storage.store.index.write { (_: IndexSession) throws in
                let answers = Locked([Bool]())
                DispatchQueue.concurrentPerform(iterations: 2) { worker in
                    let storage = worker == 0 ? cache.storage : other
                    let isHit = storage.isCached(forKey: "a") && (try? storage.value(forKey: "a")) == .blob(1)
                    cache.clock.advance(by: 1)
                    let isMiss = !storage.isCached(forKey: "missing")
                    answers.withLock { $0.append(isHit && isMiss) }
                }
                #expect(answers.withLock { $0 } == [true, true])
            }
        }
    }

    @Test func `with a locked index, loads work and stores time out`() throws {
        var tuning = Tuning.patient
        tuning.writerTimeout = 30
        try withCache(tuning: tuning) { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            let other = cache.makeStorage()
            cache.settle()
            try other.store.index.write { (_: IndexSession) throws in
                #expect(try cache.storage.value(forKey: "a") == .blob(1))
                let error = #expect(throws: KingfisherError.self) {
                    try cache.storage.store(value: .blob(2), forKey: "a")
                }
                guard case .cacheError(.cannotCreateCacheFile(_, _, _, let cause))? = error else {
                    Issue.record("another error: \(String(describing: error))")
                    return
                }
                #expect((cause as? CacheStorageError)?.code == .indexUnavailable)
            }
            cache.settle()
            try cache.storage.store(value: .blob(2), forKey: "a")
            #expect(try cache.storage.value(forKey: "a") == .blob(2))
        }
    }

    @Test func `a lookup finds a value however often another process replaces it meanwhile`() throws {
        try withCache { cache in
            let (storage, other) = (cache.storage, cache.makeStorage())
            try storage.store(value: .blob(0), forKey: "a")
            let path = storage.cacheFileURL(forKey: "a").path
            let count = Locked(0)
            cache.fileSystem.observe { call, opened in
                guard call == .openForReading, opened == path, count.withLock({ $0 }) < 6 else { return }
                let seed = count.withLock { count -> Int in
                    count += 1
                    return count
                }
                try? other.store(value: .blob(seed), forKey: "a")
                other.store.housekeepingWait()
            }
            #expect(try storage.value(forKey: "a") == .blob(6))
            cache.fileSystem.observe(nil)
        }
    }
}
