/// Makes the tokens of entries: random positive numbers.
///
/// The system's random numbers take a system call each. These continue from one of them, by SplitMix64 (Steele, Lea and Flood,
/// "Fast splittable pseudorandom number generators", 2014).
final class TokenSource: Sendable {
    private let state = Locked(UInt64.random(in: 0...UInt64.max))

    func next() -> Int64 {
        let state = self.state.withLock { state in
            state &+= 0x9E37_79B9_7F4A_7C15
            return state
        }
        let mixed = Self.mix(Self.mix(state, 30, 0xBF58_476D_1CE4_E5B9), 27, 0x94D0_49BB_1331_11EB)
        return max(1, Int64((mixed ^ (mixed >> 31)) >> 1))
    }

    /// Not with `&*`, which Swift's interface for older systems does not have.
    private static func mix(_ bits: UInt64, _ shift: UInt64, _ factor: UInt64) -> UInt64 {
        (bits ^ (bits >> shift)).multipliedReportingOverflow(by: factor).partialValue
    }
}
