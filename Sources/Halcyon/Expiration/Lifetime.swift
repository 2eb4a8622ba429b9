internal import Foundation

/// When an entry expires and how long it lives: what a ``StorageExpiration`` means at a moment.
@_spi(HalcyonTool) public struct Lifetime: Equatable, Sendable {
    /// nil: never.
    public let expiresAt: Timestamp?
    /// Milliseconds that a read begins again with ``ExpirationExtending/cacheTime``. nil: never expires; beside a time when it does, no
    /// read moves that.
    package let timeToLive: Int64?

    package init(expiresAt: Timestamp?, timeToLive: Int64?) {
        self.expiresAt = expiresAt
        self.timeToLive = timeToLive
    }

    public static let never = Lifetime(expiresAt: nil, timeToLive: nil)

    /// Expired at any time, also once the clock is put back.
    private static let over = Lifetime(expiresAt: Timestamp(milliseconds: 0), timeToLive: 0)

    package init(_ expiration: StorageExpiration, from now: Timestamp) {
        switch expiration {
        case .never: self = .never
        case .expired: self = .over
        case .seconds(let seconds): self.init(seconds: seconds, from: now)
        case .days(let days): self.init(seconds: StorageExpiration.duration(days: days), from: now)
        case .date(let date): self.init(until: Timestamp(date), from: now)
        }
    }

    private init(until end: Timestamp, from now: Timestamp) {
        self.init(expiresAt: end, timeToLive: max(0, end - now))
    }

    private init(seconds: TimeInterval, from now: Timestamp) {
        guard seconds != .infinity else {
            self = .never
            return
        }
        let latest = Double(Timestamp.latest.milliseconds)
        // A comparison with not-a-number is false: it ends up as zero, which is "expired".
        guard seconds > 0 else {
            self = .over
            return
        }
        self.init(until: now.advanced(by: Int64(min((seconds * 1000).rounded(.up), latest))), from: now)
    }

    package func isExpired(at now: Timestamp) -> Bool { expiresAt.map { $0 <= now } ?? false }

    /// The lifetime after a read at `now`; nil when the read changes nothing.
    package func extended(by extending: ExpirationExtending, at now: Timestamp) -> Lifetime? {
        guard expiresAt == nil || timeToLive != nil else { return nil }
        switch extending {
        case .none: return nil
        case .expirationTime(let expiration): return Lifetime(expiration, from: now)
        case .cacheTime:
            guard let timeToLive else { return nil }
            return Lifetime(expiresAt: now.advanced(by: timeToLive), timeToLive: timeToLive)
        }
    }
}
