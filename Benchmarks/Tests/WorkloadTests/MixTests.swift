import Testing
import Workload

@Suite("Workload")
struct MixTests {
    @Test("Of twenty calls, fifteen load, three check and two store")
    func shares() {
        var mix = Mix(entries: 100)
        let calls = mix.calls(2_000)
        let counts = Mix.Kind.allCases.map { kind in calls.count { $0.kind == kind } }
        #expect(counts == [1_500, 300, 200])
        #expect(calls.allSatisfy { (0..<100).contains($0.entry) })
    }

    @Test("Two runs make the same calls, and a single run does not repeat itself")
    func order() {
        var (one, other) = (Mix(entries: 1_000), Mix(entries: 1_000))
        let first = one.calls(200).map(\.entry)
        #expect(first == other.calls(200).map(\.entry))
        #expect(first != one.calls(200).map(\.entry))
    }

    @Test("A rank is drawn as often as its weight says")
    func ranks() {
        let zipf = Zipf(count: 1_000, exponent: 0.9)
        var randomness = Randomness()
        var drawn = [Int](repeating: 0, count: 1_000)
        for _ in 0..<100_000 { drawn[zipf.next(using: &randomness)] += 1 }
        // The first of a thousand has 1 / 10.6 of the weight, and 1.87 times that of the second.
        #expect((9_000...9_900).contains(drawn[0]))
        #expect((1.7...2.05).contains(Double(drawn[0]) / Double(drawn[1])))
        #expect(drawn.suffix(500).contains { $0 > 0 })
    }

    @Test("A single rank is drawn each time")
    func single() {
        var randomness = Randomness()
        #expect(Zipf(count: 1, exponent: 0.9).next(using: &randomness) == 0)
    }
}
