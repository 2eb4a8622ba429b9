/// The curves over the number of entries as one SVG: a panel for each operation, with logarithmic axes. No script; colors for light and
/// dark.
package struct CurveChart {
    package let panels: [CurvePanel]

    private static let columns = 3
    private static let width = 360.0
    private static let height = 270.0
    private static let top = 84.0

    package init(rows: [ResultRow]) { panels = CurvePanel.panels(of: rows) }

    package var svg: String {
        let lines = (panels.count + Self.columns - 1) / Self.columns
        let size = (width: Self.width * Double(Self.columns), height: Self.top + Self.height * Double(lines))
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(number(size.width)) \(number(size.height))" \
            width="\(number(size.width))" height="\(number(size.height))" role="img" aria-labelledby="title description">
            <title id="title">Time of each operation over the number of entries</title>
            <desc id="description">\(description)</desc>
            <style>\(Self.style)</style>
            <rect class="paper" width="100%" height="100%"/>
            <text class="heading" x="20" y="30">Time of each operation over the number of entries</text>
            \(legend)
            \(panels.enumerated().map(place).joined(separator: "\n"))
            </svg>

            """
    }

    /// A description for readers who cannot see the chart.
    private var description: String {
        "\(panels.count) charts with logarithmic axes: \(panels.map { escaped($0.title) }.joined(separator: "; ")). "
            + "The figures are in the table and the JSON of the same run."
    }

    private func place(_ index: Int, _ panel: CurvePanel) -> String {
        let x = Self.width * Double(index % Self.columns)
        let y = Self.top + Self.height * Double(index / Self.columns)
        let frame = PlotFrame(left: x + 62, top: y + 26, width: Self.width - 102, height: Self.height - 84)
        return PlotDrawing(panel: panel, frame: frame).svg
    }

    private var legend: String {
        let contestants = Curve.Contestant.allCases.enumerated().map { index, contestant in
            sample(x: 20 + Double(index) * 140, style: contestant.rawValue, contestant.title)
        }
        let volumes = Set(panels.flatMap(\.curves).map(\.volume))
        guard volumes.contains(.disk), volumes.contains(.tmpfs) else { return contestants.joined() }
        return contestants.joined() + sample(x: 480, style: "either disk", "disk")
            + sample(x: 570, style: "either tmpfs", "tmpfs")
    }

    private func sample(x: Double, style: String, _ name: String) -> String {
        """
        <line class="curve \(style)" x1="\(number(x))" x2="\(number(x + 26))" y1="52" y2="52"/>\
        <text x="\(number(x + 32))" y="56">\(name)</text>
        """
    }

    private static let style = """

        svg { color-scheme: light dark; --paper: #fff; --ink: #1c2026; --soft: #59616c; --line: #e3e6ea;
          --halcyon: #1f5fd6; --limit: #59616c; --attribute: #b4520a; }
        @media (prefers-color-scheme: dark) {
          svg { --paper: #14161a; --ink: #e7e9ec; --soft: #a2a9b4; --line: #2a2f37;
            --halcyon: #7aa5ff; --limit: #a2a9b4; --attribute: #f0994d; }
        }
        text { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; fill: var(--ink); }
        .heading { font-size: 17px; font-weight: 650; }
        .name { font-weight: 600; font-size: 13px; }
        .tick, .axis { fill: var(--soft); font-size: 11px; }
        .left { text-anchor: end; } .middle { text-anchor: middle; }
        .paper { fill: var(--paper); }
        .grid { stroke: var(--line); }
        .curve { fill: none; stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; }
        .halcyon { stroke: var(--halcyon); } .limit { stroke: var(--limit); } .attribute { stroke: var(--attribute); }
        .either { stroke: var(--ink); } .tmpfs { stroke-dasharray: 2 5; }
        circle.halcyon { fill: var(--halcyon); } circle.limit { fill: var(--limit); }
        circle.attribute { fill: var(--attribute); }

        """
}

/// Pixels with one decimal, without a redundant `.0`.
func number(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(Double(tenths) / 10)"
}

func escaped(_ text: String) -> String {
    text.reduce(into: "") { text, character in
        switch character {
        case "&": text += "&amp;"
        case "<": text += "&lt;"
        case ">": text += "&gt;"
        default: text.append(character)
        }
    }
}
