internal import ArgumentParser
@_spi(HalcyonTool) internal import Halcyon

/// Lets cleaning remove pinned entries again.
struct Unpin: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Let entries be evicted and expire again.",
        discussion: """
            Entries that expired while they were pinned are removed by the next clean. If a key is not cached, the command \
            reports it, still unpins the others, and exits with status 1. --json prints the keys as "unpinned" and "missing".

            EXAMPLES
              halcyon unpin --folder ./cache https://example.com/logo.png
            """)

    @OptionGroup var target: KeysOptions

    func run() throws {
        let outcome = try target.update { _ in .init(isPinned: false) }
        try target.report(
            outcome, object: [("unpinned", .strings(outcome.entries.map(\.key)))],
            lines: "Unpinned \(Count.entries(outcome.entries.count)).")
    }
}
