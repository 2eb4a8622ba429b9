internal import Foundation

/// A cache's I/O queue: what is called first is done first, and stores in a row that wait for their turn are done together.
final class CacheQueue: Sendable {
    private let queue = DispatchQueue(label: "com.onevcat.Kingfisher.ImageCache.ioQueue.\(UUID().uuidString)")
    /// Stores at the end of the queue whose turn has not come.
    private let lastRun: Locked<StoreRun?> = Locked(nil)

    /// Stores in a row.
    private final class StoreRun: @unchecked Sendable {
        // Sendable because `calls` is touched under the lock of `lastRun` alone.
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

    /// - Parameter perform: does the next few of stores that were called in a row, and takes them from the end of the array:
    ///   what is done is let go of. It is that of the first one.
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

    /// The last one first.
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
