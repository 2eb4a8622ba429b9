internal import Foundation

/// The three date formats of HTTP (RFC 9110, section 5.6.7).
enum HTTPDate {
    private static let formatters: [DateFormatter] = [
        "EEE, dd MMM yyyy HH:mm:ss 'GMT'", "EEEE, dd-MMM-yy HH:mm:ss 'GMT'", "EEE MMM d HH:mm:ss yyyy",
    ].map { format in
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = format
        // A two-digit year more than fifty years ahead belongs to the previous century.
        formatter.twoDigitStartDate = Date(timeIntervalSinceNow: -50 * 365.25 * 86_400)
        return formatter
    }

    static func date(_ text: String) -> Date? {
        // The day of the month may be padded with a space.
        let text = text.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
        for formatter in formatters {
            if let date = formatter.date(from: text) { return date }
        }
        return nil
    }
}
