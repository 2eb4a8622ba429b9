@_spi(HalcyonTool) internal import Halcyon

/// The largest groups, each with a bar under its name, and all other groups combined.
package struct RankingTable {
    private let title: String
    private let column: String
    private let others: (one: String, many: String)
    private let ranking: StorageReport.Ranking
    /// The text for a group's name, or for a group without one.
    private let name: (String?) -> HTML

    package init(
        title: String, column: String, others: (one: String, many: String), ranking: StorageReport.Ranking,
        name: @escaping (String?) -> HTML
    ) {
        self.title = title
        self.column = column
        self.others = others
        self.ranking = ranking
        self.name = name
    }

    package var html: HTML {
        """
        <section>
        <h2>\(title)</h2>
        <table class="ranking"><thead><tr><th scope="col">\(column)</th><th scope="col" class="n">Size</th>\
        <th scope="col" class="n">Share</th><th scope="col" class="n">Entries</th></tr></thead><tbody>
        \(rows)
        </tbody></table>
        </section>
        """
    }

    private var rows: [HTML] {
        let named = ranking.largest.map { row(name($0.name), $0.totals) }
        guard ranking.otherGroups > 0 else { return named }
        let words = ranking.otherGroups == 1 ? others.one : others.many
        return named + [row("<em>\(Figure.count(ranking.otherGroups)) \(words)</em>", ranking.others)]
    }

    private var bytes: Int64 { ranking.largest.reduce(ranking.others.bytes) { $0 &+ $1.totals.bytes } }

    private func row(_ name: HTML, _ totals: Totals) -> HTML {
        """
        <tr><th scope="row">\(name)\(bar(totals.bytes))</th><td class="n">\(Figure.bytes(totals.bytes))</td>\
        <td class="n">\(Figure.percent(totals.bytes, of: bytes))</td>\
        <td class="n">\(Figure.count(totals.entries))</td></tr>
        """
    }

    /// A bar whose length compares the group with the largest one. The numbers next to it say the same.
    private func bar(_ bytes: Int64) -> HTML {
        let longest = max(1, ranking.largest.first?.totals.bytes ?? 1, ranking.others.bytes)
        return """
            <svg class="bar" aria-hidden="true" width="100%" height="5"><rect class="track" width="100%" height="5"/>\
            <rect class="fill" width="\(SVG.percent(RankingTable.length(of: bytes, longest: longest)))" height="5"/></svg>
            """
    }

    /// A fraction of the width. Values above zero stay visible.
    package static func length(of value: Int64, longest: Int64) -> Double {
        guard value > 0, longest > 0 else { return 0 }
        return min(1, max(0.004, Double(value) / Double(longest)))
    }
}
