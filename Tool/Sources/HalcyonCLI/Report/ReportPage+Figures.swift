@_spi(HalcyonTool) internal import Halcyon

/// The figures at the top.
extension ReportPage {
    private var report: StorageReport { figures.report }

    var tiles: HTML {
        """
        <dl class="tiles">
        \(tile("Entries", Figure.count(report.totals.entries), note: uses))
        \(tile("Size", Figure.bytes(report.totals.bytes), note: "\(Figure.bytes(report.allocatedBytes)) on disk"))
        \(tile("Hit rate", figures.counts.hitRate.map(Figure.rate) ?? "–", note: hitRateNote))
        \(tile("Free disk", figures.freeBytes.map(Figure.bytes) ?? "–", note: figures.freeBytes == nil ? "unknown" : ""))
        \(tile("Pinned", Figure.count(report.pinned.entries), note: Figure.bytes(report.pinned.bytes)))
        \(tile("Expired", Figure.count(expired.entries), note: Figure.bytes(expired.bytes)))
        \(tile("Index", Figure.bytes(figures.indexBytes), note: "and \(Figure.bytes(figures.logBytes)) of log"))
        \(tile("Oldest use", oldest, note: figures.isEmpty ? "" : "ago"))
        </dl>
        """
    }

    private func tile(_ name: String, _ value: String, note: String) -> HTML {
        "<div><dt>\(name)</dt><dd class=\"value\">\(value)</dd><dd class=\"note\">\(note)</dd></div>"
    }

    private var expired: Totals { report.expirations.expired }

    private var uses: String {
        guard report.totals.entries > 0 else { return "empty" }
        return "\(Figure.bytes(report.totals.bytes / report.totals.entries)) each"
    }

    private var hitRateNote: String {
        guard figures.counts.hitRate != nil else { return "no reads yet" }
        return figures.countedSince.map { "since \(DateText.local($0).prefix(10))" } ?? ""
    }

    private var oldest: String {
        report.oldestAccess.map { Figure.span(milliseconds: figures.madeAt - $0) } ?? "–"
    }

    // MARK: Limits

    var limits: HTML {
        guard figures.limits.bytes > 0 || figures.limits.entries > 0 else { return "" }
        return """
            <section class="wide">
            <h2>Limits</h2>
            \(bars)
            <p>\(evictionNote)</p>
            <p class="soft">Dashed line: what an eviction leaves. Solid line: the limit.\(pinnedNote)</p>
            </section>
            """
    }

    private var bars: [HTML] {
        let (limits, totals, pinned) = (figures.limits, report.totals, report.pinned)
        let bytes = LimitBar(
            id: "limit-bytes", title: "Size", used: totals.bytes, pinned: pinned.bytes, limit: limits.bytes,
            lowWater: limits.lowWater, text: Figure.bytes)
        let entries = LimitBar(
            id: "limit-entries", title: "Entries", used: totals.entries, pinned: pinned.entries, limit: limits.entries,
            lowWater: limits.lowWater, text: Figure.count)
        return [bytes, entries].filter { $0.limit > 0 }.map(\.html)
    }

    private var pinnedNote: String { report.pinned.entries > 0 ? " Dark, at the left: pinned entries." : "" }

    private var evictionNote: String {
        guard let eviction = report.eviction else { return "No limit is reached: a clean would evict nothing now." }
        guard eviction.gone.entries > 0 else {
            return "A limit is reached, but nothing can be evicted: the other entries are pinned."
        }
        let until = eviction.usedUntil.map { ": everything not used since \(DateText.local($0))" } ?? ""
        let expired = expired.entries > 0 ? ", besides what has expired" : ""
        return "A clean now would evict \(Figure.totals(eviction.gone))\(expired)\(until)."
    }
}
