import Foundation
import HalcyonSQLite
import HalcyonTestSupport
import Testing

@testable import Halcyon

/// One bit of an index is flipped, as a failing disk or a hex editor may do. Whichever bit it is, the cache keeps working: nothing traps,
/// no error persists, no byte is wrong.
@Suite struct FlippedBitTests {
    private func expectService(_ original: IndexUnderDamage, flipped bit: Int) throws {
        var data = original.index
        data[bit / 8] ^= 1 << (bit % 8)
        try original.restore(data)
        try original.expectService("bit \(bit % 8) of byte \(bit / 8)")
    }

    @Test func `flipping any bit of the header loses nothing`() throws {
        let original = try IndexUnderDamage(entries: 6)
        for bit in 0..<800 {
            try expectService(original, flipped: bit)
            // The pages are intact, so nothing may be missing.
            for seed in 0..<6 {
                #expect(try original.cache.storage.value(forKey: "key \(seed)") == original.value(seed), "bit \(bit)")
            }
            #expect(try original.cache.storage.entry(forKey: "key 0")?.isPinned == true, "pin \(bit)")
        }
    }

    @Test func `flipping bits of any page loses no blob`() throws {
        var original = try IndexUnderDamage(entries: 40)
        for place in Soak.spread((original.pageSize - 100) * 8, short: 300) {
            try expectService(original, flipped: 800 + place)
        }
        var random = SeededGenerator.ofThisRun
        // Twenty bits for each seed.
        for _ in 0..<20 * Soak.seeds(short: 5) {
            let bit = Int.random(in: original.pageSize * 8..<original.index.count * 8, using: &random)
            try expectService(original, flipped: bit)
            // The bit changed the name of the boot or the time of a store: entries of the last minute are not trusted and are dropped.
            if try original.blobCount < original.entries { original = try IndexUnderDamage(entries: 40) }
        }
    }

    @Test(arguments: [-1, 0, 1, 2, 3, 4, 5, 6, 7, 9, 77, 1 << 30, Int(Int32.min), Int(Int32.max)])
    func `an index whose version is not in the ledger is replaced, and keeps its pins and metadata`(_ version: Int)
        throws
    {
        let original = try IndexUnderDamage(entries: 3)
        original.cache.storage.store.close()
        try Connection(path: original.cache.index.path).execute("PRAGMA user_version = \(version)")
        try original.expectService("version \(version)")
        #expect(original.isReplaced)
        let entry = try #require(try original.cache.storage.entry(forKey: "key 0"))
        #expect(entry.isPinned && entry.tags == ["kept"] && entry.metadata == ["a": "b"])
        try original.cache.requireClean()
    }

    @Test(arguments: [
        "UPDATE schema_migrations SET checksum = 'f' || substr(checksum, 2) WHERE version = 3",
        "UPDATE schema_migrations SET checksum = lower(hex(randomblob(32))) WHERE version = 3",
        "UPDATE schema_migrations SET checksum = (SELECT checksum FROM schema_migrations WHERE version = 2) WHERE version = 7",
        "UPDATE schema_migrations SET oldest_reader = 257 WHERE version = 2",
        "UPDATE schema_migrations SET version = 99 WHERE version = 6", "DELETE FROM schema_migrations",
        "DROP TABLE schema_migrations",
    ])
    func `an index with a ledger that no version writes is replaced, and keeps its pins`(_ change: String) throws {
        let original = try IndexUnderDamage(entries: 3)
        original.cache.storage.store.close()
        try Connection(path: original.cache.index.path).execute(change)
        try original.expectService(change)
        #expect(original.isReplaced)
        #expect(try original.cache.storage.entry(forKey: "key 0")?.isPinned == true)
    }
}
