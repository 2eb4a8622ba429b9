internal import Foundation

/// Keeps the store of a directory for all its users. Without a lease, the store's housekeeping stops.
///
/// Weak references point to the lease, because the first one makes reference counting of an object slower, and a lookup retains the
/// store about ten times.
final class StoreLease: Sendable {
    let store: EntryStore

    init(_ store: EntryStore) {
        self.store = store
        store.housekeeping.start { [weak self] task in self?.store.perform(task) }
        ExitHandler.add(self)
    }

    deinit { ExitHandler.remove(self) }

    /// The store of a directory: the one that is open in this process, or a new one.
    ///
    /// Two stores on one directory would work, like two processes. A shared one sees the pending notes of all its users and holds
    /// half as many connections.
    static func shared(directory: String, environment: StorageEnvironment) -> StoreLease {
        func new() -> StoreLease { StoreLease(EntryStore(directory: directory, environment: environment)) }
        guard environment.isShared else { return new() }
        // Reading a weak reference may yield the last strong one, whose release closes the store: release them after the lock.
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
