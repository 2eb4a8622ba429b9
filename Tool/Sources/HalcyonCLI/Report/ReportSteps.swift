internal import Foundation
@_spi(HalcyonTool) package import Halcyon

/// A step of a histogram: a label in two short lines, and a description.
package struct StepLabel: Equatable, Sendable {
    package let upper: String
    package let lower: String
    package let words: String

    package init(_ upper: String, _ lower: String, _ words: String) {
        self.upper = upper
        self.lower = lower
        self.words = words
    }
}

/// The histogram steps of a report.
package enum ReportSteps {
    private static let hour: Int64 = 3_600_000
    private static let day = 24 * hour

    /// The milliseconds at which the second, third … step begins.
    package static let ages = [hour, 6 * hour, day, 3 * day, 7 * day, 30 * day, 90 * day]

    package static let ageLabels = [
        StepLabel("< 1", "hour", "less than an hour"), StepLabel("1–6", "hours", "1 to 6 hours"),
        StepLabel("6–24", "hours", "6 to 24 hours"), StepLabel("1–3", "days", "1 to 3 days"),
        StepLabel("3–7", "days", "3 to 7 days"), StepLabel("7–30", "days", "7 to 30 days"),
        StepLabel("30–90", "days", "30 to 90 days"), StepLabel("> 90", "days", "more than 90 days"),
    ]

    /// The bytes at which the second, third … step begins.
    package static let sizes: [Int64] = [1_000, 10_000, 50_000, 200_000, 1_000_000, 5_000_000]

    package static let sizeLabels = [
        StepLabel("< 1", "kB", "less than 1 kB"), StepLabel("1–10", "kB", "1 to 10 kB"),
        StepLabel("10–50", "kB", "10 to 50 kB"), StepLabel("50–200", "kB", "50 to 200 kB"),
        StepLabel("0.2–1", "MB", "200 kB to 1 MB"), StepLabel("1–5", "MB", "1 to 5 MB"),
        StepLabel("> 5", "MB", "5 MB and more"),
    ]

    /// The last milliseconds of today and of the next six days, in the user's time zone.
    package static func daysEnds(from now: Timestamp) -> [Timestamp] {
        (1...7).map { Timestamp(milliseconds: midnight(after: $0, from: now).milliseconds - 1) }
    }

    /// Labels: expired, each of seven days, later, never.
    package static func expirationLabels(from now: Timestamp) -> [StepLabel] {
        [StepLabel("past", "", "expired already"), StepLabel("today", "", "later today")]
            + (1...6).map { dayLabel(midnight(after: $0, from: now)) }
            + [StepLabel("later", "", "later"), StepLabel("never", "", "never")]
    }

    /// Uses the C library, because days may have 23 hours.
    private static func midnight(after days: Int, from now: Timestamp) -> Timestamp {
        var parts = localParts(of: now)
        (parts.tm_hour, parts.tm_min, parts.tm_sec, parts.tm_isdst) = (0, 0, 0, -1)
        parts.tm_mday += Int32(days)
        return Timestamp(milliseconds: Int64(mktime(&parts)) * 1000)
    }

    private static func dayLabel(_ time: Timestamp) -> StepLabel {
        let parts = localParts(of: time)
        let name = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][Int(parts.tm_wday) % 7]
        return StepLabel(name, String(parts.tm_mday), "\(name), \(DateText.local(time).prefix(10))")
    }

    private static func localParts(of time: Timestamp) -> tm {
        var seconds = time_t(time.milliseconds / 1000)
        var parts = tm()
        localtime_r(&seconds, &parts)
        return parts
    }

    /// The user's current time zone: `UTC+01:00`.
    package static func zone(at now: Timestamp) -> String {
        let minutes = localParts(of: now).tm_gmtoff / 60
        func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (hours, rest) = (abs(minutes) / 60, abs(minutes) % 60)
        return minutes == 0 ? "UTC" : "UTC\(minutes < 0 ? "−" : "+")\(digits(hours)):\(digits(rest))"
    }
}
