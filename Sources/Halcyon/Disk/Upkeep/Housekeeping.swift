internal import Foundation

/// The serial queues for work that no caller waits for.
///
/// A task that is requested again before it has begun runs once. Sweeps and unlinks have their own queues, so that adopting a
/// million files, or a volume that frees blocks slowly, does not delay checkpoints.
final class Housekeeping: Sendable {
    enum Task: Int {
        case checkpoint, checkpointLater, flush, flushLater, unlink, unlinkLater, settle, sweep, sweepLater

        fileprivate var bit: Int { 1 << rawValue }
    }

    let queue = Housekeeping.makeQueue("halcyon.housekeeping")
    let sweepQueue = Housekeeping.makeQueue("halcyon.sweep")
    private let unlinkQueue = Housekeeping.makeQueue("halcyon.unlink")
    /// A bit for each task, because every read requests one.
    private let requested = Locked(0)
    private let performer = Locked(Performer())

    /// A struct, because each access to a bare closure through the generic lock would add another wrapper to it for good.
    private struct Performer {
        var perform: (@Sendable (Task) -> Void)?
    }

    /// Targets the global utility queue, which has about one thread per processor. A serial queue without a target gets its own
    /// thread whenever it has work, however many threads there are.
    private static func makeQueue(_ label: String) -> DispatchQueue {
        DispatchQueue(label: label, qos: .utility, target: .global(qos: .utility))
    }

    /// Call once, before another thread requests a task.
    func start(_ perform: @escaping @Sendable (Task) -> Void) { performer.withLock { $0.perform = perform } }

    /// Runs a task soon, or after a number of milliseconds.
    func request(_ task: Task, afterMilliseconds delay: Int64 = 0) {
        let isRequested = requested.withLock { requested in
            defer { requested |= task.bit }
            return requested & task.bit != 0
        }
        if isRequested { return }
        let queue = queue(for: task)
        // Not `asyncAfter`: `wait` relies on such a task being in its queue when this returns.
        guard delay > 0 else { return queue.async { [self] in run(task) } }
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(clamping: delay))) { [self] in run(task) }
    }

    private func queue(for task: Task) -> DispatchQueue {
        switch task {
        case .sweep, .sweepLater: sweepQueue
        case .unlink, .unlinkLater: unlinkQueue
        default: queue
        }
    }

    private func run(_ task: Task) {
        requested.withLock { $0 &= ~task.bit }
        performer.withLock { $0 }.perform?(task)
    }

    /// Waits until all tasks requested so far without a delay have run.
    func wait() { whileIdle {} }

    /// Like ``wait()``, then runs `body` before any later or delayed task begins.
    func whileIdle(_ body: () -> Void) { sweepQueue.sync { queue.sync { unlinkQueue.sync(execute: body) } } }
}
