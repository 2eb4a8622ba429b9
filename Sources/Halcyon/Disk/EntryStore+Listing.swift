internal import Foundation
internal import HalcyonSQLite

/// The listing is made for whoever asks first and kept up to date off everybody's path: a store writes nothing of it, the
/// index notes which entries have changed.
extension EntryStore {
    /// Brings the listing up to date, in bounded transactions between which others get in.
    ///
    /// - Parameter progress: called after each of them, with how many entries were looked at and how many there are.
    /// - Complexity: O(entries) for whoever asks first, some 10 µs each; then O(entries changed).
    func updateListing(_ progress: (Int, Int) throws -> Void = { _, _ in }) throws {
        condition.withLock { $0.hasListing = true }
        var done = 0
        let total = try Int(clamping: index.read { try $0.totals() }.entries)
        while try index.read({ try $0.listingState() }) != .current {
            done += try listBatch()
            try progress(min(done, total), total)
        }
    }

    /// In housekeeping. What cannot be written now is made up for at the next time, or by whoever asks.
    func relist() {
        while let state = try? index.read({ try $0.listingState() }), state == .behind {
            guard (try? stopIfClosing()) != nil, (try? listBatch()) != nil else { return }
        }
    }

    private func listBatch() throws -> Int {
        let begin = ContinuousClock.now
        let count = try index.write { try $0.list(limit: environment.tuning.listingBatchSize) }
        // Writers of other processes look once in a millisecond.
        pause(for: max(.milliseconds(1), (ContinuousClock.now - begin) / 4))
        return count
    }

    /// Takes the rows of a listing away that counts no more. Whoever asks next has one made.
    func clearListing() throws {
        let limit = environment.tuning.listingBatchSize
        while try index.write({ try $0.clearListing(limit: limit) }) {}
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
        try forEachEntryBatch { session, entries in
            for entry in entries where entry.key != nil { try session.forgetKey(of: entry.id) }
        }
        relist()
        index.checkpoint()
    }
}
