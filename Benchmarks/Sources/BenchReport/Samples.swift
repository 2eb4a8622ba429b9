/// The measurements of one contestant, kept by round, because a busy machine disturbs a whole round.
package struct Samples: Equatable, Sendable {
    package private(set) var rounds: [[Double]]

    /// Rounds disagree if their medians differ by more than this factor.
    package static let tolerance = 1.5

    package init(rounds: [[Double]] = []) { self.rounds = rounds.filter { !$0.isEmpty }.map { $0.sorted() } }

    package mutating func add(_ round: [Double]) {
        if !round.isEmpty { rounds.append(round.sorted()) }
    }

    /// The median of the rounds' medians, so that one disturbed round counts only once. nil without measurements.
    package var median: Double? { quantile(0.5, of: roundMedians) }

    /// Over all rounds, because a tail needs many measurements; nil with fewer than a hundred.
    package var p99: Double? {
        let all = rounds.flatMap { $0 }
        return all.count < 100 ? nil : quantile(0.99, of: all.sorted())
    }

    /// The p99 of each round.
    package var tails: Samples { Samples(rounds: rounds.map { quantile(0.99, of: $0).map { [$0] } ?? [] }) }

    /// The slowest round over the fastest one.
    package var spread: Double {
        guard let least = roundMedians.first, let most = roundMedians.last, most > least else { return 1 }
        return least > 0 ? most / least : .infinity
    }

    package var isUnsteady: Bool { spread > Self.tolerance }

    private var roundMedians: [Double] { rounds.compactMap { quantile(0.5, of: $0) }.sorted() }
}

/// The value that this share of the sorted ones does not exceed, interpolated between two if necessary.
package func quantile(_ share: Double, of sorted: [Double]) -> Double? {
    guard let last = sorted.indices.last else { return nil }
    let place = share * Double(last)
    let lower = Int(place)
    let upper = min(last, lower + 1)
    return sorted[lower] + (sorted[upper] - sorted[lower]) * (place - Double(lower))
}
