/// From where on entries are evicted, and down to where. 0: no such limit.
@_spi(HalcyonTool) public struct StorageLimits: Equatable, Sendable {
    /// Bytes of blobs that are already too many.
    public var bytes: Int64 = 0
    /// Entries that are not yet too many.
    public var entries: Int64 = 0
    /// Bytes that the volume should have left.
    public var freeBytes: Int64 = 0
    /// The part of a limit that is left by an eviction.
    public var lowWater = 0.5

    public init(bytes: Int64 = 0, entries: Int64 = 0, freeBytes: Int64 = 0, lowWater: Double = 0.5) {
        self.bytes = max(0, bytes)
        self.entries = max(0, entries)
        self.freeBytes = max(0, freeBytes)
        self.lowWater = lowWater.isFinite ? min(1, max(0, lowWater)) : 0.5
    }

    var isUnlimited: Bool { bytes == 0 && entries == 0 && freeBytes == 0 }

    /// What is to be left; nil while no limit is reached.
    ///
    /// A volume that runs out of room gets an eighth more than it should have left, so that not every store evicts.
    ///
    /// - Parameter freeBytes: of the volume; nil where that is not known.
    package func target(_ totals: Totals, freeBytes free: Int64?) -> Totals? {
        var target = Totals(entries: .max, bytes: .max)
        if bytes > 0, totals.bytes >= bytes { target.bytes = lowWaterMark.bytes }
        if entries > 0, totals.entries > entries { target.entries = lowWaterMark.entries }
        if freeBytes > 0, let free, free < freeBytes {
            let (eighthMore, isTooMuch) = freeBytes.addingReportingOverflow(freeBytes / 8)
            let need = (isTooMuch ? .max : eighthMore) - free
            target.bytes = min(target.bytes, max(0, totals.bytes - need))
        }
        return target == Totals(entries: .max, bytes: .max) ? nil : target
    }

    /// What an eviction for want of bytes or entries leaves.
    var lowWaterMark: Totals {
        Totals(entries: entries > 0 ? mark(of: entries) : .max, bytes: bytes > 0 ? mark(of: bytes) : .max)
    }

    /// How much more has to come, after an eviction that did not get far enough, before the next one is worth its search: an
    /// eighth of the smallest limit of a kind.
    var step: Totals {
        let least = [bytes, freeBytes].filter { $0 > 0 }.min()
        return Totals(entries: entries > 0 ? entries / 8 : .max / 2, bytes: least.map { $0 / 8 } ?? .max / 2)
    }

    /// Half of an odd limit is rounded down, as it always was.
    private func mark(of limit: Int64) -> Int64 {
        lowWater == 0.5 ? limit / 2 : Int64(min(Double(limit) * lowWater, 0x1p63.nextDown))
    }
}

extension Totals {
    /// More than any cache holds, and less than a sum of a few could not be told.
    package static let limit: Int64 = 1 << 60

    static func + (left: Self, right: Self) -> Self {
        Totals(entries: left.entries &+ right.entries, bytes: left.bytes &+ right.bytes)
    }
}
