internal import ArgumentParser
@_spi(HalcyonTool) internal import Halcyon

/// Changes and shows the notes of entries.
struct Note: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show or change the notes and HTTP validators of entries.",
        discussion: """
            Prints the resulting notes; without options, the current ones. Storing new bytes under the key removes the notes. \
            If a key is not cached, the command reports it, still changes the others, and exits with status 1. --json prints \
            "entries", each with "key", "etag", "last_modified", "max_age", "validated", "age", "stale_while_revalidate", \
            "must_revalidate" and "metadata", and "missing".

            EXAMPLES
              halcyon note --folder ./cache --set width=640 --set height=480 photo.jpg
              halcyon note --folder ./cache --etag '"33a64df5"' --max-age 3600 photo.jpg
              halcyon note --folder ./cache --validated https://example.com/a.png
              halcyon note --folder ./cache --remove width --etag '' --json photo.jpg
              halcyon note --folder ./cache --clear photo.jpg
            """)

    @Option(
        help: ArgumentHelp("Set a note to this text. Repeat for more notes.", valueName: "name=text"),
        transform: NamedText.parse)
    var set: [NamedText] = []

    @Option(help: ArgumentHelp("Remove the note with this name. Repeat for more notes.", valueName: "name"))
    var remove: [String] = []

    @Flag(help: "Remove all notes and validators first.")
    var clear = false

    @OptionGroup var validators: ValidatorOptions
    @OptionGroup var target: KeysOptions

    func validate() throws {
        guard Set(set.map(\.name)).isDisjoint(with: remove) else {
            throw ValidationError("--set and --remove name the same note. Leave out one of the two.")
        }
    }

    func run() throws {
        let changes = newMetadata([:]) != nil || newValidators(nil) != nil
        let outcome = try target.update(
            changes
                ? { .init(validators: newValidators($0.validators), metadata: newMetadata($0.metadata)) } : nil)
        let objects = outcome.entries.map { JSON.object(.init([("key", .string($0))] + NotedFacts($1).members)) }
        let blocks = outcome.entries.map { key, entry in
            ([TextWidth.printable(key)] + NotedFacts(entry).lines.map { "  \($0)" }).joined(separator: "\n")
        }
        try target.report(outcome, object: [("entries", .array(objects))], lines: blocks.joined(separator: "\n"))
    }

    private func newValidators(_ old: DiskStorage.HTTPValidators?) -> DiskStorage.HTTPValidators? {
        clear ? validators.added(to: nil) ?? .init() : validators.added(to: old)
    }

    /// Returns nil to leave the notes unchanged.
    private func newMetadata(_ old: [String: String]) -> [String: String]? {
        guard clear || !set.isEmpty || !remove.isEmpty else { return nil }
        let kept = clear ? [:] : old.filter { !remove.contains($0.key) }
        return kept.merging(set.map { ($0.name, $0.text) }) { $1 }
    }
}
