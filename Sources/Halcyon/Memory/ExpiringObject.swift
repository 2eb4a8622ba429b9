internal import Foundation

/// The expiration and cost of a stored value of any type.
///
/// Not thread-safe: the lock of its ``MemoryObjects`` guards the expiration.
class ExpiringObject {
    /// The policy that it was stored with.
    let expiration: StorageExpiration
    /// The cost at the time of storing; never negative.
    let cost: Int
    private(set) var estimatedExpiration: Date

    init(expiration: StorageExpiration, cost: Int, now: Date) {
        self.expiration = expiration
        self.cost = max(0, cost)
        estimatedExpiration = expiration.estimatedExpirationSince(now)
    }

    func extendExpiration(_ extending: ExpirationExtending, from now: Date) {
        switch extending {
        case .none: break
        case .cacheTime: estimatedExpiration = expiration.estimatedExpirationSince(now)
        case .expirationTime(let other): estimatedExpiration = other.estimatedExpirationSince(now)
        }
    }

    /// A date that is not a number counts as past.
    func isExpired(at now: Date) -> Bool { !(estimatedExpiration > now) }
}
