internal import Foundation

/// Takes a load back when its task is cancelled.
///
/// The functions with a handler do not know of tasks, and may be overridden. So the task's own function says it to whatever it calls on
/// its thread.
final class LoadCancellation: Sendable {
    private static let current = TaskLocal<LoadCancellation?>(wrappedValue: nil)

    /// Of the task that calls on this thread.
    static var ofThisTask: LoadCancellation? { current.get() }

    private struct State {
        var isCancelled = false
        /// Returns whether the load has been taken back. Then its handler is not called.
        var withdraw: (@Sendable () -> Bool)?
    }

    private let state = Locked(State())
    private let didWithdraw: @Sendable () -> Void

    private init(didWithdraw: @escaping @Sendable () -> Void) { self.didWithdraw = didWithdraw }

    /// - Parameter withdraw: called once, by the one who cancels, or now if that has happened.
    func onCancel(_ withdraw: @escaping @Sendable () -> Bool) {
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.withdraw = withdraw }
            return state.isCancelled
        }
        if isCancelled, withdraw() { didWithdraw() }
    }

    private func cancel() {
        let withdraw = state.withLock { state in
            state.isCancelled = true
            defer { state.withdraw = nil }
            return state.withdraw
        }
        if withdraw?() == true { didWithdraw() }
    }

    // MARK: Awaiting

    /// Calls a function that loads, and returns what its handler is given.
    ///
    /// - Throws: `CancellationError` if the task was cancelled before the load has begun.
    static func load<Success: Sendable>(
        _ body: (@escaping @Sendable (Result<Success, KingfisherError>) -> Void) -> Void
    ) async throws -> Success {
        let waiting = Locked<CheckedContinuation<Success, any Error>?>(nil)
        let cancellation = LoadCancellation { waiting.replace(with: nil)?.resume(throwing: CancellationError()) }
        // What is resumed before it is awaited is a data race to the thread sanitizer, unless a lock says what came first.
        defer { waiting.withLock { _ in } }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                waiting.withLock { $0 = continuation }
                current.withValue(cancellation) {
                    body { waiting.replace(with: nil)?.resume(with: $0) }
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
    }
}
