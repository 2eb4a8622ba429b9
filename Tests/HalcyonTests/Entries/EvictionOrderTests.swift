import Foundation
import HalcyonSQLite
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

@Suite(.endsEvenIfItHangs) struct EvictionOrderTests {
    /// In seconds after `start`, rounded to a tenth: the following reads separate reads within one millisecond.
    private struct Row: Equatable {
        var rank: Double
        var access: Double?
    }

    private func row(_ key: String, _ cache: CacheFixture, since start: Timestamp) throws -> Row {
        func seconds(_ milliseconds: Int64) -> Double {
            (Double(milliseconds - start.milliseconds) / 100).rounded() / 10
        }
        return try Connection(path: cache.index.path).with("SELECT rank, accessed_at FROM entries WHERE key = ?1") {
            (row) throws(SQLiteError) in
            try row.bind(key, at: 1)
            _ = try row.step()
            return Row(rank: seconds(row.integer(at: 0)), access: row.optionalInteger(at: 1).map(seconds))
        }
    }

    private func read(_ key: String, _ cache: CacheFixture) throws {
        #expect(try cache.storage.value(forKey: key, extendingExpiration: .none) != nil)
        try cache.storage.flush()
    }

    /// Stores an entry, and opens the index without the storage.
    private func storeOne(in cache: CacheFixture) throws -> (Connection, IndexSession, Entry) {
        try cache.storage.store(value: .blob(1), forKey: "a")
        cache.storage.close()
        let connection = try Connection(path: cache.index.path)
        let session = IndexSession(connection: connection)
        let name = BlobName(key: "a", isHashed: true, pathExtension: nil)
        return (connection, session, try #require(try session.entry(named: name)))
    }

    /// What a read at 1,000 makes of rank and access, with the functions that the statement itself has to do without.
    private static let expected: StaticString = """
        SELECT quote(new) || ' ' || quote(CASE WHEN new > latest THEN latest END) || ' ' || quote(hits + 1) FROM (
            SELECT max(rank, 1000 + CAST(min(max(hits + 1, 0), 3) AS INTEGER) * ?1) AS new,
                max(coalesce(accessed_at, rank), 1000) AS latest, hits
            FROM entries)
        """

    @Test
    func `a read ranks an entry by its uses, whether it moves the expiration or not, whatever an edited row contains`()
        throws
    {
        let cache = try CacheFixture()
        let (connection, session, entry) = try storeOne(in: cache)
        let (times, hits) = (
            ["NULL", "900", "1000", "1001", "5000", "1000.5", "'soon'"], ["0", "1", "2", "7", "-3", "1.5", "'few'"]
        )
        let end = Lifetime(expiresAt: Timestamp(milliseconds: 9_000), timeToLive: 8_000)

        func result(_ row: String, _ lifetime: Lifetime?, _ bonus: Int64) throws -> (is: [String], expected: [String]) {
            try connection.execute("BEGIN; UPDATE entries SET expires_at = 8000, time_to_live = 7000, \(row)")
            defer { connection.rollBack() }
            let note = AccessLog.Note(
                token: entry.token, storedAt: entry.createdAt, generation: 0,
                accessedAt: Timestamp(milliseconds: 1_000),
                lifetime: lifetime, renewedAt: nil)
            let expected = try connection.texts(Self.expected, bonus)
            try session.touch(id: entry.id, note, bonus: bonus)
            #expect(connection.changes == 1)
            let found = try connection.texts(
                "SELECT quote(rank) || ' ' || quote(accessed_at) || ' ' || quote(hits) FROM entries")
            if lifetime == nil { #expect(try connection.integer("SELECT expires_at FROM entries") == 8_000, "\(row)") }
            return (found, expected)
        }
        for rank in times.dropFirst() {
            for access in times {
                for reads in hits {
                    for bonus: Int64 in [0, 1, 3_000] {
                        let row = "rank = \(rank), accessed_at = \(access), hits = \(reads)"
                        for lifetime in [nil, end] {
                            let result = try result(row, lifetime, bonus)
                            #expect(result.is == result.expected, "\(row), \(bonus)")
                        }
                    }
                }
            }
        }
    }

    @Test(
        arguments: [
            ("7000", 8_000), ("0", 1_000), ("253402300798999", 253_402_300_799_999),
            ("253402300799999", 253_402_300_799_999), ("9223372036854775807", 253_402_300_799_999), ("NULL", 5_000),
        ] as [(String, Int64)])
    func `a flush begins the row's time to live again, up to the latest date`(timeToLive: String, end: Int64) throws {
        let cache = try CacheFixture()
        let (connection, session, entry) = try storeOne(in: cache)
        try connection.execute("UPDATE entries SET rank = 500, expires_at = 5000, time_to_live = \(timeToLive)")
        let read = Timestamp(milliseconds: 1_000)
        let known = Lifetime(expiresAt: Timestamp(milliseconds: 2_000), timeToLive: 1_000)
        try session.touch(
            id: entry.id,
            AccessLog.Note(
                token: entry.token, storedAt: entry.createdAt, generation: 0, accessedAt: read, lifetime: known,
                renewedAt: read))
        #expect(try connection.integer("SELECT expires_at FROM entries") == end)
        // A caller's own expiration replaces both, unless no read moves it.
        try session.touch(
            id: entry.id,
            AccessLog.Note(
                token: entry.token, storedAt: entry.createdAt, generation: 0, accessedAt: read, lifetime: known,
                renewedAt: nil))
        #expect(try connection.integer("SELECT expires_at FROM entries") == (timeToLive == "NULL" ? end : 2_000))
    }

    @Test func `a read moves the rank ahead by the time since the lowest rank, three times at most`() throws {
        try withCache(configure: { $0.evictionOrder = .frequencyBonus }) { cache in
            let start = cache.clock.now
            for key in ["old", "a"] { try cache.storage.store(value: .blob(1), forKey: key) }
            cache.clock.advance(by: 100)
            try read("a", cache)
            #expect(try row("a", cache, since: start) == Row(rank: 200, access: 100))
            for _ in 0..<2 { try read("a", cache) }
            #expect(try row("a", cache, since: start) == Row(rank: 400, access: 100))
            cache.clock.advance(by: 10)
            for _ in 0..<3 { try read("a", cache) }
            #expect(try row("a", cache, since: start) == Row(rank: 440, access: 110), "three count")
            #expect(try row("old", cache, since: start) == Row(rank: 0, access: nil))

            // The entry shows the time of the read.
            let entry = try #require(try cache.storage.entry(forKey: "a"))
            #expect(abs(entry.lastAccess.timeIntervalSince(cache.clock.now.date)) < 0.1)
            let summary = try cache.storage.store.summary()
            #expect(try abs(#require(summary.newestAccess) - cache.clock.now) < 100)
            #expect(summary.oldestAccess == start)

            // A store resets the rank and its count.
            cache.clock.advance(by: 10)
            try cache.storage.store(value: .blob(2), forKey: "a")
            #expect(try row("a", cache, since: start) == Row(rank: 120, access: nil))
            try read("a", cache)
            #expect(try row("a", cache, since: start) == Row(rank: 240, access: 120))
        }
    }

    @Test func `entries that are read often survive a scan with the frequency bonus, and not under LRU`() throws {
        for order in DiskStorage.EvictionOrder.allCases {
            try withCache(configure: { config in
                config.evictionOrder = order
                config.countLimit = 10
            }) { cache in
                for number in 0..<10 {
                    try cache.storage.store(value: .blob(number), forKey: "\(number)")
                    cache.clock.advance(by: 60)
                }
                for _ in 0..<3 { try read("3", cache) }
                for number in 10..<30 {
                    cache.clock.advance(by: 1)
                    try cache.storage.store(value: .blob(number), forKey: "\(number)")
                    _ = try cache.storage.removeSizeExceededValues()
                }
                #expect(cache.storage.isCached(forKey: "3") == (order == .frequencyBonus))
                #expect(cache.storage.isCached(forKey: "29"))
            }
        }
    }

    @Test func `evictions follow the rank, and report entries in its order`() throws {
        try withCache(configure: { config in
            config.evictionOrder = .frequencyBonus
            config.countLimit = 5
        }) { cache in
            for key in ["a", "b", "c", "d", "e", "f"] {
                try cache.storage.store(value: .blob(1), forKey: key)
                cache.clock.advance(by: 10)
            }
            // 60 + 3 × 50, 60 + 50 and 60.5 + 40.5: each read raises the lowest rank, and the entry that was read last is not the last to
            // be evicted.
            for _ in 0..<3 { try read("a", cache) }
            try read("b", cache)
            cache.clock.advance(by: 0.5)
            try read("c", cache)
            let gone = try cache.storage.removeSizeExceededValues()
            #expect(gone == ["d", "e", "f", "c"].map { cache.storage.cacheFileURL(forKey: $0) })
        }
    }

    @Test func `lists by access follow the reads, not the ranks`() throws {
        try withCache(configure: { $0.evictionOrder = .frequencyBonus }) { cache in
            for number in 0..<20 {
                try cache.storage.store(value: .blob(1), forKey: "\(number)")
                cache.clock.advance(by: 10)
            }
            for _ in 0..<3 { try read("4", cache) }
            cache.clock.advance(by: 10)
            try read("2", cache)
            let expected = (0..<20).map(String.init).filter { $0 != "4" && $0 != "2" } + ["4", "2"]
            for isDescending in [false, true] {
                var keys: [String?] = []
                var cursor: DiskStorage.EntryCursor?
                repeat {
                    let page =
                        try cursor.map { try cache.storage.entries(after: $0, limit: 3) }
                        ?? cache.storage.entries(sortedBy: .access, descending: isDescending, limit: 3)
                    keys += page.entries.map(\.key)
                    cursor = page.next
                } while cursor != nil
                #expect(keys == (isDescending ? expected.reversed() : expected))
            }
            // 4 is further ahead than 2, which was read later.
            let ahead = try cache.storage.entries(sortedBy: .eviction, descending: true, limit: 3).entries.map(\.key)
            #expect(ahead == ["4", "2", "19"])
            let next = try cache.storage.entries(matching: .init(isPinned: false), sortedBy: .eviction, limit: 2)
            #expect(next.entries.map(\.key) == ["0", "1"])
            #expect(try cache.storage.entries(after: #require(next.next), limit: 1).entries.map(\.key) == ["3"])
            let since = cache.clock.now.advanced(by: -10).date
            #expect(try cache.storage.totals(matching: .init(accessedAfter: since)).entries == 1)
        }
    }

    @Test func `a process with LRU lowers no rank, and a bonus lasts until its time has passed`() throws {
        try withCache(configure: { $0.evictionOrder = .frequencyBonus }) { cache in
            let start = cache.clock.now
            for key in ["old", "a"] { try cache.storage.store(value: .blob(1), forKey: key) }
            cache.clock.advance(by: 100)
            try read("a", cache)
            #expect(try row("a", cache, since: start) == Row(rank: 200, access: 100))

            let other = cache.makeStorage()
            other.config.evictionOrder = .leastRecentlyUsed
            cache.clock.advance(by: 50)
            #expect(try other.value(forKey: "a") != nil)
            try other.flush()
            #expect(try row("a", cache, since: start) == Row(rank: 200, access: 150))

            cache.storage.config.evictionOrder = .leastRecentlyUsed
            cache.clock.advance(by: 100)
            try read("a", cache)
            #expect(try row("a", cache, since: start) == Row(rank: 250, access: nil))
            #expect(try !cache.storage.store.index.read { try $0.hasRanksAhead() })

            cache.storage.config.evictionOrder = .frequencyBonus
            try read("a", cache)
            #expect(try row("a", cache, since: start) == Row(rank: 1000, access: 250), "250 and 3 × 250")
        }
    }

    @Test func `the latest read extends the expiration, whatever the rank`() throws {
        try withCache(configure: { $0.evictionOrder = .frequencyBonus }) { cache in
            try cache.storage.store(value: .blob(1), forKey: "old", expiration: .never)
            cache.clock.advance(by: 1_000)
            try cache.storage.store(value: .blob(1), forKey: "a", expiration: .seconds(60))
            for _ in 0..<5 {
                cache.clock.advance(by: 50)
                #expect(try cache.storage.value(forKey: "a") != nil)
                try cache.storage.flush()
                #expect(
                    try cache.storage.entry(forKey: "a")?.expiration == cache.clock.now.advanced(by: 60_000).date)
            }
            #expect(try cache.storage.value(forKey: "a", extendingExpiration: .expirationTime(.seconds(5))) != nil)
            try cache.storage.flush()
            cache.clock.advance(by: 6)
            #expect(!cache.storage.isCached(forKey: "a"))
        }
    }

    @Test func `a clock that was wrong makes no entry immortal`() throws {
        try withCache(configure: { config in
            config.evictionOrder = .frequencyBonus
            config.countLimit = 10
        }) { cache in
            // Half a century ago, as the clock of a machine without a battery starts.
            cache.clock.set(by: -50 * 365 * 86_400)
            try cache.storage.store(value: .blob(1), forKey: "ancient", expiration: .never)
            cache.clock.set(by: 50 * 365 * 86_400)
            let start = cache.clock.now
            for key in ["a", "b"] { try cache.storage.store(value: .blob(1), forKey: key, expiration: .never) }
            for _ in 0..<5 { try read("a", cache) }
            #expect(try row("a", cache, since: start) == Row(rank: 90 * 86_400, access: 0), "three times thirty days")

            // When evictions look for accesses in the future, legitimate ranks stay ahead, and others do not.
            let edit = { (sql: String) in try cache.storage.store.index.write { try $0.execute(sql) } }
            try edit("UPDATE entries SET rank = rank + 4000000000000, accessed_at = rank WHERE key = 'b'")
            _ = try cache.storage.removeExpiredValues()
            #expect(try row("a", cache, since: start) == Row(rank: 90 * 86_400, access: 0))
            #expect(try row("b", cache, since: start) == Row(rank: 0, access: nil))

            try edit("UPDATE entries SET rank = rank + 864000000, accessed_at = NULL WHERE key = 'b'")
            _ = try cache.storage.removeExpiredValues()
            #expect(try row("a", cache, since: start) == Row(rank: 90 * 86_400, access: 0))
            #expect(try row("b", cache, since: start) == Row(rank: 0, access: nil), "no bonus, ten days ahead")

            // A year ahead and back.
            cache.clock.set(by: 365 * 86_400)
            for _ in 0..<3 { try read("b", cache) }
            cache.clock.set(by: -365 * 86_400)
            _ = try cache.storage.removeExpiredValues()
            #expect(try row("b", cache, since: start) == Row(rank: 0, access: nil))
        }
    }

    @Test func `over thousands of calls, evictions keep the entries that the rule keeps`() throws {
        for (ratio, order) in [(0.9, DiskStorage.EvictionOrder.frequencyBonus), (0.5, .leastRecentlyUsed)] {
            try withCache(configure: { config in
                config.evictionOrder = order
                config.countLimit = 40
                config.lowWaterRatio = ratio
            }) { cache in
                var rule = Rule(limit: 40, lowWater: Int(40 * ratio), countsReads: order == .frequencyBonus)
                var random = SeededGenerator(seed: 1)
                for _ in 0..<3_000 {
                    cache.clock.advance(by: Double(Int.random(in: 1...20, using: &random)))
                    // Lower keys more often.
                    let key = Int.random(in: 0...Int.random(in: 0...120, using: &random), using: &random)
                    let wasThere = rule.use(key, at: cache.clock.now.milliseconds)
                    #expect(try (cache.storage.value(forKey: "\(key)") != nil) == wasThere)
                    if wasThere {
                        cache.storage.store.flushAccessLogNow()
                    } else {
                        try cache.storage.store(value: .blob(1, count: 1), forKey: "\(key)", expiration: .never)
                        _ = try cache.storage.removeSizeExceededValues()
                    }
                }
                let keys = Set(try cache.storage.entries(limit: 100).entries.compactMap(\.key))
                #expect(keys == Set(rule.entries.keys.map(String.init)))
                #expect(keys.count > 30)
            }
        }
    }

    /// The rule as documented, implemented separately.
    private struct Rule {
        let limit: Int
        let lowWater: Int
        let countsReads: Bool
        var entries: [Int: (rank: Int64, reads: Int64)] = [:]

        mutating func use(_ key: Int, at now: Int64) -> Bool {
            guard let entry = entries[key] else {
                entries[key] = (now, 0)
                guard entries.count > limit else { return false }
                let ranked = entries.sorted { $0.value.rank < $1.value.rank }
                for (key, _) in ranked.prefix(entries.count - lowWater) { entries[key] = nil }
                return false
            }
            let span = entries.values.map { now - $0.rank }.max() ?? 0
            let bonus = countsReads ? min(entry.reads + 1, 3) * max(0, span) : 0
            entries[key] = (max(entry.rank, now + bonus), entry.reads + 1)
            return true
        }
    }
}
