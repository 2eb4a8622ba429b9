internal import Foundation

/// A cache's I/O queue. Work runs in the order of the calls, and a run of waiting stores is performed together.
final class CacheQueue: Sendable {
    private let queue = DispatchQueue(label: "com.onevcat.Kingfisher.ImageCache.ioQueue.\(UUID().uuidString)")
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

    /// - Parameter perform: performs the next few stores of a run and removes them from the end of the array, to release them. A
    ///   run uses the closure of its first store.
    func async(store: PendingStore, perform: @escaping @Sendable (inout [PendingStore]) -> Void) {
        lastRun.withLock { last in
            if let last { return last.calls.append(store) }
            let run = StoreRun()
            run.calls.append(store)
            last = run
            queue.async { [self] in
                var rest = takeCalls(of: run)
                while !rest.isEmpty { perform(&rest) }
            }
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

    // MARK: For tests

    func suspend() { queue.suspend() }

    func resume() { queue.resume() }

    func setSpecific<Value: Sendable>(key: DispatchSpecificKey<Value>, value: Value) {
        queue.setSpecific(key: key, value: value)
    }
}
