internal import ArgumentParser
@_spi(HalcyonTool) internal import Halcyon

/// Protects entries from being cleaned.
struct Pin: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Pin entries, so that they are not evicted and do not expire.",
        discussion: """
            Pinned entries count in sizes and limits. If a key is not cached, the command reports it, still pins the \
            others, and exits with status 1. --json prints the keys as "pinned" and "missing".

            EXAMPLES
              halcyon pin --folder ./cache https://example.com/logo.png
              halcyon list --folder ./cache --pinned
            """)

    @OptionGroup var target: KeysOptions

    func run() throws {
        let outcome = try target.update { _ in .init(isPinned: true) }
        try target.report(
            outcome, object: [("pinned", .strings(outcome.entries.map(\.key)))],
            lines: "Pinned \(Count.entries(outcome.entries.count)).")
    }
}
