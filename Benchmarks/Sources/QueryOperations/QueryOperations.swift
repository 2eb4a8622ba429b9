import Foundation
import Halcyon

/// What the listing costs and gives: bytes for each entry, the making of it, pages of each order at their beginning and end,
/// filters, and stores, reads and evictions with it and without.
///
///     swift run -c release --package-path Benchmarks QueryOperations [ENTRIES] [PARENT FOLDER]
@main
enum QueryOperations {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        let count = arguments.first.flatMap { Int($0) } ?? 100_000
        let parent =
            arguments.dropFirst().first.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
        let folder = parent.appendingPathComponent("halcyon-queries-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try Queries(count: count, folder: folder).run()
        try Writes(folder: folder).run()
    }
}

/// Microseconds of one call.
func time(_ body: () throws -> Void) rethrows -> Double {
    let begin = ContinuousClock.now
    try body()
    let duration = (ContinuousClock.now - begin).components
    return Double(duration.seconds) * 1e6 + Double(duration.attoseconds) / 1e12
}

func median(of count: Int = 5, _ body: () throws -> Void) rethrows -> Double {
    try (0..<count).map { _ in try time(body) }.sorted()[count / 2]
}

func text(_ value: Double) -> String { String(format: value < 100 ? "%.1f" : "%.0f", value) }

func makeStorage(_ folder: URL, _ name: String) throws -> DiskStorage.Backend<Data> {
    var config = DiskStorage.Config(name: name, sizeLimit: 0)
    config.cachePathBlock = { _, _ in folder.appendingPathComponent(name) }
    return try DiskStorage.Backend<Data>(config: config)
}

/// Of a large index. Its rows have no files: no query looks for one.
struct Queries {
    let count: Int
    let folder: URL

    func run() throws {
        let index = folder.appendingPathComponent("queries/.halcyon/index.sqlite")
        do {
            let storage = try makeStorage(folder, "queries")
            _ = try storage.totalSize()
        }
        let filled = try FilledIndex(path: index.path, names: makeStorage(folder, "names"))
        try filled.fill(count)
        let storage = try makeStorage(folder, "queries")
        print("\(count) entries, keys of 60 bytes\n\n| what | figure |\n|---|---|")
        row("index, bytes/entry", Double(size(of: index)) / Double(count))
        row("listing made, µs/entry", try time { _ = try storage.entries(sortedBy: .size, limit: 1) } / Double(count))
        try storage.removeAllButListing()
        row("index with listing, bytes/entry", Double(size(of: index)) / Double(count))
        storage.suspend()
        try filled.churn(count)
        storage.resume()
        let changes = 2 * count / 3
        row(
            "listing brought up to date, µs/change",
            try time { _ = try storage.entries(sortedBy: .size) } / Double(changes))
        try storage.removeAllButListing()
        row("index with listing after a third was replaced, bytes/entry", Double(size(of: index)) / Double(count))
        for order in DiskStorage.EntryOrder.allCases { try pages(of: storage, order) }
        try filters(of: storage)
    }

    private func row(_ name: String, _ value: Double) { print("| \(name) | \(text(value)) |") }

    private func size(of file: URL) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int) ?? 0
    }

    /// Of 100 entries.
    private func pages(of storage: DiskStorage.Backend<Data>, _ order: DiskStorage.EntryOrder) throws {
        let first = try median { _ = try storage.entries(sortedBy: order) }
        // The first page the other way round ends where the last one begins.
        let end = try storage.entries(sortedBy: order, descending: true).next.map(turned)
        let last = try median { if let end { _ = try storage.entries(after: end) } }
        print("| page by \(order): first, last, µs | \(text(first)), \(text(last)) |")
    }

    /// The same place in the other direction. No app needs that; a cursor can be kept as JSON, and so changed.
    private func turned(_ cursor: DiskStorage.EntryCursor) throws -> DiskStorage.EntryCursor {
        let text = String(decoding: try JSONEncoder().encode(cursor), as: UTF8.self)
        let other = text.replacingOccurrences(of: "\"isDescending\":true", with: "\"isDescending\":false")
        return try JSONDecoder().decode(DiskStorage.EntryCursor.self, from: Data(other.utf8))
    }

    private func filters(of storage: DiskStorage.Backend<Data>) throws {
        let filters: [(String, DiskStorage.EntryFilter)] = [
            ("one image's variants", .init(baseKey: FilledIndex.baseKey(count / 8))),
            ("prefix, 1 host of 100", .init(keyPrefix: "https://img42.")),
            ("1 host of 100", .init(host: "img42.example.com")), ("1 processor of 4", .init(processorIdentifier: "p2")),
            ("text, met by none", .init(text: "'%_*")), ("larger than most", .init(minimumSize: 99_000)),
        ]
        for (name, filter) in filters {
            let page = try median(of: 3) { _ = try storage.entries(matching: filter, sortedBy: .size) }
            let totals = try median(of: 3) { _ = try storage.totals(matching: filter) }
            let found = try storage.totals(matching: filter).entries
            print("| \(name) (\(found)): page by size, totals, ms | \(text(page / 1000)), \(text(totals / 1000)) |")
        }
        row("totals of all, µs", try median { _ = try storage.totals() })
    }
}

extension DiskStorage.Backend {
    /// The log goes into the index file when it is closed, which happens in `suspend`.
    fileprivate func removeAllButListing() throws {
        suspend()
        resume()
    }
}

/// Stores, reads and evictions, in turns in two caches of which one has been listed.
struct Writes {
    let folder: URL
    private let count = 10_000
    private let blob = Data((0..<4_096).map { UInt8(truncatingIfNeeded: $0) })

    func run() throws {
        let names = ["plain", "listed"]
        let storages = try names.map { try makeStorage(folder, $0) }
        for storage in storages { for seed in 0..<count { try storage.store(value: blob, forKey: key(seed)) } }
        _ = try storages[1].entries(sortedBy: .size)
        print(
            "\n\(count) entries of 4 KiB, in turns\n\n| what | without listing, µs | with, µs | ratio |\n|---|---|---|---|"
        )
        try compare("store, new", storages) { try $0.store(value: blob, forKey: key(count + $1)) }
        try compare("overwrite", storages) { try $0.store(value: blob, forKey: key($1)) }
        try compare("value", storages) { _ = try $0.value(forKey: key($1)) }
        try compare("isCached", storages) { _ = $0.isCached(forKey: key($1)) }
        let evictions = try storages.map { storage in
            storage.config.sizeLimit = try storage.totalSize()
            var gone = 0
            return try time { gone = try storage.removeSizeExceededValues().count } / Double(gone)
        }
        row("evict half, each", evictions)
    }

    private func key(_ seed: Int) -> String {
        let number = String(seed)
        return "https://img\(seed % 100).example.com/pictures/" + String(repeating: "0", count: 20 - number.count)
            + number + ".jpg"
    }

    private func compare(
        _ name: String, _ storages: [DiskStorage.Backend<Data>],
        _ body: (DiskStorage.Backend<Data>, Int) throws -> Void
    ) throws {
        var times: [[Double]] = [[], []]
        for seed in 0..<4_000 {
            for (index, storage) in storages.enumerated() { times[index].append(try time { try body(storage, seed) }) }
        }
        row(name, times.map { $0.sorted()[$0.count / 2] })
        row("\(name), mean", times.map { $0.reduce(0, +) / Double($0.count) })
    }

    private func row(_ name: String, _ values: [Double]) {
        print(
            "| \(name) | \(text(values[0])) | \(text(values[1])) | \(String(format: "%.2f", values[1] / values[0])) |")
    }
}
