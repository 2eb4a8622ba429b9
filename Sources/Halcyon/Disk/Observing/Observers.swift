internal import Foundation

/// Those that want to be told of a folder's events, each by a storage of this process.
final class Observers: Sendable {
    typealias Observer = @Sendable (DiskStorage.Event) -> Void

    private struct Registration: Sendable {
        let observer: Observer
        let seesKeys: Bool
    }

    private let registrations = Locked<[ObjectIdentifier: Registration]>([:])
    private let queue = DispatchQueue(label: "halcyon.observers", qos: .utility)

    func set(_ observer: Observer?, seesKeys: Bool, for storage: ObjectIdentifier) {
        let registration = observer.map { Registration(observer: $0, seesKeys: seesKeys) }
        // What is released may come back: after the lock.
        let former = registrations.withLock { all in
            let former = all[storage]
            all[storage] = registration
            return former
        }
        withExtendedLifetime(former) {}
    }

    /// As ``tell(_:)``, from another thread: where the index's locks are held. An observer may call the storage.
    func tellLater(_ event: DiskStorage.Event) { queue.async { self.tell(event) } }

    /// Called without any lock.
    func tell(_ event: @autoclosure () -> DiskStorage.Event) {
        let registrations = registrations.withLock { $0 }
        guard !registrations.isEmpty else { return }
        let event = event()
        var anonymous = event
        anonymous.key = nil
        for registration in registrations.values { registration.observer(registration.seesKeys ? event : anonymous) }
    }
}
