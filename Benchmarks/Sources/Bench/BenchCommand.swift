import ArgumentParser
import BenchReport
import Foundation

struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Compare Halcyon with bare system calls and a file-attribute backend, taking turns in one run.",
        discussion: """
            Targets are ratios of medians in one run, because absolute times depend on the machine and its load.

            Operations: \(Operation.names.joined(separator: ", ")).
            """)

    @Flag(help: "Measure up to 1 000 000 entries, and 100 000 with the slow backend; takes 45 minutes and 20 GB.")
    var full = false

    @Option(help: ArgumentHelp("Write the rows as JSON.", valueName: "file"))
    var json: String?

    @Option(help: ArgumentHelp("Write a chart of the times over the number of entries, as SVG.", valueName: "file"))
    var svg: String?

    @Option(help: ArgumentHelp("The folder for temporary files, on a disk.", valueName: "dir"))
    var folder: String?

    @Option(parsing: .upToNextOption, help: ArgumentHelp("Only these operations.", valueName: "op"))
    var only: [String] = []

    @Flag(help: "Skip the runs on tmpfs.")
    var diskOnly = false

    func validate() throws {
        let unknown = Set(only).subtracting(Operation.names)
        guard unknown.isEmpty else {
            throw ValidationError(
                "Unknown operations: \(unknown.sorted().joined(separator: ", ")). Choose from: \(Operation.names.joined(separator: ", "))."
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
