/// Walks through a folder that others use meanwhile.
extension FolderWork {
    /// Hands over the names in the folder that can be blobs', a bounded number at a time.
    ///
    /// - Parameter size: nil for as many as one transaction takes.
    func forEachBlobNameBatch(of size: Int? = nil, _ body: ([BlobName]) throws -> Void) throws {
        let isHashed = condition.settings.namesAreHashed
        var names: [BlobName] = []
        try blobs.forEachName { name in
            let name = blobs.composed(name)
            if BlobName.isBlobOrLegacyName(name, isHashed: isHashed) { names.append(BlobName(text: name)) }
            if names.count == size ?? environment.tuning.flushBatchSize {
                try stopIfClosing()
                try body(names)
                names = []
            }
            return true
        }
        if !names.isEmpty { try body(names) }
    }

    /// Walks all rows in the order of their ids, a transaction for each bounded batch.
    func forEachEntryBatch(_ body: (IndexSession, [Entry]) throws -> Void) throws {
        var last = Int64.min
        while true {
            try stopIfClosing()
            let size = environment.tuning.flushBatchSize
            let entries = try index.writeBatch(isFollowed: { $0.count == size }) { session in
                let entries = try session.page(after: last, limit: size)
                try body(session, entries)
                return entries
            }
            // Only now: a transaction that is rolled back may be run again.
            guard let end = entries.last, entries.count == size else { return }
            last = end.id
        }
    }

    /// Notes in the index and for this process that a piece of work on the whole folder is done, unless another index has
    /// taken the place of the one it was done for.
    func note(in generation: Int, _ change: (inout IndexState, IndexSession) throws -> Void) throws {
        try index.write { session in
            guard index.generation == generation else { return }
            var state = try session.state()
            try change(&state, session)
            try session.setState(state)
        }
    }
}
