import Foundation
import HalcyonSQLite
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@testable import Halcyon

/// Concurrent lookups, each on its own connection.
@Suite(.endsEvenIfItHangs) struct ReaderPoolTests {
    /// Runs `body` while another thread is in the middle of a read, or of a lookup.
    private func whileSomebodyReads(
        _ index: EntryIndex, isLookup: Bool = false, _ body: () throws -> Void
    ) throws {
        // A lookup that the rows in memory answer needs no connection.
        index.knownRows.forgetAll()
        let (hasBegun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let thread = Thread {
            func wait(_: IndexSession) {
                hasBegun.signal()
                mayEnd.wait()
            }
            try? isLookup ? index.lookUp(wait) : index.read(wait)
        }
        thread.start()
        hasBegun.wait()
        defer {
            mayEnd.signal()
            while !thread.isFinished { Thread.sleep(forTimeInterval: 0.001) }
        }
        try body()
    }

    @Test(arguments: [false, true]) func `a lookup does not wait for another one`(isLookup: Bool) throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            try whileSomebodyReads(cache.storage.store.index, isLookup: isLookup) {
                let value = try cache.storage.value(forKey: "a")
                #expect(value == .blob(1))
                #expect(cache.storage.isCached(forKey: "a") && !cache.storage.isCached(forKey: "b"))
                // `entry` flushes first, which needs the writer's connection: a lookup may have it, but only for a few rows.
                if !isLookup { try #expect(cache.storage.entry(forKey: "a") != nil) }
            }
        }
    }

    #if os(Linux)
        private func connections(_ cache: CacheFixture) throws -> Int {
            let paths = try openFiles(under: cache.directory)
            // Each connection opens the log; descriptors of the database are reused.
            return paths.count { $0.hasSuffix("-wal") }
        }

        private func expect(_ count: Int, _ cache: CacheFixture, _ location: SourceLocation = #_sourceLocation) throws {
            let found = try connections(cache)
            #expect(found == count, sourceLocation: location)
        }

        @Test func `an extra connection is opened on demand and closed with the others`() throws {
            try withCache { cache in
                try cache.storage.store(value: .blob(1), forKey: "a")
                // The sweep has opened the first reading connection.
                cache.settle()
                #expect(cache.storage.isCached(forKey: "a"))
                let before = try connections(cache)
                #expect(cache.storage.isCached(forKey: "a"))
                try expect(before, cache)
                try whileSomebodyReads(cache.storage.store.index, isLookup: true) {
                    for _ in 0..<3 { #expect(!cache.storage.isCached(forKey: "b")) }
                    try expect(before + 1, cache)
                    try whileSomebodyReads(cache.storage.store.index) {
                        for _ in 0..<3 { #expect(!cache.storage.isCached(forKey: "b")) }
                        try expect(before + 2, cache)
                    }
                }
                cache.storage.store.close()
                try expect(0, cache)
                #expect(cache.storage.isCached(forKey: "a"))
            }
        }

        @Test func `closing waits for a running lookup, and a later lookup opens nothing`() throws {
            try withCache { cache in
                try cache.storage.store(value: .blob(1), forKey: "a")
                // A sweep that ends at that moment would close another connection.
                cache.settle()
                let (index, isClosed) = (cache.storage.store.index, DispatchSemaphore(value: 0))
                try whileSomebodyReads(index) {
                    Thread {
                        index.suspend()
                        isClosed.signal()
                    }.start()
                    #expect(isClosed.wait(timeout: .now() + 0.2) == .timedOut)
                    let before = try connections(cache)
                    Thread { _ = cache.storage.isCached(forKey: "a") }.start()
                    Thread.sleep(forTimeInterval: 0.05)
                    try expect(before, cache)
                }
                isClosed.wait()
                try expect(0, cache)
                index.resume()
                #expect(cache.storage.isCached(forKey: "a"))
            }
        }

        @Test func `if no extra connection can be opened, a lookup waits for the first one`() throws {
            try withCache { cache in
                try cache.storage.store(value: .blob(1), forKey: "a")
                // Housekeeping may use the first connection, which the lookup below waits for.
                cache.settle()
                let index = cache.storage.store.index
                let count = Locked<Int?>(nil)
                try whileSomebodyReads(index) {
                    cache.fileSystem.fail(.status, EIO, times: nil, path: "index.sqlite")
                    Thread {
                        let entries = try? index.read { try Int($0.totals().entries) }
                        count.withLock { $0 = entries ?? -1 }
                    }.start()
                    Thread.sleep(forTimeInterval: 0.1)
                    cache.fileSystem.heal()
                }
                while count.withLock({ $0 }) == nil { Thread.sleep(forTimeInterval: 0.001) }
                #expect(count.withLock { $0 } == 1)
            }
        }
    #endif

    #if os(Linux)
        @Test func `a connection that a hurried suspension could not close is closed after its use`() throws {
            try withCache { cache in
                try cache.storage.store(value: .blob(1), forKey: "a")
                cache.settle()
                try whileSomebodyReads(cache.storage.store.index) { cache.storage.store.suspendAtOnce() }
                #expect(try openFiles(under: cache.directory) == [])
                cache.storage.resume()
            }
        }
    #endif

    @Test func `many threads read during stores and removals`() throws {
        try withCache { cache in
            let storage = cache.storage
            for number in 0..<50 { try storage.store(value: .blob(number), forKey: "\(number)") }
            let wrong = Locked(0)
            DispatchQueue.concurrentPerform(iterations: 8) { thread in
                for round in 0..<200 {
                    let number = (round * 7 + thread) % 50
                    if thread == 0, round % 10 == 0 { try? storage.store(value: .blob(number), forKey: "\(number)") }
                    if (try? storage.value(forKey: "\(number)")) != .blob(number) { wrong.withLock { $0 += 1 } }
                }
            }
            #expect(wrong.withLock { $0 } == 0)
        }
    }
}
