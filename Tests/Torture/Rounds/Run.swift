import Foundation
import HalcyonTestSupport

/// One run of a command: its seed, its folder and its progress.
final class Run {
    let command: String
    let seed: UInt64
    let workplace: Workplace
    let progress = Progress()

    init(_ command: String, seed: UInt64, workplace: Workplace) {
        self.command = command
        self.seed = seed
        self.workplace = workplace
    }

    /// The random choices of one round, independent of the first round of the run.
    func generator(ofRound round: Int) -> SeededGenerator {
        var generator = SeededGenerator(seed: seed)
        return SeededGenerator(seed: generator.next() &+ UInt64(round))
    }

    /// Ends the run if there are violations.
    ///
    /// - Parameter round: the first round of the run that repeats this.
    func require(_ violations: [Violation], round: Int) throws {
        guard !violations.isEmpty else { return }
        throw Violated(
            violations: violations, again: "\(command) --seed \(seed) --start \(round)", kept: workplace.url.path)
    }
}

extension Run {
    /// Waits for processes that end without help, judges their work on a new folder, and deletes the folder if there are no violations.
    func conclude(
        _ team: Team, on folder: URL, keys: KeySpace, round: Int, using generator: inout SeededGenerator
    ) throws {
        let (logs, faults) = try team.finish(within: 120)
        var chronicle = Chronicle(before: [:], keys: keys)
        logs.forEach { chronicle.add($0) }
        let inspector = try Inspector(workplace, cache: folder, keys: keys)
        _ = try inspector.inspect(&chronicle, allowing: .nothing, using: &generator)
        try require(faults + inspector.violations + chronicle.judge(), round: round)
        try workplace.remove(folder)
        try workplace.removeLogs()
    }
}

/// Ends a run that has found violations.
struct Violated: LocalizedError {
    let violations: [Violation]
    /// The command line that repeats the round.
    let again: String
    let kept: String

    var errorDescription: String? {
        let shown = violations.prefix(10).map { "- \($0)" }.joined(separator: "\n")
        let more = violations.count > 10 ? "\n… and \(violations.count - 10) more" : ""
        return """
            violated:
            \(shown)\(more)
            cache and logs: \(kept)
            again: HalcyonTorture \(again)
            (The operations are the same then; the moments at which processes meet or are killed are not.)
            """
    }
}
