internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// The entries that a command selects, in order, read page by page.
struct EntryQuery {
    let storage: Storage
    var filter = DiskStorage.EntryFilter.all
    var order = Cursor.Order(order: .access, isDescending: true)
    /// The maximum number of entries; nil for all of them.
    var limit: Int?
    /// Where to continue; nil for the beginning.
    var start: DiskStorage.EntryCursor?

    struct Outcome {
        var count = 0
        /// Where to continue; nil if there are no more entries.
        var next: DiskStorage.EntryCursor?
    }

    /// Calls `body` with each entry and its number, counted from 0.
    func forEach(_ body: (DiskStorage.EntryInfo, Int) throws -> Void) throws -> Outcome {
        guard limit != nil || start != nil else { return try forEachOfAll(body) }
        var outcome = Outcome(next: start)
        repeat {
            // Each page reads the whole table.
            let page = try page(after: outcome.next, limit: min(32_768, (limit ?? .max) - outcome.count))
            for entry in page.entries {
                try body(entry, outcome.count)
                outcome.count += 1
            }
            outcome.next = page.next
        } while outcome.next != nil && outcome.count < limit ?? .max
        return outcome
    }

    /// Sorts once, instead of once per page.
    private func forEachOfAll(_ body: (DiskStorage.EntryInfo, Int) throws -> Void) throws -> Outcome {
        var outcome = Outcome()
        try storage.forEachEntry(matching: filter, sortedBy: order.order, descending: order.isDescending) { entry in
            try body(entry, outcome.count)
            outcome.count += 1
        }
        return outcome
    }

    private func page(after cursor: DiskStorage.EntryCursor?, limit: Int) throws -> DiskStorage.EntryPage {
        if let cursor { return try storage.entries(after: cursor, matching: filter, limit: limit) }
        return try storage.entries(
            matching: filter, sortedBy: order.order, descending: order.isDescending, limit: limit)
    }

    // MARK: Printing

    func printTable(to output: Output) throws -> Outcome {
        let row = EntryRow(width: Terminal.output?.width, now: Date())
        return try forEach { entry, index in
            if index == 0 { try output.line(row.header) }
            try output.line(row.line(of: entry))
        }
    }

    /// Prints an array with one object per line, so that line-based tools work on it too. The last line has no line break.
    func printObjects(to output: Output) throws -> Outcome {
        let row = EntryRow(width: nil, now: Date())
        try output.text("[")
        let outcome = try forEach { entry, index in
            try output.text("\(index == 0 ? "" : ",")\n\(row.object(of: entry).compact)")
        }
        try output.text(outcome.count == 0 ? "]" : "\n]")
        return outcome
    }
}
