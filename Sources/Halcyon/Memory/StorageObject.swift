internal import Foundation

extension MemoryStorage {
    /// A value in a memory storage.
    class StorageObject<T>: ExpiringObject {
        /// nil once the system has taken it away, which happens to objects that are kept in the background only.
        #if canImport(Darwin)
            var value: T?
        #else
            final var value: T? { content }
            // An optional of a type that this module does not know would cost a search in the runtime at each read.
            private let content: T
        #endif

        required init(_ value: T, expiration: StorageExpiration, cost: Int = 0, now: Date = Date()) {
            #if canImport(Darwin)
                self.value = value
            #else
                content = value
            #endif
            super.init(expiration: expiration, cost: cost, now: now)
        }

        var isExpired: Bool { isExpired(at: Date()) }

        func extendExpiration(_ extending: ExpirationExtending = .cacheTime) {
            extendExpiration(extending, from: Date())
        }
    }
}
