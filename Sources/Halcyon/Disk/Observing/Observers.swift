internal import Foundation

/// The observers of a directory's events, one for each storage of this process.
final class Observers: Sendable {
    typealias Observer = @Sendable (DiskStorage.Event) -> Void

    private struct Registration: Sendable {
        let storage: ObjectIdentifier
        let observer: Observer
        let seesKeys: Bool
    }

    private let registrations = Locked<[Registration]>([])
    private let queue = DispatchQueue(label: "halcyon.observers", qos: .utility)

    func set(_ observer: Observer?, seesKeys: Bool, for storage: ObjectIdentifier) {
        let registration = observer.map { Registration(storage: storage, observer: $0, seesKeys: seesKeys) }
        // The former one is released after the lock, because its deinit may call back.
        _ = registrations.withLock { registrations in
            defer { if let registration { registrations.append(registration) } }
            return registrations.firstIndex { $0.storage == storage }.map { registrations.remove(at: $0) }
        }
    }

    /// Like ``tell(_:)``, on another thread. For callers that hold the index's locks, because an observer may call the storage.
    func notifyLater(_ event: DiskStorage.Event) { queue.async { self.tell(event) } }

    /// Call it without any lock.
    func tell(_ event: @autoclosure () -> DiskStorage.Event) {
        let registrations = registrations.withLock { $0 }
        guard !registrations.isEmpty else { return }
        let event = event()
        var anonymous = event
        anonymous.key = nil
        // Its calls, and its tasks, are the app's.
        EntryIndex.opening.withValue(.any) {
            LockTimeout.patiently {
                for registration in registrations { registration.observer(registration.seesKeys ? event : anonymous) }
            }
        }
    }
}
