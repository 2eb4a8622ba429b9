@_spi(HalcyonTool) internal import Halcyon

/// Tables of single entries.
extension ReportPage {
    var tables: [HTML] {
        [
            table("Evicted next", "Next first", figures.evictedNext),
            table("Largest", nil, figures.largest), table("Used last", "Most recently used first", figures.latest),
        ]
    }

    private func table(_ title: String, _ note: String?, _ rows: [ReportFigures.Row]) -> HTML {
        guard !rows.isEmpty else { return "" }
        return """
            <section class="wide">
            <h2>\(title)</h2>
            <table class="entries"><thead><tr><th scope="col">\(note ?? "Entry")</th><th scope="col" class="n">Size</th>\
            <th scope="col" class="n">Used</th><th scope="col" class="n">Expires</th>\
            <th scope="col" class="n">Reads</th></tr></thead><tbody>
            \(rows.map(line))
            </tbody></table>
            </section>
            """
    }

    private func line(_ row: ReportFigures.Row) -> HTML {
        """
        <tr><th scope="row">\(name(of: row))</th><td class="n">\(Figure.bytes(row.size))</td>\
        <td class="n"><time datetime="\(DateText.iso8601(row.lastAccess))" title="\(DateText.local(row.lastAccess))">\
        \(Figure.span(milliseconds: figures.madeAt - row.lastAccess))<span class="ago"> ago</span></time></td>\
        <td class="n">\(row.expiry(at: figures.madeAt))</td>\
        <td class="n">\(Figure.count(Int64(clamping: row.hits)))</td></tr>
        """
    }

    /// The label, beside the picture or beside its place.
    private func name(of row: ReportFigures.Row) -> HTML {
        guard figures.showsPictures else { return label(row.label) }
        return """
            <div class="named"><span class="picture">\(row.thumbnail?.html ?? "")</span>\
            <span>\(label(row.label))</span></div>
            """
    }

    private static let keyLength = 240
    private static let hostLength = 90

    /// Isolates the label: its direction must not affect the text after it, and the parts of a URL must keep their order.
    private func label(_ label: EntryLabel) -> HTML {
        if let key = label.key { return "<bdi dir=\"ltr\">\(TextWidth.shortened(key, to: Self.keyLength))</bdi>" }
        let hash: HTML = "<code>\(label.hash)</code>"
        guard let host = label.host ?? label.file else { return "<em>\(EntryLabel.noHost)</em> \(hash)" }
        return "<bdi dir=\"ltr\">\(TextWidth.shortened(host, to: Self.hostLength))</bdi> \(hash)"
    }
}
