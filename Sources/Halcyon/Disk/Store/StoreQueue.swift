internal import Foundation
internal import HalcyonSQLite

/// Group commit: of the stores that wait for the write lock at the same time, one commits for all of them.
///
/// A commit costs much more than a row: eight callers save most of it. Each caller takes its turn on a serial queue, on its own
/// thread. In its turn it finds its stores committed, or commits them with all that are waiting after them. The queue lends the
/// priority of the waiting threads to the committing one.
final class StoreQueue: Sendable {
    typealias StagedStore = EntryStore.StagedStore

    private let tuning: Tuning

    private final class Ticket: @unchecked Sendable {
        // Sendable because only turns of `queue` use `result`, and the stores are constant.
        let stores: [StagedStore]
        /// nil until the stores are committed or have failed.
        var result: Result<Void, any Error>?

        init(_ stores: [StagedStore]) { self.stores = stores }
    }

    /// Several stores failed together. Any of them may be the cause, so each has to be staged again.
    struct FailedTogether: Error {}

    private let queue = DispatchQueue(label: "halcyon.store")
    private let waiting: Locked<[Ticket]> = Locked([])

    init(_ tuning: Tuning) { self.tuning = tuning }

    /// Returns when the stores are committed, by this thread or another one.
    ///
    /// - Parameters:
    ///   - stores: stores that can share a transaction: see ``prefix(of:_:)``.
    ///   - commit: commits stores of different names, or throws and leaves nothing of them.
    /// - Throws: ``FailedTogether``, or the error of a single store.
    func commit(_ stores: [StagedStore], together commit: ([StagedStore]) throws -> Void) throws {
        let ticket = Ticket(stores)
        waiting.withLock { $0.append(ticket) }
        try queue.sync {
            // Other callers may have queued theirs between the two lines above.
            while ticket.result == nil { commitBatch(commit) }
            try ticket.result?.get()
        }
    }

    private func commitBatch(_ commit: ([StagedStore]) throws -> Void) {
        let batch = waiting.withLock { tickets in
            let batch = Array(prefix(of: tickets[...]) { $0.stores.map(\.request) })
            tickets.removeFirst(batch.count)
            return batch
        }
        let stores = batch.flatMap(\.stores)
        let result = Result { try commit(stores) }
            .mapError { stores.count == 1 || Self.affectsAll($0) ? $0 : FailedTogether() }
        for ticket in batch { ticket.result = result }
    }

    /// Whether each store would fail with this error, and as late: another connection has the lock, or the index cannot be used.
    static func affectsAll(_ error: any Error) -> Bool {
        error is IndexSuspended || error is EntryIndex.LogFull || (error as? SQLiteError)?.isBusy ?? false
    }

    /// The elements at the front whose stores have different names and can share a transaction, at least one element. A store that
    /// must not overwrite is alone, because its refusal would fail the others.
    func prefix<Element>(
        of elements: ArraySlice<Element>, _ requests: (Element) -> [EntryStore.StoreRequest]
    ) -> ArraySlice<Element> {
        // Usually one store waits.
        guard elements.count > 1 else { return elements }
        var names: Set<BlobName> = []
        let batch = elements.prefix { element in
            let requests = requests(element)
            guard names.count + requests.count <= tuning.storeBatchSize,
                requests.allSatisfy({ $0.overwriting && !names.contains($0.name) })
            else { return false }
            names.formUnion(requests.map(\.name))
            return true
        }
        return batch.isEmpty ? elements.prefix(1) : batch
    }
}
