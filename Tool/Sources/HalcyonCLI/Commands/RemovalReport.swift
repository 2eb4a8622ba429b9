internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// The result of `remove`, or of its dry run.
struct RemovalReport {
    private(set) var totals = Totals(entries: 0, bytes: 0)
    /// nil if the entries were not recorded.
    private(set) var entries: [DiskStorage.EntryInfo]?
    /// Keys without an entry.
    var missing: [String] = []
    let isDryRun: Bool
    var isInterrupted = false
    /// In a dry run, an entry can match twice, by its key and as a variant.
    private var names: Set<String> = []

    /// For entries that were not recorded.
    init(_ totals: Totals) {
        (self.totals, isDryRun) = (totals, false)
    }

    init(isDryRun: Bool) {
        (entries, self.isDryRun) = ([], isDryRun)
    }

    mutating func add(_ more: [DiskStorage.EntryInfo]) {
        for entry in more where !isDryRun || names.insert(entry.fileName).inserted {
            entries?.append(entry)
            totals.entries += 1
            totals.bytes += entry.size
        }
    }

    /// Adds a file that has no row.
    mutating func addFile(named name: String) {
        if !isDryRun || names.insert(name).inserted { totals.entries += 1 }
    }

    // MARK: Text

    var verb: String { isDryRun ? "Would remove" : "Removed" }

    /// Prints the removed entries as a table.
    func printTable() throws {
        let output = Output()
        let row = EntryRow(width: Terminal.output?.width, now: Date())
        for (index, entry) in (entries ?? []).enumerated() {
            if index == 0 { try output.line(row.header) }
            try output.line(row.line(of: entry))
        }
        try output.flush()
    }

    var object: JSON {
        let row = EntryRow(width: nil, now: Date())
        let removed = entries.map { JSON.array($0.map { row.object(of: $0) }) }
        return .object([
            "entries": .integer(totals.entries), "bytes": .integer(totals.bytes), "missing": .strings(missing),
            "dry_run": .bool(isDryRun), "interrupted": .bool(isInterrupted), "removed": removed ?? .null,
        ])
    }
}
