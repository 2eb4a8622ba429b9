public import Foundation

/// A moment in whole milliseconds since 1970, as the index stores it.
@_spi(HalcyonTool) public struct Timestamp: Hashable, Comparable, Sendable {
    public let milliseconds: Int64

    /// The last millisecond of the year 9999: what SQLite's date functions can still show.
    package static let latest = Timestamp(milliseconds: 253_402_300_799_999)

    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Rounds up, so that nothing expires early, and stops at 1970 and ``latest``.
    ///
    /// A `Date` counts from 2001 in seconds, and so holds few milliseconds exactly: what is beyond one in the last bits alone is
    /// that one, and ``date`` of a moment is that moment again.
    public init(_ date: Date) {
        let value = min(date.timeIntervalSince1970 * 1000, Double(Self.latest.milliseconds))
        self.init(clampingMilliseconds: (value - max(4 * value.ulp, 0.0005)).rounded(.up))
    }

    /// Takes any number: not-a-number and what lies before 1970 become 1970.
    private init(clampingMilliseconds value: Double) {
        let latest = Self.latest.milliseconds
        milliseconds = value >= Double(latest) ? latest : value > 0 ? Int64(value) : 0
    }

    public var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

    public func advanced(by duration: Int64) -> Timestamp {
        let (sum, overflow) = milliseconds.addingReportingOverflow(duration)
        return overflow ? .latest : min(.latest, Timestamp(milliseconds: sum))
    }

    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

    /// Milliseconds between two moments; the largest number for what no clock can say.
    public static func - (left: Timestamp, right: Timestamp) -> Int64 {
        let (difference, overflow) = left.milliseconds.subtractingReportingOverflow(right.milliseconds)
        return overflow ? .max : difference
    }
}
