internal import Foundation

/// The observers of a directory's events, one for each storage of this process.
final class Observers: Sendable {
    typealias Observer = @Sendable (DiskStorage.Event) -> Void

    private struct Registration: Sendable {
        let observer: Observer
        let seesKeys: Bool
    }

    private let registrations = Locked<[ObjectIdentifier: Registration]>([:])
    private let queue = DispatchQueue(label: "halcyon.observers", qos: .utility)

    func set(_ observer: Observer?, seesKeys: Bool, for storage: ObjectIdentifier) {
        var registration = observer.map { Registration(observer: $0, seesKeys: seesKeys) }
        // The former one is released after the lock, because its deinit may call back.
        registrations.withLock { swap(&$0[storage], &registration) }
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
        for registration in registrations.values { registration.observer(registration.seesKeys ? event : anonymous) }
    }
}
