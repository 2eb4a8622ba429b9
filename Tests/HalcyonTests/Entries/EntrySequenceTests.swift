import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@testable import Halcyon

@Suite(.endsEvenIfItHangs) struct EntrySequenceTests {
    /// More than two pages.
    private static let count = 600

    private func fill(_ cache: CacheFixture) throws {
        for seed in 0..<Self.count { try cache.storage.store(value: .blob(seed, count: 1), forKey: "stays \(seed)") }
    }

    @Test(arguments: EntryOrder.allCases) func `a sequence yields each entry once while others are stored and removed`(
        order: EntryOrder
    )
        async throws
    {
        let cache = try CacheFixture()
        try fill(cache)
        let isDone = Locked(false)
        let churned = churn(cache.storage, until: isDone)
        var keys: [String] = []
        for try await entry in cache.storage.allEntries(sortedBy: order, descending: true) {
            if let key = entry.key, key.hasPrefix("stays") { keys.append(key) }
        }
        isDone.withLock { $0 = true }
        var failures = churned.makeAsyncIterator()
        #expect(await failures.next() == nil)
        #expect(keys.count == Self.count && Set(keys).count == Self.count)
        try cache.requireViews()
        try cache.requireClean()
    }

    /// On its own thread: the iterators need those of tasks.
    private func churn(_ storage: DiskStorage.Backend<Data>, until isDone: Locked<Bool>) -> AsyncStream<String> {
        let (failures, continuation) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            for seed in 0... {
                if isDone.withLock({ $0 }) { break }
                do {
                    try storage.store(value: .blob(seed, count: seed % 100), forKey: "\(seed % 40)")
                    try storage.remove(forKey: "\((seed + 20) % 40)")
                } catch {
                    continuation.yield("\(error)")
                }
            }
            continuation.finish()
        }
        return failures
    }

    @Test func `cancelling the task ends the sequence`() async throws {
        let cache = try CacheFixture()
        try fill(cache)
        let storage = cache.storage
        for after in [0, 1, 256, 300] {
            let task = Task {
                var count = 0
                for try await _ in storage.allEntries() {
                    count += 1
                    if count == after { withUnsafeCurrentTask { $0?.cancel() } }
                    #expect(count <= max(after, 1))
                }
            }
            if after == 0 { task.cancel() }
            let result = await task.result
            #expect(throws: CancellationError.self) { try result.get() }
        }
        try cache.requireClean()
    }

    @Test func `a suspension ends the sequence with an error, even halfway`() async throws {
        let cache = try CacheFixture()
        try fill(cache)
        var iterator = cache.storage.allEntries(sortedBy: .size).makeAsyncIterator()
        for _ in 0..<256 { #expect(try await iterator.next() != nil) }
        cache.storage.suspend()
        let error = await #expect(throws: KingfisherError.self) { _ = try await iterator.next() }
        guard case .cacheError(.invalidURLResource(let cause, _, _))? = error else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        #expect((cause as? CacheStorageError)?.code == .suspended)
        cache.storage.resume()
        try cache.requireClean()
    }

    @Test func `the sequence holds nothing open between two pages`() async throws {
        let cache = try CacheFixture()
        try fill(cache)
        var iterator = cache.storage.allEntries(sortedBy: .key).makeAsyncIterator()
        var keys: [String] = []
        for _ in 0..<300 { keys += try await [iterator.next()?.key].compactMap(\.self) }
        cache.storage.suspend()
        #if os(Linux)
            #expect(try openFiles(under: cache.directory) == [])
        #endif
        cache.storage.resume()
        try cache.storage.store(value: .blob(1), forKey: "a")
        while let entry = try await iterator.next() { keys += [entry.key].compactMap(\.self) }
        #expect(keys == (0..<Self.count).map { "stays \($0)" }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        try cache.requireClean()
    }

    @Test func `a sequence that has ended stays ended`() async throws {
        let cache = try CacheFixture()
        var empty = cache.storage.allEntries(matching: .init(tag: "nobody's")).makeAsyncIterator()
        for _ in 0..<3 { #expect(try await empty.next() == nil) }
        try cache.storage.store(value: .blob(1), forKey: "a")
        var one = cache.storage.allEntries().makeAsyncIterator()
        #expect(try await one.next()?.key == "a")
        for _ in 0..<3 { #expect(try await one.next() == nil) }
        try cache.requireClean()
    }
}
