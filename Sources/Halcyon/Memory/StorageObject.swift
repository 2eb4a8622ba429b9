internal import Foundation

extension MemoryStorage {
    /// A value in a memory storage.
    final class StorageObject<T>: ExpiringObject {
        let value: T

        init(_ value: T, expiration: StorageExpiration, cost: Int = 0, now: Date = Date()) {
            self.value = value
            super.init(expiration: expiration, cost: cost, now: now)
        }

        var isExpired: Bool { isExpired(at: Date()) }

        func extendExpiration(_ extending: ExpirationExtending = .cacheTime) {
            extendExpiration(extending, from: Date())
        }
    }
}
