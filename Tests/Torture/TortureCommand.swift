import ArgumentParser
import Foundation

/// Disturbs a cache as real systems do, and compares every answer with the acknowledged changes.
@main
struct TortureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "HalcyonTorture",
        abstract: "Kill, crowd, freeze and reopen caches, and check that they keep their promises.",
        discussion: """
            Each command exits with status 0 if no promise was violated. Otherwise it prints the violations, keeps the cache \
            and the logs of all processes, and prints the command line that repeats the round.
            """,
        subcommands: [
            Kill.self, Processes.self, Open.self, Freeze.self, Hold.self, Clocks.self, Reads.self, Leaks.self, All.self,
            Work.self, Spin.self, KeepLock.self,
        ])
}
