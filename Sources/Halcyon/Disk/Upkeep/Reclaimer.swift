internal import HalcyonSQLite

/// Recovers the rows of an index that version 0.1.0 has set aside.
///
/// Version 0.1.0 cannot use an index of this version. It sets the index aside and builds a new one, which has no keys. The
/// set-aside file is deleted once its rows are in the index, so a file that exists has not been recovered.
struct Reclaimer: FolderWork {
    let folder: CacheFolder
    private var files: IndexFiles { index.files }
    private let former: PreviousIndex

    init(folder: CacheFolder) {
        self.folder = folder
        former = PreviousIndex(files: folder.index.files, vfs: folder.environment.vfs, onlyNewer: true)
    }

    /// Recovers keys, pins and tags. If the blob is still the same, also recovers metadata, uses and expiration.
    ///
    /// - Throws: also if the file cannot be read at the moment. The file then remains, and the next call continues.
    func finish() throws {
        let generation = index.generation
        // Until adoption is done, there are no rows to merge into.
        guard condition.adoption == .done, try isThere() else { return }
        try forEachEntryBatch { session, entries in
            // Another process may have recovered everything already. Pins that are missing now were then removed since.
            guard try files.status(at: files.newer) != nil else { return }
            for entry in entries { try recover(entry, in: session) }
        }
        let statistics = try former.statistics()
        // After a power cut, the deletion might be on disk and the log not.
        index.checkpoint()
        try index.write { session in
            // If the index was replaced, the new one has nothing of what was merged into the old one.
            guard index.generation == generation, try files.status(at: files.newer) != nil else { return }
            if let statistics { try session.add(statistics.counts, at: statistics.since) }
            // If it fails, the next call would add the statistics again.
            try files.remove(files.newer)
        }
    }

    /// Recovers everything before a change: it must see all pins, and ``finish()`` must not bring back what it removes. If the file
    /// cannot be read at the moment, the change proceeds without it.
    func finishBeforeChange(_ adopter: Adopter) {
        guard isAwaited, (try? adopter.finish()) != nil else { return }
        try? finish()
    }

    private func recover(_ entry: Entry, in session: IndexSession) throws {
        guard let file = try blobs.status(of: entry.name), isBlob(of: entry, file),
            var known = try former.rememberedRecord(of: entry.name, in: file)
        else { return }
        known.record.entry.key = known.record.entry.key.flatMap(storable)
        try session.merge(known.record, into: entry, isSameBlob: known.isSameBlob)
    }

    var isAwaited: Bool { (try? isThere()) == true }

    /// Whether there is a file to recover. One of a later version remains: that version can recover more of it.
    private func isThere() throws -> Bool {
        try files.status(at: files.newer) != nil && former.isReadable(upTo: EntryIndex.migrator.newestVersion)
    }
}
