/// Walks through a directory that others use meanwhile.
extension FolderWork {
    /// Passes the names in the directory that blobs can have to `body`, in bounded batches. Stops if the store is being closed.
    ///
    /// - Parameter size: the number of names in a batch; nil for as many as one transaction takes.
    func forEachBlobNameBatch(of size: Int? = nil, _ body: ([BlobName]) throws -> Void) throws {
        let isHashed = condition.settings.namesAreHashed
        let size = size ?? environment.tuning.flushBatchSize
        try forEachNameBatch(of: size, where: { BlobName.isBlobOrLegacyName($0, isHashed: isHashed) }) { names in
            try stopIfClosing()
            try body(names)
        }
    }

    /// Passes the names in the directory that meet a condition to `body`, in batches. Goes on while the store is being closed.
    func forEachNameBatch(
        of size: Int, where isIncluded: (String) -> Bool, _ body: ([BlobName]) throws -> Void
    ) throws {
        var names: [BlobName] = []
        try blobs.forEachName { name in
            let name = blobs.composed(name)
            if isIncluded(name) { names.append(BlobName(text: name)) }
            if names.count == size {
                try body(names)
                names = []
            }
            return true
        }
        if !names.isEmpty { try body(names) }
    }

    /// Passes elements to `body` in transactions of at most `size` elements each. Those that a batch has no time for come again.
    ///
    /// - Parameters:
    ///   - willBegin: called before each transaction.
    ///   - didCommit: called after each transaction and its pause, with the elements that are done.
    func forEachBatch<Element>(
        of size: Int = .max, in elements: [Element], _ logRoom: EntryIndex.LogRoom = .withReserve,
        willBegin: () throws -> Void = {}, didCommit: (ArraySlice<Element>) -> Void = { _ in },
        _ body: (IndexSession, TimedBatch<Element>) throws -> Void
    ) throws {
        var rest = elements[...]
        while !rest.isEmpty {
            try willBegin()
            let batch = try index.writeBatch(logRoom) { session in
                let batch = TimedBatch(rest.prefix(size), environment.tuning)
                try body(session, batch)
                return batch
            }
            rest = rest[batch.done.endIndex...]
            didCommit(batch.done)
        }
    }

    /// Passes all rows to `body` in the order of their ids, in bounded batches of one transaction each. Stops if the store is being
    /// closed.
    func forEachEntryBatch(
        _ logRoom: EntryIndex.LogRoom = .withReserve, _ body: (IndexSession, TimedBatch<Entry>) throws -> Void
    ) throws {
        var last = Int64.min
        while true {
            try stopIfClosing()
            let batch = try index.writeBatch(logRoom, isFollowed: { !$0.done.isEmpty }) { session in
                let page = try session.page(after: last, limit: environment.tuning.flushBatchSize)
                let batch = TimedBatch(page[...], environment.tuning)
                try body(session, batch)
                return batch
            }
            // Advances after the commit, because a transaction that rolls back may run again.
            guard let end = batch.done.last else { return }
            last = end.id
        }
    }

    /// Passes all rows to `body` in the order of their ids, without a transaction. Goes on while the store is being closed.
    func forEachEntryPage(_ body: ([Entry]) throws -> Void) throws {
        var last = Int64.min
        while true {
            let entries = try index.read { try $0.page(after: last, limit: environment.tuning.flushBatchSize) }
            guard let end = entries.last else { return }
            try body(entries)
            last = end.id
        }
    }

    /// Deletes a damaged index that was set aside, because it has keys, once the present one has everything that could be read of it.
    ///
    /// - Parameter age: milliseconds. After a power cut, it tells for a day which files cannot be trusted. A time in the future
    ///   is from before the clock was set back.
    func removeDamagedIndex(olderThan age: Int64 = 0) throws {
        let (files, damaged) = (index.files, index.files.damaged)
        guard try files.status(at: damaged) != nil else { return }
        index.previousIndex.close()
        // After a power cut, the deletion might be on disk and the log not.
        index.checkpoint()
        // Under the lock, because another process may be setting an index aside.
        try index.write { session in
            guard try session.state().adoption == .done, let file = try files.status(at: damaged),
                abs(environment.fileSystem.now - file.changed) >= age
            else { return }
            try files.remove(damaged)
        }
    }

    /// Changes the state, in the index and for this process, after work on the whole directory, unless the index was replaced since.
    func updateState(ifStill generation: Int, _ change: (inout IndexState, IndexSession) throws -> Void) throws {
        try index.write { session in
            guard index.generation == generation else { return }
            var state = try session.state()
            try change(&state, session)
            try session.setState(state)
        }
    }
}
