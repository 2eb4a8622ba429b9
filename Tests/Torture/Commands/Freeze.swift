import ArgumentParser
import Foundation
import HalcyonTestSupport

/// Processes that are stopped, one of them while it holds the write lock.
struct Freeze: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Stop a process while it holds the write lock, and others at random moments.")

    @OptionGroup var options: RunOptions

    @Option(help: "Rounds.")
    var rounds = 10

    @Flag(help: "Only stop processes that hold the write lock, which takes a third of the time.")
    var writersOnly = false

    func run() throws {
        try options.perform("freeze --rounds 1") { run in
            var frozen = FrozenWriter(run: run)
            for round in options.start..<options.start + rounds {
                try frozen.perform(round: round)
                if !writersOnly { try Pauses(run: run).perform(round: round) }
                run.progress.show("  round \(round): \(frozen.summary)")
            }
            return frozen.summary
        }
    }
}
