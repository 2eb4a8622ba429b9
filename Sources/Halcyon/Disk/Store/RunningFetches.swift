/// The values that are being fetched for a folder. A removal of their keys, or another store of them, overtakes them.
final class RunningFetches: Sendable {
    struct Fetch: Sendable {
        /// In the order of their beginnings.
        fileprivate let number: Int
        fileprivate let flight: ObjectIdentifier
        let name: BlobName
        let key: String
        let baseKey: String
        fileprivate let overtaken: @Sendable () -> Void
    }

    private let state: Locked<(running: [Fetch], count: Int)> = Locked(([], 0))

    /// The number of the latest fetch.
    var latest: Int { state.withLock { $0.count } }

    /// The names whose values are being fetched.
    var names: [BlobName] { state.withLock { $0.running.map(\.name) } }

    /// Runs the work of a flight. If its key is removed or stored meanwhile, later callers start anew.
    ///
    /// - Parameter work: receives whether its value may be stored: not if the key was removed or stored, or if no task waits any more.
    func during<Key, Value>(
        _ name: BlobName, key: String, baseKey: String, of flights: SingleFlight<Key, Value>,
        _ work: (@escaping @Sendable () -> Bool) async throws -> Value
    ) async throws -> Value {
        guard let flight = flights.currentFlight else { return try await work { true } }
        let id = ObjectIdentifier(flight)
        add(flight, name, key: key, baseKey: baseKey, of: flights)
        defer { state.withLock { $0.running.removeAll { $0.flight == id } } }
        return try await work { flights.isCurrent(flight) }
    }

    /// Adds a flight whose task calls ``during(_:key:baseKey:of:_:)``, ahead of that.
    func add<Key, Value>(
        _ flight: SingleFlight<Key, Value>.Flight, _ name: BlobName, key: String, baseKey: String,
        of flights: SingleFlight<Key, Value>
    ) {
        state.withLock { state in
            state.count += 1
            state.running.append(
                Fetch(number: state.count, flight: ObjectIdentifier(flight), name: name, key: key, baseKey: baseKey) {
                    flights.forget(flight)
                })
        }
    }

    /// - Parameter latest: the number of the last fetch that the change affects; nil for all.
    /// - Returns: whether there was such a fetch.
    func overtake(upTo latest: Int? = nil, where isAffected: (Fetch) -> Bool) -> Bool {
        let affected = state.withLock { state in
            state.running.filter { $0.number <= latest ?? state.count && isAffected($0) }
        }
        for fetch in affected { fetch.overtaken() }
        return !affected.isEmpty
    }
}
