import Foundation
import HalcyonSQLite
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

@Suite struct IndexSnapshotTests {
    /// What a crash of the machine, or a backup, leaves: a log without shared memory.
    @Test func `an index whose log has no shared memory is read in place, and nothing changes`() throws {
        try withCache { cache in
            for seed in 0..<3 { try cache.storage.store(value: .blob(seed), forKey: "\(seed)") }
            let copy = cache.folder.url.appendingPathComponent("copy")
            let metadata = copy.appendingPathComponent(".halcyon")
            try FileManager.default.createDirectory(at: metadata, withIntermediateDirectories: true)
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(
                    atPath: cache.index.path + suffix, toPath: metadata.path + "/index.sqlite" + suffix)
            }
            let before = try files(in: metadata)
            let snapshot = try #require(try IndexSnapshot.read(at: copy.path, rows: 5, hosts: 5))
            #expect(snapshot.totals.entries == 3 && snapshot.latest.map(\.key) == ["2", "1", "0"])
            let plan = try UpgradePlan(folder: copy.path)
            #expect(plan.schemaVersion == EntryIndex.migrator.newestVersion)
            #expect(try files(in: metadata) == before)
        }
    }

    /// Names, contents and dates.
    private func files(in folder: URL) throws -> [String: [AnyHashable]] {
        var files: [String: [AnyHashable]] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let path = folder.path + "/" + name
            let date = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
            files[name] = [try Data(contentsOf: URL(fileURLWithPath: path)), date]
        }
        return files
    }
}
