import ArgumentParser
import BenchReport
import Foundation

struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Halcyon beside the bare system calls and beside a file-attribute backend, in one run, taking turns.",
        discussion: """
            Targets are ratios of medians of one run: absolute times depend on the machine, and on what else it does.

            Operations: \(Operation.names.joined(separator: ", ")).
            """)

    @Flag(help: "Up to 1 000 000 entries, and the slow backend with 100 000: three quarters of an hour and 20 GB.")
    var full = false

    @Option(help: ArgumentHelp("Write the rows as JSON.", valueName: "file"))
    var json: String?

    @Option(help: ArgumentHelp("Draw the curves over the number of entries.", valueName: "file"))
    var svg: String?

    @Option(help: ArgumentHelp("Where the files are made, and removed at the end; on a disk.", valueName: "dir"))
    var folder: String?

    @Option(parsing: .upToNextOption, help: ArgumentHelp("These operations alone.", valueName: "op"))
    var only: [String] = []

    @Flag(help: "Without the runs on tmpfs.")
    var diskOnly = false

    func validate() throws {
        let unknown = Set(only).subtracting(Operation.names)
        guard unknown.isEmpty else {
            throw ValidationError(
                "Unknown: \(unknown.sorted().joined(separator: ", ")). There are: \(Operation.names.joined(separator: ", "))."
            )
        }
    }

    func run() throws {
        guard let session = Supervisor.session else { throw ExitCode(try Supervisor(parents: parents).run()) }
        let volumes = try parents.map { try Volume(parent: $0, session: session) }
        try write(try BenchRun(volumes: volumes, plan: full ? .full : .quick, only: Set(only)).rows())
    }

    /// The disk's first.
    private var parents: [URL] {
        let disk = folder.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
        let hasBoth = !diskOnly && !Volume.isTmpfs(disk) && Volume.isTmpfs(Volume.tmpfs)
        return hasBoth && access(Volume.tmpfs.path, W_OK) == 0 ? [disk, Volume.tmpfs] : [disk]
    }

    private func write(_ rows: [ResultRow]) throws {
        print(ResultsTable(rows: rows).markdown)
        if let json { try Data(ResultsJSON(rows: rows).text().utf8).write(to: URL(fileURLWithPath: json)) }
        if let svg { try Data(CurveChart(rows: rows).svg.utf8).write(to: URL(fileURLWithPath: svg)) }
    }
}
