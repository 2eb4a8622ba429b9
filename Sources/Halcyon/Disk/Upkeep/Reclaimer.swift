internal import HalcyonSQLite

/// Takes back what an index of this version knows that version 0.1.0 has set aside, to build one of its own that knows no keys. As long as
/// there is such an index it has not been taken back.
struct Reclaimer: FolderWork {
    let folder: CacheFolder
    private let files: IndexFiles
    private let former: PreviousIndex

    init(folder: CacheFolder) {
        self.folder = folder
        files = IndexFiles(database: folder.blobs.indexPath, fileSystem: folder.environment.fileSystem)
        former = PreviousIndex(newerIn: files, vfs: folder.environment.vfs)
    }

    /// Keys, pins and tags, and of the blobs that are the same ones still also metadata, uses and expirations.
    ///
    /// - Throws: also when it cannot be read now. Then it stays, and the next call goes on.
    func finish() throws {
        let generation = index.generation
        // Files that are to become entries first have no row to be taken back to.
        guard condition.adoption == .done, try isThere() else { return }
        try forEachEntryBatch { session, entries in
            // Another process may have been quicker, and somebody has taken a pin away since.
            guard try files.status(at: files.newer) != nil else { return }
            for entry in entries { try reclaim(entry, in: session) }
        }
        let statistics = try former.statistics()
        try index.write { session in
            // Another index knows nothing of what was taken back to the one before.
            guard index.generation == generation, try files.status(at: files.newer) != nil else { return }
            if let statistics { try session.add(statistics.counts, at: statistics.since) }
            // All that it knew stands elsewhere now, and keys are private. It goes last: what is left of it is found again.
            for suffix in ["-journal", "-wal", "-shm", ""] { try? environment.fileSystem.unlink(files.newer + suffix) }
        }
    }

    /// That of one entry, before somebody changes it: what he takes away must not come back.
    func reclaim(_ name: BlobName, in session: IndexSession) throws {
        guard try isThere(), let entry = try session.entry(named: name) else { return }
        try reclaim(entry, in: session)
    }

    private func reclaim(_ entry: Entry, in session: IndexSession) throws {
        guard let file = try blobs.status(of: entry.name), isBlob(of: entry, file),
            let known = try former.rememberedRecord(of: entry.name, in: file)
        else { return }
        var record = known.record
        record.entry.key = record.entry.key.flatMap(storable)
        try session.merge(record, into: entry, isSameBlob: known.isSameBlob)
    }

    /// One of a later version stays: that one will know more of it.
    private func isThere() throws -> Bool {
        try files.status(at: files.newer) != nil && former.isReadable(upTo: EntryIndex.migrator.newestVersion)
    }
}
