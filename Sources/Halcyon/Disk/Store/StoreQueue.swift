internal import Foundation
internal import HalcyonSQLite

/// Stores that wait for the write lock at the same time: the one that gets it commits for all of them.
///
/// One commit costs much more than one row: with eight callers most of it is saved. Each caller takes its turn on a serial queue, on its
/// own thread. In its turn it finds its stores committed, or commits them with everything that waits behind them. The queue lends the
/// priority of those who wait to the one who commits.
final class StoreQueue: Sendable {
    typealias StagedStore = EntryStore.StagedStore

    /// Stores that one transaction takes at most: the lock is held while their files get their names.
    private static let batchSize = 32

    private final class Ticket: @unchecked Sendable {
        // Sendable because `result` is touched in turns of `queue` alone; the stores are a constant.
        let stores: [StagedStore]
        /// nil until they are committed, or have failed.
        var result: Result<Void, any Error>?

        init(_ stores: [StagedStore]) { self.stores = stores }
    }

    /// Several stores failed together: nobody knows whose fault it was, and each has to be staged again.
    struct FailedTogether: Error {}

    private let queue = DispatchQueue(label: "halcyon.store")
    private let waiting: Locked<[Ticket]> = Locked([])

    /// Returns when the stores are committed, by this thread or another one.
    ///
    /// - Parameters:
    ///   - stores: what can share a transaction: see ``prefix(of:_:)``.
    ///   - commit: commits stores of different names, or throws and leaves nothing of them.
    /// - Throws: ``FailedTogether``, or what went wrong with a single store.
    func commit(_ stores: [StagedStore], together commit: ([StagedStore]) throws -> Void) throws {
        let ticket = Ticket(stores)
        waiting.withLock { $0.append(ticket) }
        try queue.sync {
            // Others may have come in between the two lines above.
            while ticket.result == nil { commitBatch(commit) }
            try ticket.result?.get()
        }
    }

    private func commitBatch(_ commit: ([StagedStore]) throws -> Void) {
        let batch = takeBatch()
        let stores = batch.flatMap(\.stores)
        let result = Result { try commit(stores) }
            .mapError { stores.count == 1 || Self.affectsAll($0) ? $0 : FailedTogether() }
        for ticket in batch { ticket.result = result }
    }

    /// Whether each of them would fail alike, and as late: somebody else has the lock, or the index is not to be opened or written.
    static func affectsAll(_ error: any Error) -> Bool {
        error is IndexSuspended || error is EntryIndex.LogFull || (error as? SQLiteError)?.isBusy ?? false
    }

    /// Those at the front that can share a transaction, at least one.
    private func takeBatch() -> [Ticket] {
        waiting.withLock { tickets in
            var group = StoreGroup()
            var batch = Array(tickets.prefix { group.admit($0.stores.map(\.request)) })
            if batch.isEmpty { batch = Array(tickets.prefix(1)) }
            tickets.removeFirst(batch.count)
            return batch
        }
    }

    /// Those at the front that can share a transaction, at least one.
    static func prefix(of requests: ArraySlice<EntryStore.StoreRequest>) -> ArraySlice<EntryStore.StoreRequest> {
        var group = StoreGroup()
        let batch = requests.prefix { group.admit([$0]) }
        return batch.isEmpty ? requests.prefix(1) : batch
    }

    /// Stores of different names. Where a refusal of one would be one of all, that one is alone.
    private struct StoreGroup {
        private var names: Set<BlobName> = []

        mutating func admit(_ requests: [EntryStore.StoreRequest]) -> Bool {
            guard names.count + requests.count <= batchSize, requests.allSatisfy(\.overwriting),
                requests.allSatisfy({ !names.contains($0.name) })
            else { return false }
            names.formUnion(requests.map(\.name))
            return true
        }
    }
}
