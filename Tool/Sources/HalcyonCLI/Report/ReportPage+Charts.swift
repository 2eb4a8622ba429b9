@_spi(HalcyonTool) internal import Halcyon

/// Charts of what uses the space, how old it is and when it expires.
extension ReportPage {
    var charts: [HTML] { [pair(hosts, processors), pair(ages, sizes), pair(expirations, activity)] }

    private func pair(_ left: HTML, _ right: HTML) -> HTML { "<div class=\"pair\">\n\(left)\n\(right)\n</div>" }

    private var hosts: HTML {
        RankingTable(
            title: "Size by host", column: "Host", others: ("other host", "other hosts"), ranking: figures.report.hosts
        ) { name in Self.name(name, instead: EntryLabel.noHost) }.html
    }

    private var processors: HTML {
        RankingTable(
            title: "Size by processor", column: "Processor", others: ("other processor", "other processors"),
            ranking: figures.report.processors
        ) { name in Self.name(name, instead: name == nil ? "(unknown)" : "(original)") }.html
    }

    private static let nameLength = 90

    private static func name(_ name: String?, instead: String) -> HTML {
        guard let name, !name.isEmpty else { return "<em>\(instead)</em>" }
        return "<bdi dir=\"ltr\">\(TextWidth.shortened(name, to: nameLength))</bdi>"
    }

    private var ages: HTML {
        ColumnChart(
            id: "ages", title: "Time since the last use", measure: .bytes, labels: ReportSteps.ageLabels,
            totals: figures.report.ages
        ).html
    }

    private var sizes: HTML {
        ColumnChart(
            id: "sizes", title: "Number of entries by size", measure: .entries, labels: ReportSteps.sizeLabels,
            totals: figures.report.sizes
        ).html
    }

    private var expirations: HTML {
        let expirations = figures.report.expirations
        return ColumnChart(
            id: "expirations", title: "Size by expiration", measure: .bytes,
            labels: ReportSteps.expirationLabels(from: figures.madeAt),
            totals: [expirations.expired] + expirations.days + [expirations.later, expirations.never]
        ).html
    }

    // MARK: Activity

    var activity: HTML {
        let counts = figures.counts
        return """
            <section>
            <h2>Activity</h2>
            <table class="counts"><thead><tr><th scope="col">\(since)</th><th scope="col" class="n">Times</th>\
            <th scope="col" class="n">Size</th></tr></thead><tbody>
            \(row("Hits", counts.hits, counts.bytesRead))
            \(row("Misses", counts.misses))
            \(row("Stores", counts.stores, counts.bytesWritten))
            \(row("Evictions", counts.evictions))
            \(row("Expirations", counts.expirations))
            \(row("Removals", counts.removals))
            </tbody></table>
            </section>
            """
    }

    private var since: String {
        figures.countedSince.map { "Since \(DateText.local($0))" } ?? "No activity yet"
    }

    private func row(_ name: String, _ count: Int64, _ bytes: Int64? = nil) -> HTML {
        """
        <tr><th scope="row">\(name)</th><td class="n">\(Figure.count(count))</td>\
        <td class="n">\(bytes.map(Figure.bytes) ?? "")</td></tr>
        """
    }
}
