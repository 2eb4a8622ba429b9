internal import Foundation

extension EntryStore {
    /// The bytes of an entry, with its row for ``noteUse(of:_:key:extending:)``; nil for a miss. Takes no write lock.
    ///
    /// - Parameters:
    ///   - now: the time against which expirations are checked.
    ///   - extending: how the read moves the expiration.
    ///   - origin: the image of the key, if the caller knows it.
    /// - Throws: ``SystemError`` if the blob exists and cannot be read. An unusable index is a miss.
    func read(
        _ name: BlobName, key: String, origin: @autoclosure () -> KeyOrigin?, at now: Timestamp,
        extending: ExpirationExtending
    ) throws -> Match<Data>? {
        let found = try findReadable(name, at: now) { try blobs.read($0, accepting: $1) }
        guard let found else {
            countMiss(of: key)
            return nil
        }
        noteRead(of: found, key: key, origin: origin(), bytes: found.content.count, extending: extending)
        return found
    }

    /// The bytes of an entry. Counts neither a hit nor a miss, and notes no access.
    func peek(_ name: BlobName, at now: Timestamp) throws -> Data? {
        try findReadable(name, at: now) { try blobs.read($0, accepting: $1) }?.content
    }

    /// The result of `probe` for an entry's blob, and the entry's row, as of one moment; nil for a miss. Otherwise like
    /// ``read(_:key:origin:at:extending:)``.
    ///
    /// A content that is not returned is released.
    func valueAndRecord<Content>(
        of name: BlobName, key: String, origin: @autoclosure () -> KeyOrigin?, at now: Timestamp,
        extending: ExpirationExtending, _ probe: Probe<Content>
    ) throws -> (Content, EntryRecord)? {
        guard let (found, record) = try findWithRecord(name, at: now, probe) else {
            countMiss(of: key)
            return nil
        }
        let size = Int(clamping: record.entry.size)
        noteRead(of: found, key: key, origin: origin(), bytes: size, extending: extending)
        return (found.content, record)
    }

    /// Like ``find(_:at:_:)``, with the entry's row as of the same moment.
    func findWithRecord<Content>(
        _ name: BlobName, at now: Timestamp, _ probe: Probe<Content>
    ) throws -> (Match<Content>, EntryRecord)? {
        // A file without a row has no record to return.
        LockTimeout.briefly { try? adopter.adoptAhead(name.withFormer) }
        // Again if a store has replaced the entry between the two reads. A busy writer does that every other time.
        for _ in 0..<200 {
            guard let found = try findReadable(name, at: now, probe) else { return nil }
            let record: EntryRecord?
            do {
                record = try LockTimeout.briefly { try index.read { try self.record(of: name, in: $0) } }
            } catch {
                return nil
            }
            if let known = found.known, let record, record.entry.token == known.entry.token { return (found, record) }
            // It could not be adopted. Another attempt would only read it again.
            if found.known == nil, record == nil { return nil }
            // The row may come from memory, and another process may have deleted it.
            index.knownRows.forget(name)
        }
        return nil
    }

    /// Like ``find(_:at:_:)``. A directory without search permission hides its blobs: a miss. A blob that cannot be read is an error.
    private func findReadable<Content>(
        _ name: BlobName, at now: Timestamp, _ probe: Probe<Content>
    ) throws -> Match<Content>? {
        do {
            return try find(name, at: now, probe)
        } catch let error as SystemError where error.isDenied {
            guard (try? blobs.status(of: name)) != nil else { return nil }
            throw error
        }
    }

    private func countMiss(of key: String) {
        recorder.log.withLock { $0.count(\.misses) }
        observers.tell(.init(kind: .miss, key: key))
        recorder.requestFlush()
    }

    /// Counts a read that was answered without the index.
    ///
    /// - Parameter bytes: nil for a miss.
    func countUse(of key: String, bytes: Int?) {
        guard let bytes else { return countMiss(of: key) }
        recorder.log.withLock { $0.countHit(bytes: bytes) }
        observers.tell(.init(kind: .hit, bytes: Int64(bytes), key: key))
        recorder.requestFlush()
    }

    /// Notes another use of bytes that were read, and only counts it if other bytes have replaced them since.
    func noteUse(of found: Match<Data>, _ name: BlobName, key: String, extending: ExpirationExtending) {
        let bytes = found.content.count
        // Again, because other uses may have moved the expiration since the read. A directory that was closed meanwhile stays so.
        guard found.name != nil,
            let current = EntryIndex.opening.withValue(.unclosed, operation: { findFile(name, at: environment.now()) }),
            current.known?.entry.token == found.known?.entry.token
        else { return countUse(of: key, bytes: bytes) }
        noteRead(of: current, key: key, origin: nil, bytes: bytes, extending: extending)
    }

