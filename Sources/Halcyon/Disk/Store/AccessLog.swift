/// Reads waiting to be written to the index, merged for each entry. A plain value: its owner has the lock and the index.
///
/// Losing notes in a crash is harmless: an entry counts as a little less recently used.
package struct AccessLog {
    package struct Note: Sendable {
        /// The store that was read, so that a note never changes a newer entry.
        var token: Int64
        /// When it was stored, to tell which of two stores in one index is the later one.
        var storedAt: Timestamp
        /// See ``EntryIndex/generation``.
        var generation: Int
        var accessedAt: Timestamp
        /// The lifetime as this process sees it; nil if the read did not move the expiration.
        var lifetime: Lifetime?
        /// Set if the read restarts the time to live of the row. Another process may have changed that time to live since, so the
        /// flush takes it from the row.
        var renewedAt: Timestamp?
        /// nil if the index knows the key and its image.
        var keyDescription: KeyDescription?
        /// The number of reads.
        var hits: Int64 = 1

        /// Adds a later read of the same store. Keeps what this one does to the expiration, unless that one moves it.
        fileprivate mutating func append(_ next: Note) {
            if let moved = next.lifetime {
                // The next read may restart a time to live that the row does not have yet.
                renewedAt = lifetime != nil && renewedAt == nil ? nil : next.renewedAt
                lifetime = moved
            }
            keyDescription = next.keyDescription.map { $0.merged(over: keyDescription) } ?? keyDescription
            accessedAt = max(accessedAt, next.accessedAt)
            hits += next.hits
        }
    }

    /// What reads tell the index about an entry's key. Few notes have it, so it is not part of their size.
    package final class KeyDescription: Sendable {
        /// The requested key, if the index does not know it.
        let key: String?
        /// The image of the key, if a caller has named it and the index may not know it.
        let origin: KeyOrigin?
        /// The host of the key, if the index may store keys; set only with ``origin``.
        let host: String?

        init(key: String?, origin: KeyOrigin?, host: String?) {
            (self.key, self.origin, self.host) = (key, origin, host)
        }

        var withoutKey: KeyDescription { KeyDescription(key: nil, origin: origin, host: nil) }

        func merged(over former: KeyDescription?) -> KeyDescription {
            KeyDescription(key: key ?? former?.key, origin: origin ?? former?.origin, host: host ?? former?.host)
        }
    }

    /// What this process has counted so far.
    private(set) var counts = Counts()
    /// The part of it that is in the index.
    private var flushedCounts = Counts()

    /// One for each entry, until it is in the index.
    private var notes: [Int64: Note] = [:]
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    var count: Int { notes.count }

    /// What an entry's pending note says about its last use and its lifetime.
    ///
    /// - Parameter lifetime: nil if no read has moved the expiration.
    typealias NotedUse = (token: Int64, accessedAt: Timestamp, lifetime: Lifetime?)

    /// nil if the entry has no pending note.
    func use(of id: Int64) -> NotedUse? {
        notes[id].map { ($0.token, $0.accessedAt, $0.lifetime) }
    }

    /// Adds a read, or merges it with the entry's pending one. Drops reads of further entries beyond the limit, and those of a store
    /// that a later one has replaced: a slow read may end after one of the new bytes.
    mutating func add(_ note: Note, for id: Int64, now: @autoclosure () -> Timestamp) {
        if let place = notes.index(forKey: id) {
            guard notes.values[place].token != note.token else { return notes.values[place].append(note) }
            let storedAt = notes.values[place].storedAt
            let isOfOneIndex = notes.values[place].generation == note.generation
            // A time in the future is from before the clock was set back. So may be any time in an index that is gone.
            if isOfOneIndex, storedAt > note.storedAt, storedAt <= now() { return }
            notes.values[place] = note
        } else if notes.count < limit {
            notes[id] = note
        }
    }

    /// All notes, for writing. They stay visible until ``didFlush(_:)``.
    var allNotes: [(id: Int64, note: Note)] { notes.map { (id: $0.key, note: $0.value) } }

    /// Drops notes that are written, so that each hit counts once even if the rest fails. A note to which a read was added
    /// meanwhile stays, with the hits that are not written yet.
    mutating func didFlush(_ written: some Sequence<(id: Int64, note: Note)>) {
        for (id, note) in written {
            guard let last = notes[id], last.token == note.token else { continue }
            if last.hits > note.hits { notes[id]?.hits -= note.hits } else { notes[id] = nil }
        }
    }

    // MARK: Counting

    mutating func count(_ path: WritableKeyPath<Counts, Int64>, _ number: Int64 = 1) {
        counts[keyPath: path] &+= number
    }

    mutating func countHit(bytes: Int) {
        counts.hits &+= 1
        counts.bytesRead &+= Int64(bytes)
    }

    /// The counts that are not in the index yet.
    var unflushedCounts: Counts { counts - flushedCounts }

    /// Marks counts as written to the index.
    mutating func countsFlushed(_ counts: Counts) { flushedCounts = flushedCounts + counts }

    /// Forgets all counts, after the index has forgotten its own.
    mutating func resetCounts() { (counts, flushedCounts) = (Counts(), Counts()) }
}
