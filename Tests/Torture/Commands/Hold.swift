import ArgumentParser
import Foundation
import HalcyonTestSupport

/// Processes that share a directory with one that repeatedly holds the write lock for a while.
struct Hold: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Hold the write lock for up to half a second, again and again, while processes work on the folder.")

    @OptionGroup var options: RunOptions

    @Option(help: "Rounds, each on a new folder.")
    var rounds = 5

    @Option(help: "Operations per process; there are four.")
    var operations = 2_000

    func run() throws {
        try options.perform("hold --operations \(operations) --rounds 1") { run in
            for round in options.start..<options.start + rounds {
                try perform(run, round: round)
                run.progress.show("  round \(round)")
            }
            return "\(rounds) × 4 × \(operations) operations while another process holds the write lock"
        }
    }

    private func perform(_ run: Run, round: Int) throws {
        var generator = run.generator(ofRound: round)
        let folder = run.workplace.folder(named: "held-\(round)")
        let keys = KeySpace(pinned: 30, loose: 90)
        // Until an index exists and the folder has been searched, queries throw while the lock is held.
        let first = Cache(folder: folder)
        first.open()
        first.settle()
        first.close()
        let team = try Team(run.workplace)
        for mix in [Mix.plain, .evicting, .reading, .plain] {
            try team.add(
                mix, on: folder, keys: keys, seed: generator.next(), countLimit: 80, operations: operations,
                world: World(isLockHeld: true))
        }
        let line = try StartLine()
        let holder = try ChildProcess(
            ["keep-lock", Cache.indexPath(in: folder), "\(generator.next())"], input: line.input)
        defer { holder.destroy() }
        try team.begin()
        let (logs, faults) = try team.finish(within: 300)
        holder.destroy()
        var chronicle = Chronicle(before: [:], keys: keys)
        logs.forEach { chronicle.add($0) }
        let inspector = try Inspector(run.workplace, cache: folder, keys: keys)
        _ = try inspector.inspect(&chronicle, allowing: .nothing, using: &generator)
        try run.require(faults + inspector.violations + chronicle.judge(), round: round)
        try run.workplace.remove(folder)
        try run.workplace.removeLogs()
    }
}

/// A process that takes the write lock of an index, holds it and releases it; started by ``Hold``.
struct KeepLock: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Hold the write lock of an index now and then, until the parent ends.", shouldDisplay: false)

    @Argument var index: String
    @Argument var seed: UInt64

    func run() throws {
        let parent = getppid()
        var generator = SeededGenerator(seed: seed)
        while getppid() == parent {
            if let lock = WriteLock(index: index) {
                usleep(.random(in: 1_000...500_000, using: &generator))
                lock.giveBack()
            }
            usleep(.random(in: 1_000...20_000, using: &generator))
        }
    }
}
