internal import HalcyonSQLite

/// Takes back what an index of this version knew that an earlier version has set aside, to build one of its own that knows no keys.
struct Reclaimer: FolderWork {
    let folder: CacheFolder
    private let files: IndexFiles
    private let former: PreviousIndex

    init(_ folder: CacheFolder) {
        self.folder = folder
        let environment = folder.environment
        files = IndexFiles(database: folder.blobs.indexPath, fileSystem: environment.fileSystem)
        former = PreviousIndex(newerIn: files, vfs: environment.vfs)
    }

    /// Keys, pins, tags, metadata, uses and expirations of the blobs that are the same ones still.
    ///
    /// - Parameter progress: called with the number of entries looked at.
    func reclaim(_ progress: (Int) -> Void) throws {
        guard isThere else { return }
        var done = 0
        try forEachEntryBatch { session, entries in
            for entry in entries { try reclaim(entry, in: session) }
            done += entries.count
            progress(done)
        }
    }

    private func reclaim(_ entry: Entry, in session: IndexSession) throws {
        guard let file = try blobs.status(of: entry.name), isBlob(of: entry, file),
            var record = former.record(of: entry.name, in: file)
        else { return }
        record.entry.key = record.entry.key.flatMap(storable)
        try session.merge(record, into: entry)
    }

    func reclaimStatistics(in session: IndexSession) throws {
        guard isThere, let (counts, since) = former.statistics() else { return }
        try session.add(counts, at: since)
    }

    /// All that it knew stands elsewhere now, and keys are private.
    func removeSetAside() throws {
        guard isThere else { return }
        for suffix in ["-wal", "-shm", ""] { try? environment.fileSystem.unlink(files.newer + suffix) }
    }

    /// One of a later version stays: that one will know more of it.
    private var isThere: Bool { former.isReadable(upTo: EntryIndex.migrator.newestVersion) }
}
