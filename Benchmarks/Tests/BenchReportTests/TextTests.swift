import BenchReport
import Foundation
import Testing

/// One row with all values, and one with as few as possible.
private let full: ResultRow = {
    var row = ResultRow("value_hit", on: .disk, entries: 10_000, bytes: 4_096, halcyon: Figure(12.34))
    row.halcyon.p99 = 40
    row.halcyon.rounds = 5
    row.limit = Figure(6)
    row.limit?.isUnsteady = true
    row.limitName = "open+fstat+read+close"
    row.attribute = Figure(1_234)
    row.target = .ratio(2.5)
    row.extras = ["settled_us": 1.00049]
    return row
}()

private let bare: ResultRow = {
    var row = ResultRow("resident_growth", on: .tmpfs, halcyon: Figure(7_654_321))
    row.unit = .bytes
    row.target = .atMost(8_000_000)
    return row
}()

@Suite("Text")
struct TextTests {
    @Test(
        "Figures have three digits or so, in the unit that suits them",
        arguments: [
            (0.5, FigureUnit.microseconds, "0.50 µs"), (12.34, .microseconds, "12.3 µs"),
            (999.6, .microseconds, "1000 µs"),
            (1_500, .microseconds, "1.50 ms"), (12_000_000, .microseconds, "12 s"), (1.618, .factor, "1.62 ×"),
            (0.0003, .factor, "< 0.01 ×"), (74_106.2, .factor, "74 106 ×"),
            (300, .bytes, "300 B"), (7_654_321, .bytes, "7.65 MB"), (0, .bytes, "0 B"),
            (2_500_000_000, .bytes, "2.50 GB"), (64, .count, "64"), (1.5, .count, "1.50"),
        ])
    func figures(value: Double, unit: FigureUnit, text: String) { #expect(FigureText.text(value, unit) == text) }

    @Test("Spaces separate thousands", arguments: [(7, "7"), (1_000, "1 000"), (1_002_003, "1 002 003")])
    func counts(count: Int, text: String) { #expect(FigureText.count(count) == text) }

    @Test("The JSON has one object per line, and omits unknown values")
    func json() throws {
        let text = try ResultsJSON(rows: [full, bare]).text()
        #expect(text.split(separator: "\n").count == 4)
        let objects = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
        let first = objects[0]
        #expect(first["op"] as? String == "value_hit")
        #expect(first["volume"] as? String == "disk")
        #expect(first["halcyon_us"] as? Double == 12.34)
        #expect(first["halcyon_p99_us"] as? Double == 40)
        #expect(first["ratio_to_limit"] as? Double == 2.057)
        #expect(first["target"] as? String == "≤ 2.50 ×")
        #expect(first["met"] as? Bool == true)
        #expect(first["unsteady"] as? Bool == true)
        #expect(first["settled_us"] as? Double == 1)
        #expect(
            Set(objects[1].keys) == ["op", "volume", "halcyon_bytes", "target", "met", "rounds"])
    }

    @Test("The table has a section per volume, lines of equal length, and marks on unsteady figures")
    func table() {
        let lines = ResultsTable(rows: [full, bare]).markdown.split(separator: "\n")
        #expect(lines.filter { $0.hasPrefix("## ") } == ["## Disk", "## tmpfs"])
        let disk = lines.dropFirst().prefix(3)
        #expect(Set(disk.map(\.count)).count == 1)
        #expect(disk.contains { $0.contains("| 12.3 µs (40 µs) | 6 µs ~ | 2.06 × | 1.23 ms") })
        #expect(lines.contains { $0.hasPrefix("2 of 2 targets met") })
    }
}
