internal import Foundation

/// What the memory storage has to know of a stored value, whatever its type: when it expires, and what it costs.
///
/// Not thread-safe: its expiration belongs to the lock of the ``MemoryObjects`` it is in.
class ExpiringObject {
    /// The policy it was stored with.
    let expiration: StorageExpiration
    /// The cost at the time of storing; never negative.
    let cost: Int
    private(set) var estimatedExpiration: Date

    init(expiration: StorageExpiration, cost: Int, now: Date) {
        self.expiration = expiration
        self.cost = max(0, cost)
        estimatedExpiration = expiration.estimatedExpirationSince(now)
    }

    /// Whether there is still a value. Only what the system may take away says no.
    var hasContent: Bool { true }

    func extendExpiration(_ extending: ExpirationExtending, from now: Date) {
        switch extending {
        case .none: break
        case .cacheTime: estimatedExpiration = expiration.estimatedExpirationSince(now)
        case .expirationTime(let other): estimatedExpiration = other.estimatedExpirationSince(now)
        }
    }

    /// A date that is not a number is past.
    func isExpired(at now: Date) -> Bool { !(estimatedExpiration > now) }

    func isUsable(at now: Date) -> Bool { !isExpired(at: now) && hasContent }
}
