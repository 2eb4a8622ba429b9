internal import Foundation
@_spi(HalcyonTool) package import Halcyon

/// Dates as text.
///
/// Does not use `DateFormatter`, which takes longer for one date than reading its row.
package enum DateText {
    /// `2026-11-21 07:30:12`, in the user's time zone.
    package static func local(_ time: Timestamp) -> String {
        var seconds = time_t(floorSeconds(time))
        var parts = tm()
        localtime_r(&seconds, &parts)
        return "\(day(parts)) \(clock(parts))"
    }

    /// `2026-11-21T06:30:12.000Z`: ISO 8601 in UTC, with milliseconds.
    package static func iso8601(_ time: Timestamp) -> String {
        var seconds = time_t(floorSeconds(time))
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let milliseconds = time.milliseconds - floorSeconds(time) * 1000
        return "\(day(parts))T\(clock(parts)).\(padded(Int(milliseconds), 3))Z"
    }

    private static func floorSeconds(_ time: Timestamp) -> Int64 {
        (time.milliseconds - (time.milliseconds < 0 ? 999 : 0)) / 1000
    }

    private static func day(_ parts: tm) -> String {
        "\(padded(Int(parts.tm_year) + 1900, 4))-\(padded(Int(parts.tm_mon) + 1, 2))-\(padded(Int(parts.tm_mday), 2))"
    }

    private static func clock(_ parts: tm) -> String {
        "\(padded(Int(parts.tm_hour), 2)):\(padded(Int(parts.tm_min), 2)):\(padded(Int(parts.tm_sec), 2))"
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
