internal import Dispatch

/// A time on the system's monotonic clock. Setting the system time does not change it, and it stops while the system sleeps.
///
/// The standard library's `ContinuousClock` needs iOS 16 and macOS 13.
package struct MonotonicTime: Comparable, Sendable {
    private let nanoseconds: UInt64

    package static var now: MonotonicTime { MonotonicTime(nanoseconds: DispatchTime.now().uptimeNanoseconds) }

    /// Whole milliseconds since the machine started, excluding sleep.
    package var uptime: Int64 { Int64(nanoseconds / 1_000_000) }

    /// Whole milliseconds from `other` to this time, rounded down; 0 if `other` is later.
    package func milliseconds(since other: MonotonicTime) -> Int {
        Int(clamping: nanoseconds(since: other) / 1_000_000)
    }

    private func nanoseconds(since other: MonotonicTime) -> UInt64 {
        nanoseconds > other.nanoseconds ? nanoseconds - other.nanoseconds : 0
    }

    /// Counts a negative number of milliseconds as 0.
    package func adding(milliseconds: Int) -> MonotonicTime {
        let (product, isTooLarge) = UInt64(max(0, milliseconds)).multipliedReportingOverflow(by: 1_000_000)
        let (sum, isTooLate) = nanoseconds.addingReportingOverflow(product)
        return MonotonicTime(nanoseconds: isTooLarge || isTooLate ? .max : sum)
    }

    /// Seconds until this time; 0 once it has passed.
    package var secondsLeft: Double { Double(nanoseconds(since: .now)) / 1e9 }

    package static func < (left: MonotonicTime, right: MonotonicTime) -> Bool { left.nanoseconds < right.nanoseconds }
}
