import BenchReport
import Testing

@Suite("Target")
struct TargetTests {
    @Test(
        "A figure that just reaches its target meets it",
        arguments: [
            (Target.ratio(2.5), 25.0, true), (.ratio(2.5), 25.1, false), (.overLimit(10), 20, true),
            (.overLimit(10), 20.1, false), (.atMost(20), 20, true), (.atMost(20), 21, false),
            (.atLeast(1.3), 1.3, true),
            (.atLeast(1.3), 1.2, false),
        ])
    func meeting(target: Target, value: Double, isMet: Bool) { #expect(target.isMet(by: value, limit: 10) == isMet) }

    @Test("Without a limit it is unknown whether a ratio is met")
    func withoutLimit() {
        #expect(Target.ratio(2).isMet(by: 1, limit: nil) == nil)
        #expect(Target.atMost(2).isMet(by: 1, limit: nil) == true)
    }

    @Test(
        "A target may be relative to the file-attribute backend, or several at once",
        arguments: [
            (Target.ofAttribute(1.1), 22.0, true), (.ofAttribute(1.1), 22.1, false),
            (.all([.ratio(2.5), .ofAttribute(1)]), 20, true), (.all([.ratio(2.5), .ofAttribute(1)]), 20.1, false),
            (.all([.ratio(1.5), .ofAttribute(1)]), 20, false),
        ])
    func severalTargets(target: Target, value: Double, isMet: Bool) {
        #expect(target.isMet(by: value, limit: 10, attribute: 20) == isMet)
        #expect(Target.all([target, .atMost(0)]).isMet(by: value, limit: 10, attribute: 20) == false)
        #expect(Target.all([.ratio(2), .ofAttribute(1)]).isMet(by: value, limit: nil) == nil)
    }

    @Test("A row compares medians with its limit and with the file-attribute backend")
    func row() {
        var row = ResultRow("value_hit", on: .disk, halcyon: Figure(12))
        #expect(row.isMet == nil)
        row.limit = Figure(6)
        row.attribute = Figure(120)
        row.target = .ratio(2)
        #expect(row.ratioToLimit == 2)
        #expect(row.speedup == 10)
        #expect(row.isMet == true)
        #expect(!row.isUnsteady)
        row.limit?.isUnsteady = true
        #expect(row.isUnsteady)
    }
}
