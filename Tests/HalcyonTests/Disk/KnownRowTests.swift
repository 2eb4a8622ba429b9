import Foundation
import HalcyonSQLite
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// Lookups that rows in memory answer. `Tests/Models/rows.py` tries every interleaving.
@Suite(.endsEvenIfItHangs) struct KnownRowTests {
    private func isKnown(_ key: String, _ cache: CacheFixture) -> Bool {
        let storage = cache.storage
        return storage.store.index.knownRows.look(storage.blobName(forKey: key, forcedExtension: nil)).entry != nil
    }

    @Test func `a recent store or lookup makes a hit that does not read the index`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            #expect(isKnown("a", cache))
            cache.reopen()
            #expect(!isKnown("a", cache))
            try #expect(cache.storage.value(forKey: "a") == .blob(1))
            #expect(isKnown("a", cache))
            let calls = Locked<[FaultyFileSystem.Call]>([])
            // Housekeeping reads on other threads.
            let caller = ObjectIdentifier(Thread.current)
            cache.fileSystem.observe { call, _ in
                if ObjectIdentifier(Thread.current) == caller { calls.withLock { $0.append(call) } }
            }
            try #expect(cache.storage.value(forKey: "a") == .blob(1))
            #expect(cache.storage.isCached(forKey: "a"))
            cache.fileSystem.observe(nil)
            #expect(calls.withLock { $0 } == [.openForReading, .statusOfFile, .read, .status])
            cache.storage.store.flushAccessLogNow()
            try #expect(cache.storage.entry(forKey: "a")?.hits == 2)
        }
    }

    @Test func `a row with a long key does not stay in memory`() throws {
        try withCache { cache in
            for (length, isKept) in [(1_024, true), (1_025, false)] {
                let key = String(repeating: "k", count: length)
                try cache.storage.store(value: .blob(1), forKey: key)
                #expect(isKnown(key, cache) == isKept)
                try #expect(cache.storage.value(forKey: key) == .blob(1))
                #expect(isKnown(key, cache) == isKept)
            }
        }
    }

    @Test func `a flush drops the rows it has written`() throws {
        try withCache { cache in
            let storage = cache.storage
            try storage.store(value: .blob(1), forKey: "a", expiration: .seconds(60))
            try #expect(storage.value(forKey: "a", extendingExpiration: .expirationTime(.days(1))) == .blob(1))
            storage.store.flushAccessLogNow()
            #expect(!isKnown("a", cache))
            #expect(storage.isCached(forKey: "a"))
        }
    }

    @Test func `changes by this process are visible at once`() throws {
        try withCache { cache in
            let storage = cache.storage
            try storage.store(value: .blob(1), forKey: "a", expiration: .seconds(60))
            try storage.update(.init(isPinned: true), forKey: "a")
            cache.clock.advance(by: 61)
            #expect(storage.isCached(forKey: "a"), "pinned")
            try storage.update(.init(isPinned: false), forKey: "a")
            #expect(!storage.isCached(forKey: "a"), "not any more")

            try storage.store(value: .blob(1), forKey: "a", attributes: .init(isPinned: true))
            try storage.store(value: .blob(2), forKey: "a", expiration: .seconds(5))
            cache.clock.advance(by: 6)
            try #expect(storage.value(forKey: "a") == .blob(2), "a store keeps the pin")
            try storage.update(.init(isPinned: false), forKey: "a")

            try storage.store(value: .blob(2), forKey: "a", expiration: .days(7))
            try #expect(storage.value(forKey: "a", extendingExpiration: .expirationTime(.seconds(10))) == .blob(2))
            storage.store.flushAccessLogNow()
            cache.clock.advance(by: 11)
            #expect(!storage.isCached(forKey: "a"), "shortened by a read, and written")

            try storage.store(value: .blob(3), forKey: "a")
            try #expect(storage.value(forKey: "a") == .blob(3))
            try storage.remove(forKey: "a")
            try #expect(storage.value(forKey: "a") == nil)

            try storage.store(value: .blob(4), forKey: "a")
            try storage.removeAll()
            #expect(!storage.isCached(forKey: "a"))
        }
    }

    @Test func `stores and removals by another process are visible at once`() throws {
        try withCache { cache in
            let (storage, other) = (cache.storage, cache.makeStorage())
            try storage.store(value: .blob(1), forKey: "a")
            for number in 2..<30 {
                try #expect(storage.value(forKey: "a") == .blob(number - 1))
                // Of the same length as the value before.
                try other.store(value: .blob(number), forKey: "a")
                try #expect(storage.value(forKey: "a") == .blob(number))
            }
            try other.remove(forKey: "a")
            #expect(!storage.isCached(forKey: "a"))
            try #expect(storage.value(forKey: "a") == nil)
            try storage.store(value: .blob(30), forKey: "a")
            try other.removeAll()
            #expect(!storage.isCached(forKey: "a"))
        }
    }

    @Test(arguments: [true, false])
    func `a change of the row alone is visible once the row in memory is too old`(isBelieved: Bool) throws {
        var tuning = Tuning.patient
        tuning.rowLifetime = isBelieved ? 3_600_000 : 0
        try withCache(tuning: tuning) { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            #expect(isKnown("a", cache) == isBelieved)
            let other = try Connection(path: cache.index.path)
            try other.execute("UPDATE entries SET expires_at = 0")
            #expect(cache.storage.isCached(forKey: "a") == isBelieved)
            try cache.storage.remove(forKey: "a")
        }
    }

    @Test func `a read extends by the time to live that the index has now`() throws {
        try withCache { cache in
            let (storage, other) = (cache.storage, cache.makeStorage())
            func expiration(after change: String) throws -> Date? {
                try storage.store(value: .blob(1), forKey: "a", expiration: .seconds(100))
                try other.store.index.write { try $0.connection.execute("UPDATE entries SET \(change)") }
                cache.clock.advance(by: 1)
                // The row in memory says a hundred seconds.
                #expect(isKnown("a", cache))
                try #expect(storage.value(forKey: "a", extendingExpiration: .cacheTime) == .blob(1))
                try storage.store.recorder.flush()
                return try other.entry(forKey: "a")?.expiration
            }
            try #expect(expiration(after: "expires_at = NULL, time_to_live = NULL") == nil)
            try #expect(
                expiration(after: "time_to_live = 500000") == cache.clock.now.advanced(by: 500_000).date)
            let fixed = cache.clock.now.advanced(by: 7_000)
            try #expect(expiration(after: "expires_at = \(fixed.milliseconds), time_to_live = NULL") == fixed.date)
            try #expect(
                expiration(after: "time_to_live = 9223372036854775807") == Timestamp.latest.date,
                "a number too large for any clock")
        }
    }

    @Test func `no read extends an expiration without a time to live, even if another process set it`() throws {
        try withCache { cache in
            let (storage, other) = (cache.storage, cache.makeStorage())
            try storage.store(value: .blob(1), forKey: "a", expiration: .seconds(100))
            let end = try storage.entry(forKey: "a")?.expiration
            try other.store.index.write { try $0.connection.execute("UPDATE entries SET time_to_live = NULL") }
            try #expect(
                storage.value(forKey: "a", extendingExpiration: .expirationTime(.seconds(5_000))) == .blob(1))
            try storage.store.recorder.flush()
            try #expect(other.entry(forKey: "a")?.expiration == end)
        }
    }

    @Test func `a store that fails leaves the value before it`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.refuseCommits()
            #expect(throws: KingfisherError.self) { try cache.storage.store(value: .blob(2), forKey: "a") }
            try #expect(cache.storage.value(forKey: "a") == .blob(1))
        }
    }

    @Test func `rows in memory answer nothing during a clear, a close or a suspension`()
        throws
    {
        try withCache { cache in
            let storage = cache.storage
            try storage.store(value: .blob(1), forKey: "a")
            let clear = try storage.beginRemovingAll()
            #expect(!storage.isCached(forKey: "a"))
            // An entry that is stored later stays, and is read from the index.
            try storage.store(value: .blob(2), forKey: "b")
            #expect(storage.isCached(forKey: "b") && !isKnown("b", cache))
            try clear()
            #expect(storage.isCached(forKey: "b") && isKnown("b", cache))

            storage.suspend()
            #expect(!storage.isCached(forKey: "b") && !isKnown("b", cache))
            storage.resume()
            #expect(storage.isCached(forKey: "b") && !isKnown("b", cache), "opened meanwhile")
            #expect(storage.isCached(forKey: "b") && isKnown("b", cache))
            storage.store.suspendAtOnce()
            #expect(!storage.isCached(forKey: "b"))
            storage.resume()
            storage.store.index.refuse()
            #expect(!isKnown("b", cache))
            storage.resume()
            storage.close()
            #expect(!isKnown("b", cache))
        }
    }

    @Test func `a suspension forgets all rows, even while the index is still open`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.reopen()
            try #expect(cache.storage.value(forKey: "a") == .blob(1))
            cache.storage.store.index.refuse()
            try #expect(cache.storage.value(forKey: "a") == nil)
            #expect(!isKnown("a", cache))
            cache.storage.resume()
            try #expect(cache.storage.value(forKey: "a") == .blob(1))
        }
    }

    @Test func `rows are kept only on volumes where the file shows whether a row is current`() throws {
        for volume in [Volume(name: "fat", hasStableInodes: false), Volume(name: "nfs", isNetworked: true)] {
            try withCache { cache in
                cache.fileSystem.pretend(volume)
                cache.reopen()
                try cache.storage.store(value: .blob(1), forKey: "a")
                try #expect(cache.storage.value(forKey: "a") == .blob(1))
                #expect(!isKnown("a", cache))
            }
        }
    }

    @Test func `a row that was deleted by hand costs one more lookup`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            // Otherwise the file could be taken over.
            cache.settle()
            #expect(isKnown("a", cache))
            try Connection(path: cache.index.path).execute("DELETE FROM entries")
            let reads = Locked(0)
            cache.fileSystem.observe { call, _ in if call == .read { reads.withLock { $0 += 1 } } }
            try #expect(cache.storage.cachedValue(forKey: "a") == nil)
            cache.fileSystem.observe(nil)
            #expect(reads.withLock { $0 } <= 2)
            try cache.storage.remove(forKey: "a")
        }
    }

    @Test func `a row that may have changed since it was read is not kept in memory`() {
        let rows = KnownRows(lifetime: 10_000)
        let name = BlobName(key: "a", isHashed: true, pathExtension: nil)
        let entry = Entry(
            id: name.rowID, name: name, key: nil, token: 1, inode: nil, size: 1,
            createdAt: .never, accessedAt: .never, lifetime: Lifetime(expiresAt: nil, timeToLive: nil))
        let changes = [
            { rows.didCommit([entry.id], .init()) }, { rows.forgetAll() }, { rows.forget(entry.name) },
        ]
        for change in changes {
            let ticket = rows.look(entry.name).ticket
            change()
            rows.remember(SharedEntry(entry, path: ""), readWith: ticket)
            #expect(rows.look(entry.name).entry == nil)
        }
        rows.remember(SharedEntry(entry, path: ""), readWith: rows.look(entry.name).ticket)
        #expect(rows.look(entry.name).entry != nil)
    }

    @Test func `a deleted folder contains nothing`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            try cache.removeFolder()
            #expect(!cache.storage.isCached(forKey: "a"))
            try cache.storage.store(value: .blob(2), forKey: "a")
            try #expect(cache.storage.value(forKey: "a") == .blob(2))
        }
    }

    @Test func `the number of rows in memory is bounded, and rows in use stay`() throws {
        // Longer than this takes on a busy machine.
        let rows = KnownRows(lifetime: 10_000_000)
        func name(_ number: Int) -> BlobName { BlobName(key: "\(number)", isHashed: true, pathExtension: nil) }
        func store(_ number: Int) {
            let entry = Entry(
                id: name(number).rowID, name: name(number), key: nil, token: Int64(number), inode: nil, size: 1,
                createdAt: .never, accessedAt: .never, lifetime: Lifetime(expiresAt: nil, timeToLive: nil))
            let effects = IndexSession.Effects()
            effects.stored = [SharedEntry(entry, path: "")]
            rows.didCommit([], effects)
        }
        store(-1)
        for number in 0..<20_000 {
            store(number)
            if number.isMultiple(of: 100) { #expect(rows.look(name(-1)).entry != nil) }
        }
        #expect(rows.count <= 8_192)
        #expect(rows.look(name(19_999)).entry?.value.token == 19_999)
        #expect(rows.look(name(0)).entry == nil)
    }

    @Test func `a row in memory answers only its own name`() {
        let (rows, now) = (KnownRows(lifetime: 10_000), Timestamp(Date()))
        let (name, other) = (BlobName(text: "a"), BlobName(text: "b"))
        let entry = Entry(
            id: name.rowID, name: other, key: nil, token: 1, inode: 1, size: 1, createdAt: now, accessedAt: now,
            lifetime: .never)
        rows.remember(SharedEntry(entry, path: "/b"), readWith: rows.look(name).ticket)
        #expect(rows.look(name).entry == nil)
    }
}
