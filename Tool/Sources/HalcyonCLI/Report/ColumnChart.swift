@_spi(HalcyonTool) package import Halcyon

/// A column chart with labels, a scale on the left, and the same numbers as a table.
package struct ColumnChart {
    package enum Measure: Sendable { case bytes, entries }

    private let id: String
    private let title: String
    private let measure: Measure
    private let columns: [(label: StepLabel, totals: Totals)]
    private let scale: Scale

    private static let height = 150.0
    private static let top = 8.0
    private static let labelsHeight = 38.0
    /// Shorter columns would be invisible.
    private static let shortest = 2.0

    /// - Parameter id: letters, unique on the page.
    package init(id: String, title: String, measure: Measure, labels: [StepLabel], totals: [Totals]) {
        self.id = id
        self.title = title
        self.measure = measure
        columns = zip(labels, totals).map { ($0, $1) }
        scale = Scale(upTo: totals.map { measure == .bytes ? $0.bytes : $0.entries }.max() ?? 0)
    }

    package var html: HTML {
        """
        <figure>
        <figcaption><h2>\(title)</h2></figcaption>
        \(svg)
        <details><summary>Numbers</summary>
        \(table)
        </details>
        </figure>
        """
    }

    // MARK: The chart

    private var svg: HTML {
        let height = SVG.pixels(Self.top + Self.height + Self.labelsHeight)
        return """
            <svg class="columns" role="img" aria-labelledby="\(id)-title \(id)-desc" width="100%" height="\(height)">
            <title id="\(id)-title">\(title)</title>
            <desc id="\(id)-desc">\(description)</desc>
            \(scale.ticks.map(line))
            \(columns.indices.map(column))
            </svg>
            """
    }

    /// The description for screen readers. The table has the rest.
    private var description: String {
        guard let peak = columns.max(by: { value($0.totals) < value($1.totals) }), value(peak.totals) > 0 else {
            return "All columns are empty."
        }
        return "\(columns.count) columns. The highest: \(peak.label.words), \(Figure.totals(peak.totals))."
    }

    private func line(at tick: Int64) -> HTML {
        let y = y(of: tick)
        let name = measure == .bytes ? Figure.shortBytes(tick) : Figure.shortCount(tick)
        return """
            <line x1="0" x2="100%" y1="\(SVG.pixels(y))" y2="\(SVG.pixels(y))" class="\(tick == 0 ? "base" : "grid")"/>\
            <text x="-8" y="\(SVG.pixels(y + 4))" class="tick">\(tick == 0 ? "0" : name)</text>
            """
    }

    private func column(_ index: Int) -> HTML {
        let (label, totals) = columns[index]
        let slot = 1 / Double(columns.count)
        let middle = SVG.percent((Double(index) + 0.5) * slot)
        let labels: HTML = """
            <text x="\(middle)" y="\(labelY(0))" class="step">\(label.upper)</text>\
            <text x="\(middle)" y="\(labelY(1))" class="step">\(label.lower)</text>
            """
        guard value(totals) > 0 else { return labels }
        let y = min(y(of: value(totals)), Self.top + Self.height - Self.shortest)
        return """
            <rect x="\(SVG.percent((Double(index) + 0.15) * slot))" width="\(SVG.percent(0.7 * slot))" \
            y="\(SVG.pixels(y))" height="\(SVG.pixels(Self.top + Self.height - y))" class="fill">\
            <title>\(label.words): \(Figure.totals(totals))</title></rect>\(labels)
            """
    }

    private func labelY(_ line: Int) -> String { SVG.pixels(Self.top + Self.height + 17 + 14 * Double(line)) }

    private func y(of value: Int64) -> Double { Self.top + Self.height * (1 - scale.share(of: value)) }

    private func value(_ totals: Totals) -> Int64 { measure == .bytes ? totals.bytes : totals.entries }

    // MARK: The table

    private var table: HTML {
        """
        <table><thead><tr><th scope="col">\(title)</th><th scope="col" class="n">Entries</th>\
        <th scope="col" class="n">Size</th></tr></thead><tbody>
        \(columns.map(row))
        </tbody></table>
        """
    }

    private func row(_ label: StepLabel, _ totals: Totals) -> HTML {
        """
        <tr><th scope="row">\(label.words)</th><td class="n">\(Figure.count(totals.entries))</td>\
        <td class="n">\(Figure.bytes(totals.bytes))</td></tr>
        """
    }
}
