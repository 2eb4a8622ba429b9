internal import Foundation

/// The serial queues on which everything happens that no caller waits for.
///
/// A task that is requested again before it has begun runs once. Sweeps and unlinks have queues of their own: one that adopts a
/// million files, and a volume that is slow to give up blocks, must not keep the log from being checkpointed meanwhile.
final class Housekeeping: Sendable {
    enum Task: Hashable, Sendable {
        case checkpoint, checkpointLater, flush, flushLater, unlink, settle, sweep, sweepLater
    }

    let queue = Housekeeping.makeQueue("halcyon.housekeeping")
    let sweepQueue = Housekeeping.makeQueue("halcyon.sweep")
    private let unlinkQueue = Housekeeping.makeQueue("halcyon.unlink")
    private let requested: Locked<Set<Task>> = Locked([])
    private let performer = Locked(Performer())

    /// Not the bare function: each look at one through a generic lock wraps it once more, for good.
    private struct Performer {
        var perform: (@Sendable (Task) -> Void)?
    }

    /// On the system's threads for such work, of which there are about as many as processors. A serial queue without a target has
    /// a thread of its own as soon as there is something to do, however many others there are.
    private static func makeQueue(_ label: String) -> DispatchQueue {
        DispatchQueue(label: label, qos: .utility, target: .global(qos: .utility))
    }

    /// Called once, before anything is requested from another thread.
    func start(_ perform: @escaping @Sendable (Task) -> Void) { performer.withLock { $0.perform = perform } }

    /// Runs a task soon, or after a number of milliseconds.
    func request(_ task: Task, afterMilliseconds delay: Int64 = 0) {
        guard requested.withLock({ $0.insert(task).inserted }) else { return }
        let queue = queue(for: task)
        // A task that is due at once is in its queue when this returns.
        guard delay > 0 else { return queue.async { [self] in run(task) } }
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(clamping: delay))) { [self] in run(task) }
    }

    private func queue(for task: Task) -> DispatchQueue {
        switch task {
        case .sweep, .sweepLater: sweepQueue
        case .unlink: unlinkQueue
        default: queue
        }
    }

    private func run(_ task: Task) {
        requested.withLock { _ = $0.remove(task) }
        performer.withLock { $0 }.perform?(task)
    }

    /// Waits until everything requested before without a delay has run.
    func wait() { whileIdle {} }

    /// As ``wait()``, and does something before anything that is requested later, or was to run later, begins.
    func whileIdle(_ body: () -> Void) { sweepQueue.sync { queue.sync { unlinkQueue.sync(execute: body) } } }

    /// Waits for the unlinks that are under way.
    func waitForUnlinking() { unlinkQueue.sync {} }
}
