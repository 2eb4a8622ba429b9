@_spi(HalcyonTool) internal import Halcyon

/// A look as lines for a terminal.
package struct WatchText {
    package let folder: String
    /// The limit in bytes; nil for none.
    package let limit: Int64?
    package let showsKeys: Bool

    package init(folder: String, limit: Int64?, showsKeys: Bool) {
        self.folder = folder
        self.limit = limit
        self.showsKeys = showsKeys
    }

    private static let listRows = 5

    /// - Parameter height: the number of lines available; nil for no limit.
    package func lines(of look: WatchLook, width: Int, height: Int?) -> [String] {
        let lines = [title(look), ""] + body(of: look, width: width, height: height.map { $0 - 2 })
        return lines.prefix(max(0, height ?? .max)).map { TextWidth.shortened($0, to: width) }
    }

    private func title(_ look: WatchLook) -> String { "\(DateText.local(look.at))  \(TextWidth.printable(folder))" }

    private func body(of look: WatchLook, width: Int, height: Int?) -> [String] {
        switch look.state {
        case .missing: ["There is no cache here. Waiting until there is one."]
        case .unreadable(let reason): ["The cache cannot be read now.", TextWidth.printable(reason)]
        case .seen(let snapshot):
            facts(snapshot, width: width) + [""] + table(snapshot, look.rates)
                + lists(of: look, snapshot, height: height.map { $0 - (limit == nil ? 9 : 10) })
        }
    }

    // MARK: Facts

    private func facts(_ snapshot: IndexSnapshot, width: Int) -> [String] {
        let size = "\(ByteSize(snapshot.totals.bytes)), \(ByteSize(snapshot.allocatedBytes)) on disk"
        let facts = [
            ("Entries", Figure.count(snapshot.totals.entries)), ("Size", size), ("Hit rate", hitRate(snapshot)),
        ]
        return facts.map { Self.padded($0, 12) + $1 }
            + (limit.map { [bar(snapshot.totals.bytes, limit: $0, width)] } ?? [])
    }

    private func hitRate(_ snapshot: IndexSnapshot) -> String {
        guard let rate = snapshot.counts.hitRate else { return "no reads yet" }
        let since = snapshot.since.map { " since \(DateText.local($0).prefix(10))" } ?? ""
        return "\(Figure.rate(rate)) of \(Figure.count(snapshot.counts.hits &+ snapshot.counts.misses)) reads\(since)"
    }

    private func bar(_ used: Int64, limit: Int64, _ width: Int) -> String {
        let text = "\(Figure.percent(used, of: limit)) of \(ByteSize(limit))"
        let room = max(5, min(40, width - 16 - text.count))
        let filled = Int((min(1, max(0, Double(used)) / Double(max(1, limit))) * Double(room)).rounded(.down))
        return "\(Self.padded("Limit", 12))[\(String(repeating: "#", count: filled))"
            + "\(String(repeating: "-", count: room - filled))]  \(text)"
    }

    // MARK: Counts

    private func table(_ snapshot: IndexSnapshot, _ rates: WatchLook.Rates?) -> [String] {
        let (counts, head) = (snapshot.counts, Self.padded("", 12) + Self.aligned("PER SECOND", 10))
        return [
            head + Self.aligned("IN ALL", 16), row("Hits", rates?.hits, counts.hits),
            row("Misses", rates?.misses, counts.misses), row("Stores", rates?.stores, counts.stores),
            row("Evictions", rates?.evictions, counts.evictions),
        ]
    }

    private func row(_ name: String, _ rate: Double?, _ count: Int64) -> String {
        Self.padded(name, 12) + Self.aligned(rate.map(Self.text) ?? "–", 10) + Self.aligned(Figure.count(count), 16)
    }

    /// One decimal.
    private static func text(of rate: Double) -> String {
        let tenths = Int64(min(1e15, rate * 10).rounded())
        return "\(Figure.count(tenths / 10)).\(tenths % 10)"
    }

    // MARK: Lists

    /// Divides the remaining lines into three lists.
    private func lists(of look: WatchLook, _ snapshot: IndexSnapshot, height: Int?) -> [String] {
        // Each list takes a blank line and a heading.
        let rows = height.map { max(0, $0 / 3 - 2) } ?? Self.listRows
        guard rows > 0 else { return [] }
        return ["", "TOP HOSTS"] + hosts(look.hosts).prefix(rows) + ["", "EVICTED NEXT"]
            + entries(snapshot.evictedNext, look.at).prefix(rows) + ["", "USED LAST"]
            + entries(snapshot.latest, look.at).prefix(rows)
    }

    private func hosts(_ hosts: [IndexSnapshot.Host]?) -> [String] {
        guard let hosts else { return ["  not read yet"] }
        return hosts.map { group in
            Self.aligned("\(ByteSize(group.totals.bytes))", 10) + Self.aligned(Figure.count(group.totals.entries), 12)
                + "  " + TextWidth.printable(group.name ?? EntryLabel.noHost)
        }
    }

    private func entries(_ entries: [Entry], _ now: Timestamp) -> [String] {
        entries.map { entry in
            let label = EntryLabel(key: entry.key, fileName: entry.name.text, showsKey: showsKeys)
            return Self.aligned("\(ByteSize(entry.size))", 10)
                + Self.aligned("\(Figure.span(milliseconds: now - entry.accessedAt)) ago", 12)
                + "  " + TextWidth.printable(label.text)
        }
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func aligned(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
