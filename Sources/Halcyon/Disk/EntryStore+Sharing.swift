internal import Foundation

extension EntryStore {
    /// The store of a folder: the one that is open in this process already, or a new one.
    ///
    /// Two of them on one folder would work, as two processes do; one sees its own pending notes and holds half as many
    /// connections.
    package static func shared(directory: String, environment: StorageEnvironment) -> EntryStore {
        guard environment.isShared else { return EntryStore(directory: directory, environment: environment) }
        return registry.withLock { registry in
            if let open = registry[directory]?.store { return open }
            let store = EntryStore(directory: directory, environment: environment)
            registry = registry.filter { $0.value.store != nil }
            registry[directory] = WeakStore(store: store)
            return store
        }
    }

    /// Closes the store of a folder that is about to move.
    static func closeShared(directory: String) { registry.withLock { $0[directory]?.store }?.close() }

    private struct WeakStore {
        weak var store: EntryStore?
    }

    private static let registry: Locked<[String: WeakStore]> = Locked([:])
}
