internal import Foundation

/// Runs calls that wait for the disk or a lock on threads of their own, so that they do not block the cooperative pool.
final class BlockingCalls: Sendable {
    /// Tests suspend it.
    let queue = OperationQueue()

    /// - Parameter width: the number of calls at a time.
    init(name: String, width: Int) {
        queue.name = name
        queue.qualityOfService = .userInitiated
        queue.maxConcurrentOperationCount = width
    }

    /// Runs `body` without a task that waits for it.
    func start(_ body: @escaping @Sendable () -> Void) { queue.addOperation(body) }

    /// Returns what `body` returns. Does not interrupt `body` once it has begun.
    ///
    /// - Throws: what `body` throws; `CancellationError` if the task is cancelled before `body` begins, which then never runs.
    func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await Waiter.wait { waiter in queue.addOperation { waiter.resume(with: body) } }
    }
}
