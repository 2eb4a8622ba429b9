import Foundation
import HalcyonTestSupport

@_spi(HalcyonTool) @testable import Halcyon

/// The state of a cache when it is opened after a fault.
struct Inspection {
    let folder: TemporaryFolder
    let operation: StorageOperation
    /// The values that have to be present.
    let isExpected: (CacheContents) -> Bool

    /// - Returns: the findings.
    func findings() throws -> [String] {
        let storage = OperationRun.storage(in: folder.url)
        defer { storage.store.close() }
        var findings: [String] = []
        // As the fault left it, and after the work that follows an opening.
        for look in ["at first", "after the sweep"] {
            findings += try contents(storage).map { "\($0), \(look)" }
            settle(storage)
        }
        findings += try checks(storage)
        findings += try service(storage)
        if FileManager.default.fileExists(atPath: storage.store.blobs.indexPath + ".damaged") {
            findings.append("the index was taken for damaged")
        }
        return findings
    }

    private func settle(_ storage: DiskStorage.Backend<Data>) {
        storage.store.housekeepingWait()
        storage.store.housekeepingWait()
    }

    private func contents(_ storage: DiskStorage.Backend<Data>) throws -> [String] {
        let areCached = StorageOperation.keys.map { storage.isCached(forKey: $0) }
        let contents = try CacheContents(of: storage)
        var findings: [String] = []
        if !isExpected(contents) { findings.append("found \(contents.text)") }
        if areCached != contents.values.map({ $0 != nil }) { findings.append("isCached says \(areCached)") }
        return findings
    }

    /// Leftovers are allowed; a repair removes them.
    private func checks(_ storage: DiskStorage.Backend<Data>) throws -> [String] {
        let report = try storage.check()
        let hasBadRows = !(report.dangling + report.wrongLengths + report.wrongInodes).isEmpty
        // The test damaged these, and only a repair fixes them.
        let isPrepared = operation == .repair
        let isBad = hasBadRows || report.counted != report.noted || !report.unreadableRows.isEmpty
        var findings: [String] = []
        if isBad, !isPrepared { findings.append("\(report)") }
        findings += report.integrityFindings
        _ = try storage.check(repair: true)
        let repaired = try storage.check()
        // The repair leaves a staged file alone for ten minutes.
        if !repaired.isClean { findings.append("after the repair: \(repaired)") }
        return findings
    }

    private func service(_ storage: DiskStorage.Backend<Data>) throws -> [String] {
        try storage.store(value: .blob(99), forKey: "afterwards")
        let isServed = try storage.value(forKey: "afterwards") == .blob(99)
        try storage.remove(forKey: "afterwards")
        return isServed && !storage.isCached(forKey: "afterwards") ? [] : ["the next operation does not work"]
    }
}

extension CacheContents {
    /// One letter per key, for readers.
    var text: String {
        let letters = values.enumerated().map { index, value in
            guard let value else { return "-" }
            if value == .blob(index) { return "o" }
            return [StorageOperation.newValue, StorageOperation.otherValue].contains(value) ? "n" : "?"
        }
        return letters.joined() + (isPinned ? " pinned" : "") + (tags.isEmpty ? "" : " tagged")
    }
}
