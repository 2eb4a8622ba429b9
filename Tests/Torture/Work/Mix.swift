import Foundation
import Halcyon
import HalcyonTestSupport

/// The kinds of operations that a worker prefers.
enum Mix: String, Codable, Sendable {
    /// All kinds except removing everything.
    case plain
    /// Like plain, without expirations: an expired value may come back when the clock goes back.
    case timeless
    /// Stores in bursts, with a checkpoint after nearly every burst.
    case bursts
    /// Like plain, and sometimes removes everything.
    case clearing
    /// Evicts all the time, and stores the evicted keys again.
    case evicting
    case reading
    /// Stores a few values and looks up those of others.
    case greeting

    enum Kind {
        case store, storeBriefly, remove, value, isCached, update, evict, expire, removeAll, page, totals, reopen
    }

    /// The relative frequency of each kind.
    private var weights: [(Kind, Int)] {
        switch self {
        case .plain:
            [
                (.store, 350), (.storeBriefly, 50), (.remove, 60), (.value, 350), (.isCached, 80), (.update, 30),
                (.evict, 12),
                (.expire, 12), (.page, 10), (.totals, 10), (.reopen, 4),
            ]
        case .timeless: Self.plain.weights.map { ($0 == .storeBriefly ? .store : $0, $1) }
        case .bursts: [(.store, 900), (.value, 90), (.remove, 10)]
        case .clearing: [(.store, 500), (.value, 300), (.isCached, 50), (.remove, 50), (.removeAll, 8), (.reopen, 4)]
        case .evicting: [(.evict, 300), (.store, 400), (.value, 200), (.expire, 20)]
        case .reading: [(.value, 700), (.isCached, 300), (.page, 20), (.totals, 20), (.reopen, 2)]
        case .greeting: [(.store, 300), (.value, 300), (.isCached, 300)]
        }
    }

    func kind(using generator: inout some RandomNumberGenerator) -> Kind {
        let weights = weights
        var left = Int.random(in: 0..<weights.reduce(0) { $0 + $1.1 }, using: &generator)
        for (kind, weight) in weights {
            if left < weight { return kind }
            left -= weight
        }
        return .value
    }

    /// Mostly small, sometimes larger than one call writes.
    func length(using generator: inout some RandomNumberGenerator) -> Int {
        let least = TortureValue.minimumLength
        return switch (self, Int.random(in: 0..<100, using: &generator)) {
        case (.bursts, _), (.evicting, _), (_, 0..<70): Int.random(in: least...2_000, using: &generator)
        case (_, 70..<97): Int.random(in: least...20_000, using: &generator)
        default: Int.random(in: least...400_000, using: &generator)
        }
    }

    var tuning: Tuning {
        var tuning = Tuning.patient
        // Batches small enough to end within the first seconds.
        tuning.adoptionBatchSize = 64
        tuning.adoptionChunk = 512
        if self == .bursts {
            tuning.checkpointFrames = 8
            tuning.forcedCheckpointFrames = 64
        }
        return tuning
    }
}
