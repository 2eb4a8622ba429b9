@_spi(HalcyonTool) import Halcyon
import HalcyonCLI
import Testing

@Suite struct `Texts on a page` {
    @Test(arguments: [
        ("a&b", "a&amp;b"), ("<b>", "&lt;b&gt;"), ("\"'", "&quot;&#39;"), ("&lt;", "&amp;lt;"), ("", ""),
        ("日本 👩‍👧", "日本 👩‍👧"), ("\u{202E}a", "\\u{202E}a"), ("a\nb\u{0}", "a\\nb\\0"), ("\u{200F}", "\\u{200F}"),
    ])
    func `special characters are escaped`(text: String, escaped: String) { #expect(HTML.escaped(text) == escaped) }

    @Test func `inserted texts are escaped everywhere, and pieces of HTML are not`() {
        let key = "<script>'\""
        let piece: HTML = "<b title=\"\(key)\">\(key)</b>"
        let whole: HTML = "<p>\(piece)\([piece])</p>"
        let escaped = "&lt;script&gt;&#39;&quot;"
        let expected = "<b title=\"\(escaped)\">\(escaped)</b>"
        #expect(whole.text == "<p>\(expected)\(expected)</p>")
    }

    @Test(arguments: InventedFigures.hostileTexts)
    func `escaped text contains nothing that a browser interprets`(text: String) {
        let escaped = HTML.escaped(text)
        #expect(!escaped.contains { "<>\"'\n\r\0".contains($0) })
        #expect(!escaped.unicodeScalars.contains { $0.properties.isBidiControl })
    }
}

@Suite struct `Figures on a page` {
    @Test(arguments: [
        (0, "0"), (999, "999"), (1000, "1\u{202F}000"), (1_234_567, "1\u{202F}234\u{202F}567"),
        (-1000, "−1\u{202F}000"),
        (Int64.min, "−9\u{202F}223\u{202F}372\u{202F}036\u{202F}854\u{202F}775\u{202F}808"),
    ])
    func `figures have grouped digits`(number: Int64, text: String) { #expect(Figure.count(number) == text) }

    @Test(arguments: [
        (0, 10, "0 %"), (10, 10, "100 %"), (1, 1000, "< 1 %"), (999, 1000, "> 99 %"), (1, 3, "33 %"), (5, 0, "0 %"),
        (30, 20, "150 %"), (Int64.max, 1, "1000000 %"),
    ])
    func `figures can be percentages of a whole`(part: Int64, whole: Int64, text: String) {
        #expect(Figure.percent(part, of: whole) == text.replacing(" ", with: "\u{A0}"))
    }

    @Test(arguments: [(0, "0 %"), (0.93399, "93.3 %"), (1, "100.0 %"), (0.99999, "99.9 %"), (-1, "0.0 %")])
    func `rates are rounded down`(share: Double, text: String) {
        #expect(Figure.rate(share).hasPrefix(text.prefix(text.count - 2)))
    }

    @Test(arguments: [
        (0, "0 s"), (119_999, "119 s"), (120_000, "2 min"), (7_199_999, "119 min"), (7_200_000, "2 h"),
        (172_800_000, "2 d"), (-5, "0 s"), (Int64.max, "106\u{202F}751\u{202F}991\u{202F}167 d"),
    ])
    func `figures can be spans of time`(milliseconds: Int64, text: String) {
        #expect(Figure.span(milliseconds: milliseconds) == text.replacing(" ", with: "\u{A0}"))
    }

    @Test(arguments: [(0, "0"), (9_999, "9\u{202F}999"), (20_000, "20k"), (1_500_000, "1.5M"), (2_000_000_000, "2G")])
    func `figures beside a chart are short`(number: Int64, text: String) { #expect(Figure.shortCount(number) == text) }
}

@Suite struct `Charts` {
    private static let ticks: [(maximum: Int64, ticks: [Int64])] = [
        (0, [0, 1]), (1, [0, 1]), (3, [0, 1, 2, 3]), (5, [0, 1, 2, 3, 4, 5]), (6, [0, 2, 4, 6]), (26, [0, 10, 20, 30]),
        (92, [0, 20, 40, 60, 80, 100]), (1_000_000, [0, 200_000, 400_000, 600_000, 800_000, 1_000_000]),
        (-7, [0, 1]), (.max, [0, .max]),
    ]

    @Test func `a chart's axis has a few round numbers from zero to at least the maximum`() {
        for (maximum, ticks) in Self.ticks { #expect(Scale(upTo: maximum).ticks == ticks) }
    }

    @Test func `a chart's axis has two to seven numbers for any maximum`() {
        for power in 0..<62 {
            for offset: Int64 in [-1, 0, 1] {
                let maximum = (Int64(1) << power) + offset
                let scale = Scale(upTo: maximum)
                #expect((2...7).contains(scale.ticks.count) && scale.top >= maximum && scale.ticks.first == 0)
                #expect(scale.ticks == scale.ticks.sorted() && scale.share(of: maximum) <= 1)
            }
        }
    }

    @Test func `a chart has columns for values above zero only`() {
        let totals = [
            Totals(entries: 1, bytes: 1), Totals(entries: 0, bytes: 0), Totals(entries: 5, bytes: .max / 2 - 1),
        ]
        let labels = ["a", "<b>", "c"].map { StepLabel($0, "", $0) }
        let text = ColumnChart(id: "x", title: "T", measure: .bytes, labels: labels, totals: totals).html.text
        #expect(text.matches(of: /<rect/).count == 2 && text.contains("height=\"2\""))
        #expect(text.contains("&lt;b&gt;") && text.contains("<title id=\"x-title\">T</title>"))
        #expect(text.matches(of: /<tr>/).count == 4)
    }

    @Test(arguments: [
        (0, 10, 0), (10, 10, 1), (5, 10, 0.5), (1, 1_000_000, 0.004), (20, 10, 1), (-1, 10, 0), (1, 0, 0),
    ])
    func `bars are visible and stay within their space`(value: Int64, longest: Int64, length: Double) {
        #expect(RankingTable.length(of: value, longest: longest) == length)
    }

    @Test(arguments: [(0, 0.0), (5, 0.5), (10, 1), (20, 1)])
    func `a chart shows how full a cache is, even beyond its limit`(used: Int64, share: Double) {
        let bar = LimitBar(
            id: "x", title: "Size", used: used, pinned: 1, limit: 10, lowWater: 0.5, text: Figure.bytes)
        #expect(bar.share(of: used) == share)
        #expect(bar.share(of: 10) == (used == 20 ? 0.5 : 1))
        #expect(bar.html.text.contains("An eviction leaves 5\u{A0}B."))
    }
}

@Suite struct `Names of entries` {
    private let hashed = String(repeating: "0a", count: 32)

    @Test func `labels show the host and digits of the file name, and the key only on request`() {
        let label = EntryLabel(key: "https://A.example:80/secret?token=1", fileName: hashed + ".png", showsKey: false)
        #expect(label.text == "a.example  0a0a0a0a0a" && label.key == nil)
        #expect(EntryLabel(key: "k", fileName: hashed, showsKey: false).text == "(no address)  0a0a0a0a0a")
        #expect(EntryLabel(key: nil, fileName: hashed, showsKey: true).text == "(no address)  0a0a0a0a0a")
        #expect(EntryLabel(key: "secret", fileName: hashed, showsKey: true).text == "secret")
    }

    @Test(arguments: [
        ("/home/ann/Pictures/photo.jpg", "photo.jpg"), ("./holiday/", "holiday"), ("photo.jpg", "photo.jpg"),
        ("file:///home/ann/a.png", "a.png"), ("secret", nil), ("data:image/png;base64,AA/BB", nil), ("a.b c", nil),
        ("mailto:ann@example.com", nil), ("/", nil), ("ends.with-long-part", nil), ("ann@example.com", nil),
        ("Bearer abc.def", nil), ("otp/482913", nil), ("~/a", "a"), ("../a", "a"), ("A.JPEG", "A.JPEG"),
        ("/api/img?token=SECRET", "img"), ("//a.example/b.png?sig=S/E.C", "b.png"), ("a.png#SECRET", "a.png"),
        ("/?token=SECRET", nil), ("covers/Song #3.jpg", "Song #3.jpg"), ("/my pic.png?token=SECRET", "my pic.png"),
        ("/pics/a.png?\u{301}token=SECRET", "a.png"), ("/a/\u{301}b", "\u{301}b"),
    ])
    func `labels show the last component of a file's path`(key: String, file: String?) {
        let label = EntryLabel(key: key, fileName: hashed, showsKey: false)
        #expect(label.file == file && label.text == "\(file ?? "(no address)")  0a0a0a0a0a")
    }

    @Test func `labels do not show a file name that is a key`() {
        let label = EntryLabel(key: "secret", fileName: "secret", showsKey: false)
        #expect(label.hash.count == 10 && label.hash.allSatisfy(\.isHexDigit))
    }
}

@Suite struct `Steps` {
    @Test func `each step has a label`() {
        #expect(ReportSteps.ageLabels.count == ReportSteps.ages.count + 1)
        #expect(ReportSteps.sizeLabels.count == ReportSteps.sizes.count + 1)
        #expect(ReportSteps.expirationLabels(from: InventedFigures.now).count == 10)
    }

    @Test func `steps of days end at the ends of days, in order`() {
        let days = ReportSteps.daysEnds(from: InventedFigures.now)
        #expect(days.count == 7 && days == days.sorted() && days[0] > InventedFigures.now)
        #expect(zip(days, days.dropFirst()).allSatisfy { (23...25).contains(($1 - $0) / 3_600_000) })
        #expect(days.allSatisfy { DateText.local($0).hasSuffix("23:59:59") })
    }
}
