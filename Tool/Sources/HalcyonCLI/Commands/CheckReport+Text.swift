internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

extension CheckReport {
    /// A kind of finding: its title, its meaning, and what repair does about it.
    private struct Finding {
        let title: String
        let meaning: String
        let names: [String]
    }

    private var findings: [Finding] {
        [
            Finding(
                title: "Files without a row",
                meaning:
                    "Usually left by an interrupted store, or by a row that was deleted with sqlite3. Lookups do not "
                    + "find them; repair removes them.", names: orphans),
            Finding(
                title: "Rows without their file",
                meaning: "Another program deleted the file. Lookups miss; repair deletes the row.", names: dangling),
            Finding(
                title: "Files with the wrong length",
                meaning: "Another program changed the file. Lookups miss; repair removes row and file.",
                names: wrongLengths),
            Finding(
                title: "Files that were replaced",
                meaning: "The length matches, but the file is not the one that was stored. Lookups miss; "
                    + "repair removes row and file.",
                names: wrongInodes),
            Finding(
                title: "Rows that no lookup can find",
                meaning: "Another program edited the index. Repair deletes them.",
                names: unreadableRows.map { "row \($0)" }),
            Finding(
                title: "Findings about the index itself",
                meaning:
                    "It is damaged, or another program has dropped a part of it. Repair keeps it as index.sqlite.damaged, and "
                    + "builds a new one from the files, with the keys, pins and tags that can be read.",
                names: integrityFindings),
            Finding(
                title: "Other items in the directory",
                meaning: "Not blobs. The cache never touches them.", names: foreignFiles),
        ].filter { !$0.names.isEmpty }
    }

    /// The whole report as text.
    var text: String {
        var lines = ["\(Count.entries(Int(counted.entries))), \(ByteSize(counted.bytes))."]
        findings.forEach { lines += Self.lines(of: $0) }
        if noted != counted {
            lines.append(
                "The totals are wrong: the index has recorded \(noted.entries) entries and "
                    + "\(noted.bytes) bytes.")
            lines.append("  Limits would be applied wrongly; repair recounts.")
        }
        if staleStaged + trashed > 0 {
            lines.append("\(Count.files(staleStaged + trashed)) left over in .halcyon; the next opening deletes them.")
        }
        if isAdopting { lines.append("Files without a row are still being taken over; they are not orphans.") }
        return (lines + [verdict]).joined(separator: "\n")
    }

    private static func lines(of finding: Finding) -> [String] {
        let shown = finding.names.prefix(10).map { "    \(TextWidth.printable($0))" }
        let rest =
            finding.names.count > 10
            ? [
                "    … and \(finding.names.count - 10) more (use --json to "
                    + "see all)"
            ] : []
        return ["\(finding.title): \(finding.names.count)", "  \(finding.meaning)"] + shown + rest
    }

    private var verdict: String {
        if isSound { return "The cache is consistent." }
        return isRepaired ? "Repaired all findings above." : "There are problems. Run again with --repair."
    }

    /// Whether there was something to repair.
    var wasRepaired: Bool { isRepaired && !isSound }

    var object: JSON {
        .object([
            "sound": .bool(isSound), "repaired": .bool(wasRepaired),
            "entries": .integer(counted.entries), "bytes": .integer(counted.bytes),
            "noted_entries": .integer(noted.entries), "noted_bytes": .integer(noted.bytes),
            "orphans": Self.array(orphans), "dangling": Self.array(dangling), "wrong_lengths": Self.array(wrongLengths),
            "wrong_inodes": Self.array(wrongInodes), "unreadable_rows": .array(unreadableRows.map { .integer($0) }),
            "stale_staged": .integer(staleStaged), "trashed": .integer(trashed),
            "foreign_files": Self.array(foreignFiles),
            "integrity_findings": Self.array(integrityFindings), "adopting": .bool(isAdopting),
        ])
    }

    private static func array(_ names: [String]) -> JSON { .array(names.map { .string($0) }) }
}
