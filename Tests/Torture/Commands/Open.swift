import ArgumentParser
import Foundation
import HalcyonTestSupport

/// Processes that open a new folder at the same moment.
struct Open: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Let processes open a new folder at the same moment, and use it at once.")

    @OptionGroup var options: RunOptions

    @Option(help: "Number of processes.")
    var count = 8

    @Option(help: "Rounds, each on a new folder.")
    var rounds = 20

    func run() throws {
        try options.perform("open --rounds 1 --count \(count)") { run in
            for round in options.start..<options.start + rounds {
                try perform(run, round: round)
                run.progress.show("  round \(round)")
            }
            return "\(rounds) new folders opened by \(count) processes each"
        }
    }

    private func perform(_ run: Run, round: Int) throws {
        var generator = run.generator(ofRound: round)
        let folder = run.workplace.folder(named: "new-\(round)")
        let keys = KeySpace(pinned: 0, loose: 2 * count)
        let team = try Team(run.workplace)
        for _ in 0..<count {
            try team.add(.greeting, on: folder, keys: keys, seed: generator.next(), operations: 30)
        }
        try team.begin()
        try run.conclude(team, on: folder, keys: keys, round: round, using: &generator)
    }
}
