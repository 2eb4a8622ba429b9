import ArgumentParser

/// Runs all commands, one after the other.
struct All: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run all commands, for as long as Scripts/torture or longer.")

    @OptionGroup var options: RunOptions

    @Option(help: "Rounds of kill.")
    var kills = 50

    @Option(help: "Operations per process that shares a folder.")
    var operations = 10_000

    @Option(help: "New folders.")
    var openings = 10

    @Option(help: "Rounds with a frozen process.")
    var freezes = 6

    @Option(help: "Rounds with a process that holds the write lock.")
    var holds = 2

    @Option(help: "Rounds with clock changes.")
    var clocks = 20

    @Option(help: "Rounds with refused reads.")
    var reads = 6

    @Option(help: "Reopenings of a cache.")
    var reopenings = 10_000

    func run() throws {
        try run(Kill.self, "--rounds", kills)
        try run(Processes.self, "--operations", operations)
        try run(Open.self, "--rounds", openings)
        try run(Freeze.self, "--rounds", freezes)
        try run(Hold.self, "--rounds", holds)
        try run(Clocks.self, "--rounds", clocks)
        try run(Reads.self, "--rounds", reads)
        try run(Leaks.self, "--reopenings", reopenings)
    }

    /// - Parameter count: with 0, the command is skipped.
    private func run<Command: ParsableCommand>(_ command: Command.Type, _ option: String, _ count: Int) throws {
        guard count > 0 else { return }
        var words = [option, "\(count)"]
        if let seed = options.seed { words += ["--seed", "\(seed)"] }
        words += ["--busy", "\(options.busy)"]
        if let folder = options.folder { words += ["--folder", folder] }
        var parsed = try Command.parse(words)
        try parsed.run()
    }
}
