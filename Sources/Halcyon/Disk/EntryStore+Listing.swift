internal import Foundation
internal import HalcyonSQLite

/// The listing is made for whoever asks first and kept up to date off everybody's path: a store writes nothing of it, the
/// index notes which entries have changed.
extension EntryStore {
    /// Brings the listing up to date, in bounded transactions between which others get in.
    ///
    /// - Parameter progress: called between them, with how much of how much is done, in entries.
    /// - Complexity: O(entries) for whoever asks first, some 30 µs each; then O(entries changed).
    func updateListing(_ progress: (Int, Int) throws -> Void = { _, _ in }) throws {
        condition.withLock { $0.hasListing = true }
        let tuning = environment.tuning
        var done = 0
        // Made anew once at most: who changes more than that while it is made would have it made for ever.
        var isFresh = false
        let total = 2 * (try Int(clamping: index.read { try $0.totals() }.entries))
        while true {
            try stopIfClosing()
            switch try index.read({ try $0.listingState() }) {
            case .current: return
            case .unlisted:
                isFresh = true
                done += try index.writeBatch { try $0.list(limit: tuning.listingBatchSize) }
            case .unsorted(let last): done += try sort(after: last)
            case .behind:
                // What others store meanwhile is little, and queries look at it too: who waited for none might wait for ever.
                if try catchUp(whateverItTakes: isFresh) { return try progress(min(done, total), total) }
            }
            try progress(min(done, total), total)
        }
    }

    /// - Returns: false when it was too far behind, and has to be made anew.
    private func catchUp(whateverItTakes: Bool) throws -> Bool {
        let few = environment.tuning.relistingLimit
        if !whateverItTakes, try index.readAtLength({ try $0.isFarBehind(beyond: few) }) {
            try index.write { try $0.dropListing() }
            return false
        }
        // All of it: what is counted once is not counted again for each batch.
        let limit = environment.tuning.relistingBatchSize
        while try index.writeBatch({ try $0.relist(limit: limit) }) == limit { try stopIfClosing() }
        return true
    }

    /// Puts a chunk of rows into the tables behind the listing. Somebody else may do so too: rows that are there are passed
    /// over, and when he is done with the chunk the rest of it is his.
    ///
    /// - Returns: how many rows it were.
    private func sort(after last: Int64) throws -> Int {
        let limit = environment.tuning.listingChunk
        var rows = try index.readAtLength { try $0.unsorted(after: last, limit: limit + 1) }
        let next = rows.count > limit ? rows.removeLast().id : nil
        let isMine: (IndexSession) throws -> Bool = { try $0.listingState() == .unsorted(after: last) }
        for column in ListingColumn.allCases {
            let sorted = column.sorted(rows)
            for start in stride(from: 0, to: sorted.count, by: environment.tuning.listingBatchSize) {
                try stopIfClosing()
                let batch = sorted[start..<min(start + environment.tuning.listingBatchSize, sorted.count)]
                try index.writeBatch { if try isMine($0) { try $0.sort(batch, by: column) } }
            }
        }
        try index.write { session in
            guard try isMine(session) else { return }
            try session.setSorted(to: next.map { IndexSession.mark(from: rows.last?.id ?? last, below: $0) } ?? .max)
        }
        return rows.count
    }

    /// In housekeeping. What cannot be written now is made up for at the next time, or by whoever asks.
    func relist() {
        guard (try? index.read { try $0.listingState() }) == .behind else { return }
        try? updateListing()
    }

    /// Takes the rows of a listing away that counts no more. Whoever asks next has one made; whoever has asked meanwhile has
    /// taken them away himself, and those that are there now are his.
    ///
    /// - Parameter shouldContinue: called between two transactions; ends it by an error.
    func clearListing(shouldContinue: () throws -> Void = {}) throws {
        let limit = environment.tuning.listingBatchSize
        while try index.writeBatch({ try $0.listingState() == .unlisted(after: nil) && $0.clearListing(limit: limit) }
        ) {
            try shouldContinue()
        }
    }

    private func dropListing() throws {
        try index.write { try $0.dropListing() }
        try clearListing(shouldContinue: stopIfClosing)
    }

    /// Writes what was counted and noted soon, and the listing.
    func requestBookkeeping() {
        let tuning = environment.tuning
        housekeeping.request(.flushLater, afterMilliseconds: tuning.flushInterval)
        guard condition.withLock({ $0.hasListing }) else { return }
        housekeeping.request(.list, afterMilliseconds: tuning.listingDelay)
    }

    // MARK: Keys that are not to be kept

    /// Takes keys out of the index that somebody has kept before.
    func forgetKeys() throws {
        guard condition.withLock({ !$0.storesKeys }), try index.readAtLength({ try $0.hasKeys() }) else { return }
        // It has keys and hosts too, made to its end or not, and what has changed since with the keys there were. First: what
        // ends this half way must find a key that is left, and begin again.
        try dropListing()
        try forEachEntryBatch { session, entries in
            for entry in entries where entry.key != nil { try session.forgetKey(of: entry.id) }
        }
        // Somebody may have had one made meanwhile.
        try dropListing()
        try index.compact()
    }
}
