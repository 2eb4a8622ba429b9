import Foundation

/// Limits the number of concurrent tasks. Others wait in the order of their arrival.
actor Slots {
    /// The maximum number of tasks already waits.
    struct AllTaken: Error {}

    private typealias Turn = CheckedContinuation<Void, any Error>

    private var free: Int
    private let waitingLimit: Int
    private var waiting: [(id: UUID, turn: Turn)] = []

    init(_ count: Int, waiting limit: Int) { (free, waitingLimit) = (count, limit) }

    /// - Parameter waits: false if the task is not worth waiting for.
    /// - Throws: ``AllTaken``, what `body` throws, or `CancellationError`.
    nonisolated func run<Result: Sendable>(waits: Bool, _ body: @Sendable () async throws -> Result) async throws
        -> Result
    {
        try await take(waits: waits)
        do {
            let result = try await body()
            await give()
            return result
        } catch {
            await give()
            throw error
        }
    }

    private func take(waits: Bool) async throws {
        try Task.checkCancellation()
        guard free == 0 else { return free -= 1 }
        guard waits, waiting.count < waitingLimit else { throw AllTaken() }
        let id = UUID()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (turn: Turn) in
                // A cancellation from now on finds it here.
                guard !Task.isCancelled else { return turn.resume(throwing: CancellationError()) }
                waiting.append((id, turn))
            }
        } onCancel: {
            Task { await leave(id) }
        }
    }

    private func give() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().turn.resume() }
    }

    private func leave(_ id: UUID) {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return }
        waiting.remove(at: index).turn.resume(throwing: CancellationError())
    }
}

struct DeadlinePassed: Error {}

/// Runs `body`, and cancels it when the time is over.
///
/// - Throws: ``DeadlinePassed``, or what `body` throws.
func within<Result: Sendable>(
    _ duration: Duration, _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try await withThrowingTaskGroup(of: Result.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: duration)
            throw DeadlinePassed()
        }
        defer { group.cancelAll() }
        guard let result = try await group.next() else { throw CancellationError() }
        return result
    }
}
