import ArgumentParser
import Foundation
import HalcyonTestSupport

/// Processes whose reads sometimes fail, together with one that can always read.
struct Reads: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Refuse reads of the index and of blobs now and then; no process may mistake that for damage.")

    @OptionGroup var options: RunOptions

    @Option(help: "Rounds, each on a new folder.")
    var rounds = 10

    @Option(help: "Operations per process; there are three.")
    var operations = 1_500

    func run() throws {
        try options.perform("reads --operations \(operations) --rounds 1") { run in
            var summary = Summary()
            for round in options.start..<options.start + rounds {
                try perform(run, round: round, &summary)
                run.progress.show("  round \(round): \(summary)")
            }
            return "\(summary)"
        }
    }

    private struct Summary: CustomStringConvertible {
        var operations = 0
        var refused = 0
        var description: String { "\(operations) operations, \(refused) of them refused" }
    }

    private func perform(_ run: Run, round: Int, _ summary: inout Summary) throws {
        var generator = run.generator(ofRound: round)
        let folder = run.workplace.folder(named: "unread-\(round)")
        let keys = KeySpace(pinned: 30, loose: 90)
        let team = try Team(run.workplace)
        for mix in [Mix.plain, .clearing] {
            try team.add(
                mix, on: folder, keys: keys, seed: generator.next(), countLimit: 80, operations: operations,
                world: World(hasBadDisk: true))
        }
        try team.add(.plain, on: folder, keys: keys, seed: generator.next(), operations: operations)
        try team.begin()
        let (logs, faults) = try team.finish(within: 300)
        var chronicle = Chronicle(before: [:], keys: keys)
        for (member, log) in zip(team.members, logs) {
            chronicle.add(log, toleratingFailures: member.order.world.hasBadDisk)
            summary.refused += log.records.count(where: \.isFailure)
        }
        let inspector = try Inspector(run.workplace, cache: folder, keys: keys)
        _ = try inspector.inspect(&chronicle, allowing: .leftovers, using: &generator)
        try run.require(faults + aside(in: folder) + inspector.violations + chronicle.judge(), round: round)
        try run.workplace.remove(folder)
        try run.workplace.removeLogs()
        summary.operations += chronicle.operations
    }

    /// No write was wrong, so there is no reason to set an index aside.
    private func aside(in folder: URL) -> [Violation] {
        let path = Cache.indexPath(in: folder) + ".damaged"
        return FileManager.default.fileExists(atPath: path)
            ? [Violation(.unsound, "a process mistook a refused read for damage and set the index aside")] : []
    }
}

extension Record {
    fileprivate var isFailure: Bool { if case .ended(_, _, .failed) = self { true } else { false } }
}
