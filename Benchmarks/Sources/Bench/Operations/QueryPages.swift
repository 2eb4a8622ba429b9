import BenchReport
import Foundation
import Halcyon
import Workload

/// Pages of 100 entries from an index, the largest entries first. Only the library: a folder of files answers none of these queries.
///
/// The first page is timed from the opening of a cache without earlier queries, including any setup; the others after a few queries.
struct QueryPages {
    let volume: Volume
    let count: Int

    static let names = ["query_first_page"] + Question.allCases.map(\.row)

    private static let limit = 100

    /// What is asked. The hosts are ninety, the prefixes one for each host, the variants of an image four, the tags ten, each on a
    /// hundredth of the entries. The text is in the middle of the keys of one host.
    private enum Question: String, CaseIterable {
        case size, host, prefix, image, tag, text

        var row: String { "query_page_\(rawValue)" }

        func filter(_ number: Int) -> DiskStorage.EntryFilter {
            switch self {
            case .size: .all
            case .host: .init(host: FilledIndex.host(number))
            case .prefix: .init(keyPrefix: "https://\(FilledIndex.host(number))/p/")
            case .image: .init(baseKey: FilledIndex.baseKey(number))
            case .tag: .init(tag: FilledIndex.tag(number))
            case .text: .init(text: String(FilledIndex.host(number).dropFirst()))
            }
        }

        var expected: Int { self == .image ? FilledIndex.variants : QueryPages.limit }
    }

    /// The targets of the index's redesign for both; for free text, only the last one.
    private func target(of question: Question?) -> Target {
        let unit: Double = count > 100_000 ? 10 : 1
        return .atMost(unit * (question == .text ? 100_000 : 40_000))
    }

    func rows(rounds: Int) throws -> [ResultRow] {
        guard volume.hasRoom(forBytes: count * 1_000) else {
            Progress.say("\(volume.name): no room for an index of \(FigureText.count(count)) entries")
            return []
        }
        Progress.say(
            "\(volume.name), \(FigureText.count(count)) rows in an index: \(Self.names.joined(separator: ", "))")
        let cache = HalcyonCache(folder: volume.folder.appendingPathComponent("queries-\(count)"))
        let index = try makeIndex(of: cache)
        let first = try firstPage(rounds, of: cache, index)
        return [first].compactMap { $0 } + (try Question.allCases.compactMap { try row($0, rounds, of: cache) })
    }

    /// - Returns: the bytes of the closed file, before any query.
    private func makeIndex(of cache: HalcyonCache) throws -> Data {
        _ = try cache.storage().totalSize()
        cache.close()
        let names = HalcyonCache(folder: volume.folder.appendingPathComponent("query-names"))
        try FilledIndex(path: cache.indexPath, names: try names.storage()).fill(count)
        names.close()
        return try Data(contentsOf: URL(fileURLWithPath: cache.indexPath))
    }

    // MARK: The first page

    /// A different query in each round, beginning with the size.
    private func firstPage(_ rounds: Int, of cache: HalcyonCache, _ index: Data) throws -> ResultRow? {
        var all = Samples()
        var extras: [String: Double] = [:]
        for round in 0..<rounds {
            try putBack(index, of: cache)
            let question = Question.allCases[round % Question.allCases.count]
            let time = try microseconds { try ask(question, round, try cache.storage()) }
            all.add([time])
            extras["by_\(question.rawValue)_us"] = time
        }
        var row = row("query_first_page", all, target(of: nil))
        row?.extras = extras
        return row
    }

    /// The index as before the first query, in the same file: in another file the library would look for moved blobs.
    private func putBack(_ index: Data, of cache: HalcyonCache) throws {
        cache.close()
        // An open connection would report it as damaged.
        require(!cache.isOpen)
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: cache.indexPath))
        defer { try? file.close() }
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: index)
        // The first page must not wait for the disk to write this.
        try file.synchronize()
    }

    // MARK: Pages of a cache in use

    private func row(_ question: Question, _ rounds: Int, of cache: HalcyonCache) throws -> ResultRow? {
        let storage = try cache.storage()
        var samples = Samples()
        var randomness = Randomness()
        try ask(question, 0, storage)
        for _ in 0..<rounds {
            samples.add(
                try (0..<20).map { _ in
                    let number = Int.random(in: 0..<count / FilledIndex.variants, using: &randomness)
                    return try microseconds { try ask(question, number, storage) }
                })
        }
        return row(question.row, samples, target(of: question))
    }

    private func ask(_ question: Question, _ number: Int, _ storage: DiskStorage.Backend<Data>) throws {
        let page = try storage.entries(
            matching: question.filter(number), sortedBy: .size, descending: true, limit: Self.limit)
        require(page.entries.count == question.expected)
    }

    private func row(_ name: String, _ samples: Samples, _ target: Target) -> ResultRow? {
        guard let figure = Figure(samples) else { return nil }
        var row = ResultRow(name, on: volume.kind, entries: count, halcyon: figure)
        row.target = target
        return row
    }
}
