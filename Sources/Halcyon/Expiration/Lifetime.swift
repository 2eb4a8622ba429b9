/// The meaning of a ``StorageExpiration`` at a moment: when an entry expires, and how long it lives.
@_spi(HalcyonTool) public struct Lifetime: Equatable, Sendable {
    /// nil if it never expires.
    public let expiresAt: Timestamp?
    /// The milliseconds that a read with ``ExpirationExtending/cacheTime`` restarts. nil if the entry never expires; if it does,
    /// nil means that no read extends it.
    package let timeToLive: Int64?

    package init(expiresAt: Timestamp?, timeToLive: Int64?) {
        self.expiresAt = expiresAt
        self.timeToLive = timeToLive
    }

    public static let never = Lifetime(expiresAt: nil, timeToLive: nil)

    package init(_ expiration: StorageExpiration, from now: Timestamp) {
        // Expired at any time, even if the clock is set back. Also if the duration is not a number.
        var end = Timestamp(milliseconds: 0)
        let seconds = expiration.timeInterval
        if case .date(let date) = expiration {
            end = Timestamp(date)
        } else if seconds == .infinity {
            self = .never
            return
        } else if seconds > 0 {
            let milliseconds = min((seconds * 1000).rounded(.up), Double(Timestamp.latest.milliseconds))
            end = now.advanced(by: Int64(milliseconds))
        }
        self.init(expiresAt: end, timeToLive: max(0, end - now))
    }

    /// The same expiration, but no read extends it.
    var fixed: Lifetime { Lifetime(expiresAt: expiresAt, timeToLive: nil) }

    /// Whether no read extends it.
    var isFixed: Bool { expiresAt != nil && timeToLive == nil }

    package func isExpired(at now: Timestamp) -> Bool { expiresAt.map { $0 <= now } ?? false }

    /// The lifetime after a read at `now`; nil if the read changes nothing.
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
