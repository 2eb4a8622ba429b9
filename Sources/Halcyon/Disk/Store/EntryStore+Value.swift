package import Foundation

extension EntryStore {
    /// The bytes of an entry; nil for a miss. Takes no write lock.
    ///
    /// - Parameters:
    ///   - now: what "expired" is measured against.
    ///   - extending: what the read does to the expiration.
    ///   - origin: which image it is, where the caller knows.
    /// - Throws: ``SystemError`` when the blob exists and cannot be read. An index that cannot be used is a miss.
    package func value(
        of name: BlobName, key: String, origin: @autoclosure () -> KeyOrigin? = nil, at now: Timestamp,
        extending: ExpirationExtending
    ) throws -> Data? {
        let found = try findReadable(name, at: now) { try blobs.read($0, accepting: $1) }
        guard let found else {
            countMiss(of: key)
            return nil
        }
        noteRead(of: found, key: key, origin: origin(), bytes: found.content.count, at: now, extending: extending)
        return found.content
    }

    /// The bytes of an entry, without counting a hit or a miss and without noting an access.
    func peek(_ name: BlobName, at now: Timestamp) throws -> Data? {
        try findReadable(name, at: now) { try blobs.read($0, accepting: $1) }?.content
    }

    /// What `probe` makes of an entry's blob, and the entry's row, as of one moment; nil for a miss. As
    /// ``value(of:key:origin:at:extending:)`` otherwise.
    ///
    /// - Parameters:
    ///   - byteCount: what the read counts as.
    ///   - discard: what becomes of a content that is not returned.
    func valueAndRecord<Content>(
        of name: BlobName, key: String, origin: @autoclosure () -> KeyOrigin?, at now: Timestamp,
        extending: ExpirationExtending, byteCount: (Content) -> Int64, discarding discard: (Content) -> Void = { _ in },
        _ probe: Probe<Content>
    ) throws -> (Content, EntryRecord)? {
        // Files without a row have nothing that is known of them.
        LockPatience.briefly { try? adopter.adoptAhead(name.withFormer) }
        // Each time, a store has replaced the entry between the two looks. A busy writer does that every other time.
        for _ in 0..<200 {
            guard let found = try findReadable(name, at: now, probe) else { break }
            let record = try? index.read { try self.record(of: name, in: $0) }
            if let known = found.known, let record, record.entry.token == known.entry.token {
                noteRead(
                    of: found, key: key, origin: origin(), bytes: Int(clamping: byteCount(found.content)), at: now,
                    extending: extending)
                return (found.content, record)
            }
            discard(found.content)
        }
        countMiss(of: key)
        return nil
    }

    /// As ``find(_:at:_:)``. A folder that may not be searched hides its blobs: a miss. A blob that may not be read is an error.
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

    private func noteRead<Content>(
        of found: Match<Content>, key: String, origin: @autoclosure () -> KeyOrigin?, bytes: Int, at now: Timestamp,
        extending: ExpirationExtending
    ) {
        // Hashing it again is not for every read.
        let isKnown = found.known.map { $0.entry.key != nil && $0.entry.baseLength != nil } ?? false
        noteRead(
            of: found.name, known: found.known, key: key, origin: isKnown ? nil : origin(), bytes: bytes, at: now,
            extending: extending)
    }

    private func countMiss(of key: String? = nil) {
        recorder.log.withLock { $0.count(\.misses) }
        observers.tell(.init(.miss, bytes: 0, key: key))
        recorder.requestFlush()
    }

    /// Counts a read that was answered without the index.
    ///
    /// - Parameter bytes: nil for a miss.
    func countUse(bytes: Int?) {
        guard let bytes else { return countMiss() }
        recorder.log.withLock { $0.countHit(bytes: bytes) }
        observers.tell(.init(.hit, bytes: bytes, key: nil))
        recorder.requestFlush()
    }

    /// Notes one more read of an entry, whose bytes are there already.
    func noteUse(of name: BlobName, key: String, bytes: Int, at now: Timestamp, extending: ExpirationExtending) {
        guard let found = findFile(name, at: now) else { return countUse(bytes: bytes) }
        noteRead(
            of: found.name, known: found.known, key: key, origin: nil, bytes: bytes, at: now, extending: extending)
    }

    /// Whether there is a valid entry: its row, and one `stat`. Fit for a main thread; records no access.
    package func contains(_ name: BlobName, at now: Timestamp) -> Bool { validName(name, at: now) != nil }

    /// The name under which there is a valid entry: this one, or the former one. As ``contains(_:at:)``.
    func validName(_ name: BlobName, at now: Timestamp) -> BlobName? { findFile(name, at: now)?.name }

    /// A folder that cannot be searched shows nothing, and nothing is dropped for it.
    private func findFile(_ name: BlobName, at now: Timestamp) -> Match<Bool>? {
        try? find(name, at: now) { path, isAccepted in
            try blobs.status(at: path).map(isAccepted) == true ? true : nil
        }
    }

    // MARK: Noting the access

    private func noteRead(
        of name: BlobName, known: IndexedEntry?, key: String, origin: KeyOrigin?, bytes: Int, at now: Timestamp,
        extending: ExpirationExtending
    ) {
        if let known {
            note(known, key: key, origin: origin, bytes: bytes, at: now, extending: extending)
        } else {
            recorder.log.withLock { $0.countHit(bytes: bytes) }
            observers.tell(.init(.hit, bytes: bytes, key: key))
            adopter.noteEarlyRead(of: name, Adopter.EarlyRead(key: key, origin: origin, at: now, extending: extending))
            housekeeping.request(.settle)
        }
    }

    /// Makes entries of files that were read before they were, and notes their keys and accesses.
    func adoptEarlyReads() {
        adopter.adoptEarlyReads { entry, read in
            note(
                IndexedEntry(entry: entry, lifetime: entry.lifetime(at: read.at)), key: read.key, origin: read.origin,
                bytes: nil, at: read.at, extending: read.extending)
        }
    }

    /// - Parameter bytes: what was read; nil where that was counted before.
    private func note(
        _ known: IndexedEntry, key: String, origin: KeyOrigin?, bytes: Int?, at now: Timestamp,
        extending: ExpirationExtending
    ) {
        if let bytes { observers.tell(.init(.hit, bytes: bytes, key: key)) }
        let entry = known.entry
        let lifetime = known.lifetime.extended(by: extending, at: now)
        let key = storable(key)
        let note = AccessLog.Note(
            token: entry.token, accessedAt: stamp(at: now), lifetime: lifetime,
            renewedAt: lifetime != nil && extending.isOfCacheTime ? now : nil, key: entry.key == nil ? key : nil,
            origin: origin,
            host: key.flatMap { key in origin.flatMap { KeyOrigin.host(ofKey: key, baseLength: $0.baseLength) } })
        let count = recorder.log.withLock { log in
            log.add(note, for: entry.id)
            if let bytes { log.countHit(bytes: bytes) }
            return log.count
        }
        if count >= environment.tuning.flushCount || (lifetime != nil && expiresBeforeNextFlush(entry, at: now)) {
            housekeeping.request(.flush)
        } else {
            recorder.requestFlush()
        }
    }

    /// Other processes know the row alone, and to them the entry would be gone before the extension is written.
    private func expiresBeforeNextFlush(_ entry: Entry, at now: Timestamp) -> Bool {
        guard let expiresAt = entry.lifetime.expiresAt else { return false }
        return expiresAt - now < environment.tuning.flushInterval
    }
}

extension ExpirationExtending {
    fileprivate var isOfCacheTime: Bool {
        if case .cacheTime = self { true } else { false }
    }
}
