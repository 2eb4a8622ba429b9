import Foundation
import Halcyon
import Workload

/// Hit ratios of the orders of eviction: replays traces against the disk storage, and against an exact simulation of each order with the
/// times of the requests to the disk.
///
///     swift run -c release --package-path Benchmarks HitRatios [PARENT FOLDER]
@main
enum HitRatios {
    static func main() throws {
        let parent = CommandLine.arguments.dropFirst().first.map { URL(fileURLWithPath: $0) }
        say("| trace | limit | order | down to | simulated | disk | difference |")
        say("|---|---|---|---|---|---|---|")
        for hasScans in [false, true] {
            let trace = RequestTrace(hasScans: hasScans)
            for values in [4_000, 16_000] {
                for order in Order.all {
                    let row = Row(trace: trace, hasScans: hasScans, values: values, order: order)
                    say(try row.text(parent: parent ?? FileManager.default.temporaryDirectory))
                }
            }
        }
    }

    /// Prints each row as soon as it is known, and writes it to a file.
    private static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}

/// An eviction order and its low-water mark.
struct Order {
    let name: String
    let order: DiskStorage.EvictionOrder
    let lowWaterRatio: Double

    static let all = [
        Order(name: "LRU", order: .leastRecentlyUsed, lowWaterRatio: 0.5),
        Order(name: "LRU", order: .leastRecentlyUsed, lowWaterRatio: 0.9),
        Order(name: "frequency bonus", order: .frequencyBonus, lowWaterRatio: 0.9),
    ]
}

struct Row {
    let trace: RequestTrace
    let hasScans: Bool
    let values: Int
    let order: Order

    private static let valueSize = 1_000

    func text(parent: URL) throws -> String {
        let (disk, times) = try hitRatioOnDisk(parent: parent)
        let simulated = hitRatioOfSimulation(at: times)
        let megabytes = values * Self.valueSize / 1_000_000
        return [
            "", hasScans ? "with scans" : "Zipf 0.9", "\(megabytes) MB", order.name, "\(order.lowWaterRatio)",
            String(format: "%.4f", simulated), String(format: "%.4f", disk),
            String(format: "%+.2f points", (disk - simulated) * 100), "",
        ].joined(separator: " | ").trimmingCharacters(in: .whitespaces)
    }

    private func hitRatioOfSimulation(at times: [Int]) -> Double {
        var cache = SimulatedCache(
            limit: values, lowWaterRatio: order.lowWaterRatio, countsReads: order.order == .frequencyBonus)
        let hits = zip(trace.requests, times).count { cache.request($0, at: $1) }
        return Double(hits) / Double(times.count)
    }

    /// - Returns: the hit ratio, and the time of each request in nanoseconds.
    private func hitRatioOnDisk(parent: URL) throws -> (ratio: Double, times: [Int]) {
        let folder = parent.appendingPathComponent("halcyon-hits-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        var config = DiskStorage.Config(name: "hits", sizeLimit: UInt(values * Self.valueSize))
        config.cachePathBlock = { _, _ in folder }
        config.lowWaterRatio = order.lowWaterRatio
        config.evictionOrder = order.order
        let storage = try DiskStorage.Backend<Data>(config: config)
        defer { storage.close() }
        let value = Data(repeating: 7, count: Self.valueSize)
        var hits = 0
        var times: [Int] = []
        let begin = ContinuousClock.now
        for (number, key) in trace.requests.enumerated() {
            if number.isMultiple(of: 1_000) { showProgress(number) }
            times.append(Int((ContinuousClock.now - begin) / .nanoseconds(1)))
            if try storage.value(forKey: "\(key)") != nil {
                hits += 1
            } else {
                try storage.store(value: value, forKey: "\(key)")
                _ = try storage.removeSizeExceededValues()
            }
        }
        showProgress(nil)
        return (Double(hits) / Double(trace.requests.count), times)
    }

    /// On one line of standard error, if that is a terminal.
    private func showProgress(_ number: Int?) {
        guard isatty(STDERR_FILENO) == 1 else { return }
        let text = number.map { "\r\(order.name), \($0) of \(trace.requests.count) requests" } ?? "\r\u{1B}[K"
        FileHandle.standardError.write(Data(text.utf8))
    }
}
