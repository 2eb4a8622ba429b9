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

    @Test(arguments: ["-wal", "-shm"])
    func `what an earlier index has left beside the place of a damaged one does not stay there`(suffix: String) throws {
        let cache = try CacheFixture()
        try cache.storage.store(value: .blob(1), forKey: "a")
        cache.storage.store.close()
        let files = cache.storage.store.index.files
        try Data("of another index".utf8).write(to: URL(fileURLWithPath: files.damaged + suffix))
        try files.setAside(as: files.damaged)
        #expect(!FileManager.default.fileExists(atPath: files.damaged + suffix))
        // A folder there keeps the log from being renamed. Beside a new index, it would be that one's.
        try Data("log".utf8).write(to: URL(fileURLWithPath: files.database + suffix))
        try FileManager.default.createDirectory(
            atPath: files.damaged + suffix + "/filled", withIntermediateDirectories: true)
        try files.setAside(as: files.damaged)
        #expect(!FileManager.default.fileExists(atPath: files.database + suffix))
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
                try? cache.storage.store.index.setAsideIfDamaged()
            }
        }
    }

    /// It would commit to the file that is set aside, and its caller would lose what was stored.
    @Test func `a damaged index is not set aside while another process stores`() throws {
        var tuning = Tuning.patient
        tuning.writerTimeout = 50
        try withCache(tuning: tuning) { cache in
            try cache.storage.store(value: .blob(1), forKey: "a")
            cache.storage.store.close()
            try Connection(path: cache.index.path).execute(
                "CREATE TABLE gone (text); INSERT INTO gone VALUES (randomblob(99999)); DROP TABLE gone")
            var bytes = try Data(contentsOf: cache.index)
            // Bytes 32 to 35 have the number of the first page in the list of free pages, which only the integrity check reads.
            let page = bytes[32..<36].reduce(0) { $0 << 8 | Int($1) }
            bytes.replaceSubrange((page - 1) * 4_096..<page * 4_096, with: Data(count: 4_096))
            let file = try FileHandle(forWritingTo: cache.index)
            try file.write(contentsOf: bytes)
            try file.close()
            let index = cache.storage.store.index
            let writer = try Connection(path: cache.index.path)
            try writer.begin()
            let error = #expect(throws: SQLiteError.self) { try index.setAsideIfDamaged() }
            #expect(error?.isBusy == true)
            #expect(!FileManager.default.fileExists(atPath: cache.index.path + ".damaged"))
            writer.rollBack()
            // A folder in the place of the kept log stops nothing.
            try FileManager.default.createDirectory(
                atPath: cache.index.path + ".damaged-wal", withIntermediateDirectories: false)
            try index.setAsideIfDamaged()
            #expect(FileManager.default.fileExists(atPath: cache.index.path + ".damaged"))
            #expect(try cache.storage.value(forKey: "a") == .blob(1))
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
