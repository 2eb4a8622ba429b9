import BenchReport
import Testing

@Suite("Samples")
struct SamplesTests {
    @Test("The median is the median of the rounds' medians, so a disturbed round counts only once")
    func median() {
        let samples = Samples(rounds: [[3, 1, 2], [900, 800, 700], [4, 2, 3]])
        #expect(samples.median == 3)
    }

    @Test("The median of an even number of values lies between the middle two")
    func evenNumber() { #expect(quantile(0.5, of: [1, 2, 3, 4]) == 2.5) }

    @Test("Without measurements there are no figures")
    func empty() {
        let samples = Samples(rounds: [[], []])
        #expect(samples.median == nil)
        #expect(samples.p99 == nil)
        #expect(!samples.isUnsteady)
        #expect(Figure(samples) == nil)
    }

    @Test("A tail needs at least a hundred measurements")
    func tail() {
        #expect(Samples(rounds: [Array(repeating: 1, count: 99)]).p99 == nil)
        let samples = Samples(rounds: [(0..<50).map(Double.init), (50...100).map(Double.init)])
        #expect(samples.p99 == 99)
    }

    @Test("A tail covers all calls, and is unsteady if the tails of the rounds disagree")
    func tailOfRounds() throws {
        let calm = Array(repeating: 1.0, count: 99) + [1_000]
        let even = try #require(Figure(tailOf: Samples(rounds: [calm, calm])))
        #expect(even.rounds == 2)
        #expect(!even.isUnsteady)
        let odd = Samples(rounds: [calm, Array(repeating: 50, count: 100)])
        #expect(odd.tails.rounds.count == 2)
        #expect(Figure(tailOf: odd)?.isUnsteady == true)
        #expect(Figure(tailOf: odd)?.value == 50)
        #expect(Figure(tailOf: Samples(rounds: [[1, 2, 3]])) == nil)
    }

    @Test(
        "Rounds that are more than one and a half times apart disagree",
        arguments: [([10.0, 15], false), ([10, 15.1], true), ([0, 0], false), ([0, 1], true), ([7], false)])
    func spread(medians: [Double], isUnsteady: Bool) {
        #expect(Samples(rounds: medians.map { [$0] }).isUnsteady == isUnsteady)
    }
}
