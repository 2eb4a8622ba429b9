import Foundation
import HalcyonSQLite
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// The system refuses to read pages of the index. SQLite reports some of these errors as corruption, but unread bytes prove nothing, so no
/// index is set aside.
@Suite struct RefusedReadTests {
    /// `SQLITE_IOERR_CORRUPTFS`: SQLite's own VFS reports EIO with it.
    private static let corruptFileSystem = Int32(10 | 33 << 8)
    private static let readRefused = Int32(10 | 1 << 8)

    private func withBadDisk(_ body: (CacheFixture, FaultyVFS) throws -> Void) throws {
        let (cache, vfs) = (try CacheFixture(), FaultyVFS())
        cache.environment.vfs = vfs.name
        for seed in 0..<60 {
            try cache.storage.store(
                value: .blob(seed), forKey: "https://example.com/\(seed)",
                attributes: .init(isPinned: seed == 0, tags: ["t"]))
        }
        cache.reopen()
        defer { withExtendedLifetime(vfs) { cache.storage.store.close() } }
        try body(cache, vfs)
        vfs.heal()
        cache.reopen()
        #expect(!FileManager.default.fileExists(atPath: cache.index.path + ".damaged"))
        #expect(cache.warnings.withLock { $0 }.isEmpty)
        for seed in 0..<60 { #expect(try cache.storage.value(forKey: "https://example.com/\(seed)") == .blob(seed)) }
        #expect(try cache.storage.entry(forKey: "https://example.com/0")?.isPinned == true)
        try cache.requireClean()
    }

    @Test(arguments: [corruptFileSystem, readRefused], [1, 2, 3, 5, 40])
    func `reads that are refused set no index aside`(code: Int32, times: Int) throws {
        try withBadDisk { cache, vfs in
            for after in 0..<30 {
                vfs.fail([.read: code], after: after, times: times)
                cache.reopen()
                let value = try cache.storage.value(forKey: "https://example.com/\(after)")
                #expect(value == nil || value == .blob(after))
                try? cache.storage.store(value: .blob(after), forKey: "https://example.com/\(after)")
                _ = try? cache.storage.totalSize()
                _ = try? cache.storage.check(repair: true)
                cache.settle()
                vfs.heal()
            }
        }
    }

    @Test func `a disk that refuses every third read sets no index aside`() throws {
        try withBadDisk { cache, vfs in
            for round in 0..<40 {
                vfs.fail([.read: Self.corruptFileSystem], after: round % 3, times: 1)
                _ = try? cache.storage.value(forKey: "https://example.com/\(round)")
                vfs.fail([.read: Self.corruptFileSystem], after: 2, times: 1)
                _ = try? cache.storage.store.index.setAsideIfDamaged()
            }
        }
    }

    /// One fault causes at most one error.
    @Test(arguments: 1...8)
    func `a failed opening is retried at once`(faults: Int) throws {
        let (cache, vfs) = (try CacheFixture(), FaultyVFS())
        cache.environment.vfs = vfs.name
        try cache.storage.store(value: .blob(1), forKey: "a")
        cache.storage.store.close()
        vfs.fail([.open: 14], times: faults)
        let misses = try (0..<20).count { _ in try cache.storage.value(forKey: "a") == nil }
        #expect(misses <= faults)
        withExtendedLifetime(vfs) { cache.storage.store.close() }
    }
}
