/// When entries are evicted, and how many remain. 0 means no limit.
@_spi(HalcyonTool) public struct StorageLimits: Equatable, Sendable {
    /// The number of bytes at which an eviction begins.
    public var bytes: Int64 = 0
    /// The maximum number of entries; an eviction begins when there are more.
    public var entries: Int64 = 0
    /// Bytes that should be free on the volume.
    public var freeBytes: Int64 = 0
    /// The fraction of a limit that an eviction leaves.
    public var lowWater = 0.5

    public init(bytes: Int64 = 0, entries: Int64 = 0, freeBytes: Int64 = 0, lowWater: Double = 0.5) {
        self.bytes = max(0, bytes)
        self.entries = max(0, entries)
        self.freeBytes = max(0, freeBytes)
        self.lowWater = lowWater.isFinite ? min(1, max(0, lowWater)) : 0.5
    }

    var isUnlimited: Bool { bytes == 0 && entries == 0 && freeBytes == 0 }

    /// Returns what an eviction should leave; nil if no limit is reached.
    ///
    /// On a volume that is running out of room, an eviction frees an eighth more than required, so that not every store evicts.
    ///
    /// - Parameters:
    ///   - slack: the bytes that the volume has allocated for the entries beyond their own.
    ///   - freeBytes: the free bytes of the volume; nil if unknown.
    public func target(_ totals: Totals, slack: Int64 = 0, freeBytes free: Int64?) -> Totals? {
        var target = Totals(entries: .max, bytes: .max)
        if bytes > 0, totals.bytes >= bytes { target.bytes = mark(of: bytes) }
        // Half of one entry is none: the cache would be empty after every second store.
        if entries > 0, totals.entries > entries { target.entries = max(lowWater > 0 ? 1 : 0, mark(of: entries)) }
        if freeBytes > 0, let free, free < freeBytes {
            let (eighthMore, isTooMuch) = freeBytes.addingReportingOverflow(freeBytes / 8)
            // Evicting an entry frees its slack too. Without its last blocks, which some volumes count late, it frees as much as it has bytes.
            let share = Double(totals.bytes) / Double(max(1, totals.bytes + max(0, slack)))
            let need = Self.clamped(Double((isTooMuch ? .max : eighthMore) - free) * share)
            target.bytes = min(target.bytes, max(0, totals.bytes - need))
        }
        return target == Totals(entries: .max, bytes: .max) ? nil : target
    }

    /// The target, raised so far that the last stored entries stay, if they are within the limits.
    func sparing(_ stored: Totals, in target: Totals) -> Totals {
        Totals(
            entries: max(target.entries, min(entries, stored.entries)),
            bytes: max(target.bytes, min(bytes, stored.bytes)))
    }

    /// After an eviction that did not reach its target: how much more must be stored before the next attempt. An eighth of the
    /// smallest limit of each kind.
    var step: Totals {
        let least = [bytes, freeBytes].filter { $0 > 0 }.min()
        return Totals(entries: entries > 0 ? entries / 8 : .max / 2, bytes: least.map { $0 / 8 } ?? .max / 2)
    }

    /// A half is computed in integers, which is exact and rounds down.
    private func mark(of limit: Int64) -> Int64 {
        lowWater == 0.5 ? limit / 2 : Self.clamped(Double(limit) * lowWater)
    }

    private static func clamped(_ bytes: Double) -> Int64 { Int64(max(0, min(bytes, 0x1p63.nextDown))) }
}
