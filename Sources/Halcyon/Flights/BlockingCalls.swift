internal import Foundation

/// Runs calls that wait for the disk or a lock on threads of their own, in the order of their arrival.
///
/// Not on a global queue or an `OperationQueue`: outside Apple's systems, these and the tasks of a priority share a pool of threads. While
/// all of them wait, it grows by one thread a second.
final class BlockingCalls: Sendable {
    typealias Call = @Sendable () -> Void

    private struct State {
        var idle: [DispatchQueue]
        private var arrived: [Call] = []
        /// The calls that arrived before those, in reverse order.
        private var next: [Call] = []

        init(idle: [DispatchQueue]) { self.idle = idle }

        mutating func append(_ call: @escaping Call) { arrived.append(call) }

        mutating func takeFirst() -> Call? {
            if next.isEmpty { (next, arrived) = (arrived.reversed(), []) }
            return next.popLast()
        }
    }

    /// A serial queue without a target gets a thread whenever it has work. Tests suspend them.
    let workers: [DispatchQueue]
    private let state: Locked<State>

    /// - Parameter width: the number of calls at a time.
    init(name: String, width: Int) {
        workers = (0..<width).map { _ in
            DispatchQueue(label: name, qos: .userInitiated, autoreleaseFrequency: .workItem)
        }
        state = Locked(State(idle: workers))
    }

    /// Runs `call` without a task that waits for it.
    func start(_ call: @escaping Call) {
        state.withLock { state in
            guard let worker = state.idle.popLast() else { return state.append(call) }
            run(call, on: worker)
        }
    }

    /// Call it under the lock, so that calls begin in their order.
    private func run(_ call: @escaping Call, on worker: DispatchQueue) {
        worker.async { [self] in
            call()
            state.withLock { state in
                guard let next = state.takeFirst() else { return state.idle.append(worker) }
                run(next, on: worker)
            }
        }
    }

    /// Returns what `body` returns. Does not interrupt `body` once it has begun.
    ///
    /// - Throws: what `body` throws; `CancellationError` if the task is cancelled before `body` begins, which then never runs.
    func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await Waiter.wait { waiter in start { waiter.resume(with: body) } }
    }
}
