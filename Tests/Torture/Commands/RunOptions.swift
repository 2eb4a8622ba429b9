import ArgumentParser
import Foundation

/// The options of all commands.
struct RunOptions: ParsableArguments {
    @Option(help: "The seed of the random choices. Default: HALCYON_SEED, or else a new seed, which is printed.")
    var seed: UInt64?

    @Option(help: "The folder for caches and logs; kept after a violation.")
    var folder: String?

    @Option(help: "The first round.")
    var start = 1

    @Option(help: "Additional processes that only keep the machine busy.")
    var busy = 0

    /// Runs a command in its own folder, which is deleted unless there are findings.
    ///
    /// - Parameters:
    ///   - command: its name, with the options that one round of it needs.
    ///   - needsDisk: false if a folder in memory is enough, because waiting for a disk would take most of the time.
    ///   - body: returns a summary.
    func perform(_ command: String, needsDisk: Bool = true, _ body: (Run) throws -> String) throws {
        let name = String(command.prefix { $0 != " " })
        let seed = seed ?? Self.seedOfEnvironment ?? .random(in: 1 ... .max)
        let parent = folder.map { URL(fileURLWithPath: $0) } ?? Self.parent(needsDisk: needsDisk)
        let workplace = try Workplace(url: parent.appendingPathComponent("halcyon-torture-\(getpid())-\(name)"))
        let run = Run(command, seed: seed, workplace: workplace)
        run.progress.say("\(name), seed \(seed)")
        let begin = Date()
        let loops = try BusyLoops(busy)
        let summary = try withExtendedLifetime(loops) { try body(run) }
        run.progress.say("  \(summary), \(Int(Date().timeIntervalSince(begin))) s")
        try workplace.remove(workplace.url)
    }

    private static func parent(needsDisk: Bool) -> URL {
        let memory = "/dev/shm"
        guard !needsDisk, FileManager.default.isWritableFile(atPath: memory) else {
            return FileManager.default.temporaryDirectory
        }
        return URL(fileURLWithPath: memory)
    }

    private static var seedOfEnvironment: UInt64? {
        ProcessInfo.processInfo.environment["HALCYON_SEED"].flatMap(UInt64.init)
    }
}
