internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// What `remove` has taken away, or would.
struct RemovalReport {
    private(set) var totals = Totals(entries: 0, bytes: 0)
    /// nil where nobody has kept them.
    private(set) var entries: [DiskStorage.EntryInfo]?
    /// Keys under which nothing was.
    var missing: [String] = []
    let isDryRun: Bool
    var isInterrupted = false
    /// What would go can be meant twice, by its key and as a variant.
    private var names: Set<String> = []

    /// Of entries that nobody keeps.
    init(_ totals: Totals) {
        (self.totals, isDryRun) = (totals, false)
    }

    init(isDryRun: Bool) {
        (entries, self.isDryRun) = ([], isDryRun)
    }

    mutating func add(_ more: [DiskStorage.EntryInfo]) {
        for entry in more where names.insert(entry.fileName).inserted {
            entries?.append(entry)
            totals.entries += 1
            totals.bytes += entry.size
        }
    }

    /// A file without a row, of which nothing is known.
    mutating func addFile(named name: String) {
        if names.insert(name).inserted { totals.entries += 1 }
    }

    // MARK: Words

    var verb: String { isDryRun ? "Would remove" : "Removed" }

    /// What went, as a table.
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
        var members: [(name: String, value: JSON)] = [
            ("entries", .integer(totals.entries)), ("bytes", .integer(totals.bytes)), ("missing", .strings(missing)),
            ("dryRun", .bool(isDryRun)), ("interrupted", .bool(isInterrupted)),
        ]
        if let entries { members.append(("removed", .array(entries.map { row.object(of: $0) }))) }
        return .object(JSON.Members(members))
    }
}
