internal import Foundation

/// Runs calls that wait for the disk or a lock on threads of their own, so that they do not block the cooperative pool.
final class BlockingCalls: Sendable {
    private let queue = OperationQueue()

    /// - Parameter width: the number of calls at a time.
    init(name: String, width: Int) {
        queue.name = name
        queue.qualityOfService = .userInitiated
        queue.maxConcurrentOperationCount = width
    }

    /// A queued call and its continuation.
    private final class Call<Result: Sendable>: Sendable {
        typealias Continuation = CheckedContinuation<Result, any Error>

        private enum State {
            case called
            case waiting(Continuation)
            case begun(Continuation)
            case over
        }

        private let state = Locked(State.called)

        /// Returns false if it is already cancelled.
        func wait(_ continuation: Continuation) -> Bool {
            state.withLock { state in
                guard case .called = state else { return false }
                state = .waiting(continuation)
                return true
            }
        }

        /// Returns false if it is already cancelled. From now on it cannot be cancelled.
        func begin() -> Bool {
            state.withLock { state in
                guard case .waiting(let continuation) = state else { return false }
                state = .begun(continuation)
                return true
            }
        }

        func end() -> Continuation? {
            state.withLock { state in
                defer { state = .over }
                guard case .begun(let continuation) = state else { return nil }
                return continuation
            }
        }

        func cancel() -> Continuation? {
            state.withLock { state in
                switch state {
                case .begun, .over: return nil
                case .called:
                    state = .over
                    return nil
                case .waiting(let continuation):
                    state = .over
                    return continuation
                }
            }
        }

        /// The thread sanitizer reports a race if a continuation is resumed before it is awaited. The lock orders the two.
        func synchronize() { state.withLock { _ in } }
    }

    /// Runs `body` without a task that waits for it.
    func start(_ body: @escaping @Sendable () -> Void) { queue.addOperation(body) }

    /// Returns what `body` returns. Does not interrupt `body` once it has begun.
    ///
    /// - Throws: what `body` throws; `CancellationError` if the task is cancelled before `body` begins, which then never runs.
    func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        let call = Call<Result>()
        defer { call.synchronize() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard call.wait(continuation) else { return continuation.resume(throwing: CancellationError()) }
                queue.addOperation {
                    guard call.begin() else { return }
                    let result = Swift.Result { try body() }
                    call.end()?.resume(with: result)
                }
            }
        } onCancel: {
            call.cancel()?.resume(throwing: CancellationError())
        }
    }
}
