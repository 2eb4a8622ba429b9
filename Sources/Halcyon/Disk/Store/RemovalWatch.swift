/// The values that are being fetched for a folder. A removal of their keys overtakes them.
final class RemovalWatch: Sendable {
    struct Fetch: Sendable {
        let name: BlobName
        let key: String
        fileprivate let overtaken: @Sendable () -> Void
    }

    private struct State {
        var fetches: [UInt64: Fetch] = [:]
        var next: UInt64 = 0
    }

    private let state = Locked(State())

    /// Runs `fetch`, and calls `overtaken` if its key is removed before it ends.
    func during<Value>(
        _ name: BlobName, key: String, overtaken: @escaping @Sendable () -> Void, fetch: () async throws -> Value
    ) async throws -> Value {
        let id = state.withLock { state in
            state.next += 1
            state.fetches[state.next] = Fetch(name: name, key: key, overtaken: overtaken)
            return state.next
        }
        defer { state.withLock { $0.fetches[id] = nil } }
        return try await fetch()
    }

    /// - Returns: whether there was such a fetch.
    func overtake(where isRemoved: (Fetch) -> Bool) -> Bool {
        let fetches = state.withLock { $0.fetches.values.filter(isRemoved) }
        for fetch in fetches { fetch.overtaken() }
        return !fetches.isEmpty
    }
}
