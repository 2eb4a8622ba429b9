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
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        mixed ^= mixed >> 31
        return max(1, Int64(mixed >> 1))
    }
}
