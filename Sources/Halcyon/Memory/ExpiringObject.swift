internal import Foundation

/// The key, expiration and cost of a stored value of any type.
///
/// Not thread-safe: the lock of its ``MemoryObjects`` guards the expiration and the links.
class ExpiringObject {
    let key: MemoryKey
    /// The policy that it was stored with.
    let expiration: StorageExpiration
    /// The cost at the time of storing; never negative.
    let cost: Int
    private(set) var estimatedExpiration: Date

    // The neighbors in the order of use of ``RecentMemoryObjects``, whose dictionary owns the objects. If the links owned them, the
    // release of a long list would overflow the stack.
    unowned(unsafe) var newer: ExpiringObject?
    unowned(unsafe) var older: ExpiringObject?

    init(key: MemoryKey, expiration: StorageExpiration, cost: Int, now: Date) {
        self.key = key
        self.expiration = expiration
        self.cost = max(0, cost)
        estimatedExpiration = expiration.estimatedExpirationSince(now)
    }

    /// Whether there is still a value. False only if the system has discarded it.
    var hasContent: Bool { true }

    func extendExpiration(_ extending: ExpirationExtending, from now: Date) {
        switch extending {
        case .none: break
        case .cacheTime: estimatedExpiration = expiration.estimatedExpirationSince(now)
        case .expirationTime(let other): estimatedExpiration = other.estimatedExpirationSince(now)
        }
    }

    /// A date that is not a number counts as past.
    func isExpired(at now: Date) -> Bool { !(estimatedExpiration > now) }

    func isUsable(at now: Date) -> Bool { !isExpired(at: now) && hasContent }
}
