/// A reported figure of one contestant.
package struct Figure: Equatable, Sendable {
    package var value: Double
    package var p99: Double?
    package var isUnsteady = false
    /// The number of repeats; 1 says nothing about its reliability.
    package var rounds = 1

    package init(_ value: Double) { self.value = value }

    /// nil without measurements.
    package init?(_ samples: Samples) {
        guard let median = samples.median else { return nil }
        value = median
        p99 = samples.p99
        isUnsteady = samples.isUnsteady
        rounds = samples.rounds.count
    }

    /// The 99th percentile of all calls; nil with fewer than a hundred.
    package init?(tailOf samples: Samples) {
        guard let tail = samples.p99 else { return nil }
        value = tail
        isUnsteady = samples.tails.isUnsteady
        rounds = samples.rounds.count
    }
}

/// The units of figures.
package enum FigureUnit: String, Sendable {
    case microseconds = "us"
    case bytes
    /// One throughput over another.
    case factor
    /// A count.
    case count
}
