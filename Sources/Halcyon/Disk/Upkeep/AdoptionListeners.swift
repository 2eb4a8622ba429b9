/// Callbacks for the progress of an adoption.
final class AdoptionListeners: Sendable {
    /// Called with the progress, and with nil at the end.
    typealias Listener = @Sendable (AdoptionProgress?) -> Void

    private let listeners: Locked<[Listener]> = Locked([])

    func add(_ listener: @escaping Listener) { listeners.withLock { $0.append(listener) } }

    func tell(_ progress: AdoptionProgress) {
        // Outside the lock: a listener may call back into the cache.
        for listener in listeners.withLock({ $0 }) { listener(progress) }
    }

    func finish() {
        for listener in listeners.replace(with: []) { listener(nil) }
    }
}
