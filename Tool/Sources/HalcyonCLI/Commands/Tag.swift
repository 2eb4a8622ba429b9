internal import ArgumentParser
@_spi(HalcyonTool) internal import Halcyon

/// Changes and shows the tags of entries.
struct Tag: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show or change the tags of entries.",
        discussion: """
            Prints the resulting tags; without options, the current ones. Tags stay when a key gets new bytes. If a key is \
            not cached, the command reports it, still changes the others, and exits with status 1. --json prints "entries", \
            each with "key" and "tags", and "missing".

            EXAMPLES
              halcyon tag --folder ./cache --add 'user 7' --add avatar avatars/7.png
              halcyon tag --folder ./cache --remove avatar --json avatars/7.png
              halcyon tag --folder ./cache --set logo https://example.com/7.png
              halcyon remove --folder ./cache --tag 'user 7'
            """)

    @Option(
        help: ArgumentHelp("Add this tag. Repeat for more tags.", valueName: "word"), transform: TagText.parse)
    var add: [String] = []

    @Option(
        help: ArgumentHelp("Remove this tag. Repeat for more tags.", valueName: "word"),
        transform: TagText.parse)
    var remove: [String] = []

    @Option(
        help: ArgumentHelp(
            "Replace all tags with this one. Repeat for more tags.", valueName: "word"), transform: TagText.parse)
    var set: [String] = []

    @Flag(help: "Remove all tags.")
    var clear = false

    @OptionGroup var target: KeysOptions

    func validate() throws {
        if !set.isEmpty || clear, !add.isEmpty || !remove.isEmpty || set.isEmpty != clear {
            throw ValidationError(
                "--set and --clear replace all tags. Give only one of them, without --add and --remove.")
        }
        guard Set(add).isDisjoint(with: remove) else {
            throw ValidationError("--add and --remove name the same tag. Leave out one of the two.")
        }
    }

    func run() throws {
        let changes = clear || ![add, remove, set].allSatisfy(\.isEmpty)
        let outcome = try target.update(
            changes
                ? { entry in
                    let tags = changed(Set(entry.tags))
                    // By their bytes, as ``EntryFilter/tag`` finds them.
                    let isSame = Set(tags.map { Array($0.utf8) }) == Set(entry.tags.map { Array($0.utf8) })
                    return .init(tags: isSame ? nil : tags)
                } : nil)
        let objects = outcome.entries.map { key, entry in
            JSON.object(["key": .string(key), "tags": .strings(entry.tags)])
        }
        let lines = outcome.entries.map { TextWidth.printable("\($0): \(Self.text(of: $1.tags))") }
        try target.report(outcome, object: [("entries", .array(objects))], lines: lines.joined(separator: "\n"))
    }

    private func changed(_ tags: Set<String>) -> Set<String> {
        if clear || !set.isEmpty { return Set(set) }
        return Set(add).union(tags).subtracting(remove)
    }

    static func text(of tags: [String]) -> String { tags.isEmpty ? "no tags" : tags.joined(separator: ", ") }
}
