/// Scatters consecutive numbers over 64 bits (multiply and xor-shift, as SplitMix64 finishes): stands in for SHA-256,
/// whose own cost is the same for every candidate.
func mixed(_ value: UInt64) -> UInt64 {
    var bits = value &+ 0x9E37_79B9_7F4A_7C15
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
}

/// A repeatable source of random rows, so that every candidate and every run meets the same ones.
struct Randomness {
    private var state: UInt64

    init(seed: UInt64) { state = mixed(seed) }

    mutating func below(_ limit: Int) -> Int {
        state &+= 1
        return Int(mixed(state) % UInt64(limit))
    }
}

/// A made-up cache entry.
///
/// Everything follows from its number, so any row can be asked for without remembering it.
struct Entry {
    /// The raw hash; a candidate stores it as it is or as hex.
    let hash: [UInt8]
    let id: Int64
    let key: [UInt8]
    let token: Int64
    let inode: Int64
    var size: Int64
    let createdAt: Int64
    var accessedAt: Int64
    let timeToLive: Int64?
    let pinned: Bool

    /// Rows are numbered in the order of their stores, a quarter of a second apart.
    init(number: Int) {
        let seed = UInt64(number) &* 8
        hash = (0..<4).flatMap { word in bytes(of: mixed(seed &+ UInt64(word))) }
        id = Int64(mixed(seed) >> 1)
        token = Int64(mixed(seed &+ 4) >> 1)
        key = Self.key(of: number)
        let random = mixed(seed &+ 5)
        inode = Int64(1 << 24 + random % (1 << 30))
        size = Int64(2_000 + (random >> 32) % 120_000)
        createdAt = Self.time(of: number)
        accessedAt = createdAt
        timeToLive = Self.timeToLive(mixed(seed &+ 6))
        pinned = mixed(seed &+ 7) % 1_000 == 0
    }

    var expiresAt: Int64? { timeToLive.map { createdAt + $0 } }

    var hexadecimal: [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return hash.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }

    static func time(of number: Int) -> Int64 { 1_767_225_600_000 + Int64(number) * 250 }

    /// One entry in sixteen never expires; the others live between one and thirty days.
    private static func timeToLive(_ random: UInt64) -> Int64? {
        random % 16 == 0 ? nil : Int64(1 + (random >> 8) % 30) * 86_400_000
    }

    /// A URL of 60 bytes, the length the size target is set for.
    private static func key(of number: Int) -> [UInt8] {
        let digits = String(number)
        let padding = String(repeating: "0", count: 15 - digits.count)
        return Array("https://images.example.com/photographs/w640/\(padding + digits)?".utf8)
    }
}

/// Most significant byte first, so that the id is the first eight bytes of the hash, as in a real index.
private func bytes(of word: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) }
}
