import Testing

@testable import HalcyonTorture

/// The verifier finds every violation, and nothing else: handmade logs with the expected verdicts.
@Suite struct VerdictTests {
    private static let keys = KeySpace(pinned: 1, loose: 2)

    /// The kinds of violations in the logs of processes 1, 2, and so on, each of which ended at 1000.
    private static func verdict(before: Standing = [:], _ logs: [String]...) throws -> [Violation.Kind] {
        var chronicle = Chronicle(before: before, keys: keys)
        for (index, lines) in logs.enumerated() {
            let records = try lines.map { try #require(Record($0), "\($0)") }
            chronicle.add(WorkerLog(worker: index + 1, records: records, goneAt: 1000))
        }
        return chronicle.judge().map(\.kind)
    }

    // MARK: One process

    private static let stored = ["> 1 10 store k0 100 lasting", "< 1 20 done"]
    private static let overwritten = stored + ["> 2 30 store k0 100 lasting", "< 2 40 done"]
    private static let removed = stored + ["> 2 30 remove k0", "< 2 40 done"]

    @Test func `a hit after a store is right`() throws {
        #expect(try Self.verdict(Self.stored + ["> 3 50 value k0", "< 3 60 hit 1.1"]) == [])
        #expect(try Self.verdict(Self.stored + ["> 3 50 isCached k0", "< 3 60 hit -"]) == [])
        #expect(try Self.verdict(["> 1 10 value k0", "< 1 20 miss"]) == [])
    }

    @Test func `a miss after a store is a lost value`() throws {
        #expect(try Self.verdict(Self.stored + ["> 3 50 value k0", "< 3 60 miss"]) == [.lost])
        #expect(try Self.verdict(Self.stored + ["> 3 50 isCached k0", "< 3 60 miss"]) == [.lost])
        let before: Standing = ["k0": .store(StoreID(worker: 9, number: 1), isLasting: true)]
        #expect(try Self.verdict(before: before, ["> 3 50 value k0", "< 3 60 miss"]) == [.lost])
    }

    @Test func `a hit of an overwritten value is a resurrection`() throws {
        #expect(try Self.verdict(Self.overwritten + ["> 3 50 value k0", "< 3 60 hit 1.2"]) == [])
        #expect(try Self.verdict(Self.overwritten + ["> 3 50 value k0", "< 3 60 hit 1.1"]) == [.resurrected])
    }

    @Test func `a hit of a removed value is a resurrection`() throws {
        #expect(try Self.verdict(Self.removed + ["> 3 50 value k0", "< 3 60 miss"]) == [])
        #expect(try Self.verdict(Self.removed + ["> 3 50 value k0", "< 3 60 hit 1.1"]) == [.resurrected])
        #expect(try Self.verdict(Self.removed + ["> 3 50 isCached k0", "< 3 60 hit -"]) == [.resurrected])
        let evicted = Self.stored + ["> 2 30 evict", "< 2 40 gone k0,k1", "> 3 50 value k0"]
        #expect(try Self.verdict(evicted + ["< 3 60 hit 1.1"]) == [.resurrected])
        #expect(try Self.verdict(evicted + ["< 3 60 miss"]) == [])
        let cleared = Self.stored + ["> 2 30 removeAll", "< 2 40 done", "> 3 50 value k0", "< 3 60 hit 1.1"]
        #expect(try Self.verdict(cleared) == [.resurrected])
    }

    @Test func `a hit of a value that was never stored is an invention`() throws {
        #expect(try Self.verdict(Self.stored + ["> 3 50 value k0", "< 3 60 hit 4.4"]) == [.invented])
        // Not stored under this key.
        #expect(try Self.verdict(Self.stored + ["> 3 50 value k1", "< 3 60 hit 1.1"]) == [.invented])
        // Not stored by then.
        let early = ["> 1 50 value k0", "< 1 60 hit 1.1"]
        #expect(try Self.verdict(["> 1 70 store k0 100 lasting", "< 1 80 done"], early) == [.invented])
    }

    @Test func `wrong bytes, failures and warnings are findings`() throws {
        #expect(try Self.verdict(["> 1 10 value k0", "< 1 20 wrong half of two values"]) == [.wrong])
        #expect(try Self.verdict(["> 1 10 store k0 100 lasting", "< 1 20 failed BUSY"]) == [.failed])
        #expect(try Self.verdict(["! the index was damaged"]) == [.complaint])
    }

    @Test func `a failed store must change nothing`() throws {
        let failed = Self.stored + ["> 2 30 store k0 100 lasting", "< 2 40 failed BUSY", "> 3 50 value k0"]
        #expect(try Self.verdict(failed + ["< 3 60 hit 1.1"]) == [.failed])
        #expect(try Self.verdict(failed + ["< 3 60 hit 1.2"]) == [.failed, .invented])
        #expect(try Self.verdict(failed + ["< 3 60 miss"]) == [.failed, .lost])
    }

    @Test func `a pinned value must survive evictions`() throws {
        let pinned = ["> 1 10 store p0 100 lasting", "< 1 20 done", "> 2 30 evict"]
        #expect(try Self.verdict(pinned, ["> 1 50 value p0", "< 1 60 miss"]) == [.lost])
        let loose = ["> 1 10 store k0 100 lasting", "< 1 20 done", "> 2 30 evict"]
        #expect(try Self.verdict(loose, ["> 1 50 value k0", "< 1 60 miss"]) == [])
    }

    @Test func `a value with a short life may expire at any time, and the one before it must not return`() throws {
        let brief = Self.stored + ["> 2 30 store k0 100 brief", "< 2 40 done", "> 3 50 value k0"]
        #expect(try Self.verdict(brief + ["< 3 60 miss"]) == [])
        #expect(try Self.verdict(brief + ["< 3 60 hit 1.2"]) == [])
        #expect(try Self.verdict(brief + ["< 3 60 hit 1.1"]) == [.resurrected])
    }

    // MARK: Several at once

    @Test func `either of two concurrent stores may be the last`() throws {
        let other = ["> 1 15 store k0 100 lasting", "< 1 35 done"]
        for look in ["hit 1.1", "hit 2.1"] {
            #expect(try Self.verdict(Self.stored, other, ["> 1 50 value k0", "< 1 60 \(look)"]) == [])
        }
        #expect(try Self.verdict(Self.stored, other, ["> 1 50 value k0", "< 1 60 miss"]) == [.lost])
    }

    @Test func `a lookup during a change may see the value before or after it`() throws {
        for look in ["hit 1.1", "miss"] {
            #expect(try Self.verdict(Self.removed, ["> 1 35 value k0", "< 1 60 \(look)"]) == [])
        }
    }

    @Test func `after a hit of the new value the old one must not return`() throws {
        let slow = Self.stored + ["> 2 30 store k0 100 lasting", "< 2 100 done"]
        let new = ["> 1 40 value k0", "< 1 50 hit 1.2"]
        let old = ["> 1 60 value k0", "< 1 70 hit 1.1"]
        #expect(try Self.verdict(slow, new, old) == [.resurrected])
        #expect(try Self.verdict(slow, old) == [])
    }

    // MARK: The end of a process

    @Test func `an interrupted store may be complete or not, and must stay as it was seen`() throws {
        let killed = Self.stored + ["> 2 900 store k0 100 lasting"]
        for look in ["hit 1.1", "hit 1.2"] {
            #expect(try Self.verdict(killed, ["> 1 1100 value k0", "< 1 1200 \(look)"]) == [])
        }
        #expect(try Self.verdict(killed, ["> 1 1100 value k0", "< 1 1200 miss"]) == [.lost])
        let turning = ["> 1 1100 value k0", "< 1 1200 hit 1.2", "> 2 1300 value k0", "< 2 1400 hit 1.1"]
        #expect(try Self.verdict(killed, turning) == [.resurrected])
    }

    @Test func `an interrupted store must not take effect after its process has ended`() throws {
        let killed = Self.stored + ["> 2 900 store k0 100 lasting"]
        let later = ["> 1 1100 store k0 100 lasting", "< 1 1200 done", "> 2 1300 value k0"]
        #expect(try Self.verdict(killed, later + ["< 2 1400 hit 2.1"]) == [])
        #expect(try Self.verdict(killed, later + ["< 2 1400 hit 1.2"]) == [.resurrected])
    }

    @Test func `an interrupted removal may be complete or not`() throws {
        let killed = Self.stored + ["> 2 900 remove k0"]
        for look in ["hit 1.1", "miss"] {
            #expect(try Self.verdict(killed, ["> 1 1100 value k0", "< 1 1200 \(look)"]) == [])
        }
    }
}
