/// Reads waiting to be written to the index, merged for each entry. A plain value: its owner has the lock and the index.
///
/// Losing notes in a crash is harmless: an entry counts as a little less recently used.
package struct AccessLog {
    package struct Note: Equatable, Sendable {
        /// The store that was read, so that a note never changes a newer entry.
        var token: Int64
        var accessedAt: Timestamp
        /// The lifetime as this process sees it; nil if the read did not move the expiration.
        var lifetime: Lifetime?
        /// Set if the read restarts the time to live of the row. Another process may have changed that time to live since, so the
        /// flush takes it from the row.
        var renewedAt: Timestamp?
        /// The requested key, if the index does not know it.
        var key: String?
        /// The image of the key, if a caller has named it and the index may not know it.
        var origin: KeyOrigin?
        /// The host of the key, if the index may store keys; set only with ``origin``.
        var host: String?
        /// The number of reads.
        var hits: Int64 = 1

        /// Keeps what an earlier read did to the expiration, unless this read moves it.
        fileprivate mutating func follow(_ last: Note) {
            if lifetime == nil {
                (lifetime, renewedAt) = (last.lifetime, last.renewedAt)
            } else if last.lifetime != nil, last.renewedAt == nil {
                // This read restarts a time to live that the row does not have yet.
                renewedAt = nil
            }
        }
    }

    /// What this process has counted so far.
    private(set) var counts = Counts()
    /// The part of it that is in the index.
    private var flushedCounts = Counts()

    /// Not being written yet.
    private var pending: [Int64: Note] = [:]
    /// Being written, and valid until that has succeeded.
    private var flushing: [Int64: Note] = [:]
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    var count: Int { pending.count }

    /// The pending note of an entry.
    func note(for id: Int64) -> Note? { pending[id] ?? flushing[id] }

    /// Adds a read, or merges it with the entry's pending one. Drops reads of further entries beyond the limit.
    mutating func add(_ note: Note, for id: Int64) {
        var note = note
        if let last = pending[id], last.token == note.token {
            note.follow(last)
            note.key = note.key ?? last.key
            note.origin = note.origin ?? last.origin
            note.host = note.host ?? last.host
            note.accessedAt = max(note.accessedAt, last.accessedAt)
            note.hits += last.hits
        } else if let last = flushing[id], last.token == note.token {
            // Readers look at the pending note first, so it has to include what the one being written says.
            note.follow(last)
        } else if pending.count >= limit {
            return
        }
        pending[id] = note
    }

    /// Takes out all notes for writing. They stay visible until ``didFlush(_:)`` or ``flushFailed()``.
    mutating func beginFlush() -> [(id: Int64, note: Note)] {
        flushing = pending
        pending = [:]
        return flushing.sorted { $0.key < $1.key }.map { (id: $0.key, note: $0.value) }
    }

    /// Drops notes that are written, so that each hit counts once even if the rest fails.
    mutating func didFlush(_ ids: some Sequence<Int64>) { for id in ids { flushing[id] = nil } }

    /// Keeps the notes that were not written for the next flush. Newer notes win.
    mutating func flushFailed() {
        pending.merge(flushing) { newer, older in
            guard newer.token == older.token else { return newer }
            var note = newer
            note.hits += older.hits
            return note
        }
        flushing = [:]
    }

    // MARK: Counting

    mutating func count(_ path: WritableKeyPath<Counts, Int64>, _ number: Int64 = 1) {
        counts[keyPath: path] &+= number
    }

    mutating func countHit(bytes: Int) {
        counts.hits &+= 1
        counts.bytesRead &+= Int64(bytes)
    }

    mutating func countStore(bytes: Int) {
        counts.stores &+= 1
        counts.bytesWritten &+= Int64(bytes)
    }

    /// The counts that are not in the index yet.
    var unflushedCounts: Counts { counts - flushedCounts }

    /// Marks counts as written to the index.
    mutating func countsFlushed(_ counts: Counts) { flushedCounts = flushedCounts + counts }

    /// Forgets all counts, after the index has forgotten its own.
    mutating func resetCounts() {
        counts = Counts()
        flushedCounts = Counts()
    }

    /// Forgets all notes, but not the counts.
    mutating func forgetAll() {
        pending = [:]
        flushing = [:]
    }
}
