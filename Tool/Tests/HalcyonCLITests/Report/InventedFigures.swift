@_spi(HalcyonTool) import Halcyon
import HalcyonCLI

/// Reports of invented caches.
enum InventedFigures {
    static let now = Timestamp(milliseconds: 1_795_246_212_007)

    static var empty: ReportFigures {
        var figures = ReportFigures(name: "empty", madeAt: now)
        figures.report = report(entries: 0, bytes: 0, groups: 0)
        return figures
    }

    static var one: ReportFigures {
        figures(name: "one", entries: 1, bytes: 3, groups: 1, rows: 1)
    }

    static var million: ReportFigures {
        var figures = figures(name: "million", entries: 1_000_000, bytes: 363_000_000_000, groups: 12, rows: 15)
        figures.report.hosts.otherGroups = 12_345
        figures.report.hosts.others = Totals(entries: 20_000, bytes: 1_000_000_000)
        figures.counts.hits = 14_000_000
        figures.counts.misses = 1_000_000
        figures.countedSince = now.advanced(by: -86_400_000)
        figures.limits = StorageLimits(bytes: 400_000_000_000, entries: 900_000)
        figures.report.eviction = .init(gone: Totals(entries: 550_000, bytes: 200_000_000_000), usedUntil: now)
        return figures
    }

    /// Numbers that only an edited index can have.
    static var absurd: ReportFigures {
        var figures = figures(name: "absurd", entries: .max, bytes: .max, groups: 12, rows: 15)
        figures.limits = StorageLimits(bytes: .max, entries: .max)
        figures.counts.hits = .max / 2
        figures.counts.misses = -5
        figures.indexBytes = .max
        figures.freeBytes = .max
        return figures
    }

    /// Possible texts of a key, a host, a processor or a folder's name.
    static let hostileTexts = [
        "<script>alert(1)</script>", "\"><img src=https://evil.example/x.png onerror=alert(1)>",
        "' onmouseover='alert(1)", "</title></style><style>body{display:none}</style>", "&lt;b&gt;&amp;&#60;",
        "\u{202E}txt.exe\u{2066}", "line\nbreak\r\u{0}\u{1B}[2J\u{85}", "👩‍👧 日本語 \u{1F1E9}\u{1F1EA}",
        "<!-- -->]]><svg/onload=alert(1)>",
        "https://<svg onload=alert(1)>/", "javascript:alert(1)", "${alert(1)}\\u003cb\\u003e",
        "<a href='https://evil.example'>",
        String(repeating: "<i>", count: 10_000),
    ]

    /// All of them in every place.
    static var hostile: ReportFigures {
        var figures = figures(name: hostileTexts.joined(), entries: 14, bytes: 14_000, groups: 0, rows: 0)
        let groups = hostileTexts.map { StorageReport.Group(name: $0, totals: Totals(entries: 1, bytes: 1000)) }
        figures.report.hosts.largest = groups
        figures.report.processors.largest = groups
        figures.showsKeys = true
        figures.evictedNext = hostileTexts.map { row(EntryLabel(key: $0, fileName: $0, showsKey: true)) }
        figures.largest = hostileTexts.map { row(EntryLabel(key: "https://\($0)", fileName: $0, showsKey: false)) }
        return figures
    }

    /// The hostile texts, each with a picture.
    static func hostile(with thumbnail: Thumbnail?) -> ReportFigures {
        var figures = hostile
        figures.showsPictures = true
        figures.latest = hostileTexts.map {
            row(EntryLabel(key: $0, fileName: $0, showsKey: true), thumbnail: thumbnail)
        }
        return figures
    }

    static func row(_ label: EntryLabel, size: Int64 = 1000, thumbnail: Thumbnail? = nil) -> ReportFigures.Row {
        ReportFigures.Row(
            label: label, size: size, lastAccess: now.advanced(by: -3_600_000),
            expiration: now.advanced(by: 86_400_000),
            hits: 3, isPinned: false, thumbnail: thumbnail)
    }

    private static func figures(
        name: String, entries: Int64, bytes: Int64, groups: Int, rows: Int
    ) -> ReportFigures {
        var figures = ReportFigures(name: name, madeAt: now)
        figures.report = report(entries: entries, bytes: bytes, groups: groups)
        let row = row(
            EntryLabel(key: "https://a.example/secret", fileName: String(repeating: "a", count: 64), showsKey: false))
        (figures.evictedNext, figures.largest, figures.latest) =
            (Array(repeating: row, count: rows), Array(repeating: row, count: rows), Array(repeating: row, count: rows))
        return figures
    }

    private static func report(entries: Int64, bytes: Int64, groups: Int) -> StorageReport {
        var report = StorageReport()
        let all = Totals(entries: entries, bytes: bytes)
        let none = Totals(entries: 0, bytes: 0)
        report.totals = all
        report.allocatedBytes = bytes
        report.hosts.largest = (0..<groups).map {
            .init(name: $0 == 0 ? nil : "host\($0).example", totals: Totals(entries: entries / 12, bytes: bytes / 12))
        }
        report.processors.largest = groups > 0 ? [.init(name: "", totals: all), .init(name: nil, totals: none)] : []
        report.ages = [all] + Array(repeating: none, count: ReportSteps.ages.count)
        report.sizes = [all] + Array(repeating: none, count: ReportSteps.sizes.count)
        report.expirations = .init(days: Array(repeating: none, count: 7))
        report.expirations.later = all
        return report
    }
}
