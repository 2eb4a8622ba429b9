import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// Stores that share a commit: in a row on a cache's queue, or by concurrent callers.
@Suite(.endsEvenIfItHangs) struct StoringTogetherTests {
    /// The number of index commits during `body`.
    private func commits(of cache: CacheFixture, during body: () throws -> Void) rethrows -> Int {
        cache.settle()
        let before = cache.commitCount
        try body()
        return cache.commitCount - before
    }

    private func request(_ key: String, _ seed: Int, _ options: Data.WritingOptions = [], in cache: CacheFixture) throws
        -> EntryStore.StoreRequest
    {
        try #require(
            try cache.storage.request(
                toStore: .blob(seed), forKey: key,
                named: cache.storage.blobName(forKey: key, forcedExtension: nil), origin: KeyOrigin(baseKey: key),
                expiration: nil, writeOptions: options, attributes: .init()))
    }

    @Test func `up to thirty-two names share a commit`() throws {
        try withCache { cache in
            let requests = try (0..<65).map { try request("\($0)", $0, in: cache) }
            let number = commits(of: cache) {
                for result in cache.storage.commit(cache.storage.store.stage(requests)) { #expect(result.error == nil) }
            }
            #expect(number == 3)
            for seed in 0..<65 { #expect(try cache.storage.value(forKey: "\(seed)") == .blob(seed)) }
            #expect(try cache.storage.store.evictor.totals().entries == 65)
        }
    }

    @Test func `repeated stores of a name commit separately, and the last one stays`() throws {
        try withCache { cache in
            let requests = try ["a", "b", "a", "a", "c"].enumerated().map { try request($1, $0, in: cache) }
            #expect(commits(of: cache) { _ = cache.storage.commit(cache.storage.store.stage(requests)) } == 3)
            #expect(try cache.storage.value(forKey: "a") == .blob(3))
            #expect(try cache.storage.value(forKey: "b") == .blob(1))
            #expect(try cache.storage.statistics.total.stores == 5)
        }
    }

    @Test func `a store that may not overwrite fails alone`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(9), forKey: "a")
            let requests = try [
                request("b", 0, in: cache), request("a", 1, .withoutOverwriting, in: cache), request("c", 2, in: cache),
            ]
            let results = cache.storage.commit(cache.storage.store.stage(requests))
            #expect(results.map { $0.error == nil } == [true, false, true])
            let values = try ["a", "b", "c"].map { try cache.storage.value(forKey: $0) }
            #expect(values == [.blob(9), .blob(0), .blob(2)])
        }
    }

    @Test(arguments: [FaultyFileSystem.Call.createFile, .write, .setModified, .rename])
    func `a failure of one store does not affect the others`(call: FaultyFileSystem.Call) throws {
        try withCache { cache in
            // While files are adopted, one that is published in the first milliseconds counts as one of them.
            cache.settle()
            let names = ["a", "b", "c"].map { cache.storage.config.naming.name(forKey: $0, forcedExtension: nil) }
            let requests = try ["a", "b", "c"].enumerated().map { try request($1, $0, in: cache) }
            let path: String? =
                switch call {
                case .createFile: "\(names[1].rowID)."
                case .rename: names[1].text
                default: nil
                }
            // Fails once in the shared attempt, and once when the store is retried alone.
            cache.fileSystem.fail(call, EIO, after: path == nil ? 1 : 0, times: path == nil ? 1 : 2, path: path)
            let results = cache.storage.commit(cache.storage.store.stage(requests))
            cache.fileSystem.heal()
            #expect(results.map { $0.error == nil } == [true, path == nil, true])
            #expect(try cache.storage.value(forKey: "b") == (path == nil ? .blob(1) : nil))
            let others = try ["a", "c"].map { try cache.storage.value(forKey: $0) }
            #expect(others == [.blob(0), .blob(2)])
            #expect(cache.names(in: "staging").isEmpty)
        }
    }

    @Test(arguments: [1, 1_000]) func `after a refused commit each store is retried alone, or the old values stay`(
        times: Int
    )
        throws
    {
        try withCache { cache in
            for seed in 0..<4 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            let requests = try (0..<4).map { try request("\($0)", 10 + $0, in: cache) }
            cache.refuseCommits(times: times)
            let results = cache.storage.commit(cache.storage.store.stage(requests))
            cache.refuseCommits(times: 0)
            for seed in 0..<4 {
                #expect((results[seed].error == nil) == (times == 1))
                #expect(try cache.storage.value(forKey: "\(seed)") == .blob(times == 1 ? 10 + seed : seed))
            }
        }
    }

    @Test func `an index that cannot be opened fails all stores, before anything is staged`() throws {
        try withCache { cache in
            let requests = try (0..<4).map { try request("\($0)", $0, in: cache) }
            cache.storage.suspend()
            let before = cache.fileSystem.calls(of: .createFile)
            for result in cache.storage.commit(cache.storage.store.stage(requests)) { #expect(result.error != nil) }
            #expect(cache.fileSystem.calls(of: .createFile) == before)
            cache.storage.resume()
            for result in cache.storage.commit(cache.storage.store.stage(requests)) { #expect(result.error == nil) }
        }
    }

    @Test func `while one batch of a cache commits, the next one is staged`() async throws {
        try await withImageCache { subject in
            let (disk, cache) = (subject.disk, subject.cache)
            let (isHeld, mayCommit, isFirst) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), Locked(true))
            cache.ioQueue.queue.suspend()
            let done = Calls<Int>()
            for number in 0..<100 {
                cache.storeToDisk(.blob(number), forKey: "\(number)") { _ in done.record(number) }
            }
            disk.beforeCommit {
                let isFirst = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                guard isFirst else { return true }
                isHeld.signal()
                mayCommit.wait()
                return true
            }
            cache.ioQueue.queue.resume()
            await Task.detached { isHeld.wait() }.value
            // The files of the first batch have their final names by now. On a slow machine, a batch ends early.
            while disk.names(in: "staging").isEmpty { try await Task.sleep(nanoseconds: 1_000_000) }
            #expect(done.count == 0)
            mayCommit.signal()
            await subject.settle()
            #expect(done.values == Array(0..<100))
            for number in 0..<100 { #expect(try subject.storage.value(forKey: "\(number)") == .blob(number)) }
        }
    }

    @Test func `work ahead runs once, on another thread or after the work beside it`() {
        let (queue, count) = (CacheQueue(), Locked(0))
        for round in 0..<200 {
            let result = queue.during(
                {
                    count.withLock { count in
                        count += 1
                        return count
                    }
                }, { if round.isMultiple(of: 2) { usleep(200) } })
            #expect(result == round + 1)
        }
    }

    @Test func `concurrent callers share commits, and each one's store is there when it returns`() throws {
        try withCache { cache in
            let storage = cache.storage
            let missing = Locked<[String]>([])
            let threads = (0..<8).map { caller in
                Thread {
                    for round in 0..<20 {
                        let key = "\(caller) \(round)"
                        let isThere = (try? storage.store(value: .blob(round), forKey: key)) != nil
                        if !isThere || !storage.isCached(forKey: key) { missing.withLock { $0.append(key) } }
                    }
                }
            }
            let number = try commits(of: cache) {
                // Makes all of them wait once.
                try storage.store.index.write { _ in
                    threads.forEach { $0.start() }
                    while cache.names(in: "staging").count < threads.count { Thread.sleep(forTimeInterval: 0.001) }
                }
                while !threads.allSatisfy(\.isFinished) { Thread.sleep(forTimeInterval: 0.001) }
            }
            #expect(missing.withLock { $0 } == [])
            #expect(try storage.store.evictor.totals().entries == 160)
            #expect(number < 160)
        }
    }
}
