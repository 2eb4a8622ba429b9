/// The rows for readers: a Markdown table for each volume, with aligned columns so that the source is readable.
package struct ResultsTable {
    package let rows: [ResultRow]

    package init(rows: [ResultRow]) { self.rows = rows }

    package var markdown: String {
        let volumes: [(VolumeKind, String)] = [(.disk, "Disk"), (.tmpfs, "tmpfs"), (.memory, "Memory")]
        let tables = volumes.compactMap { volume, title -> String? in
            let rows = rows.filter { $0.volume == volume }
            return rows.isEmpty ? nil : "## \(title)\n\n\(table(of: rows))"
        }
        return (tables + [notes]).joined(separator: "\n\n") + "\n"
    }

    private var notes: String {
        let met = rows.compactMap(\.isMet)
        return """
            \(met.count { $0 }) of \(met.count) targets met. Medians; p99 in brackets; the limit is the bare calls for the \
            same effect, the attribute column a backend that keeps its metadata in file dates.
            ~ the rounds' medians differ by more than \(Samples.tolerance) times: not to be quoted. \
            ¹ measured once.
            """
    }

    private static let head = [
        "operation", "entries", "blob", "Halcyon", "limit", "ratio", "attributes", "speed-up", "target", "met",
    ]

    private func table(of rows: [ResultRow]) -> String {
        let cells = [Self.head] + rows.map(self.cells)
        let widths = Self.head.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
        let rule = "|" + widths.map { String(repeating: "-", count: $0 + 2) }.joined(separator: "|") + "|"
        var lines = cells.map { line($0, widths) }
        lines.insert(rule, at: 1)
        return lines.joined(separator: "\n")
    }

    private func line(_ cells: [String], _ widths: [Int]) -> String {
        let padded = zip(cells, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
        return "| " + padded.joined(separator: " | ") + " |"
    }

    private func cells(of row: ResultRow) -> [String] {
        [
            row.op, row.entries.map(FigureText.count) ?? "", row.bytes.map(blob) ?? "",
            text(row.halcyon, row.unit), text(row.limit, row.unit), row.ratioToLimit.map(FigureText.factor) ?? "",
            text(row.attribute, row.unit), row.speedup.map(FigureText.factor) ?? "",
            row.target?.text(in: row.unit) ?? "", row.isMet.map { $0 ? "yes" : "NO" } ?? "",
        ]
    }

    private func blob(_ bytes: Int) -> String {
        bytes >= 1_024 ? "\(FigureText.count(bytes / 1_024)) KiB" : "\(bytes) B"
    }

    private func text(_ figure: Figure?, _ unit: FigureUnit) -> String {
        guard let figure else { return "" }
        let tail = figure.p99.map { " (\(FigureText.text($0, unit)))" } ?? ""
        let mark = figure.isUnsteady ? " ~" : figure.rounds == 1 && unit == .microseconds ? " ¹" : ""
        return FigureText.text(figure.value, unit) + tail + mark
    }
}
