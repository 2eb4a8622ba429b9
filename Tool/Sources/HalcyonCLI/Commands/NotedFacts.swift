@_spi(HalcyonTool) internal import Halcyon

/// The notes of an entry, as lines or as JSON members.
struct NotedFacts {
    private let validators: ValidatorFacts
    private let metadata: [String: String]

    init(_ entry: DiskStorage.EntryInfo) {
        validators = ValidatorFacts(entry)
        metadata = entry.metadata
    }

    /// The lines, with the names in their own column.
    var lines: [String] { facts.isEmpty ? ["no notes"] : Self.columns(facts) }

    var facts: [(String, String)] {
        validators.lines + metadata.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    static func columns(_ facts: [(String, String)]) -> [String] {
        facts.map { name, text in
            let name = TextWidth.printable(name)
            let padding = String(repeating: " ", count: max(0, 13 - TextWidth.columns(of: name)))
            return "\(name)\(padding)  \(TextWidth.printable(text))"
        }
    }

    var members: [(name: String, value: JSON)] {
        validators.members + [("metadata", .texts(metadata))]
    }
}
