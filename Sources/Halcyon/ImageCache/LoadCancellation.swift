internal import Foundation

/// Withdraws a load when its task is cancelled.
///
/// The functions with a handler do not know about tasks, and subclasses may override them. The async function therefore passes
/// this object to everything it calls on its thread.
final class LoadCancellation: Sendable {
    private static let current = TaskLocal<LoadCancellation?>(wrappedValue: nil)

    /// The cancellation of the task that calls on this thread.
    static var ofThisTask: LoadCancellation? { current.get() }

    private struct State {
        var isCancelled = false
        /// Returns whether the load was withdrawn. If so, its handler is not called.
        var withdraw: (@Sendable () -> Bool)?
    }

    private let state = Locked(State())
    private let didWithdraw: @Sendable () -> Void

    private init(didWithdraw: @escaping @Sendable () -> Void) { self.didWithdraw = didWithdraw }

    /// - Parameter withdraw: called once: on cancellation, or now if the task is already cancelled.
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

    /// Calls a function that loads, and returns what it passes to its handler.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before the load begins.
    static func load<Success: Sendable>(
        _ body: (@escaping @Sendable (Result<Success, KingfisherError>) -> Void) -> Void
    ) async throws -> Success {
        let waiting = Locked<CheckedContinuation<Success, any Error>?>(nil)
        let cancellation = LoadCancellation { waiting.replace(with: nil)?.resume(throwing: CancellationError()) }
        // The thread sanitizer reports a race if a continuation is resumed before it is awaited. The lock orders the two.
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
