internal import Foundation

/// Keeps the store of a directory for all its users. Without a lease, the store's housekeeping stops.
///
/// Weak references point to the lease, because the first one makes reference counting of an object slower, and a lookup retains the
/// store about ten times.
final class StoreLease: Sendable {
    let store: EntryStore

    private init(_ store: EntryStore) {
        self.store = store
        store.housekeeping.start { [weak self] task in self?.store.perform(task) }
    }

    deinit {
        let id = ObjectIdentifier(self)
        Self.registry.withLock { $0.leases.removeAll { $0.id == id } }
    }

    /// The store of a directory: the one that is open in this process, or a new one.
    ///
    /// Two stores on one directory would work, like two processes. A shared one sees the pending notes of all its users and holds
    /// half as many connections.
    static func shared(directory: String, environment: StorageEnvironment) -> StoreLease {
        ExitHandler.register()
        return registry.withLock { registry in
            if registry.process != getpid() { registry = Registry() }
            if environment.isShared, let open = registry.lease(of: directory) { return open }
            let lease = StoreLease(EntryStore(directory: directory, environment: environment))
            registry.leases.append(
                .init(id: ObjectIdentifier(lease), directory: environment.isShared ? directory : nil, lease: lease))
            return lease
        }
    }

    /// All leases of this process; nil if another thread holds their lock for longer than the timeout.
    static func all(within seconds: Double) -> [StoreLease]? {
        registry.withLock(within: seconds) { registry in
            registry.process == getpid() ? registry.leases.compactMap(\.lease) : []
        }
    }

    private struct Registry {
        /// The process that owns the connections. A child of `fork` has copies, and must not use them.
        let process = getpid()
        var leases: [Weak] = []

        /// Compares bytes: on most volumes of Linux, paths that are canonically equal lead to different directories.
        /// Elsewhere, such paths get two stores.
        ///
        /// Reads no weak reference that it does not return: the release of the last strong one needs the lock.
        func lease(of directory: String) -> StoreLease? {
            for entry in leases where entry.directory.map({ $0.utf8.elementsEqual(directory.utf8) }) == true {
                if let lease = entry.lease { return lease }
            }
            return nil
        }
    }

    private struct Weak {
        let id: ObjectIdentifier
        /// nil if the store is not shared.
        let directory: String?
        weak var lease: StoreLease?
    }

    private static let registry = Locked(Registry())
}
