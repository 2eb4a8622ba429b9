internal import Foundation

/// Holds the store of a folder for all who use it; when nobody holds this any more, nobody does the store's housekeeping either.
///
/// Weak references are to this, because from the first one on an object is counted the slow way, and a lookup counts the store
/// some ten times.
final class StoreLease: Sendable {
    let store: EntryStore

    init(_ store: EntryStore) {
        self.store = store
        store.housekeeping.start { [weak self] task in self?.store.perform(task) }
        ExitHandler.add(self)
    }

    deinit { ExitHandler.remove(self) }

    /// The store of a folder: the one that is open in this process already, or a new one.
    ///
    /// Two of them on one folder would work, as two processes do; one sees its own pending notes and holds half as many
    /// connections.
    static func shared(directory: String, environment: StorageEnvironment) -> StoreLease {
        func new() -> StoreLease { StoreLease(EntryStore(directory: directory, environment: environment)) }
        guard environment.isShared else { return new() }
        // Whoever looks at a weak reference may be the last one to hold what it is to, and closes it: after the lock.
        var held: [StoreLease] = []
        defer { withExtendedLifetime(held) {} }
        return registry.withLock { registry in
            if let open = registry[directory]?.lease { return open }
            let lease = new()
            registry = registry.filter { entry in
                guard let lease = entry.value.lease else { return false }
                held.append(lease)
                return true
            }
            registry[directory] = Weak(lease: lease)
            return lease
        }
    }

    private struct Weak {
        weak var lease: StoreLease?
    }

    private static let registry: Locked<[String: Weak]> = Locked([:])
}
