internal import Foundation

/// The serial queue on which everything happens that no caller waits for.
///
/// A task that is requested again before it has begun runs once.
final class Housekeeping: Sendable {
    enum Task: Hashable, Sendable { case checkpoint, flush, flushLater, unlink, settle, sweep }

    let queue = DispatchQueue(label: "halcyon.housekeeping", qos: .utility)
    private let requested: Locked<Set<Task>> = Locked([])
    private let perform: Locked<(@Sendable (Task) -> Void)?> = Locked(nil)

    /// Called once, before anything is requested from another thread.
    func start(_ perform: @escaping @Sendable (Task) -> Void) { self.perform.withLock { $0 = perform } }

    /// Runs a task soon, or after a number of milliseconds.
    func request(_ task: Task, afterMilliseconds delay: Int64 = 0) {
        guard requested.withLock({ $0.insert(task).inserted }) else { return }
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(delay))) { [weak self] in self?.run(task) }
    }

    private func run(_ task: Task) {
        requested.withLock { _ = $0.remove(task) }
        perform.withLock { $0 }?(task)
    }

    /// Waits until everything requested before without a delay has run.
    func wait() { queue.sync {} }
}
