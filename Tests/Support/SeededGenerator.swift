import Foundation

/// SplitMix64 (Steele, Lea, Flood 2014), so that a random run can be repeated.
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    /// Seeded with `HALCYON_SEED`, otherwise randomly; prints the seed once, so that you can repeat the run.
    package static let ofThisRun: SeededGenerator = {
        let seed =
            ProcessInfo.processInfo.environment["HALCYON_SEED"].flatMap(UInt64.init)
            ?? UInt64.random(in: 1...UInt64.max)
        print("HALCYON_SEED=\(seed)")
        return SeededGenerator(seed: seed)
    }()

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
