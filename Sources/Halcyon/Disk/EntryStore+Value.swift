package import Foundation

extension EntryStore {
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
            let found = try find(name, key: key, at: now) { try blobs.read($0, accepting: $1) }
            if let known = found?.known { note(known, key: key, at: now, extending: extending) }
            return found?.content
        } catch let error as SystemError where error.isDenied {
            // A folder that may not be searched hides its blobs: a miss. A blob that may not be read is an error.
            guard (try? blobs.status(of: name)) != nil else { return nil }
            throw error
        }
    }

    /// Whether there is a valid entry: its row, and one `stat`. Fit for a main thread; records no access.
    package func contains(_ name: BlobName, key: String, at now: Timestamp) -> Bool {
        // A folder that cannot be searched shows nothing, and nothing is dropped for it.
        let found = try? find(name, key: key, at: now) { path, isAccepted in
            try blobs.status(at: path).map(isAccepted) == true ? true : nil
        }
        return found != nil
    }

    // MARK: Noting the access

    private func note(_ known: Known, key: String, at now: Timestamp, extending: ExpirationExtending) {
        let entry = known.entry
        let lifetime = known.lifetime.extended(by: extending, at: now)
        let note = AccessLog.Note(
            token: entry.token, accessedAt: stamp(at: now), lifetime: lifetime, key: entry.key == nil ? key : nil)
        let count = log.withLock { log in
            log.add(note, for: entry.id)
            return log.count
        }
        if count >= environment.tuning.flushCount || (lifetime != nil && expiresBeforeNextFlush(entry, at: now)) {
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
