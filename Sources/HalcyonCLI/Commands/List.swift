internal import ArgumentParser
internal import Foundation
internal import Halcyon

/// Lists entries.
struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the entries: what is in the cache, how big, used and valid until when.",
        discussion: """
            Most recently used first, largest first, or what expires first; the other way round with --reverse, so that \
            --reverse shows what is evicted next. A key shows as (unknown) until somebody asks for the entry by it: the \
            file was there before the index.

            EXAMPLES
              halcyon list --folder ./cache --sort size --limit 10
              halcyon list --folder ./cache --filter example.com --json
              halcyon list --folder ./cache --reverse --limit 1
            """)

    enum Order: String, ExpressibleByArgument, CaseIterable { case access, size, expires }

    @OptionGroup var cache: CacheOptions

    @Option(help: ArgumentHelp("Only keys that contain this, in upper or lower case.", valueName: "text"))
    var filter: String?

    @Option(help: "What to sort by.")
    var sort: Order = .access

    @Flag(help: "The other way round.")
    var reverse = false

    @Option(help: ArgumentHelp("Stop after this many.", valueName: "number"))
    var limit: Int?

    @Flag(help: "An array of objects instead of a table.")
    var json = false

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit is a number of entries, 1 or more.") }
    }

    func run() throws {
        try cache.withStorage { storage in
            let output = Output()
            let count = try json ? printObjects(of: storage, to: output) : printTable(of: storage, to: output)
            try output.flush()
            guard count == 0, !json else { return }
            Message.print(filter == nil ? "The cache is empty." : "No key contains that text.")
        }
    }

    private func printTable(of storage: Storage, to output: Output) throws -> Int {
        let row = EntryRow(width: Terminal.output?.width, now: Date())
        return try forEachEntry(of: storage) { entry, index in
            if index == 0 { try output.line(row.header) }
            try output.line(row.line(of: entry))
        }
    }

    /// One object on each line, so that line tools can be used on it too.
    private func printObjects(of storage: Storage, to output: Output) throws -> Int {
        let row = EntryRow(width: nil, now: Date())
        try output.text("[")
        let count = try forEachEntry(of: storage) { entry, index in
            try output.text("\(index == 0 ? "" : ",")\n\(row.object(of: entry).compact)")
        }
        try output.line(count == 0 ? "]" : "\n]")
        return count
    }

    /// - Returns: how many there were.
    private func forEachEntry(of storage: Storage, _ body: (DiskStorage.EntryInfo, Int) throws -> Void) throws -> Int {
        var count = 0
        let filter = DiskStorage.EntryFilter(text: filter)
        var page = try storage.entries(
            matching: filter, sortedBy: sort.order, descending: sort.isDescending != reverse, limit: pageSize)
        while true {
            for entry in page.entries {
                try body(entry, count)
                count += 1
                if count == limit { return count }
            }
            guard let next = page.next else { return count }
            page = try storage.entries(after: next, matching: filter, limit: pageSize)
        }
    }

    private var pageSize: Int { min(limit ?? 256, 256) }
}

extension List.Order {
    fileprivate var order: DiskStorage.EntryOrder {
        switch self {
        case .access: .access
        case .size: .size
        case .expires: .expiration
        }
    }

    /// What people look for first: the latest, the largest, what goes next.
    fileprivate var isDescending: Bool { self != .expires }
}
