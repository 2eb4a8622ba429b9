extension EntryStore {
    /// Takes a moment before a removal of the entries that match a filter.
    func moment(removing filter: EntryFilter) throws -> Moment {
        try filter.validateForRemoval()
        overtakeFetches(ofKeysMatching: filter)
        Reclaimer(folder: folder).finishBeforeChange(adopter)
        return try remover.makingRoom(unlinking: { session in
            let conditions = conditions(filter)
            // After a read that is not in the index yet, an entry may not match.
            let ids = try session.ids(conditions, in: nil, descending: false).filter { id in
                recorder.log.withLock { $0.use(of: id) } == nil
            }
            return try session.records(of: ids.prefix(environment.tuning.batchSize), conditions).map(\.entry)
        }) {
            try index.write { session in
                var moment = try moment(in: session)
                moment.latestFetch = fetches.latest
                try overtakeFetches(matching: filter, in: session)
                return moment
            }
        }
    }

    /// Overtakes the fetches whose keys match, also if they have no entry yet. If a filter has conditions on more than keys, only
    /// entries tell.
    private func overtakeFetches(ofKeysMatching filter: EntryFilter) {
        guard filter.isUnconditional || filter.isAboutKeysAlone else { return }
        let conditions = KeyConditions(filter)
        fetches.overtake { conditions?.admits(key: $0.key, baseKey: $0.baseKey) ?? true }
    }

    /// Overtakes the fetches whose entries match now: what they store during the removal is later than its moment, and stays.
    private func overtakeFetches(matching filter: EntryFilter, in session: IndexSession) throws {
        // Also those that began while the removal waited for the lock.
        overtakeFetches(ofKeysMatching: filter)
        let ids = fetches.ids
        // Hashing a hundred thousand keys takes a fifth of a second.
        guard !ids.isEmpty else { return }
        let records = try session.records(of: ids, conditions(filter))
        let names = Set(records.map(\.entry).filter { admits($0, filter) }.map(\.name))
        fetches.overtake { names.contains($0.name) }
    }

    /// Removes the entries that match a filter and existed at a moment, in batches. Entries stored meanwhile remain.
    ///
    /// - Parameters:
    ///   - shouldContinue: called with the number removed so far, before each batch and at the end; false ends the removal.
    ///   - perform: runs a batch when its turn comes.
    /// - Returns: the removed entries.
    func remove(
        matching filter: EntryFilter, existingAt moment: Moment, shouldContinue: (Int) -> Bool,
        perform: @escaping (() throws -> Void) throws -> Void
    ) throws -> [EntryRecord] {
        var gone: [EntryRecord] = []
        var failure: (any Error)?
        do {
            // Again if the index was replaced meanwhile: earlier batches missed rows that the new one adopted later.
            for _ in 0..<3 {
                let generation = index.generation
                let batches = try removeOnce(
                    matching: filter, existingAt: moment,
                    shouldContinue: { shouldContinue(gone.count + $0.entries) }, perform: perform)
                gone += batches.gone
                failure = batches.removal.failure
                guard index.generation != generation else { break }
            }
        } catch {
            // Thrown only if nothing was removed: with an error, the caller does not learn what was.
            failure = error
        }
        _ = shouldContinue(gone.count)
        if let failure, gone.isEmpty { throw failure }
        return gone
    }

    private func removeOnce(
        matching filter: EntryFilter, existingAt moment: Moment, shouldContinue: (Removal) -> Bool,
        perform: @escaping (() throws -> Void) throws -> Void
    ) throws -> (removal: Removal, gone: [EntryRecord]) {
        let conditions = conditions(filter)
        let ids = try query { try $0.ids(conditions, in: nil, descending: false) }
        var records: [BlobName: EntryRecord] = [:]
        let removal = remover.remove(
            ids, counting: \.removals, shouldContinue: shouldContinue, perform: perform
        ) { session, ids in
            let latest = try latestSince(moment, in: session)
            func isLater(_ entry: Entry) -> Bool { entry.createdAt > moment.latest && entry.createdAt <= latest }
            // Match again, so that entries that have changed since stay. Only once each: a damaged index may return a row twice.
            var seen: Set<Int64> = []
            let found = try session.records(of: ids, conditions).filter { record in
                !isLater(record.entry) && admits(record.entry, filter) && seen.insert(record.entry.id).inserted
            }
            for record in found { records[record.entry.name] = record }
            // Also those of entries that match only now. Under the lock, so that a store that waits for it finds out.
            let names = Set(found.map(\.entry.name))
            fetches.overtake(upTo: moment.latestFetch) { names.contains($0.name) }
            return found.map(\.entry)
        }
        return (removal, removal.names.compactMap { records[$0] })
    }

    /// False if a read that is not in the index yet has moved an entry out of a filter.
    private func admits(_ entry: Entry, _ filter: EntryFilter) -> Bool {
        guard let noted = recorder.use(of: entry) else { return true }
        return filter.admits(accessedAt: noted.accessedAt, noted.lifetime ?? entry.lifetime, at: now)
    }
}
