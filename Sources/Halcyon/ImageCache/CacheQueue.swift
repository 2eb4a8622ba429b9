internal import Foundation

/// A cache's I/O queue. Work runs in the order of the calls, and a run of waiting stores is performed together.
final class CacheQueue: Sendable {
    /// Tests suspend it.
    let queue = DispatchQueue(label: "com.onevcat.Kingfisher.ImageCache.ioQueue.\(UUID().uuidString)")
    /// For work that the queue needs next.
    private let aheadQueue = DispatchQueue(label: "com.onevcat.Kingfisher.ImageCache.aheadQueue")
    /// The run of stores at the end of the queue, until its turn comes.
    private let lastRun: Locked<Locked<[PendingStore]>?> = Locked(nil)
    private let isCurrent = DispatchSpecificKey<Bool>()
    /// What handlers on the queue have begun.
    private let nested = Locked<[@Sendable () -> Void]>([])

    init() { queue.setSpecific(key: isCurrent, value: true) }

    /// Runs `work` now, or, if a handler on the queue calls this, once the handler has returned: it may set what a handler of its calls
    /// needs after them, as in Kingfisher, whose loads run on this queue.
    func afterHandler(_ work: @escaping @Sendable () -> Void) {
        guard DispatchQueue.getSpecific(key: isCurrent) == true else { return work() }
        nested.withLock { $0.append(work) }
    }

    /// Begins what the handler that has just returned has called.
    func beginNested() {
        for begun in nested.replace(with: []) { begun() }
    }

    private func enqueue(_ work: @escaping @Sendable () -> Void) {
        queue.async { [self] in
            work()
            beginNested()
        }
    }

    func async(execute work: @escaping @Sendable () -> Void) {
        lastRun.withLock { run in
            run = nil
            enqueue(work)
        }
    }

    /// Runs `work` after what is queued now. Later stores may run before it, together with earlier ones.
    func asyncAfterEarlier(execute work: @escaping @Sendable () -> Void) {
        lastRun.withLock { _ in enqueue(work) }
    }

    func sync<Result>(execute work: () throws -> Result) rethrows -> Result {
        lastRun.withLock { $0 = nil }
        return try queue.sync(execute: work)
    }

    /// - Parameter perform: performs the stores of a run, which it receives in reverse order. A run uses the closure of its first
    ///   store.
    func async(store: PendingStore, perform: @escaping @Sendable (Locked<[PendingStore]>) -> Void) {
        lastRun.withLock { last in
            if let last {
                last.withLock { $0.append(store) }
                #if canImport(Darwin)
                    // Lends the run the priority of this store.
                    queue.async {}
                #endif
                return
            }
            let run = Locked([store])
            last = run
            enqueue { [lastRun] in
                lastRun.withLock { if $0 === run { $0 = nil } }
                run.withLock { $0.reverse() }
                perform(run)
            }
        }
    }

    /// Runs `body` while `ahead` runs on another thread, and returns what that returned. If no other thread was free, runs it
    /// afterwards.
    func during<Result: Sendable>(_ ahead: @escaping @Sendable () -> Result, _ body: () -> Void) -> Result? {
        // The first to take the closure runs it.
        let (waiting, result) = (Locked<(@Sendable () -> Result)?>(ahead), Locked<Result?>(nil))
        let work = DispatchWorkItem {
            guard let value = waiting.replace(with: nil)?() else { return }
            result.withLock { $0 = value }
        }
        aheadQueue.async(execute: work)
        body()
        if let ahead = waiting.replace(with: nil) { return ahead() }
        // Lends the priority of this thread.
        work.wait()
        return result.withLock { $0 }
    }
}
