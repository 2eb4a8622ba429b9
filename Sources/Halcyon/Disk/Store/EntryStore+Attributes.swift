internal import Foundation
internal import HalcyonSQLite

extension EntryStore {
    /// Notes attributes of an entry; returns false if there is none.
    ///
    /// - Parameter change: called under the write lock with what is known; returns what to note.
    func update(
        _ name: BlobName, _ change: (EntryRecord) throws -> DiskStorage.EntryAttributes
    ) throws -> Bool {
        try index.openForChange()
        try adopter.adoptAhead(name.withFormer)
        recorder.flushAccessLog()
        return try index.write(.withoutReserve) { session in
            try Reclaimer(folder: folder).reclaim(name, in: session)
            guard let record = try record(of: name, in: session) else { return false }
            let attributes = try change(record)
            try attributes.validate()
            try session.note(attributes, of: record.entry)
            return true
        }
    }

    // MARK: Removing by filter

    /// If a filter has conditions on more than keys, only the removed entries tell which fetches it affects.
    private func overtakeFetches(matching filter: EntryFilter) {
        guard filter.isUnconditional || filter.isAboutKeysAlone else { return }
        let conditions = KeyConditions(filter)
        overtakeFetches { conditions?.admit(key: $0.key) ?? true }
    }

    /// Removes the entries that match a filter and existed at a moment, in batches. Entries stored meanwhile remain.
    ///
    /// - Parameters:
    ///   - shouldContinue: called with the number removed so far, before each batch and at the end; false ends the removal.
    ///   - perform: runs a batch when its turn comes.
    /// - Returns: the removed entries.
    func remove(
        matching filter: EntryFilter, thereAt moment: Moment, shouldContinue: (Int) -> Bool,
        perform: (() throws -> Void) throws -> Void
    ) throws -> [EntryRecord] {
        try filter.validateForRemoval()
        overtakeFetches(matching: filter)
        var gone: [EntryRecord] = []
        var failure: (any Error)?
        defer {
            recorder.log.withLock { $0.count(\.removals, Int64(gone.count)) }
            let names = Set(gone.map(\.entry.name))
            overtakeFetches { names.contains($0.name) }
            if !gone.isEmpty { observers.tell(.init(.removal, of: gone.map(\.entry))) }
        }
        do {
            // Again if the index was replaced meanwhile: earlier batches missed rows that the new one adopted later.
            for _ in 0..<3 {
                let generation = index.generation
                try forEachBatch(matching: filter) { ids, conditions in
                    guard shouldContinue(gone.count) else { return false }
                    do {
                        try perform { gone += try remove(ids, conditions, thereAt: moment) }
                    } catch let error as Remover.BlockedBatch {
                        // Entries that cannot be removed stay. The batches after them may succeed.
                        failure = failure ?? error.first
                    }
                    return true
                }
                guard index.generation != generation else { break }
            }
        } catch {
            // Thrown only if nothing was removed: with an error, the caller does not learn what was.
            failure = error
        }
        unlinker.finish()
        _ = shouldContinue(gone.count)
        if !gone.isEmpty { recorder.requestFlush() }
        if let failure, gone.isEmpty { throw failure }
        return gone
    }

    /// - Parameter body: returns false to end the walk.
    private func forEachBatch(
        matching filter: EntryFilter, _ body: (ArraySlice<Int64>, EntryConditions) throws -> Bool
    ) throws {
        let conditions = conditions(filter)
        var ids = try query { try $0.ids(conditions, in: nil, descending: false) }[...]
        while !ids.isEmpty {
            let batch = ids.prefix(environment.tuning.batchSize)
            ids = ids.dropFirst(batch.count)
            guard try body(batch, conditions) else { return }
        }
    }

    private func remove(
        _ ids: ArraySlice<Int64>, _ conditions: EntryConditions, thereAt moment: Moment
    ) throws -> [EntryRecord] {
        var records: [Int64: EntryRecord] = [:]
        let removed = try remover.removeAndUnlinkBatch { session in
            records = [:]
            let latest = try latestSince(moment, in: session)
            func isLater(_ entry: Entry) -> Bool { entry.createdAt > moment.latest && entry.createdAt <= latest }
            // Match again, so that entries that have changed since stay. Only once each: a damaged index may return a row twice.
            let found = try session.records(of: ids, conditions).filter { record in
                !isLater(record.entry) && records.updateValue(record, forKey: record.entry.id) == nil
            }
            for record in found { try session.delete(id: record.entry.id) }
            return found.map(\.entry)
        }
        return removed.compactMap { records[$0.id] }
    }
}
