/// What is quoted of one contestant.
package struct Figure: Equatable, Sendable {
    package var value: Double
    package var p99: Double?
    package var isUnsteady = false
    /// How often it was measured anew; 1 says nothing of how far to trust it.
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

    /// What a hundredth of all calls was slower than; nil with fewer than a hundred.
    package init?(tailOf samples: Samples) {
        guard let tail = samples.p99 else { return nil }
        value = tail
        isUnsteady = samples.tails.isUnsteady
        rounds = samples.rounds.count
    }
}

/// What figures are counted in.
package enum FigureUnit: String, Sendable {
    case microseconds = "us"
    case bytes
    /// One throughput over another.
    case factor
    /// How often something was done.
    case count
}
