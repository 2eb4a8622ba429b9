public import Foundation

/// How long a stored value stays valid.
///
/// A duration that is not a number or not positive means "expired". One beyond the year 9999 is cut there, and an infinite one is
/// ``never``.
public enum StorageExpiration: Sendable {
    /// Valid until it is removed or evicted, across launches.
    case never
    /// Valid for a number of seconds after the store, or after the last read that extends it.
    case seconds(TimeInterval)
    /// Like ``seconds(_:)``, in days of 86,400 seconds.
    case days(Int)
    /// Valid until a date. On disk, a read that extends it restarts the time from the store to that date, unless the entry has
    /// ``DiskStorage/EntryAttributes/keepsExpiration``. In memory, the date stays.
    case date(Date)
    /// Never valid. Storing such a value does nothing, except that an ``ImageCache`` removes the image in memory under its key.
    case expired

    func estimatedExpirationSince(_ date: Date) -> Date {
        switch self {
        case .never: .distantFuture
        case .seconds, .days: date.addingTimeInterval(timeInterval)
        case .date(let end): end
        case .expired: .distantPast
        }
    }

    var estimatedExpirationSinceNow: Date { estimatedExpirationSince(Date()) }

    var isExpired: Bool { !(timeInterval > 0) }

    /// Seconds from now; infinity for ``never``, negative infinity for ``expired``.
    var timeInterval: TimeInterval {
        switch self {
        case .never: .infinity
        case .seconds(let seconds): seconds
        case .days(let days): TimeInterval(days) * TimeInterval(TimeConstants.secondsInOneDay)
        case .date(let end): end.timeIntervalSinceNow
        case .expired: -.infinity
        }
    }
}

enum TimeConstants {
    static let secondsInOneDay = 86_400
}

extension Date {
    var isPast: Bool { isPast(referenceDate: Date()) }

    func isPast(referenceDate: Date) -> Bool { timeIntervalSince(referenceDate) <= 0 }
}
