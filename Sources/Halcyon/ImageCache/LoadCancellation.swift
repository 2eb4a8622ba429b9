/// Withdraws a load when its task is cancelled.
///
/// The functions with a handler do not know about tasks, and subclasses may override them. The async function therefore passes
/// a closure to everything it calls on its thread.
enum LoadCancellation {
    /// Withdraws the load, and returns a call of its handler as for a miss: it may be a subclass's own. nil if the load has begun.
    typealias Withdraw = @Sendable () -> (() -> Void)?

    /// Notes how to withdraw the load of this task. A struct around the function, because Swift 6.3 miscompiles a task-local function
    /// that takes a function: optimized programs crash.
    private struct Note: Sendable {
        let add: @Sendable (_ waits: Bool, @escaping Withdraw) -> Void
    }

    private static let current = TaskLocal<Note?>(wrappedValue: nil)

    /// - Parameters:
    ///   - waits: false for a load on this thread: it ends before the task could be cancelled meanwhile.
    ///   - withdraw: called at most once: on cancellation, or now if the task is already cancelled.
    static func onCancel(waits: Bool, _ withdraw: @escaping Withdraw) { current.get()?.add(waits, withdraw) }

    /// Calls a function that loads, and returns what it passes to its handler.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before the load begins.
    static func load<Success: Sendable>(
        _ body: (@escaping @Sendable (Result<Success, KingfisherError>) -> Void) -> Void
    ) async throws -> Success {
        // Not that of the task which begins the load: a subclass may begin it in another one.
        let (withdraw, isCancelled, isNoted) = (Locked<Withdraw?>(nil), Locked(false), Locked(false))
        let cancel = { @Sendable (waiter: Waiter<Success>) in
            isCancelled.withLock { $0 = true }
            if let answer = withdraw.replace(with: nil)?() { waiter.cancel(after: answer) }
        }
        return try await Waiter.wait { waiter in
            let note = Note { waits, new in
                guard waits else {
                    if isCancelled.withLock({ $0 }), let answer = new() { waiter.cancel(after: answer) }
                    return
                }
                // A subclass may load more, for itself. Then nothing tells which load the task waits for.
                guard !isNoted.replace(with: true) else { return _ = withdraw.replace(with: nil) }
                _ = withdraw.replace(with: new)
                if isCancelled.withLock({ $0 }) { cancel(waiter) }
            }
            current.withValue(note) {
                body { result in waiter.resume { try result.get() } }
            }
        } onCancel: {
            cancel($0)
        }
    }
}
