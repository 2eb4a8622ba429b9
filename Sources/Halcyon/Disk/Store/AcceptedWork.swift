internal import Foundation

/// What the caches on a folder have accepted and not done yet. A suspension, which counts for all of them, lets them do it first.
final class AcceptedWork: Sendable {
    /// Calls what it is given once all that has been accepted so far is done.
    typealias Follow = @Sendable (@escaping @Sendable () -> Void) -> Void

    private let owners: Locked<[ObjectIdentifier: Follow]> = Locked([:])

    func add(of owner: AnyObject, _ follow: @escaping Follow) {
        let owner = ObjectIdentifier(owner)
        owners.withLock { $0[owner] = follow }
    }

    func remove(of owner: AnyObject) {
        let owner = ObjectIdentifier(owner)
        // Released after the lock.
        _ = owners.withLock { $0.removeValue(forKey: owner) }
    }

    /// A group that is empty once all that has been accepted until now is done.
    ///
    /// Each part of it waits only for what was accepted before it, so two who wait for each other's come to an end.
    func soFar() -> DispatchGroup {
        let group = DispatchGroup()
        for follow in owners.withLock({ Array($0.values) }) {
            group.enter()
            follow { group.leave() }
        }
        return group
    }
}
