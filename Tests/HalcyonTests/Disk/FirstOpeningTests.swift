import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// Creating an index on the caller's thread, often the main one, does not wait for the disk. The first write does.
@Suite(.endsEvenIfItHangs) struct FirstOpeningTests {
    @Test func `the first opening waits for no disk, and the first store does before its blob is there`() throws {
        let vfs = FaultyVFS()
        let cache = try CacheFixture()
        let synchronized = Locked(0)
        let onThisThread = Locked(0)
        let thread = CallingThread()
        vfs.observe { event in
            guard event.call == .sync, !event.isAfter else { return 0 }
            synchronized.withLock { $0 += 1 }
            // The first sweep of a folder also writes, on its own thread.
            if thread.isCurrent { onThisThread.withLock { $0 += 1 } }
            return 0
        }
        cache.environment.vfs = vfs.name
        _ = cache.storage
        #expect(!cache.storage.isCached(forKey: "a"))
        #expect(try cache.storage.value(forKey: "a") == nil)
        let atOpening = onThisThread.withLock { $0 }
        let atPublish = Locked<Int?>(nil)
        let blob = cache.storage.cacheFileURL(forKey: "a").path
        cache.fileSystem.observe { call, path in
            guard call == .rename || call == .link, path.contains("staging") || path == blob else { return }
            atPublish.withLock { if $0 == nil { $0 = synchronized.withLock { $0 } } }
        }
        try cache.storage.store(value: .blob(1), forKey: "a")
        #expect(atOpening == 0)
        #expect(atPublish.withLock { $0 ?? 0 } > 0)
        cache.fileSystem.observe(nil)
        cache.storage.close()
    }

    @Test func `an index that another process created is also synced before the first blob`()
        throws
    {
        let vfs = FaultyVFS()
        let cache = try CacheFixture()
        let synchronized = Locked(0)
        vfs.observe { event in
            if event.call == .sync, !event.isAfter, event.path?.hasSuffix("index.sqlite") == true {
                synchronized.withLock { $0 += 1 }
            }
            return 0
        }
        cache.environment.vfs = vfs.name
        // As after a kill: nothing is closed, and the process never synced any of its writes.
        let maker = cache.makeStorage()
        #expect(!maker.isCached(forKey: "a"))
        cache.settle()
        let other = cache.makeStorage()
        #expect(!other.isCached(forKey: "a"))
        #expect(try other.store.index.writer.withLock { try #require($0).isUnwritten })
        try other.store(value: .blob(1), forKey: "a")
        #expect(try other.store.index.writer.withLock { try !#require($0).isUnwritten })
        #expect(synchronized.withLock { $0 } > 0)
        maker.close()
        other.close()
    }

    /// Another process may be setting the index aside.
    @Test func `an opening tries again after an I/O error`() throws {
        let (cache, vfs) = (try CacheFixture(), FaultyVFS())
        try cache.storage.store(value: .blob(1), forKey: "a")
        cache.storage.close()
        cache.environment.vfs = vfs.name
        let storage = DiskStorage.Backend<Data>(
            noThrowConfig: cache.config, creatingDirectory: false, environment: cache.environment)
        // SQLITE_IOERR_READ, not of the first read: that is of `sqlite3_open` itself.
        vfs.fail([.read: 266], after: 1)
        try storage.open()
        storage.close()
        vfs.fail([.read: 266], after: 1, times: nil)
        #expect(throws: CacheStorageError.self) { try storage.open() }
        vfs.heal()
        #expect(storage.isCached(forKey: "a"))
        storage.close()
    }

    @Test func `a lookup waits for a thread that opens the index on a slow disk`() throws {
        var tuning = Tuning.patient
        tuning.briefTimeout = 1
        tuning.openingTimeout = 60_000
        let (cache, vfs) = (try CacheFixture(tuning: tuning), FaultyVFS())
        defer { withExtendedLifetime(vfs) {} }
        try cache.storage.store(value: .blob(1), forKey: "a")
        cache.storage.close()
        let (entered, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        vfs.observe { event in
            guard event.call == .open, !event.isAfter, event.path?.hasSuffix("index.sqlite") == true else { return 0 }
            entered.signal()
            gate.wait()
            gate.signal()
            return 0
        }
        cache.environment.vfs = vfs.name
        let storage = cache.makeStorage(isOpened: false)
        Thread { try? storage.open() }.start()
        entered.wait()
        // A hundred times as long as a lookup waits for another process.
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.1) { gate.signal() }
        #expect(storage.isCached(forKey: "a"))
        storage.close()
    }

    @Test func `a lookup needs no connection of its own while the sweep opens the first one`() throws {
        let (cache, vfs) = (try CacheFixture(), FaultyVFS())
        defer { withExtendedLifetime(vfs) {} }
        try cache.storage.store(value: .blob(1), forKey: "a")
        cache.storage.close()
        let (opened, entered, gate) = (Locked(0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        vfs.observe { event in
            guard event.call == .open, !event.isAfter, event.path?.hasSuffix("index.sqlite") == true else { return 0 }
            let number = opened.withLock { opened in
                opened += 1
                return opened
            }
            if number == 2 {
                entered.signal()
                gate.wait()
            }
            return 0
        }
        cache.environment.vfs = vfs.name
        let storage = cache.makeStorage()
        entered.wait()
        #expect(storage.isCached(forKey: "a"))
        for _ in 0..<3 { #expect(!storage.isCached(forKey: "b")) }
        #expect(opened.withLock { $0 } == 2)
        gate.signal()
        storage.store.housekeepingWait()
        // A thread that writes does not keep a lookup waiting.
        storage.store.index.writer.withLock { _ in #expect(!storage.isCached(forKey: "b")) }
        #expect(opened.withLock { $0 } == 2)
        storage.close()
    }
}
