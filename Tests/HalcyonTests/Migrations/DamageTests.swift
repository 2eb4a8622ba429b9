import Foundation
import HalcyonSQLite
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// An index that another program or a failing disk has changed. Whatever the change: no crash, no hang, no wrong bytes, every blob kept,
/// and the index replaced only if SQLite reports it as malformed.
@Suite struct DamageTests {
    private static let entries = 1_000

    private func damage(_ page: Int, _ original: IndexUnderDamage, _ change: (inout Data) -> Void) -> Data {
        var data = original.index
        let range = page * original.pageSize..<(page + 1) * original.pageSize
        var bytes = Data(data[range])
        change(&bytes)
        data.replaceSubrange(range, with: bytes)
        return data
    }

    @Test(arguments: ["zeros", "random bytes", "another page"])
    func `overwriting any page of the index loses no blob`(with content: String) throws {
        let original = try IndexUnderDamage(entries: Self.entries)
        var random = SeededGenerator.ofThisRun
        for page in 0..<original.pages {
            let data = damage(page, original) { bytes in
                switch content {
                case "zeros": bytes = Data(count: bytes.count)
                case "random bytes":
                    bytes = Data((0..<bytes.count).map { _ in UInt8.random(in: 0...255, using: &random) })
                default:
                    let other = (page + 1 + Int.random(in: 0..<original.pages - 1, using: &random)) % original.pages
                    bytes = Data(original.index[other * bytes.count..<(other + 1) * bytes.count])
                }
            }
            try original.restore(data)
            try original.expectService("page \(page) of \(original.pages), \(content)")
        }
        // Blobs whose rows the damage removed may be deleted, but never most of them.
        #expect(try original.blobCount > Self.entries / 2)
    }

    /// SQLite can mistake the rows of one table for those of another: an empty page means that there are no rows, and one of numbers that
    /// no entry is trusted.
    @Test(arguments: ["entries", "totals", "state"])
    func `overwriting a root page with any other root loses no blob`(table: String) throws {
        let original = try IndexUnderDamage(entries: Self.entries)
        let roots = try Connection(path: original.cache.index.path).texts(
            "SELECT name || ' ' || (rootpage - 1) FROM sqlite_schema WHERE rootpage > 0"
        ).map { $0.split(separator: " ") }.reduce(into: [String: Int]()) { $0[String($1[0])] = Int($1[1]) }
        let page = try #require(roots[table])
        for (name, other) in roots where other != page {
            let data = damage(page, original) { bytes in
                bytes = Data(original.index[other * bytes.count..<(other + 1) * bytes.count])
            }
            try original.restore(data)
            try original.expectService("\(table) overwritten with \(name)")
            #expect(try original.blobCount == Self.entries, "\(table) overwritten with \(name)")
        }
    }

    @Test func `truncating the index at or between page borders loses no blob`() throws {
        let original = try IndexUnderDamage(entries: Self.entries)
        for page in 0..<original.pages {
            for extra in [0, 1_000] {
                try original.restore(original.index.prefix(page * original.pageSize + extra))
                try original.expectService("cut to \(page) pages and \(extra) bytes")
            }
        }
        #expect(try original.blobCount == Self.entries)
    }

    @Test(arguments: ["deleted", "empty", "random", "another's"], ["-wal", "-shm"])
    func `damage to the log or its shared memory loses no blob`(_ fate: String, suffix: String) throws {
        let original = try IndexUnderDamage(entries: Self.entries)
        original.cache.reopen()
        try original.cache.storage.store(value: .blob(1), forKey: "in the log")
        let path = original.cache.index.path
        var random = SeededGenerator.ofThisRun
        // As after a crash: copied while they are open.
        let files = try ["", "-wal", "-shm"].map { try Data(contentsOf: URL(fileURLWithPath: path + $0)) }
        original.cache.storage.store.close()
        try original.restore(files[0])
        for (name, data) in zip(["-wal", "-shm"], files.dropFirst()) {
            var data = data
            if name == suffix {
                switch fate {
                case "empty": data = Data()
                case "random": data = Data((0..<data.count).map { _ in UInt8.random(in: 0...255, using: &random) })
                case "another's": data = files[0].prefix(data.count)
                default: continue
                }
            }
            try data.write(to: URL(fileURLWithPath: path + name))
        }
        try original.expectService("\(suffix) \(fate)")
        let value = try original.cache.storage.value(forKey: "in the log")
        #expect(value == nil || value == .blob(1))
    }

    @Test func `replacing the index with garbage, text or an empty file loses no blob`() throws {
        let original = try IndexUnderDamage(entries: Self.entries)
        var random = SeededGenerator.ofThisRun
        let garbage = Data((0..<40_000).map { _ in UInt8.random(in: 0...255, using: &random) })
        for data in [original.index.prefix(100) + garbage, Data("no database".utf8), Data(), garbage] {
            try original.restore(data)
            try original.expectService("\(data.count) bytes")
        }
        #expect(try original.blobCount == Self.entries)
    }

    /// Rows in an order that SQLite does not expect. A walk over them must end.
    @Test func `exchanging leaf pages of the table loses no blob`() throws {
        let original = try IndexUnderDamage(entries: Self.entries)
        let leaves = (1..<original.pages).filter { original.index[$0 * original.pageSize] == 0x0D }
        for step in [1, 2, 3] {
            var data = original.index
            for (place, leaf) in leaves.enumerated() {
                let other = leaves[(place + step) % leaves.count]
                data.replaceSubrange(
                    leaf * original.pageSize..<(leaf + 1) * original.pageSize,
                    with: original.index[other * original.pageSize..<(other + 1) * original.pageSize])
            }
            try original.restore(data)
            // A copied folder, so that the opening walks over all rows.
            original.cache.storage.store.close()
            try original.expectService("leaves moved by \(step)")
            _ = try? original.cache.storage.store.forEachEntryBatch { _, _ in }
            _ = try? original.cache.storage.check()
        }
    }

    @Test func `a folder in place of the index blocks stores, and nothing is lost`() throws {
        let original = try IndexUnderDamage(entries: Self.entries)
        original.cache.storage.store.close()
        try FileManager.default.removeItem(at: original.cache.index)
        try FileManager.default.createDirectory(at: original.cache.index, withIntermediateDirectories: true)
        original.cache.reopen()
        #expect(try original.cache.storage.value(forKey: "key 1") == nil)
        #expect(throws: KingfisherError.self) { try original.cache.storage.store(value: .blob(1), forKey: "new") }
        #expect(try original.blobCount == Self.entries)
        try FileManager.default.removeItem(at: original.cache.index)
        try original.expectService("the folder is gone again")
    }
}
