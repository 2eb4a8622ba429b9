internal import ArgumentParser
internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// Checks the index against the files.
struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Compare the index with the files, and repair differences.",
        discussion: """
            Reads every row and looks at every file; the cache can be used meanwhile. Status 0 when all is well or was \
            repaired, 1 when something is wrong.

            EXAMPLES
              halcyon check --folder ./cache
              halcyon check --folder ./cache --repair
            """)

    @OptionGroup var cache: CacheOptions

    @Flag(help: "Repair the findings.")
    var repair = false

    @Flag(help: "An object instead of lines.")
    var json = false

    func run() throws {
        try cache.withStorage(repair ? .using : .reading) { storage in
            let report = try check(storage)
            try Output.print(json ? report.object.indented() : report.text)
            guard report.isSound || report.wasRepaired else { throw ExitCode.failure }
        }
    }

    private func check(_ storage: Storage) throws -> CheckReport {
        // Each entry is visited twice: as a row and as a file.
        let bar = ProgressBar(total: 2 * Int(try storage.usage().total.entries))
        defer { bar.clear() }
        bar.show(0, "checking the index")
        // While the index itself is checked, which repairs nothing, Ctrl-C ends the command at once.
        var interruption: Interruption?
        return try storage.check(repair: repair) { seen in
            bar.show(seen)
            interruption = interruption ?? Interruption()
            guard interruption?.isRequested == true else { return }
            bar.clear()
            let done = repair ? "Findings so far were repaired." : "Nothing was changed."
            Message.print("Interrupted after \(seen) rows and files. \(done)")
            // Between two batches nothing is left half done.
            throw ExitCode.interrupted
        }
    }
}
