internal import HalcyonSQLite

/// Takes back the rows of an index that version 0.1.0 has set aside.
///
/// That version cannot use an index of this one, and builds another, which knows no keys. The file that it has set aside is removed once
/// its rows are in the index, so a file that is there has not been taken back.
struct Reclaimer: FolderWork {
    let folder: CacheFolder
    private let files: IndexFiles
    private let former: PreviousIndex

    init(folder: CacheFolder) {
        self.folder = folder
        files = IndexFiles(database: folder.blobs.indexPath, fileSystem: folder.environment.fileSystem)
        former = PreviousIndex(files: files, vfs: folder.environment.vfs, onlyNewer: true)
    }

    /// Keys, pins and tags, and of the blobs that are the same ones still also metadata, uses and expirations.
    ///
    /// - Throws: also when it cannot be read now. Then it stays, and the next call goes on.
    func finish() throws {
        let generation = index.generation
        // Files that are to become entries first have no row to be taken back to.
        guard condition.adoption == .done, try isThere() else { return }
        try forEachEntryBatch { session, entries in
            // Another process may have taken it back. A pin that is missing now has been taken away since.
            guard try files.status(at: files.newer) != nil else { return }
            for entry in entries { try merge(known(of: entry), into: entry, in: session) }
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

    /// Takes one entry back before an update of it, so that what the update takes away does not come back. Where that cannot be read at
    /// the moment, the update is not held up.
    func reclaim(_ name: BlobName, in session: IndexSession) throws {
        guard (try? isThere()) == true, let entry = try session.entry(named: name) else { return }
        try merge((try? known(of: entry)) ?? nil, into: entry, in: session)
    }

    private typealias Known = (record: EntryRecord, isSameBlob: Bool)

    private func known(of entry: Entry) throws -> Known? {
        guard let file = try blobs.status(of: entry.name), isBlob(of: entry, file) else { return nil }
        return try former.rememberedRecord(of: entry.name, in: file)
    }

    private func merge(_ known: Known?, into entry: Entry, in session: IndexSession) throws {
        guard let known else { return }
        var record = known.record
        record.entry.key = record.entry.key.flatMap(storable)
        try session.merge(record, into: entry, isSameBlob: known.isSameBlob)
    }

    /// One of a later version stays: that one will know more of it.
    private func isThere() throws -> Bool {
        try files.status(at: files.newer) != nil && former.isReadable(upTo: EntryIndex.migrator.newestVersion)
    }
}
