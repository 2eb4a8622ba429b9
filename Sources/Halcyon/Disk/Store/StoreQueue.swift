internal import Foundation
internal import HalcyonSQLite

/// Stores that wait for the write lock at the same time: whoever gets it commits for all of them.
///
/// One commit costs much more than one row: with eight callers most of it is saved. Whoever commits waits for those who came in
/// behind him, a few rows each; those would have had to wait for him, and for each other.
final class StoreQueue: Sendable {
    typealias StagedStore = EntryStore.StagedStore

    /// Stores that one transaction takes at most: the lock is held while their files get their names.
    private static let batchSize = 32

    private final class Ticket: @unchecked Sendable {
        // Sendable because `result` is set before `turn` is signalled, and read after that; the store is a constant.
        let store: StagedStore
        let turn = DispatchSemaphore(value: 0)
        /// nil when it is the caller's turn to commit.
        var result: Result<Void, any Error>?

        init(_ store: StagedStore) { self.store = store }
    }

    private struct State {
        /// The first one's caller commits, or is about to.
        var tickets: [Ticket] = []
        var isCommitting = false
    }

    /// Several stores failed together: nobody knows whose fault it was, and each has to be staged again.
    struct FailedTogether: Error {}

    private let state = Locked(State())

    /// Returns when the store is committed, by this thread or another one.
    ///
    /// - Parameter commit: commits stores of different names, or throws and leaves nothing of them.
    /// - Throws: ``FailedTogether``, or what went wrong with this store alone.
    func commit(_ store: StagedStore, together commit: ([StagedStore]) throws -> Void) throws {
        let ticket = Ticket(store)
        let isFirst = state.withLock { state in
            state.tickets.append(ticket)
            defer { state.isCommitting = true }
            return !state.isCommitting
        }
        if !isFirst { ticket.turn.wait() }
        if ticket.result == nil { commitBatch(commit) }
        try ticket.result?.get()
    }

    /// The caller's own store is the first.
    private func commitBatch(_ commit: ([StagedStore]) throws -> Void) {
        let batch = takeBatch()
        let result = Result { try commit(batch.map(\.store)) }
        for ticket in batch {
            ticket.result =
                batch.count == 1 ? result : result.mapError { Self.affectsAll($0) ? $0 : FailedTogether() }
        }
        // Before those who are done: they will store again.
        passOn()
        for ticket in batch.dropFirst() { ticket.turn.signal() }
    }

    /// Whether each of them would fail alike, and as late: somebody else has the lock, or the index is not to be opened.
    static func affectsAll(_ error: any Error) -> Bool {
        error is IndexSuspended || (error as? SQLiteError)?.isBusy ?? false
    }

    private func takeBatch() -> [Ticket] {
        state.withLock { state in
            let batch = Array(Self.prefix(of: state.tickets[...], \.store.request))
            state.tickets.removeFirst(batch.count)
            return batch
        }
    }

    private func passOn() {
        let next = state.withLock { state in
            state.isCommitting = !state.tickets.isEmpty
            return state.tickets.first
        }
        next?.turn.signal()
    }

    /// Those at the front that can share a transaction, at least one: of different names, and where a refusal of one would be
    /// one of all, that one alone.
    static func prefix<Store>(
        of stores: ArraySlice<Store>, _ request: (Store) -> EntryStore.StoreRequest
    ) -> ArraySlice<Store> {
        var names: Set<BlobName> = []
        let batch = stores.prefix(batchSize).prefix { store in
            request(store).overwriting && names.insert(request(store).name).inserted
        }
        return batch.isEmpty ? stores.prefix(1) : batch
    }
}
