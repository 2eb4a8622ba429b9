internal import Foundation
internal import HalcyonSQLite

extension EntryStore {
    /// Notes attributes of an entry; false where there is none.
    ///
    /// - Parameter change: is asked under the write lock what to note, given what is known.
    func update(
        _ name: BlobName, _ change: (EntryRecord) throws -> DiskStorage.EntryAttributes
    ) throws -> Bool {
        try finishAdoption(of: name.withFormer)
        flushAccessLog()
        return try index.write { session in
            guard let record = try record(of: name, in: session) else { return false }
            let attributes = try change(record)
            try attributes.validate()
            try session.note(attributes, of: record.entry)
            return true
        }
    }

    // MARK: Removing what meets a filter

    /// Removes the entries that meet a filter and were there at a moment, a batch at a time. What is stored meanwhile stays.
    ///
    /// - Parameters:
    ///   - shouldContinue: asked before each batch with how many are gone, and at the end; false ends it there.
    ///   - perform: runs a batch, in its turn.
    /// - Returns: what went.
    func remove(
        matching filter: EntryFilter, thereAt moment: Moment, shouldContinue: (Int) -> Bool,
        perform: (() throws -> Void) throws -> Void
    ) throws -> [EntryRecord] {
        try filter.validateForRemoval()
        var gone: [EntryRecord] = []
        var failure: (any Error)?
        defer { log.withLock { $0.count(\.removals, Int64(gone.count)) } }
        do {
            var ids = try ids(matching: filter)[...]
            while !ids.isEmpty, shouldContinue(gone.count) {
                let batch = ids.prefix(environment.tuning.batchSize)
                ids = ids.dropFirst(batch.count)
                do {
                    try perform { gone += try remove(batch, matching: filter, thereAt: moment) }
                } catch let error as BlockedBatch {
                    // What cannot be removed stays; there may be others behind it.
                    failure = failure ?? error.first
                }
            }
        } catch {
            // Whoever is told of a failure is not told what is gone.
            failure = error
        }
        unlinker.finish()
        _ = shouldContinue(gone.count)
        if !gone.isEmpty { requestFlush() }
        if let failure, gone.isEmpty { throw failure }
        return gone
    }

    private func remove(
        _ ids: some Sequence<Int64>, matching filter: EntryFilter, thereAt moment: Moment
    ) throws -> [EntryRecord] {
        var records: [Int64: EntryRecord] = [:]
        let removed = try removeAndUnlinkBatch { session in
            let latest = try latestSince(moment, in: session)
            func isLater(_ entry: Entry) -> Bool { entry.createdAt > moment.latest && entry.createdAt <= latest }
            // Judged again: what has changed since it was found stays.
            let found = try session.records(of: ids, EntryConditions(filter, at: now)).filter { !isLater($0.entry) }
            records = Dictionary(uniqueKeysWithValues: found.map { ($0.entry.id, $0) })
            for record in found { try session.delete(id: record.entry.id) }
            return found.map(\.entry)
        }
        return removed.compactMap { records[$0.id] }
    }

    // MARK: Keys that are not to be kept

    /// Takes keys out of the index that somebody has kept before.
    func forgetKeys() throws {
        guard !condition.settings.storesKeys,
            try index.readAtLength({ try $0.hasFormerListing() || $0.hasKeys() })
        else { return }
        try forEachEntryBatch { session, entries in
            for entry in entries where entry.key != nil { try session.forgetKey(of: entry.id) }
        }
        try index.write { try $0.emptyFormerListing() }
        try index.compact()
    }

    // MARK: Counting

    func statistics() throws -> DiskStorage.Statistics {
        flushAccessLog()
        // A flush in between would move counts from the second to the first, where they were not seen.
        return try flushLock.withLock {
            let (total, since) = try index.read { try $0.statistics() }
            return log.withLock { log in
                DiskStorage.Statistics(
                    sinceOpening: log.counts, total: total + log.unflushedCounts, since: since?.date)
            }
        }
    }

    func resetStatistics() throws {
        // A flush under way would add what was counted before.
        try flushLock.withLock {
            try index.write { try $0.resetStatistics(at: now) }
            log.withLock { $0.resetCounts() }
        }
    }

    func usage(limits: StorageLimits) throws -> DiskStorage.Usage {
        let total = try totals()
        let free = try? environment.fileSystem.freeBytes(at: blobs.directory)
        return try index.read { session in
            let pinned = try session.pinnedTotals()
            return DiskStorage.Usage(
                total: total, allocatedBytes: total.bytes + (try session.slack()),
                pinned: pinned,
                expired: try session.expiredTotals(at: now), freeBytes: free,
                pinnedExcess: limits.excess(of: pinned))
        }
    }
}

extension StorageLimits {
    /// What is over the limits although all of it has to stay. A cache that is full to the last byte is over its limit.
    fileprivate func excess(of pinned: Totals) -> Totals? {
        let excess = Totals(
            entries: entries > 0 ? max(0, pinned.entries - entries) : 0,
            bytes: bytes > 0 ? max(0, pinned.bytes - bytes + 1) : 0)
        return excess == Totals(entries: 0, bytes: 0) ? nil : excess
    }
}
