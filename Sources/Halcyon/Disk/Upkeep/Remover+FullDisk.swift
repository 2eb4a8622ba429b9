/// Removals on a full disk, where there may be no room even to commit them.
extension Remover {
    /// Runs `body`. If the disk is full, empties the trash and runs it once more.
    func makingRoom<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch  where error.meansFullDisk {
            unlinker.finish()
            settler.emptyTrash()
            return try body()
        }
    }

    /// Like ``makingRoom(_:)``. If that is not enough, unlinks the blobs of a batch that is about to be removed.
    func makingRoom<Result>(
        unlinking victims: (IndexSession) throws -> [Entry], _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try makingRoom(body)
        } catch  where error.meansFullDisk {
            unlinkVictims(victims)
            return try body()
        }
    }

    /// Unlinks the blob first. Without it the entry is removed for good, whether its row can be deleted now or only later.
    ///
    /// - Returns: the row; nil if there was none.
    func removeOnFullDisk(_ name: BlobName) throws -> Entry? {
        var entry: Entry?
        try withoutCommit { session in
            entry = try session.entry(named: name)
            if let file = try blobs.status(of: name), try isOwn(file, name, of: entry) { try blobs.unlink(name) }
            if let entry { try unlinkBlobs(of: [entry]) }
        }
        guard let gone = entry else { return nil }
        // If this fails, a reader that finds the row, or the next batch, deletes it.
        try? index.write { session in
            // Unless the key was stored again in the meantime.
            if try session.entry(named: name)?.token == gone.token { try session.delete(id: gone.id) }
        }
        return gone
    }

    /// Runs `body` under the write lock and rolls back: a full disk cannot commit.
    func withoutCommit(_ body: (IndexSession) throws -> Void) throws {
        struct Done: Error {}
        do {
            try index.write { session in
                try body(session)
                throw Done()
            }
        } catch is Done {}
    }

    /// Unlinks the blobs of a batch before their rows are deleted, because the disk is too full to commit even a removal. A row
    /// without a blob is a miss, and the next batches delete it.
    private func unlinkVictims(_ next: (IndexSession) throws -> [Entry]) {
        // The next attempt throws what could not be unlinked here.
        try? withoutCommit { try unlinkBlobs(of: next($0)) }
    }

    /// Unlinks the blobs of entries wherever they are: a commit was refused, and there may have been no room to put them back.
    private func unlinkBlobs(of entries: [Entry]) throws {
        for entry in TimedBatch(entries[...], environment.tuning) {
            if try isBlob(of: entry, blobs.status(of: entry.name)) { try blobs.unlink(entry.name) }
        }
        let entries = Dictionary(entries.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        for blob in try DetachedBlob.Place.allCases.flatMap(blobs.detached(in:)) {
            guard let entry = entries[blob.rowID], try isBlob(of: entry, blobs.status(of: blob)) else { continue }
            try blobs.unlink(blob)
        }
    }
}
