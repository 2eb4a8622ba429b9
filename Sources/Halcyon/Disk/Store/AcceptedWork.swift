internal import Foundation

/// Work that the caches on a directory have accepted and not finished. A suspension affects all of them, so it lets them finish first.
final class AcceptedWork: Sendable {
    /// Calls the given closure once all work accepted so far is done.
    typealias Follow = @Sendable (@escaping @Sendable () -> Void) -> Void

    private let owners: Locked<[(id: ObjectIdentifier, follow: Follow)]> = Locked([])

    func add(of owner: AnyObject, _ follow: @escaping Follow) {
        owners.withLock { $0.append((ObjectIdentifier(owner), follow)) }
    }

    func remove(of owner: AnyObject) {
        // Released after the lock.
        _ = owners.withLock { owners in
            owners.firstIndex { $0.id == ObjectIdentifier(owner) }.map { owners.remove(at: $0) }
        }
    }

    /// A group that becomes empty once all work accepted so far is done.
    ///
    /// Each part of it waits only for work accepted before, so two callers that wait for each other's work both finish.
    func soFar() -> DispatchGroup {
        let group = DispatchGroup()
        for follow in owners.withLock({ $0.map(\.follow) }) {
            group.enter()
            follow { group.leave() }
        }
        return group
    }
}
