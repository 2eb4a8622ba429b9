import BenchReport
import Foundation
import Testing

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite("Chart")
struct ChartTests {
    @Test("A scale begins and ends at powers of ten around the values")
    func scale() throws {
        let scale = try #require(LogScale([3, 0, 250]))
        #expect(scale.ticks == [1, 10, 100, 1_000])
        #expect(scale.share(of: 1) == 0)
        #expect(scale.share(of: 1_000) == 1)
        #expect(abs(scale.share(of: 10) - 1 / 3) < 1e-9)
        #expect(scale.share(of: 0) == 0)
        #expect(scale.share(of: 1e9) == 1)
    }

    @Test("A single power of ten gets a whole decade, and without positive values there is no scale")
    func narrowScale() {
        #expect(LogScale([10])?.decades == 1...2)
        #expect(LogScale([0.5])?.ticks == [0.1, 1])
        #expect(LogScale([0, -1, .infinity]) == nil)
    }

    private func row(_ op: String, _ entries: Int, _ value: Double, on volume: VolumeKind = .disk) -> ResultRow {
        var row = ResultRow(op, on: volume, entries: entries, bytes: 4_096, halcyon: Figure(value))
        row.limit = Figure(value / 2)
        return row
    }

    @Test("An operation gets a panel if it was timed with two different numbers of entries")
    func panels() {
        let rows = [
            row("value_hit", 10_000, 13), row("value_hit", 1_000, 12), row("value_hit", 1_000, 9, on: .tmpfs),
            row("evict_half", 1_000, 100),
        ]
        let panels = CurvePanel.panels(of: rows)
        #expect(panels.map(\.title) == ["value_hit, 4 KiB"])
        #expect(panels[0].curves.map(\.volume) == [.disk, .disk, .tmpfs, .tmpfs])
        #expect(panels[0].curves[0].points.map(\.entries) == [1_000, 10_000])
    }

    @Test("The chart is well-formed XML and contains no script")
    func picture() {
        let svg = CurveChart(rows: [row("a<b & c", 1_000, 0.4), row("a<b & c", 1_000_000, 90_000)]).svg
        let parser = XMLParser(data: Data(svg.utf8))
        #expect(parser.parse(), "\(String(describing: parser.parserError))")
        #expect(svg.contains("a&lt;b &amp; c"))
        #expect(svg.contains("100 ns"))
        #expect(!svg.contains("<script"))
        #expect(!svg.contains("nan"))
    }
}
