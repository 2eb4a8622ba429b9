internal import Foundation
internal import HalcyonSQLite

/// Makes entries of files without a row: in a directory that Kingfisher wrote, or one whose index is gone.
final class Adopter: FolderWork {
    let folder: CacheFolder
    let listeners = AdoptionListeners()
    /// Allows one adoption at a time.
    private let lock = NSLock()
    /// Reads of files that were not entries yet.
    private let earlyReads: Locked<[BlobName: UnrecordedRead]> = Locked([:])

    /// A read of a file that has no row in which to note it.
    struct UnrecordedRead {
        let key: String
        let origin: KeyOrigin?
        let at: Timestamp
        let extending: ExpirationExtending
    }

    init(_ folder: CacheFolder) { self.folder = folder }

    /// Makes entries of all files in the directory that have no row. Moves, rewrites and loses none of them. A key becomes known
    /// when a caller uses it.
    ///
    /// After an interruption, it starts over at the next opening and skips files that are adopted already.
    func finish() throws {
        let result = Result { try finishNow() }
        // The sweep tries again soon.
        if case .failure(let error as SQLiteError) = result, error.isBusy { throw error }
        // Also after an error: listeners must not wait for the next opening.
        listeners.finish()
        try result.get()
    }

    private func finishNow() throws {
        // Only an open index knows whether files are adopted.
        try index.openForChange()
        guard condition.isSearching else { return }
        try exclusively {
            // Again if the index was replaced meanwhile: the new one lacks what the old one had adopted. Bounded, in case another
            // program replaces it every time.
            for _ in 0..<3 where condition.isSearching {
                // Waits for the lock before it lists the directory, which each waiting call would otherwise do first. Fails at once if
                // the log is full.
                try index.write(.withoutWaiting) { _ in }
                let (generation, naming) = (index.generation, condition.naming)
                try adoptEverything()
                let statistics = try formerStatistics()
                try updateState(ifStill: generation) { state, session in
                    if let statistics, state.adoption == .rebuilding {
                        try session.add(statistics.counts, at: statistics.since)
                    }
                    state.endSearch(namesAreHashed: naming.areHashed || condition.naming != naming)
                    // All names were just examined. What a crash left meanwhile can wait for a day.
                    state.reconciledAt = now
                }
                index.previousIndex.close()
            }
        }
    }

    /// A brief call waits for another thread's adoption only while that one gets the write lock.
    private func exclusively(_ body: () throws -> Void) throws {
        while !lock.lock(within: index.patience.briefSeconds) {
            guard LockTimeout.isBrief, index.patience.isRefused else { continue }
            throw SQLiteError(code: .busy, message: "another thread of this process waits for the lock to adopt files")
        }
        defer { lock.unlock() }
        try body()
    }

    /// The counts of the index that was set aside; nil if none is being rebuilt.
    func formerStatistics() throws -> (counts: Counts, since: Timestamp)? {
        condition.adoption == .rebuilding ? try index.previousIndex.statistics() : nil
    }

    private func adoptEverything() throws {
        var count = 0
        var unreadable: [BlobName] = []
        if condition.isAdopting { try forEachBlobNameBatch { count += $0.count } }
        var progress = AdoptionProgress(files: 0, of: count)
        try forEachBlobNameBatch(of: environment.tuning.adoptionChunk) { names in
            // Sorted by id: in the order of the directory, each insert would change a different page, and the log would get a
            // hundred times as long as the rows.
            let candidates = names.filter(condition.mayAdopt).sorted { $0.rowID < $1.rowID }
            try forEachBatch(
                of: environment.tuning.adoptionBatchSize, in: candidates, .withoutReserve,
                willBegin: stopIfClosing, didCommit: { listeners.tell(progress.advanced(by: $0.endIndex)) }
            ) { session, batch in
                try adopt(batch, in: session, leavingOut: &unreadable)
            }
            progress = progress.advanced(by: names.count)
        }
        if !unreadable.isEmpty {
            // Leaves out those that still cannot be examined.
            var rest: [BlobName] = []
            try index.write(.withoutReserve) { try adopt(unreadable, in: $0, leavingOut: &rest) }
        }
        listeners.tell(progress)
    }

    /// - Parameter unreadable: receives files that cannot be examined. They do not stop the adoption of the others.
    private func adopt(
        _ names: some Sequence<BlobName>, in session: IndexSession, leavingOut unreadable: inout [BlobName]
    ) throws {
        let state = try session.state()
        // Another thread or process may have removed everything meanwhile.
        guard condition.isSearching(asOf: state) else { return }
        for name in names {
            do {
                try adopt(name, in: session)
            } catch let error as SystemError {
                unreadable.append(name)
                guard unreadable.count <= Self.unreadableLimit else { throw error }
            }
        }
    }

    /// Beyond this number of unreadable files, the cause is more likely the volume.
    private static let unreadableLimit = 16

