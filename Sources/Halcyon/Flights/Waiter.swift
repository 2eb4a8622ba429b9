/// A task that waits for a result from another thread. If the task is cancelled first, it throws `CancellationError` at once.
final class Waiter<Value: Sendable>: Sendable {
    /// nil before the wait, and once it is over.
    private let continuation: Locked<CheckedContinuation<Value, any Error>?> = Locked(nil)

    private init() {}

    /// Waits for a call of ``resume(with:)``.
    ///
    /// - Parameters:
    ///   - start: hands the waiter to the thread that will resume it, which has no effect if the task is already cancelled.
    ///   - onCancel: called when the task is cancelled, maybe twice.
    static func wait(
        _ start: (Waiter) -> Void, onCancel: @escaping @Sendable (Waiter) -> Void = { $0.cancel() }
    ) async throws -> Value {
        let waiter = Waiter()
        defer { waiter.synchronize() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                waiter.continuation.withLock { $0 = continuation }
                // The handler may have run before there was anything to resume.
                if Task.isCancelled { onCancel(waiter) }
                start(waiter)
            }
        } onCancel: {
            onCancel(waiter)
        }
    }

    /// Makes the task throw `CancellationError` after `body`, unless it has been resumed.
    func cancel(after body: () -> Void = {}) {
        // First, because what `body` ends may call `resume`.
        let continuation = continuation.replace(with: nil)
        body()
        continuation?.resume(throwing: CancellationError())
    }

    /// Makes the task return what `body` returns or throws. Does not call it if the task was cancelled before. A later
    /// cancellation has no effect.
    func resume(with body: () throws -> Value) {
        guard let continuation = continuation.replace(with: nil) else { return }
        let result = Result { try body() }
        synchronize()
        continuation.resume(with: result)
    }

    /// The thread sanitizer reports a race if a continuation is resumed before it is awaited. The lock orders the two.
    private func synchronize() { continuation.withLock { _ in } }
}
