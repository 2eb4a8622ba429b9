/// What is measured, in the order of the report.
enum Measure: String, CaseIterable {
    case storeNew = "store new"
    case overwrite = "overwrite"
    case hit = "hit"
    case miss = "miss"
    case touch = "touch, per row"
    case extend = "touch and extend, per row"
    case smallEviction = "evict 1 %, per batch"
    case halfEviction = "evict half, per row"
    case worstBatch = "worst batch of the half"
    case expire = "expire 128"
    case expireNothing = "expire, nothing due"
    case walBytes = "WAL bytes per store"
    case checkpoint = "checkpoint of 1 000 new stores"
}

/// The figures of one measure, kept by round: a round is disturbed as a whole when the machine is.
struct Samples {
    private(set) var rounds: [[Double]] = []

    mutating func add(_ round: [Double]) {
        if !round.isEmpty { rounds.append(round.sorted()) }
    }

    /// The median of the rounds' medians, so that one disturbed round counts for one.
    var median: Double { quantile(0.5, of: roundMedians) }

    /// Over all rounds, because a tail needs many samples.
    var p99: Double { quantile(0.99, of: rounds.flatMap { $0 }.sorted()) }

    /// How far apart the rounds were: what differences between candidates have to be compared with.
    var spread: Double { (roundMedians.last ?? 0) / max(roundMedians.first ?? 1, 0.001) }

    private var roundMedians: [Double] { rounds.map { quantile(0.5, of: $0) }.sorted() }

    private func quantile(_ share: Double, of sorted: [Double]) -> Double {
        sorted.isEmpty ? .nan : sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]
    }
}

extension Duration {
    var microseconds: Double { Double(components.seconds) * 1e6 + Double(components.attoseconds) / 1e12 }
}

/// Microseconds taken by `body`.
func timed(_ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try body()
    return (ContinuousClock.now - start).microseconds
}
