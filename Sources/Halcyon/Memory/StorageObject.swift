internal import Foundation

extension MemoryStorage {
    /// A value in a memory storage.
    class StorageObject<T>: ExpiringObject {
        /// nil once the system has discarded it, which happens only to objects that are kept in the background.
        #if canImport(Darwin)
            var value: T?
        #else
            final var value: T? { content }
            // Not optional: for a type from another module, reading an optional would need a runtime lookup each time.
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
