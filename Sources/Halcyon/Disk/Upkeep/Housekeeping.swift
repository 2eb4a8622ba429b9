internal import Foundation

/// Work in the background: a task runs on a queue, or on a thread that waits for it.
///
/// A task that is requested again before it has begun runs once. Checkpoints, sweeps and unlinks have their own queues, so that
/// neither thousands of notes, nor adopting a million files, nor a volume that frees blocks slowly delays checkpoints.
final class Housekeeping: Sendable {
    enum Task: Int {
        case checkpoint, checkpointLater, flush, flushLater, unlink, unlinkLater, settle, sweep, sweepLater

        fileprivate var bit: Tasks { Tasks(rawValue: 1 << rawValue) }
    }

    /// A bit for each task, because every read requests one.
    fileprivate struct Tasks: OptionSet { let rawValue: Int }

    /// Tasks that run one at a time.
    final class Lane: @unchecked Sendable {
        // Sendable because `turns` is accessed only under the lock of `turnEnded`.
        let queue: DispatchQueue
        private let turnEnded = NSCondition()
        private var turns = (taken: 0, current: 0)

        /// Targets the global utility queue, which has about one thread per processor. A serial queue without a target gets its own
        /// thread whenever it has work, however many threads there are.
        fileprivate init(_ label: String) {
            queue = DispatchQueue(label: label, qos: .utility, target: .global(qos: .utility))
        }

        func async(_ body: @escaping @Sendable () -> Void) { queue.async { [self] in inTurn(body) } }

        /// Runs `body` after those that have called before. A plain lock would often go to the next task, not to a thread that waits.
        fileprivate func inTurn(_ body: () -> Void) {
            turnEnded.withLock {
                let turn = turns.taken
                turns.taken += 1
                while turns.current != turn { turnEnded.wait() }
            }
            body()
            turnEnded.withLock {
                turns.current += 1
                turnEnded.broadcast()
            }
        }
    }

    /// For flushes, and what is left of changes.
    let records = Lane("halcyon.housekeeping")
    private let checkpoints = Lane("halcyon.checkpoint")
    let sweeps = Lane("halcyon.sweep")
    private let unlinks = Lane("halcyon.unlink")
    private let requested = Locked(Tasks())
    private let performer = Locked(Performer())

    /// A struct around the function: see ``Locked``.
    private struct Performer {
        var perform: (@Sendable (Task) -> Void)?
    }

    /// Call once, before another thread requests a task.
    func start(_ perform: @escaping @Sendable (Task) -> Void) { performer.withLock { $0.perform = perform } }

    /// Runs a task soon, or after a number of milliseconds.
    func request(_ task: Task, afterMilliseconds delay: Int64 = 0) {
        guard requested.withLock({ $0.insert(task.bit).inserted }) else { return }
        let lane = lane(of: task)
        guard delay > 0 else { return lane.async { [self] in runIfRequested(task) } }
        lane.queue.asyncAfter(deadline: .now() + .milliseconds(Int(clamping: delay))) { [self] in
            lane.inTurn { runIfRequested(task) }
        }
    }

    private func lane(of task: Task) -> Lane {
        switch task {
        case .sweep, .sweepLater: sweeps
        case .unlink, .unlinkLater: unlinks
        case .checkpoint, .checkpointLater: checkpoints
        case .flush, .flushLater, .settle: records
        }
    }

    /// Call it in the lane's turn.
    private func runIfRequested(_ task: Task) {
        guard requested.withLock({ $0.remove(task.bit) }) != nil else { return }
        performer.withLock { $0 }.perform?(task)
    }

    /// Waits until all tasks requested so far without a delay have run, except unlinks.
    func wait() { whileIdle {} }

    /// Like ``wait()``, then runs `body` before any later or delayed task begins, except unlinks.
    ///
    /// Runs the tasks that have not begun on this thread: they may be waiting for a thread of the pool, and this may be one. Does
    /// not wait for other work in a lane that has not begun.
    func whileIdle(_ body: () -> Void) {
        sweeps.inTurn {
            runIfRequested(.sweep)
            records.inTurn {
                runIfRequested(.settle)
                runIfRequested(.flush)
                checkpoints.inTurn {
                    runIfRequested(.checkpoint)
                    body()
                }
            }
        }
    }
}
