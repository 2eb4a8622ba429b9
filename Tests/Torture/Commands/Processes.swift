import ArgumentParser
import Foundation
import Halcyon
import HalcyonTestSupport

/// Processes that share a folder.
struct Processes: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Let processes work on one folder; one evicts what the others store, and one only reads.")

    @OptionGroup var options: RunOptions

    @Option(help: "Number of processes.")
    var count = 4

    @Option(help: "Operations per process.")
    var operations = 10_000

    @Option(help: "Rounds, each on a new folder.")
    var rounds = 1

    /// At this length the writers of a process wait until the log can restart, but not those of other processes: each of them may add as
    /// much again before it waits.
    private var logLimit: Int64 { Int64(max(2, count) * Tuning().forcedCheckpointFrames * (4_096 + 24)) }

    func run() throws {
        let command = "processes --rounds 1 --count \(count) --operations \(operations)"
        try options.perform(command) { run in
            var longest: Int64 = 0
            for round in options.start..<options.start + rounds {
                longest = max(longest, try perform(run, round: round))
            }
            return "\(rounds) × \(count) × \(operations) operations, the log at most \(longest / 1024) KiB long"
        }
    }

    /// - Returns: the maximum length of the log.
    private func perform(_ run: Run, round: Int) throws -> Int64 {
        var generator = run.generator(ofRound: round)
        let folder = run.workplace.folder(named: "shared-\(round)")
        let keys = KeySpace(pinned: 50, loose: 150)
        let team = try team(of: run, on: folder, keys: keys, using: &generator)
        let log = LogLength(folder: folder)
        try team.begin()
        let (logs, faults) = try team.finish(within: 600) {
            log.measure()
            run.progress.show("  round \(round): the log has \(log.longest / 1024) KiB at most")
        }
        var chronicle = Chronicle(before: [:], keys: keys)
        logs.forEach { chronicle.add($0) }
        let inspector = try Inspector(run.workplace, cache: folder, keys: keys)
        _ = try inspector.inspect(&chronicle, allowing: .nothing, using: &generator)
        try run.require(
            faults + inspector.violations + log.violations(above: logLimit) + chronicle.judge(), round: round)
        try run.workplace.remove(folder)
        try run.workplace.removeLogs()
        return log.longest
    }

    private func team(
        of run: Run, on folder: URL, keys: KeySpace, using generator: inout SeededGenerator
    ) throws -> Team {
        let team = try Team(run.workplace)
        let mixes: [Mix] = [.evicting, .reading, .plain, .bursts]
        for index in 0..<count {
            try team.add(
                mixes[index % mixes.count], on: folder, keys: keys, seed: generator.next(), countLimit: 150,
                operations: operations)
        }
        return team
    }
}

/// The maximum length of the write-ahead log.
final class LogLength {
    private let path: String
    private(set) var longest: Int64 = 0

    init(folder: URL) { path = Cache.indexPath(in: folder) + "-wal" }

    func measure() {
        var status = stat()
        if stat(path, &status) == 0 { longest = max(longest, Int64(status.st_size)) }
    }

    func violations(above limit: Int64) -> [Violation] {
        longest <= limit
            ? [] : [Violation(.grown, "the write-ahead log was \(longest) bytes long, more than \(limit)")]
    }
}
