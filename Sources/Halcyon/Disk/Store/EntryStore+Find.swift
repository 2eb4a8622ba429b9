internal import Foundation

extension EntryStore {
    /// A row, and its lifetime including what the access log adds.
    struct IndexedEntry {
        let entry: Entry
        let lifetime: Lifetime

        func isExpired(at now: Timestamp) -> Bool { !entry.isPinned && lifetime.isExpired(at: now) }
    }

    struct Match<Content> {
        /// nil for a file without a row, during adoption.
        let known: IndexedEntry?
        /// The name under which it was found, possibly a former one.
        let name: BlobName
        let content: Content
    }

    /// Examines one path; returns nil unless an accepted file is there.
    typealias Probe<Content> = (_ path: String, _ isAccepted: (FileStatus) -> Bool) throws -> Content?

    /// Finds the blob of a name; returns nil for a miss. Never takes the write lock.
    func find<Content>(_ name: BlobName, at now: Timestamp, _ probe: Probe<Content>) throws -> Match<Content>? {
        if let found = try findUnderEitherName(name, at: now, probe) { return found }
        // Before reporting a miss: is this still the directory's index?
        guard index.refreshIfMoved() else { return nil }
        return try findUnderEitherName(name, at: now, probe)
    }

    private func findUnderEitherName<Content>(
        _ name: BlobName, at now: Timestamp, _ probe: Probe<Content>
    ) throws -> Match<Content>? {
        if let found = try findOnce(name, at: now, probe) { return found }
        guard let former = name.former else { return nil }
        // Between the two lookups, a store may have given it its new name.
        return try findOnce(former, at: now, probe) ?? findOnce(name, at: now, probe)
    }

    private func findOnce<Content>(_ name: BlobName, at now: Timestamp, _ probe: Probe<Content>) throws -> Match<
        Content
    >? {
        let note = note(of: name)
        let (known, ticket) = index.knownRows.look(name)
        if let known, let found = findKnown(indexed(known, with: note, at: now), at: now, probe) { return found }
        let (wasAdopting, generation) = (condition.adopts(name), index.generation)
        switch row(of: name, ticket, note, at: now) {
        case .known(let known): return try find(known, at: now, probe)
        case .unavailable: return nil
        case .none:
            // The read may have opened the index, or replaced a damaged one. Adoption has then just begun, and may have ended since.
            guard wasAdopting || condition.adopts(name) || index.generation != generation else { return nil }
            // A new index has replaced the one being cleared: its files are those to be removed.
            guard condition.clearedUpTo == nil else { return nil }
            if let found = try findWithoutRow(name, at: now, probe) { return found }
            // If adoption has ended meanwhile, the file has a row now.
            return condition.adopts(name) ? nil : try findOnce(name, at: now, probe)
        }
    }

    /// A hit from a row in memory and the file under the final name; nil if the index has to answer.
    private func findKnown<Content>(
        _ known: IndexedEntry, at now: Timestamp, _ probe: Probe<Content>
    ) -> Match<Content>? {
        let name = known.entry.name
        // If the file cannot be read, the index decides.
        guard condition.isSettled, !known.isExpired(at: now),
            let content = try? probe(blobs.path(of: name), { condition.trusts(known.entry) && known.entry.matches($0) })
        else { return nil }
        return Match(known: known, name: name, content: content)
    }

    /// Whether the row may answer lookups from memory: its file alone has to tell whether the row is current.
    ///
    /// A lasting inode number, on a local volume, distinguishes two stores of the same length. Where names are folded, another
    /// row's file may have the name.
    func mayRemember(_ entry: Entry) -> Bool {
        condition.isSettled && entry.inode != nil && index.hasLog && !blobs.isAmbiguous(entry.name)
    }

    // MARK: The row

    enum Row {
        case known(IndexedEntry)
        case none
        /// A miss that drops nothing: the index is locked, full, unreadable or too new, or the entry is being cleared.
        case unavailable
    }

    /// The pending note of an entry. Take it before the row: a flush in between moves it into the row, and in the other order
    /// neither would have it.
    func note(of name: BlobName) -> AccessLog.Note? { recorder.log.withLock { $0.note(for: name.rowID) } }

    /// - Parameters:
    ///   - ticket: from before this call.
    ///   - note: see ``note(of:)``.
    func row(of name: BlobName, _ ticket: KnownRows.Ticket, _ note: AccessLog.Note?, at now: Timestamp) -> Row {
        do {
            let found = try index.lookUp { session -> (entry: Entry, isGoing: Bool)? in
                guard let entry = try session.entry(named: name) else { return nil }
                return (entry, try isBeingCleared(entry, in: session))
            }
            guard let (entry, isGoing) = found else { return .none }
            guard !isGoing else { return .unavailable }
            if mayRemember(entry) { index.knownRows.remember(entry, readWith: ticket) }
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

    /// Examines the places where a row's blob can be, and starts again if the row changes.
    private func find<Content>(_ row: IndexedEntry, at now: Timestamp, _ probe: Probe<Content>) throws -> Match<
        Content
    >? {
        var known = row
        // The bytes may move from a place not examined yet to one already examined. Three attempts with an unchanged row are
        // enough, because a commit that changes the row follows each move.
        var looksAtSameRow = 0
        while looksAtSameRow < 3 {
            guard !known.isExpired(at: now) else { return nil }
            if let content = try locate(known.entry, probe) {
                return Match(known: known, name: known.entry.name, content: content)
            }
            let note = note(of: known.entry.name)
            let ticket = index.knownRows.look(known.entry.name).ticket
            guard case .known(let again) = self.row(of: known.entry.name, ticket, note, at: now) else { return nil }
            looksAtSameRow = again.entry.token == known.entry.token ? looksAtSameRow + 1 : 0
            known = again
            if looksAtSameRow > 1 { sched_yield() }
        }
        settler.settleLater([known.entry.name])
        return nil
    }

    /// Examines the final name, then the trash, then all files staged for the row.
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

    /// Finds a file that is still to be adopted.
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
