internal import Foundation

extension EntryStore {
    /// A row with what the access log has to add to it.
    struct IndexedEntry {
        let entry: Entry
        let lifetime: Lifetime

        func isExpired(at now: Timestamp) -> Bool { !entry.isPinned && lifetime.isExpired(at: now) }
    }

    struct Match<Content> {
        /// nil for a file without a row, during adoption.
        let known: IndexedEntry?
        /// Where it was found: under a former name, perhaps.
        let name: BlobName
        let content: Content
    }

    /// Looks at one path: nil unless there is a file that is accepted.
    typealias Probe<Content> = (_ path: String, _ isAccepted: (FileStatus) -> Bool) throws -> Content?

    /// Finds the blob of a name; nil for a miss. Takes no write lock, ever.
    func find<Content>(_ name: BlobName, at now: Timestamp, _ probe: Probe<Content>) throws -> Match<Content>? {
        if let found = try findUnderEitherName(name, at: now, probe) { return found }
        // Before a miss is reported: is this still the folder's index?
        guard index.refreshIfMoved() else { return nil }
        return try findUnderEitherName(name, at: now, probe)
    }

    private func findUnderEitherName<Content>(
        _ name: BlobName, at now: Timestamp, _ probe: Probe<Content>
    ) throws -> Match<Content>? {
        if let found = try findOnce(name, at: now, probe) { return found }
        guard let former = name.former else { return nil }
        // Between the two looks a store may have given it today's name.
        return try findOnce(former, at: now, probe) ?? findOnce(name, at: now, probe)
    }

    private func findOnce<Content>(_ name: BlobName, at now: Timestamp, _ probe: Probe<Content>) throws -> Match<
        Content
    >? {
        if let found = findKnown(name, at: now, probe) { return found }
        let (wasAdopting, generation) = (condition.adopts(name), index.generation)
        switch row(of: name, at: now) {
        case .known(let known): return try find(known, at: now, probe)
        case .unavailable: return nil
        case .none:
            // Reading opens an index, or puts a new one in the place of a damaged one: then adoption has just begun, and may
            // have ended since the row was looked for.
            guard wasAdopting || condition.adopts(name) || index.generation != generation else { return nil }
            // Another index in the place of the one that is being cleared: its files are those that were to go.
            guard condition.clearedUpTo == nil else { return nil }
            if let found = try findWithoutRow(name, at: now, probe) { return found }
            // Adoption may have ended between the two looks: then the file has a row by now.
            return condition.adopts(name) ? nil : try findOnce(name, at: now, probe)
        }
    }

    /// A hit by a row in memory and the file under the final name; nil where the index has to be asked.
    private func findKnown<Content>(_ name: BlobName, at now: Timestamp, _ probe: Probe<Content>) -> Match<Content>? {
        guard condition.isSettled, let entry = index.knownRows.entry(of: name) else { return nil }
        let known = indexed(entry, with: recorder.log.withLock { $0.note(for: entry.id) }, at: now)
        // What cannot be read is judged with the index.
        guard !known.isExpired(at: now),
            let content = try? probe(blobs.path(of: name), { isBlob(of: entry, $0) })
        else { return nil }
        return Match(known: known, name: entry.name, content: content)
    }

    // MARK: The row

    enum Row {
        case known(IndexedEntry)
        case none
        /// Locked, full, unreadable, too new: a miss. The image is loaded from where it came, and nothing is dropped. Also what is
        /// about to go.
        case unavailable
    }

    func row(of name: BlobName, at now: Timestamp) -> Row {
        let ticket = index.knownRows.ticket(for: name)
        // The note first: a flush in between moves it into the row. The other way round it would be seen in neither.
        let note = recorder.log.withLock { $0.note(for: name.rowID) }
        do {
            let found = try index.read { session -> (entry: Entry, isGoing: Bool)? in
                guard let entry = try session.entry(named: name) else { return nil }
                return (entry, try isBeingCleared(entry, in: session))
            }
            guard let (entry, isGoing) = found else { return .none }
            guard !isGoing else { return .unavailable }
            // Where names are folded, a file may stay that is another row's.
            if condition.isSettled, !blobs.isAmbiguous(name) { index.knownRows.remember(entry, readWith: ticket) }
            return .known(indexed(entry, with: note, at: now))
        } catch {
            return .unavailable
        }
    }

    private func indexed(_ entry: Entry, with note: AccessLog.Note?, at now: Timestamp) -> IndexedEntry {
        let noted = note?.token == entry.token ? note?.lifetime : nil
        return IndexedEntry(entry: entry, lifetime: noted ?? entry.lifetime(at: now))
    }

    // MARK: The blob

    /// Looks at the places where a row's blob can be, again while the row changes.
    private func find<Content>(_ row: IndexedEntry, at now: Timestamp, _ probe: Probe<Content>) throws -> Match<
        Content
    >? {
        var known = row
        // Between two places the bytes may move from the one not yet looked at to the one already looked at; three
        // looks at an unchanged row are enough, since each move is followed by a commit that changes it.
        var looksAtSameRow = 0
        while looksAtSameRow < 3 {
            guard !known.isExpired(at: now) else { return nil }
            if let content = try locate(known.entry, probe) {
                return Match(known: known, name: known.entry.name, content: content)
            }
            guard case .known(let again) = self.row(of: known.entry.name, at: now) else { return nil }
            looksAtSameRow = again.entry.token == known.entry.token ? looksAtSameRow + 1 : 0
            known = again
            if looksAtSameRow > 1 { sched_yield() }
        }
        settler.settleLater([known.entry.name])
        return nil
    }

    /// The final name, then the trash, then whatever is staged for the row.
    private func locate<Content>(_ entry: Entry, _ probe: Probe<Content>) throws -> Content? {
        func isAccepted(_ file: FileStatus) -> Bool { isBlob(of: entry, file) }
        if let content = try probe(blobs.path(of: entry.name), isAccepted) { return content }
        let trashed = DetachedBlob(place: .trash, rowID: entry.id, token: entry.token)
        if let content = try probe(blobs.path(of: trashed), isAccepted) { return content }
        for staged in try blobs.detached(of: entry.id, in: .staging) {
            if let content = try probe(blobs.path(of: staged), isAccepted) { return content }
        }
        return nil
    }

    /// A file that nobody has adopted yet.
    private func findWithoutRow<Content>(
        _ name: BlobName, at now: Timestamp, _ probe: Probe<Content>
    ) throws -> Match<Content>? {
        let content = try probe(blobs.path(of: name)) { file in
            condition.adopts(file, named: name) && !adopter.adoptedLifetime(of: file, at: now).isExpired(at: now)
        }
        guard let content, try blobs.isListed(name) else { return nil }
        return Match(known: nil, name: name, content: content)
    }
}
