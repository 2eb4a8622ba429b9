/// Runs work once for all callers that request the same key at the same time.
///
/// The first caller starts it in a separate task. Callers that arrive before it ends wait for the same result or error, which is
/// not kept. A cancelled caller throws at once, and the others keep waiting. When the last one is cancelled, so is the work, and
/// a later caller starts it again. It runs with the highest priority that one of the waiting callers had when it called.
final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// One run of the work of a key.
    final class Flight: @unchecked Sendable {
        // Sendable because all variables are accessed only under the lock of `state`.
        fileprivate let key: Key
        fileprivate let owner: SingleFlight
        fileprivate var task: Task<Void, Never>?
        fileprivate var priority: TaskPriority
        /// Some may have left.
        fileprivate var waiting: [Waiter<Value>] = []
        /// The callers that have not left. Some may not be waiting yet.
        fileprivate var callers: [UInt64: Caller] = [:]
        fileprivate var result: Result<Value, any Error>?

        fileprivate init(key: Key, of owner: SingleFlight, priority: TaskPriority) {
            (self.key, self.owner, self.priority) = (key, owner, priority)
        }
    }

    /// A caller, and the flight that it works for: a task that outlives that flight must not keep its value.
    fileprivate struct Caller { weak var flight: Flight? }

    private struct State {
        var flights: [Key: Flight] = [:]
        var nextCaller: UInt64 = 0
    }

    private let state = Locked(State())

    init() {}

    /// The number of keys whose work is under way.
    var count: Int { state.withLock { $0.flights.count } }

    /// The number of callers that share the work of a key.
    func callerCount(of key: Key) -> Int { state.withLock { $0.flights[key]?.callers.count ?? 0 } }

    /// Returns the result of `work`, or of the work already under way for the key.
    ///
    /// - Throws: what `work` throws; `CancellationError` if the calling task is cancelled; ``CacheStorageError/Code/cyclicFetch``
    ///   if the work of this key would wait for itself.
    func value(for key: Key, _ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try Task.checkCancellation()
        let (flight, caller) = try join(key, work)
        return try await Waiter.wait { waiter in
            wait(for: flight, waiter)
        } onCancel: { [self] waiter in
            waiter.cancel { leave(flight, caller) }
        }
    }

    /// The priority that the work of a key was last given.
    func priority(of key: Key) -> TaskPriority? { state.withLock { $0.flights[key]?.priority } }

    /// Starts `work` without waiting for it, unless work for the key is already under way. Drops its error.
    ///
    /// - Parameter willStart: called under the lock, before this function returns.
    func start(
        _ key: Key, priority: TaskPriority, willStart: (Flight) -> Void = { _ in },
        _ work: @escaping @Sendable () async throws -> Value
    ) {
        state.withLock { state in
            guard state.flights[key] == nil else { return }
            let flight = Flight(key: key, of: self, priority: priority)
            // A caller that never leaves: only the end of the work ends it.
            flight.callers[0] = Caller(flight: nil)
            state.flights[key] = flight
            willStart(flight)
            // Detached from the caller, which does not wait and may have ended by then.
            flight.task = Task.detached(priority: priority) { [self] in await run(flight, work) }
        }
    }

    // MARK: Forgetting

    /// The flight whose work runs in this task.
    var currentFlight: Flight? { currentFlights.last }

    /// The flights whose work runs in this task, outermost first.
    private var currentFlights: [Flight] {
        flightsOfTask.get().compactMap { $0.flight as? Flight }.filter { $0.owner === self }
    }

    /// Makes later callers of the key start the work again. Callers that have joined get the result of this one.
    func forget(_ flight: Flight) {
        state.withLock { state in
            if state.flights[flight.key] === flight { state.flights[flight.key] = nil }
        }
    }

    /// The same, for the flight of a key if there is one.
    func forget(_ key: Key) { state.withLock { $0.flights[key] = nil } }

    /// Returns false if the flight was forgotten, has ended, or has lost all its callers.
    func isCurrent(_ flight: Flight) -> Bool { state.withLock { $0.flights[flight.key] === flight } }

    // MARK: Joining

    private func join(_ key: Key, _ work: @escaping @Sendable () async throws -> Value) throws -> (Flight, UInt64) {
        let (outer, priority) = (currentFlights, Task.currentPriority)
        return try state.withLock { state in
            let flight = state.flights[key] ?? Flight(key: key, of: self, priority: priority)
            try Self.requireNoCycle(from: outer, to: flight)
            state.nextCaller += 1
            flight.callers[state.nextCaller] = Caller(flight: outer.last)
            if flight.task == nil {
                state.flights[key] = flight
                flight.task = Task(priority: priority) { [self] in await run(flight, work) }
            } else if priority > flight.priority, let task = flight.task {
                flight.priority = priority
                // Awaiting a task raises its priority; a continuation does not.
                Task(priority: priority) { await task.value }
            }
            return (flight, state.nextCaller)
        }
    }

    /// Throws if a flight that this task works for would wait for itself, directly or through others.
    private static func requireNoCycle(from outer: [Flight], to flight: Flight) throws {
        var (seen, rest): (Set<ObjectIdentifier>, [Flight]) = ([], outer)
        while let next = rest.popLast() {
            guard next !== flight else { throw CacheStorageError.cyclicFetch }
            guard seen.insert(ObjectIdentifier(next)).inserted else { continue }
            rest += next.callers.values.compactMap(\.flight)
        }
    }

    private func run(_ flight: Flight, _ work: @Sendable () async throws -> Value) async {
        do {
            let all = flightsOfTask.get().filter { $0.flight != nil } + [FlightOfTask(flight: flight)]
            finish(flight, with: .success(try await flightsOfTask.withValue(all) { try await work() }))
        } catch {
            finish(flight, with: .failure(error))
        }
    }

    private func finish(_ flight: Flight, with result: Result<Value, any Error>) {
        let waiting = state.withLock { state in
            if state.flights[flight.key] === flight { state.flights[flight.key] = nil }
            flight.result = result
            // Nothing waits for it any more, even if a task that it has started runs on.
            flight.callers = [:]
            defer { flight.waiting = [] }
            return flight.waiting
        }
        for waiter in waiting { waiter.resume(with: result.get) }
    }

    // MARK: Waiting

    private func wait(for flight: Flight, _ waiter: Waiter<Value>) {
        let result = state.withLock { _ in
            if flight.result == nil { flight.waiting.append(waiter) }
            return flight.result
        }
        if let result { waiter.resume(with: result.get) }
    }

    private func leave(_ flight: Flight, _ caller: UInt64) {
        let work: Task<Void, Never>? = state.withLock { state in
            // The end of the work has removed all.
            guard flight.callers.removeValue(forKey: caller) != nil, flight.callers.isEmpty else { return nil }
            // No caller may join work that is being cancelled.
            if state.flights[flight.key] === flight { state.flights[flight.key] = nil }
            return flight.task
        }
        work?.cancel()
    }
}

/// The flights of any kind whose work runs in this task, outermost first. Not a member: a task outlives what its task-local
/// values are keyed by.
private let flightsOfTask = TaskLocal<[FlightOfTask]>(wrappedValue: [])

/// Weak, because a task that the work has started inherits it and may outlive the work.
private struct FlightOfTask: Sendable {
    weak var flight: (any AnyObject & Sendable)?
}

extension CacheStorageError {
    static let cyclicFetch = CacheStorageError(
        .cyclicFetch, "The closure that fetches a key requests the same key, or another key that waits for it.",
        remedy: "Do not request that key in the closure; use a different key for what it needs.")
}
