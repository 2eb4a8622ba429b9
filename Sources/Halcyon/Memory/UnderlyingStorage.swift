internal import Foundation

extension MemoryStorage {
    /// The objects of a backend, with the function names of `NSCache`.
    ///
    /// The backend does not notice changes made here, nor what limits drop.
    struct UnderlyingStorage<T> {
        let objects: MemoryObjects

        /// The object under a key, expired or not. Does not count as a use.
        func object(forKey key: String) -> StorageObject<T>? {
            objects.object(forKey: MemoryKey(key)).map { unsafeDowncast($0, to: StorageObject<T>.self) }
        }

        func object(forKey key: NSString) -> StorageObject<T>? { object(forKey: key as String) }

        func removeObject(forKey key: String) { objects.drop(MemoryKey(key)) }

        func removeObject(forKey key: NSString) { removeObject(forKey: key as String) }

        var totalCostLimit: Int { objects.limits.totalCost }

        var countLimit: Int { objects.limits.count }
    }
}
