import ArgumentParser
import Foundation
import HalcyonTestSupport

/// Processes whose clock is put forward and back, on a machine that sometimes restarts.
struct Clocks: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Put the clock forward and back while processes work and are killed, and restart the machine.")

    @OptionGroup var options: RunOptions

    @Option(help: "Rounds.")
    var rounds = 20

    @Option(help: "Processes per round.")
    var processes = 3

    @Flag(help: "Never restart the machine.")
    var withoutRestarts = false

    func run() throws {
        let command = "clocks --processes \(processes) --rounds 1" + (withoutRestarts ? " --without-restarts" : "")
        try options.perform(command) { run in
            var campaign = try ClockCampaign(run: run, processes: processes, restarts: !withoutRestarts)
            for round in options.start..<options.start + rounds {
                try campaign.perform(round: round)
                run.progress.show("  round \(round): \(campaign.summary)")
            }
            return campaign.summary
        }
    }
}

/// Rounds on one cache, with a clock that all processes share. Acknowledged changes are present, whatever the clock says. Only entries
/// stored before a restart may be missing, because the cache may distrust and drop them.
struct ClockCampaign {
    let run: Run
    let processes: Int
    let restarts: Bool
    private let folder: URL
    private let keys = KeySpace(pinned: 50, loose: 100)
    private let clock: SharedClock
    private let clockPath: String
    private var standing: Standing = [:]
    private var boot = 1
    private var jumps = 0
    private var operations = 0

    init(run: Run, processes: Int, restarts: Bool) throws {
        self.run = run
        self.processes = processes
        self.restarts = restarts
        folder = run.workplace.folder(named: "clocks")
        clockPath = run.workplace.url.appendingPathComponent("clock").path
        clock = try SharedClock(path: clockPath)
    }

    var summary: String { "\(operations) operations, \(jumps) jumps of the clock, \(boot - 1) restarts" }

    private var world: World { World(clock: clockPath, boot: "boot \(boot)") }

    mutating func perform(round: Int) throws {
        var generator = run.generator(ofRound: round)
        var before = standing
        if Bool.random(using: &generator), restarts {
            restart(using: &generator)
            before = standing.mapValues(\.doubted)
        }
        let (logs, faults) = try work(using: &generator)
        var chronicle = Chronicle(before: before, keys: keys)
        logs.forEach { chronicle.add($0) }
        let inspector = try Inspector(run.workplace, cache: folder, keys: keys, world: world)
        let found = try inspector.inspect(&chronicle, allowing: .leftovers, using: &generator)
        try run.require(faults + inspector.violations + chronicle.judge(), round: round)
        try run.workplace.removeLogs()
        // Entries that have survived a restart are trusted again.
        standing = found.merging(standing) { new, old in new == old.doubted ? old : new }
            .filter { found[$0.key] != nil }
        operations += chronicle.operations
    }

    /// With a clock that may have changed by minutes.
    private mutating func restart(using generator: inout SeededGenerator) {
        boot += 1
        jump(within: 120, using: &generator)
    }

    private mutating func jump(within seconds: Int64, using generator: inout SeededGenerator) {
        jumps += 1
        // Stays near today, after any number of jumps.
        clock.offset = clock.offset / 2 + .random(in: -1000 * seconds...1000 * seconds, using: &generator)
    }

    private mutating func work(
        using generator: inout SeededGenerator
    ) throws -> (logs: [WorkerLog], [Violation]) {
        let team = try Team(run.workplace)
        let mixes: [Mix] = [.timeless, .clearing, .bursts]
        for index in 0..<processes {
            try team.add(
                mixes[index % mixes.count], on: folder, keys: keys, seed: generator.next(), countLimit: 120,
                world: world)
        }
        let delays = (0..<processes).map { _ in Scenario.plain.delay(using: &generator) }
        try team.begin()
        return try team.kill(after: delays) {
            let chance = Int.random(in: 0..<60, using: &generator)
            if chance < 2 { jump(within: chance == 0 ? 5 : 300, using: &generator) }
        }
    }
}

extension KeyHistory.Change.Kind {
    /// A value that may be missing by now.
    fileprivate var doubted: Self {
        if case .store(let store, _) = self { .store(store, isLasting: false) } else { self }
    }
}
