import Foundation
import HalcyonSQLite
import HalcyonTestSupport
import Testing

@testable import Halcyon

/// A folder with an index that is created once and restored for each case of damage. Entry 0 is pinned and has a tag, and the daily sweep
/// is due.
struct IndexUnderDamage {
    let cache: CacheFixture
    let index: Data
    let entries: Int
    let pageSize = 4096

    init(entries: Int) throws {
        cache = try CacheFixture()
        self.entries = entries
        for seed in 0..<entries {
            try cache.storage.store(
                value: Self.value(seed), forKey: "key \(seed)", attributes: seed == 0 ? Self.attributes : .init())
        }
        cache.settle()
        cache.storage.store.close()
        try Connection(path: cache.index.path).execute("UPDATE state SET reconciled_at = 1")
        index = try Data(contentsOf: cache.index)
    }

    static let attributes = DiskStorage.EntryAttributes(isPinned: true, tags: ["kept"], metadata: ["a": "b"])

    private static func value(_ seed: Int) -> Data { .blob(seed, count: 10 + seed % 7) }

    func value(_ seed: Int) -> Data { Self.value(seed) }

    var pages: Int { index.count / pageSize }

    /// Replaces the index, and deletes what earlier cases have left.
    func restore(_ data: Data) throws {
        cache.storage.store.close()
        for suffix in ["-wal", "-shm", ".damaged", ".damaged-wal", ".damaged-shm"] {
            try? FileManager.default.removeItem(atPath: cache.index.path + suffix)
        }
        // In place: another inode number would mean a copied folder, where the cache compares less.
        let file = try FileHandle(forWritingTo: cache.index)
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: data)
        try file.close()
    }

    var isReplaced: Bool { FileManager.default.fileExists(atPath: cache.index.path + ".damaged") }

    /// Reads some entries, stores, replaces and pins one, and evicts none; afterwards every blob exists and the cache is sound.
    func expectService(_ description: String) throws {
        cache.reopen()
        for seed in stride(from: 0, to: entries, by: max(1, entries / 11)) {
            let value = try cache.storage.value(forKey: "key \(seed)")
            #expect(value == nil || value == self.value(seed), "\(description): wrong bytes")
        }
        try cache.storage.store(value: .blob(8), forKey: "new")
        try cache.storage.store(value: .blob(7), forKey: "new")
        if try !cache.storage.update(Self.attributes, forKey: "new") {
            // SQLite may insert into a copy of an inner page what it then looks up in the original. The sweep, which is due, notices that.
            cache.settle()
            #expect(try isReplaced && cache.storage.update(Self.attributes, forKey: "new"), "\(description)")
        }
        #expect(try cache.storage.value(forKey: "new") == .blob(7), "\(description)")
        _ = try cache.storage.totalSize()
        try cache.storage.flush()
        cache.settle()
        for seed in isReplaced ? Array(stride(from: 0, to: entries, by: max(1, entries / 19))) : [] {
            #expect(try cache.storage.value(forKey: "key \(seed)") == value(seed), "\(description): lost an entry")
        }
        try cache.storage.remove(forKey: "new")
    }

    var blobCount: Int {
        get throws { try FileManager.default.contentsOfDirectory(atPath: cache.directory.path).count - 1 }
    }
}