    private func adopt(_ name: BlobName, in session: IndexSession) throws {
        let now = now
        // Under the lock: a file that a store has published meanwhile has a row.
        guard let file = try blobs.status(of: name) else { return }
        // During a rebuild, the former index tells that a file is complete, whenever its owner or mode was changed.
        let isRebuilding = condition.adoption == .rebuilding && file.kind == .regular
        guard isRebuilding || condition.adopts(file, named: name) else { return }
        if let known = try index.previousIndex.rememberedRecord(of: name, in: file), known.isSameBlob {
            try session.restore(storable(known.record, file))
            // It was stored by then: a removal or a power cut compares entries with the latest store.
            return try session.raiseStoredAt(to: min(now, known.record.entry.createdAt))
        }
        guard condition.adopts(file, named: name) else { return }
        let accessed = min(now, file.created ?? file.changed)
        var entry = Entry(
            id: name.rowID, name: name, key: nil, token: BlobTag.token(environment.tokens.next(), for: file),
            inode: lastingInode(of: file), size: file.size, createdAt: min(now, file.changed), accessedAt: accessed,
            lifetime: adoptedLifetime(of: file, at: now))
        entry.slack = file.allocatedSize - file.size
        _ = try session.insert(entry)
    }

    private func storable(_ record: EntryRecord, _ file: FileStatus) -> EntryRecord {
        var record = record
        record.entry.key = record.entry.key.flatMap(storable)
        record.entry.inode = lastingInode(of: file)
        // This expiration comes from a damaged index. It is true if the date of the blob, which has the tag of a store, agrees.
        let isConfirmed = file.modifiedMicroseconds > 0 && file.modified <= now
        if record.entry.isExpired(at: now), !isConfirmed {
            record.entry.lifetime = adoptedLifetime(of: file, at: now)
        }
        return record
    }

    /// Adopts single files ahead of the others: for example before a store replaces one, so that a store that fails does not lose it.
    func adoptAhead(_ names: [BlobName]) throws {
        // Only an open index knows whether files are adopted.
        try index.openForChange()
        for name in names where try awaits(name, hasRow: { try index.read { try $0.entry(named: name) } != nil }) {
            try index.write(.withoutReserve) { session in
                if try condition.isSearching(asOf: session.state()) { try adopt(name, in: session) }
            }
        }
    }

    /// Whether there is a file under a name that is still to become an entry.
    func awaits(_ name: BlobName, hasRow: () throws -> Bool) throws -> Bool {
        guard condition.mayAdopt(name), let file = try blobs.status(of: name), condition.adopts(file, named: name)
        else { return false }
        return try !hasRow() && blobs.isListed(name)
    }

    // MARK: Files that were read before they were entries

    /// Like notes, reads beyond a number are dropped while the index cannot be written.
    func noteEarlyRead(of name: BlobName, _ read: UnrecordedRead) {
        earlyReads.withLock { early in
            guard early.count < environment.tuning.noteLimit || early[name] != nil else { return }
            early[name] = early[name].map { $0.at < read.at ? read : $0 } ?? read
        }
    }

    /// Adopts these files and passes each resulting entry to `note`. If this throws, what is left stays for the next call.
    ///
    /// - Parameter note: called under a lock, so that another thread finds each read here or noted.
    func adoptEarlyReads(_ note: (Entry, UnrecordedRead) -> Void) throws {
        var unreadable: [BlobName] = []
        var entries: [Entry?] = []
        func noteReads(_ done: ArraySlice<(key: BlobName, value: UnrecordedRead)>) {
            earlyReads.withLock { early in
                for (known, entry) in zip(done, entries) {
                    // Without an entry, a later read stays for the next call.
                    guard let read = early[known.key], entry != nil || read.at == known.value.at else { continue }
                    early[known.key] = nil
                    // It may have been stored anew meanwhile.
                    if let entry, entry.bootTime == nil || entry.createdAt <= read.at { note(entry, read) }
                }
            }
        }
        try forEachBatch(
            of: environment.tuning.flushBatchSize, in: earlyReads.withLock { Array($0) }, .withoutReserve,
            didCommit: noteReads
        ) { session, batch in
            try adopt(batch.lazy.map(\.key), in: session, leavingOut: &unreadable)
            entries = try batch.done.map { try session.entry(named: $0.key) }
        }
    }

    /// Returns the lifetime of a file without a row.
    ///
    /// Kingfisher writes the expiration into the modification date. On Apple's platforms, and if the index was not damaged, the
    /// date is used as it is. Otherwise it counts only if it is later than the configured expiration from now, so that an old date
    /// never makes an entry expire at once. Kingfisher sets the creation date at each store and read, so the time to live is counted
    /// from it.
    func adoptedLifetime(of file: FileStatus, at now: Timestamp) -> Lifetime {
        guard file.modified < .neverFrom else { return .never }
        let noted = Lifetime(.date(file.modified.date), from: min(now, file.created ?? now))
        if Self.datesCanBeRelied, condition.adoption == .pending { return noted }
        let configured = Lifetime(condition.settings.adoptionExpiration, from: now)
        guard let end = configured.expiresAt, let notedEnd = noted.expiresAt else { return configured }
        return end >= notedEnd ? configured : noted
    }

    #if canImport(Darwin)
        private static let datesCanBeRelied = true
    #else
        private static let datesCanBeRelied = false
    #endif
}
