public import Foundation

/// A moment in whole milliseconds since 1970, as the index stores it.
@_spi(HalcyonTool) public struct Timestamp: Hashable, Comparable, Sendable {
    public let milliseconds: Int64

    /// The last millisecond of the year 9999, the limit of SQLite's date functions.
    package static let latest = Timestamp(milliseconds: 253_402_300_799_999)

    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Rounds up, so that no entry expires early, and clamps to 1970 and ``latest``.
    ///
    /// A `Date` counts seconds from 2001, so it represents few milliseconds exactly. A date that exceeds a millisecond only in
    /// its last bits is not rounded up, so ``date`` converts back to the same timestamp.
    public init(_ date: Date) {
        let value = min(date.timeIntervalSince1970 * 1000, Double(Self.latest.milliseconds))
        let whole = (value - max(4 * value.ulp, 0.0005)).rounded(.up)
        // Not-a-number and values before 1970 become 1970.
        milliseconds = whole > 0 ? Int64(whole) : 0
    }

    /// Rounds down, so that an entry is valid at a date less than a millisecond before it expires.
    init(reference date: Date) {
        let rounded = Timestamp(date)
        self = rounded.date.timeIntervalSince(date) > 0.000_001 ? rounded.advanced(by: -1) : rounded
    }

    public var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

    public func advanced(by duration: Int64) -> Timestamp {
        let (sum, overflow) = milliseconds.addingReportingOverflow(duration)
        return overflow ? .latest : min(.latest, Timestamp(milliseconds: sum))
    }

    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

    /// The milliseconds between two moments; the largest number on overflow.
    public static func - (left: Timestamp, right: Timestamp) -> Int64 {
        let (difference, overflow) = left.milliseconds.subtractingReportingOverflow(right.milliseconds)
        return overflow ? .max : difference
    }
}
