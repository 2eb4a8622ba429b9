internal import Foundation

/// A cache's I/O queue. Work runs in the order of the calls, and a run of waiting stores is performed together.
final class CacheQueue: Sendable {
    /// Tests suspend it.
    let queue = DispatchQueue(label: "com.onevcat.Kingfisher.ImageCache.ioQueue.\(UUID().uuidString)")
    /// For work that the queue needs next.
    private let aheadQueue = DispatchQueue(label: "com.onevcat.Kingfisher.ImageCache.aheadQueue")
    /// The run of stores at the end of the queue, until its turn comes.
    private let lastRun: Locked<StoreRun?> = Locked(nil)

    /// Consecutive stores.
    private final class StoreRun: @unchecked Sendable {
        // Sendable because `calls` is accessed only under the lock of `lastRun`.
        var calls: [PendingStore] = []
    }

    func async(execute work: @escaping @Sendable () -> Void) {
        lastRun.withLock { run in
            run = nil
            queue.async(execute: work)
        }
    }

    func sync<Result>(execute work: () throws -> Result) rethrows -> Result {
        lastRun.withLock { $0 = nil }
        return try queue.sync(execute: work)
    }

    /// - Parameter perform: performs the stores of a run. A run uses the closure of its first store.
    func async(store: PendingStore, perform: @escaping @Sendable (Locked<[PendingStore]>) -> Void) {
        lastRun.withLock { last in
            if let last { return last.calls.append(store) }
            let run = StoreRun()
            run.calls.append(store)
            last = run
            queue.async { [self] in perform(Locked(takeCalls(of: run))) }
        }
    }

    /// Returns the calls in reverse order.
    private func takeCalls(of run: StoreRun) -> [PendingStore] {
        lastRun.withLock { last in
            if last === run { last = nil }
            defer { run.calls = [] }
            return run.calls.reversed()
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
