/// A task that waits for a result from another thread. If the task is cancelled first, it throws `CancellationError` at once.
final class Waiter<Value: Sendable>: Sendable {
    private typealias Continuation = CheckedContinuation<Value, any Error>

    private enum State {
        case called
        case waiting(Continuation)
        case over
    }

    private let state = Locked(State.called)

    private init() {}

    /// Waits for a call of ``resume(with:)``.
    ///
    /// - Parameters:
    ///   - start: hands the waiter to the thread that will resume it. Not called if the task is already cancelled.
    ///   - onCancel: called when the task is cancelled, before this function throws.
    static func wait(
        _ start: (Waiter) -> Void, onCancel: @escaping @Sendable () -> Void = {}
    ) async throws -> Value {
        let waiter = Waiter()
        defer { waiter.synchronize() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if waiter.begin(continuation) {
                    start(waiter)
                } else {
                    continuation.resume(throwing: CancellationError())
                }
            }
        } onCancel: {
            // First, because what `onCancel` ends may call `resume`.
            let continuation = waiter.take()
            onCancel()
            continuation?.resume(throwing: CancellationError())
        }
    }

    /// Makes the task return what `body` returns or throws. Does not call it if the task was cancelled before. A later
    /// cancellation has no effect.
    func resume(with body: () throws -> Value) {
        guard let continuation = take() else { return }
        let result = Result { try body() }
        synchronize()
        continuation.resume(with: result)
    }

    /// Returns false if the task is already cancelled.
    private func begin(_ continuation: Continuation) -> Bool {
        state.withLock { state in
            guard case .called = state else { return false }
            state = .waiting(continuation)
            return true
        }
    }

    /// Returns the continuation to the first caller only.
    private func take() -> Continuation? {
        state.withLock { state in
            defer { state = .over }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
    }

    /// The thread sanitizer reports a race if a continuation is resumed before it is awaited. The lock orders the two.
    private func synchronize() { state.withLock { _ in } }
}