    /// Notes a read that was counted before the entry was stored.
    func noteCountedUse(of name: BlobName, key: String, at now: Timestamp, extending: ExpirationExtending) {
        guard let known = findFile(name, at: environment.now())?.known else { return }
        note(known.entry, known.lifetime, key: key, origin: nil, bytes: nil, at: now, extending: extending)
    }

    /// The name under which there is a valid entry, by its row and one `stat`: this one, or the former one; nil if there is none.
    /// Fast enough for a main thread. Notes no access.
    func validName(_ name: BlobName, at now: Timestamp) -> BlobName? { findFile(name, at: now)?.name }

    /// Finds nothing in a directory without search permission, and drops no rows for that.
    private func findFile(_ name: BlobName, at now: Timestamp) -> Match<Bool>? {
        try? find(name, at: now) { path, isAccepted in
            try blobs.status(at: path).map(isAccepted) == true ? true : nil
        }
    }

    // MARK: Noting the access

    private func noteRead<Content>(
        of found: Match<Content>, key: String, origin: @autoclosure () -> KeyOrigin?, bytes: Int,
        extending: ExpirationExtending
    ) {
        // Not the time of the call: another process may have stored what was found since.
        let now = environment.now()
        if let known = found.known {
            // Working out the origin hashes the key, which is too slow for every read.
            let isComplete = known.entry.key != nil && known.entry.baseLength != nil
            note(
                known.entry, known.lifetime, key: key, origin: isComplete ? nil : origin(), bytes: bytes, at: now,
                extending: extending)
        } else {
            countUse(of: key, bytes: bytes)
            guard let name = found.file else { return }
            adopter.noteEarlyRead(
                of: name, Adopter.UnrecordedRead(key: key, origin: origin(), at: now, extending: extending))
            housekeeping.request(.settle)
        }
    }

    /// Adopts files that were read before they were entries, and notes their keys and accesses.
    func adoptEarlyReads() throws {
        try adopter.adoptEarlyReads { entry, read in
            note(
                entry, entry.lifetime(at: read.at), key: read.key, origin: read.origin, bytes: nil, at: read.at,
                extending: read.extending)
        }
    }

    /// - Parameter bytes: the number of bytes read; nil if the read was counted before.
    private func note(
        _ entry: Entry, _ lifetime: Lifetime, key: String, origin: KeyOrigin?, bytes: Int?, at now: Timestamp,
        extending: ExpirationExtending
    ) {
        if let bytes { observers.tell(.init(kind: .hit, bytes: Int64(bytes), key: key)) }
        let lifetime = lifetime.extended(by: extending, at: now)
        var renewedAt: Timestamp?
        if lifetime != nil, case .cacheTime = extending { renewedAt = now }
        let note = AccessLog.Note(
            token: entry.token, storedAt: entry.createdAt, generation: index.generation,
            accessedAt: stamp(at: now), lifetime: lifetime, renewedAt: renewedAt,
            keyDescription: keyDescription(of: entry, key: key, origin: origin))
        let count = recorder.log.withLock { log in
            log.add(note, for: entry.id, now: environment.now())
            if let bytes { log.countHit(bytes: bytes) }
            return log.count
        }
        if count >= environment.tuning.flushCount || (lifetime != nil && expiresBeforeNextFlush(entry, at: now)) {
            housekeeping.request(.flush)
        } else {
            recorder.requestFlush()
        }
    }

    /// nil if the read tells the index nothing new.
    private func keyDescription(of entry: Entry, key: String, origin: KeyOrigin?) -> AccessLog.KeyDescription? {
        let key = storable(key)
        guard origin != nil || (entry.key == nil && key != nil) else { return nil }
        let host = key.flatMap { key in origin.flatMap { KeyOrigin.host(ofKey: key, baseLength: $0.baseLength) } }
        return AccessLog.KeyDescription(key: entry.key == nil ? key : nil, origin: origin, host: host)
    }

    /// Whether other processes, which see the row alone, would miss the entry before the next flush writes the extension.
    private func expiresBeforeNextFlush(_ entry: Entry, at now: Timestamp) -> Bool {
        guard let expiresAt = entry.lifetime.expiresAt else { return false }
        return expiresAt - now < environment.tuning.flushInterval
    }
}
