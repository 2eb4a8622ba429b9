import ArgumentParser
import Foundation
import HalcyonTestSupport

/// Processes that are killed during an operation.
struct Kill: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Kill processes at random moments, and compare what is left with what they had acknowledged.")

    @OptionGroup var options: RunOptions

    @Option(help: "Rounds.")
    var rounds = 50

    @Option(help: "Processes per round.")
    var processes = 3

    @Option(help: "Only rounds of this kind: \(Scenario.allCases.map(\.rawValue).joined(separator: ", ")).")
    var scenario: Scenario?

    func run() throws {
        let command = "kill --rounds 1 --processes \(processes)" + (scenario.map { " --scenario \($0)" } ?? "")
        try options.perform(command) { run in
            var campaign = KillCampaign(run: run, processes: processes)
            for round in options.start..<options.start + rounds {
                try campaign.perform(scenario ?? .of(round: round), round: round)
                run.progress.show("  round \(round): \(campaign.summary)")
            }
            return campaign.summary
        }
    }
}

extension Scenario: ExpressibleByArgument {}

/// Rounds of kills, each on the cache that the previous one has left.
struct KillCampaign {
    let run: Run
    let processes: Int
    private var arenas: [Scenario: Arena] = [:]
    private var kills = 0
    private var operations = 0
    private var interrupted: [String: Int] = [:]

    init(run: Run, processes: Int) {
        self.run = run
        self.processes = processes
    }

    var summary: String {
        let kinds = interrupted.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.value) × \($0.key)" }
        return "\(kills) processes killed, \(operations) operations, interrupted: \(kinds.joined(separator: ", "))"
    }

    mutating func perform(_ scenario: Scenario, round: Int) throws {
        var generator = run.generator(ofRound: round)
        let arena = arenas[scenario] ?? Arena(scenario, in: run.workplace)
        arenas[scenario] = arena
        try arena.prepare(using: &generator)
        let (logs, faults) = try work(in: arena, using: &generator)
        var chronicle = Chronicle(before: arena.standing, keys: arena.keys)
        logs.forEach { chronicle.add($0) }
        let inspector = try Inspector(run.workplace, cache: arena.folder, keys: arena.keys)
        arena.standing = try inspector.inspect(&chronicle, allowing: .leftovers, using: &generator)
        try run.require(faults + inspector.violations + chronicle.judge(), round: round)
        try run.workplace.removeLogs()
        operations += chronicle.operations
        for kind in chronicle.unfinished { interrupted[kind, default: 0] += 1 }
    }

    private mutating func work(
        in arena: Arena, using generator: inout SeededGenerator
    ) throws -> (logs: [WorkerLog], [Violation]) {
        let team = try Team(run.workplace)
        for index in 0..<processes {
            try team.add(
                arena.scenario.mix(ofProcess: index), on: arena.folder, keys: arena.keys, seed: generator.next(),
                countLimit: arena.scenario.countLimit)
        }
        let delays = (0..<processes).map { _ in arena.scenario.delay(using: &generator) }
        try team.begin()
        kills += processes
        return try team.kill(after: delays)
    }
}
