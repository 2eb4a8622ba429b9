import ArgumentParser
import Foundation

/// Does to a cache what the world does to it, and holds every answer against what was acknowledged.
@main
struct TortureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "HalcyonTorture",
        abstract: "Kill, crowd, freeze and reopen caches, and look whether they keep what they promise.",
        discussion: """
            Each command ends with status 0 when nothing was violated. Otherwise it says what was, keeps the cache and the \
            logs of all processes, and prints the command line that makes the same round again.
            """,
        subcommands: [
            Kill.self, Processes.self, Open.self, Freeze.self, Hold.self, Clocks.self, Reads.self, Leaks.self, All.self,
            Work.self, Spin.self, KeepLock.self,
        ])
}
