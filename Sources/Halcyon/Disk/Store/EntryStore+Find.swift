internal import Foundation

extension EntryStore {
    /// A row, and its lifetime including what the access log adds.
    struct IndexedEntry {
        let shared: SharedEntry
        let lifetime: Lifetime

        var entry: Entry { shared.value }

        func isExpired(at now: Timestamp) -> Bool { !entry.isPinned && lifetime.isExpired(at: now) }
    }

    struct Match<Content> {
        /// nil for a file without a row, during adoption.
        var known: IndexedEntry?
        /// The name of such a file. Not that of an entry, because copying a name retains it.
        var file: BlobName?
        let content: Content

        /// The name under which it was found, possibly a former one.
        var name: BlobName? { known?.entry.name ?? file }
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
        let noted = notedUse(of: name)
        let (known, ticket) = index.knownRows.look(name)
        if let known, let found = findKnown(indexed(known, noted, at: now), at: now, probe) { return found }
        let (wasAdopting, generation) = (condition.mayAdopt(name), index.generation)
        switch row(of: name, ticket, noted, at: now) {
        case .known(let known): return try find(known, at: now, probe)
        case .unavailable: return nil
        case .missing:
            // The read may have opened the index, or replaced a damaged one. Adoption has then just begun, and may have ended since.
            guard wasAdopting || condition.mayAdopt(name) || index.generation != generation else { return nil }
            // A new index has replaced the one being cleared: its files are those to be removed.
            guard condition.clearedUpTo == nil else { return nil }
            if let found = try findWithoutRow(name, at: now, probe) { return found }
            // If adoption has ended meanwhile, the file has a row now.
            return condition.mayAdopt(name) ? nil : try findOnce(name, at: now, probe)
        }
    }

    /// A hit from a row in memory and the file under the final name; nil if the index has to answer.
    private func findKnown<Content>(
        _ known: IndexedEntry, at now: Timestamp, _ probe: Probe<Content>
    ) -> Match<Content>? {
        // Before the file: a clear may end between the two.
        guard condition.rowSuffices(for: known.entry), !known.isExpired(at: now) else { return nil }
        // If the file cannot be read, the index decides.
        let content = try? probe(known.shared.path) { known.entry.matches($0) }
        return content.map { Match(known: known, content: $0) }
    }

    /// Whether the row may answer lookups from memory: its file alone has to tell whether the row is current.
    ///
    /// A lasting inode number, on a local volume, distinguishes two stores of the same length. Where names are folded, another
    /// row's file may have the name.
    func mayRemember(_ entry: Entry) -> Bool {
        condition.rowSuffices(for: entry) && entry.inode != nil && index.hasLog && !blobs.isAmbiguous(entry.name)
            && (entry.key?.utf8.count ?? 0) <= RecentNames.longestKey
    }

    // MARK: The row

    enum Row {
        case known(IndexedEntry)
        case missing
        /// A miss that drops nothing: the index is locked, full, unreadable or too new, or the entry is being cleared.
        case unavailable
    }

    /// What the access log adds to an entry. Take it before the row: a flush in between moves it into the row, and in the other
    /// order neither would have it.
    func notedUse(of name: BlobName) -> AccessLog.NotedUse? {
        recorder.log.withLock { $0.use(of: name.rowID) }
    }

    /// - Parameters:
    ///   - ticket: from before this call.
    ///   - noted: see ``notedUse(of:)``.
    func row(
        of name: BlobName, _ ticket: KnownRows.Ticket, _ noted: AccessLog.NotedUse?, at now: Timestamp
    ) -> Row {
        let row = try? index.lookUp { session -> Row in
            guard let entry = try session.entry(named: name) else { return .missing }
            guard try !isBeingCleared(entry, in: session) else { return .unavailable }
            let shared = shared(entry)
            if mayRemember(entry) { index.knownRows.remember(shared, readWith: ticket) }
            return .known(indexed(shared, noted, at: now))
        }
        return row ?? .unavailable
    }

    func shared(_ entry: Entry) -> SharedEntry { SharedEntry(entry, path: blobs.path(of: entry.name)) }

    private func indexed(
        _ entry: SharedEntry, _ noted: AccessLog.NotedUse?, at now: Timestamp
    ) -> IndexedEntry {
        let lifetime = noted?.token == entry.value.token ? noted?.lifetime : nil
        return IndexedEntry(shared: entry, lifetime: lifetime ?? entry.value.lifetime(at: now))
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
            if let content = try locate(known.shared, probe) {
                return Match(known: known, content: content)
            }
            let noted = notedUse(of: known.entry.name)
            let ticket = index.knownRows.look(known.entry.name).ticket
            guard case .known(let again) = self.row(of: known.entry.name, ticket, noted, at: now) else { return nil }
            looksAtSameRow = again.entry.token == known.entry.token ? looksAtSameRow + 1 : 0
            known = again
            if looksAtSameRow > 1 { sched_yield() }
        }
        settler.settleLater(known.entry.name)
        return nil
    }

    /// Examines the final name, then the trash, then all files staged for the row.
    private func locate<Content>(_ shared: SharedEntry, _ probe: Probe<Content>) throws -> Content? {
        let entry = shared.value
        func isAccepted(_ file: FileStatus) -> Bool { isBlob(of: entry, file) }
        if let content = try probe(shared.path, isAccepted) { return content }
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
            condition.adopts(file, named: name) && condition.trustsFile(writtenAt: file.changed)
                && !adopter.adoptedLifetime(of: file, at: now).isExpired(at: now)
        }
        guard let content, try blobs.isListed(name) else { return nil }
        return Match(file: name, content: content)
    }
}
