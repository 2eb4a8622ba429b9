import Foundation
import HalcyonTestSupport

/// One run of a command: its seed, its folder, and what it says meanwhile.
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

    /// The chances of one round, whichever round a run begins with.
    func generator(ofRound round: Int) -> SeededGenerator {
        var generator = SeededGenerator(seed: seed)
        return SeededGenerator(seed: generator.next() &+ UInt64(round))
    }

    /// Ends the run when something was violated.
    ///
    /// - Parameter round: the one to begin with when this is to be seen again.
    func require(_ violations: [Violation], round: Int) throws {
        guard !violations.isEmpty else { return }
        throw Violated(
            violations: violations, again: "\(command) --seed \(seed) --start \(round)", kept: workplace.url.path)
    }
}

extension Run {
    /// Waits for processes that end by themselves, and judges what they have done to a new folder, which goes if all is well.
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

/// What ends a run that found something.
struct Violated: LocalizedError {
    let violations: [Violation]
    /// The command line that makes the same round again.
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
