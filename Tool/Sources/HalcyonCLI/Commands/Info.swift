internal import ArgumentParser
internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// Shows everything known about an entry.
struct Info: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show everything about an entry.",
        discussion: """
            Reads its row, not its blob, and does not count as a use. Also shows expired entries that are still on disk. \
            Status 1 when there is no entry. --json prints the object that ‘halcyon list --json’ has for it.

            EXAMPLES
              halcyon info --folder ./cache photo.jpg
              halcyon info --folder ./cache --json https://example.com/a.png
            """)

    @OptionGroup var cache: CacheOptions
    @OptionGroup var naming: ExtensionOption

    @Flag(help: "Print a JSON object instead of lines.")
    var json = false

    @Argument(help: "The key.")
    var key: String

    func run() throws {
        try cache.withStorage(.reading) { storage in
            guard let entry = try storage.entry(forKey: key, forcedExtension: naming.pathExtension) else {
                throw Failure("Nothing is cached under “\(TextWidth.printable(key))”. \(Get.remedy)")
            }
            let row = EntryRow(width: nil, now: Date())
            let lines = NotedFacts.columns(facts(of: entry, row) + NotedFacts(entry).facts)
            try Output.print(json ? row.object(of: entry, key: key).indented() : lines.joined(separator: "\n"))
        }
    }

    private func facts(of entry: DiskStorage.EntryInfo, _ row: EntryRow) -> [(String, String)] {
        [
            ("Key", key), ("Image", entry.baseKey ?? "unknown"), ("Processor", processor(of: entry)),
            ("File", entry.fileURL.path),
            ("Size", "\(ByteSize(entry.size)) (\(entry.size) bytes), \(ByteSize(entry.allocatedSize)) on the volume"),
            ("Stored", DateText.local(Timestamp(entry.created))),
            ("Last use", DateText.local(Timestamp(entry.lastAccess))), ("Hits", "\(entry.hits)"),
            ("Expires", row.expiry(of: entry) + (entry.keepsExpiration ? ", not extended by reads" : "")),
            ("Tags", entry.tags.isEmpty ? "none" : Tag.text(of: entry.tags)),
        ]
    }

    private func processor(of entry: DiskStorage.EntryInfo) -> String {
        entry.processorIdentifier.map { $0.isEmpty ? "none (original)" : $0 } ?? "unknown"
    }
}
