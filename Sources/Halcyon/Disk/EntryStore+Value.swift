package import Foundation
internal import HalcyonSQLite

extension EntryStore {
    /// What a lookup wants.
    enum Demand { case bytes, presence }

    /// The bytes of an entry; nil for a miss. Takes no write lock.
    ///
    /// - Parameters:
    ///   - now: what "expired" is measured against.
    ///   - extending: what the read does to the expiration.
    /// - Throws: ``SystemError`` when the blob exists and cannot be read. An index that cannot be used is a miss.
    package func value(
        of name: BlobName, key: String, at now: Timestamp, extending: ExpirationExtending
    ) throws -> Data? {
        do {
            guard let found = try find(name, at: now, wanting: .bytes) else { return nil }
            note(found, key: key, at: now, extending: extending)
            return found.data
        } catch let error as SystemError where error.isDenied {
            // A folder that may not be searched hides its blobs: a miss. A blob that may not be read is an error.
            guard (try? blobs.status(of: name)) != nil else { return nil }
            throw error
        }
    }

    /// Whether there is a valid entry: its row, and one `stat`. Fit for a main thread; records no access.
    package func contains(_ name: BlobName, at now: Timestamp) -> Bool {
        // A folder that cannot be searched shows nothing, and nothing is dropped for it.
        (try? find(name, at: now, wanting: .presence)) != nil
    }

    struct Found {
        /// nil for a file without a row, during adoption.
        let entry: Entry?
        let data: Data?
    }

    private func find(_ name: BlobName, at now: Timestamp, wanting demand: Demand) throws -> Found? {
        if let found = try findOnce(name, at: now, wanting: demand) { return found }
        // Before a miss is reported: is this still the folder's index?
        guard index.refreshIfMoved() else { return nil }
        return try findOnce(name, at: now, wanting: demand)
    }

    private func findOnce(_ name: BlobName, at now: Timestamp, wanting demand: Demand) throws -> Found? {
        let entry: Entry?
        do {
            entry = try index.read { try $0.entry(named: name) }
        } catch {
            // Locked, full, unreadable, too new: a miss. The image is loaded from where it came, and nothing is dropped.
            return nil
        }
        guard let entry else { return try findAdoptable(name, at: now, wanting: demand) }
        return try find(entry, at: now, wanting: demand)
    }

    /// Looks at the places where a row's blob can be, again while the row changes.
    private func find(_ row: Entry, at now: Timestamp, wanting demand: Demand) throws -> Found? {
        var entry = row
        // Between two places the bytes may move from the one not yet looked at to the one already looked at; three
        // looks at an unchanged row are enough, since each move is followed by a commit that changes it.
        var looksAtSameRow = 0
        while looksAtSameRow < 3 {
            guard !isExpired(entry, at: now) else { return nil }
            if let found = try look(for: entry, wanting: demand) { return found }
            guard let again = try? index.read({ try $0.entry(named: entry.name) }) else { return nil }
            looksAtSameRow = again.token == entry.token ? looksAtSameRow + 1 : 0
            entry = again
            if looksAtSameRow > 1 { sched_yield() }
        }
        suspect(entry)
        return nil
    }

    private func isExpired(_ entry: Entry, at now: Timestamp) -> Bool {
        let noted = log.withLock { $0.note(for: entry)?.lifetime }
        return (noted ?? entry.lifetime(at: now)).isExpired(at: now)
    }

    /// The final name, then the trash, then whatever is staged for the row.
    private func look(for entry: Entry, wanting demand: Demand) throws -> Found? {
        if let found = try look(at: blobs.path(of: entry.name), for: entry, wanting: demand) { return found }
        let trashed = DetachedBlob(place: .trash, rowID: entry.id, token: entry.token)
        if let found = try look(at: blobs.path(of: trashed), for: entry, wanting: demand) { return found }
        for staged in try blobs.detached(of: entry.id, in: .staging) {
            if let found = try look(at: blobs.path(of: staged), for: entry, wanting: demand) { return found }
        }
        return nil
    }

    private func look(at path: String, for entry: Entry, wanting demand: Demand) throws -> Found? {
        switch demand {
        case .presence:
            guard let file = try blobs.status(at: path), isBlob(of: entry, file) else { return nil }
            return Found(entry: entry, data: nil)
        case .bytes:
            guard case .content(let data) = try blobs.read(path, accepting: { isBlob(of: entry, $0) }) else { return nil }
            return Found(entry: entry, data: data)
        }
    }

    // MARK: Files that nobody has adopted yet

    private func findAdoptable(_ name: BlobName, at now: Timestamp, wanting demand: Demand) throws -> Found? {
        guard condition.withLock({ $0.isAdopting }) else { return nil }
        let path = blobs.path(of: name)
        switch demand {
        case .presence:
            guard let file = try blobs.status(at: path), isValidUnadopted(file, at: now) else { return nil }
            return Found(entry: nil, data: nil)
        case .bytes:
            guard case .content(let data) = try blobs.read(path, accepting: { isValidUnadopted($0, at: now) }) else {
                return nil
            }
            return Found(entry: nil, data: data)
        }
    }

    private func isValidUnadopted(_ file: FileStatus, at now: Timestamp) -> Bool {
        isAdoptable(file) && !adoptedLifetime(of: file, at: now).isExpired(at: now)
    }

    // MARK: Noting the access

    private func note(_ found: Found, key: String, at now: Timestamp, extending: ExpirationExtending) {
        guard let entry = found.entry else { return }
        let current = log.withLock { $0.note(for: entry)?.lifetime } ?? entry.lifetime
        let lifetime = current.extended(by: extending, at: now)
        let count = log.withLock { log in
            log.add(
                AccessLog.Note(
                    token: entry.token, accessedAt: stamp(at: now), lifetime: lifetime,
                    key: entry.key == nil ? key : nil), for: entry.id)
            return log.count
        }
        let isUrgent = lifetime != nil && expiresBeforeNextFlush(entry, at: now)
        if isUrgent || count >= environment.tuning.flushCount {
            housekeeping.request(.flush)
        } else {
            housekeeping.request(.flushLater, afterMilliseconds: environment.tuning.flushInterval)
        }
    }

    /// Other processes know the row alone, and to them the entry would be gone before the extension is written.
    private func expiresBeforeNextFlush(_ entry: Entry, at now: Timestamp) -> Bool {
        guard let expiresAt = entry.lifetime.expiresAt else { return false }
        return expiresAt - now < environment.tuning.flushInterval
    }
}
