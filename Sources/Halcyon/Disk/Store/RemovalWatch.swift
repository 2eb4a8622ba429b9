internal import Foundation

/// The values that are being fetched for a folder. A removal of their keys overtakes them.
final class RemovalWatch: Sendable {
    struct Fetch: Sendable {
        let name: BlobName
        let key: String
        fileprivate let overtaken: @Sendable () -> Void
    }

    private let fetches: Locked<[UUID: Fetch]> = Locked([:])

    /// Runs `fetch`, and calls `overtaken` if its key is removed before it ends.
    func during<Value>(
        _ name: BlobName, key: String, overtaken: @escaping @Sendable () -> Void, fetch: () async throws -> Value
    ) async throws -> Value {
        let id = UUID()
        fetches.withLock { $0[id] = Fetch(name: name, key: key, overtaken: overtaken) }
        defer { fetches.withLock { $0[id] = nil } }
        return try await fetch()
    }

    /// - Returns: whether there was such a fetch.
    func overtake(where isRemoved: (Fetch) -> Bool) -> Bool {
        let affected = fetches.withLock { $0.values.filter(isRemoved) }
        for fetch in affected { fetch.overtaken() }
        return !affected.isEmpty
    }
}
