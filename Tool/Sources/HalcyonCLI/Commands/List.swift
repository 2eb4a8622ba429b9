internal import ArgumentParser
internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// Lists entries.
struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List entries with their size, last use, expiration and reads.",
        discussion: """
            Sorts by last use, size or creation (the latest and the largest first), by eviction or expiration (the next \
            one first), or by key; --reverse reverses the order. A clean removes expired entries before it evicts any, and \
            evicts no pinned ones, but both keep their place in the order of eviction. An entry must meet all conditions. A key is shown as \
            (unknown) if the file is older than the index and no app has asked for its key yet.

            --page prints one page as an object with "entries" and "next", which is null on the last page. For the next \
            page, add --after with that text to the same command. Entries added or removed between two pages do not shift the pages.

            EXAMPLES
              halcyon list --folder ./cache --sort size --limit 10
              halcyon list --folder ./cache --filter example.com --json
              halcyon list --folder ./cache --host img.example.com --unused 30d --count
              halcyon list --folder ./cache --sort key --page --limit 100
              halcyon list --folder ./cache --sort eviction --unpinned --limit 1
            """)

    enum Order: String, ExpressibleByArgument, CaseIterable { case access, eviction, size, created, expires, key }

    @OptionGroup var cache: CacheOptions

    @Option(help: "The sort order. (default: access)")
    var sort: Order?

    @Flag(help: "Reverse the order.")
    var reverse = false

    @Option(help: ArgumentHelp("The maximum number of entries. (default: all, 100 with --page)", valueName: "number"))
    var limit: Int?

    @Flag(help: "Print only the number of entries and their size.")
    var count = false

    @Flag(help: "Print a JSON array instead of a table.")
    var json = false

    @Flag(help: "Print one page as a JSON object, with a cursor for the next page.")
    var page = false

    @Option(
        help: ArgumentHelp(
            "Continue after a page: the \"next\" that it printed.", valueName: "next"), transform: Cursor.parse)
    var after: Cursor?

    @OptionGroup(title: "CONDITIONS") var conditions: FilterOptions

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit is a number of entries, 1 or more.") }
        if count, limit != nil || page || after != nil {
            throw ValidationError("--count counts all matching entries. Leave out --limit, --page and --after.")
        }
        guard let after, sort != nil || reverse, after.order != order else { return }
        throw ValidationError(
            "--after continues in the order of its page. Give the same --sort and --reverse, or neither.")
    }

    private var order: Cursor.Order {
        let sort = sort ?? .access
        return Cursor.Order(order: sort.order, isDescending: sort.isDescending != reverse)
    }

    func run() throws {
        try cache.withStorage(.reading) { storage in
            let query = EntryQuery(
                storage: storage, filter: conditions.entryFilter(at: Date()), order: after?.order ?? order,
                limit: limit ?? (page ? 100 : nil), start: after?.place)
            if count { try printTotals(of: query) } else { try printEntries(of: query) }
        }
    }

    private func printTotals(of query: EntryQuery) throws {
        let totals = try query.storage.totals(matching: query.filter)
        try Output.print(json ? totals.object.compact : "\(totals.text).")
    }

    private func printEntries(of query: EntryQuery) throws {
        let output = Output()
        if page { return try printPage(of: query, to: output) }
        let outcome = try json ? query.printObjects(to: output) : query.printTable(to: output)
        if json { try output.line("") }
        try output.flush()
        if outcome.count == 0, !json { Message.print(sentenceForNothing) }
    }

    private func printPage(of query: EntryQuery, to output: Output) throws {
        try output.text(#"{"entries": "#)
        let outcome = try query.printObjects(to: output)
        try output.line(", \"next\": \(JSON.string(try outcome.next.map(Cursor.text)).compact)}")
        try output.flush()
    }

    private var sentenceForNothing: String {
        if after != nil { return "There are no more entries." }
        let filter = conditions.entryFilter(at: Date())
        if filter == .all { return "The cache is empty." }
        return filter == .init(text: filter.text) ? "No key contains that text." : "No entry meets the conditions."
    }
}

extension List.Order {
    fileprivate var order: DiskStorage.EntryOrder {
        switch self {
        case .access: .access
        case .eviction: .eviction
        case .size: .size
        case .created: .created
        case .expires: .expiration
        case .key: .key
        }
    }

    /// The most useful entries first: the latest, the largest, the next to be evicted.
    fileprivate var isDescending: Bool { self == .access || self == .size || self == .created }
}
