import Foundation
import HalcyonTestSupport

/// Busy processes are stopped at random moments, for less time than any process waits for a lock. No process may notice.
struct Pauses {
    let run: Run

    func perform(round: Int) throws {
        var generator = run.generator(ofRound: round)
        let folder = run.workplace.folder(named: "paused-\(round)")
        let keys = KeySpace(pinned: 20, loose: 40)
        let team = try Team(run.workplace)
        for _ in 0..<3 {
            try team.add(.plain, on: folder, keys: keys, seed: generator.next(), countLimit: 50, operations: 1_500)
        }
        try team.begin()
        for _ in 0..<8 { try pauseSomebody(of: team, using: &generator) }
        try run.conclude(team, on: folder, keys: keys, round: round, using: &generator)
    }

    private func pauseSomebody(of team: Team, using generator: inout SeededGenerator) throws {
        guard let process = team.members.randomElement(using: &generator)?.process else { return }
        usleep(.random(in: 1_000...20_000, using: &generator))
        process.send(SIGSTOP)
        usleep(.random(in: 5_000...80_000, using: &generator))
        process.send(SIGCONT)
    }
}
