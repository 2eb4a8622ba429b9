public import Foundation

/// How long a stored value stays valid.
///
/// A duration that is not a number or not positive means "expired"; one beyond the year 9999 ends with it, and an
/// infinite one is ``never``.
public enum StorageExpiration: Sendable {
    /// Valid until it is removed, or evicted for room. Survives every relaunch.
    case never
    /// Valid for that many seconds from the time of storing.
    case seconds(TimeInterval)
    /// Valid for that many days of 86 400 seconds.
    case days(Int)
    /// Valid until that moment.
    case date(Date)
    /// Not valid at all: storing such a value does nothing.
    case expired

    func estimatedExpirationSince(_ date: Date) -> Date {
        switch self {
        case .never: .distantFuture
        case .seconds(let seconds): date.addingTimeInterval(seconds)
        case .days(let days): date.addingTimeInterval(Self.duration(days: days))
        case .date(let end): end
        case .expired: .distantPast
        }
    }

    var estimatedExpirationSinceNow: Date { estimatedExpirationSince(Date()) }

    var isExpired: Bool { !(timeInterval > 0) }

    /// Seconds from now; infinite for ``never``, minus infinite for ``expired``.
    var timeInterval: TimeInterval {
        switch self {
        case .never: .infinity
        case .seconds(let seconds): seconds
        case .days(let days): Self.duration(days: days)
        case .date(let end): end.timeIntervalSinceNow
        case .expired: -.infinity
        }
    }

    static func duration(days: Int) -> TimeInterval { TimeInterval(days) * TimeInterval(TimeConstants.secondsInOneDay) }
}

enum TimeConstants {
    static let secondsInOneDay = 86_400
}

extension Date {
    var isPast: Bool { isPast(referenceDate: Date()) }

    func isPast(referenceDate: Date) -> Bool { timeIntervalSince(referenceDate) <= 0 }
}
