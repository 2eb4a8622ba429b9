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

    /// By the row ids of their names. A name rarely has more than one.
    private let state: Locked<(running: [Int64: [Fetch]], count: Int)> = Locked(([:], 0))

    /// The number of the latest fetch.
    var latest: Int { state.withLock { $0.count } }

    /// The row ids of the names whose values are being fetched.
    var ids: [Int64] { state.withLock { Array($0.running.keys) } }

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
        defer {
            state.withLock { state in
                state.running[name.rowID]?.removeAll { $0.flight == id }
                if state.running[name.rowID]?.isEmpty == true { state.running[name.rowID] = nil }
            }
        }
        return try await work { flights.isCurrent(flight) }
    }

    /// Adds a flight whose task calls ``during(_:key:baseKey:of:_:)``, ahead of that.
    func add<Key, Value>(
        _ flight: SingleFlight<Key, Value>.Flight, _ name: BlobName, key: String, baseKey: String,
        of flights: SingleFlight<Key, Value>
    ) {
        state.withLock { state in
            state.count += 1
            state.running[name.rowID, default: []].append(
                Fetch(number: state.count, flight: ObjectIdentifier(flight), name: name, key: key, baseKey: baseKey) {
                    flights.forget(flight)
                })
        }
    }

    /// Overtakes the fetches of a name. Takes the same time however many others there are.
    func overtake(_ name: BlobName) { state.withLock { $0.running[name.rowID] ?? [] }.forEach { $0.overtaken() } }

    /// - Parameter latest: the number of the last fetch that the change affects; nil for all.
    func overtake(upTo latest: Int? = nil, where isAffected: (Fetch) -> Bool) {
        let affected = state.withLock { state in
            state.running.values.joined().filter { $0.number <= latest ?? state.count && isAffected($0) }
        }
        affected.forEach { $0.overtaken() }
    }
}
