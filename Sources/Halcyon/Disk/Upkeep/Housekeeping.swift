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

    /// Tasks that run one at a time.
    final class Lane: Sendable {
        let queue: DispatchQueue
        /// Held while a task runs, on the queue or on a thread that waits for it.
        fileprivate let turn = NSLock()

        /// Targets the global utility queue, which has about one thread per processor. A serial queue without a target gets its own
        /// thread whenever it has work, however many threads there are.
        fileprivate init(_ label: String) {
            queue = DispatchQueue(label: label, qos: .utility, target: .global(qos: .utility))
        }

        func async(_ body: @escaping @Sendable () -> Void) { queue.async { [turn] in turn.withLock(body) } }
    }

    let main = Lane("halcyon.housekeeping")
    let sweeps = Lane("halcyon.sweep")
    private let unlinks = Lane("halcyon.unlink")
    /// A bit for each task, because every read requests one.
    private let requested = Locked(0)
    private let performer = Locked(Performer())

    /// A struct, because each access to a bare closure through the generic lock would add another wrapper to it for good.
    private struct Performer {
        var perform: (@Sendable (Task) -> Void)?
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
        let queue = lane(of: task).queue
        guard delay > 0 else { return queue.async { [self] in run(task) } }
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(clamping: delay))) { [self] in run(task) }
    }

    private func lane(of task: Task) -> Lane {
        switch task {
        case .sweep, .sweepLater: sweeps
        case .unlink, .unlinkLater: unlinks
        default: main
        }
    }

    /// Runs a task if it is still requested.
    private func run(_ task: Task) {
        lane(of: task).turn.withLock {
            let isRequested = requested.withLock { requested in
                defer { requested &= ~task.bit }
                return requested & task.bit != 0
            }
            if isRequested { performer.withLock { $0 }.perform?(task) }
        }
    }

    /// Waits until all tasks requested so far without a delay have run, except unlinks.
    func wait() { whileIdle {} }

    /// Like ``wait()``, then runs `body` before any later or delayed task begins, except unlinks.
    ///
    /// Runs the tasks that have not begun on this thread: they may be waiting for a thread of the pool, and this may be one.
    func whileIdle(_ body: () -> Void) {
        for task in [Task.sweep, .checkpoint, .flush, .settle] { run(task) }
        sweeps.turn.withLock { main.turn.withLock(body) }
    }
}
