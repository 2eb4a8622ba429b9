/// Reads waiting to be written to the index, merged for each entry. A pure value: the lock and the index are its owner's.
///
/// Losing notes in a crash is harmless: an entry counts as a little less recently used.
package struct AccessLog {
    package struct Note: Equatable, Sendable {
        /// The store that was read: a note never changes a newer entry.
        var token: Int64
        var accessedAt: Timestamp
        /// What this process takes it for; nil: the read did not move the expiration.
        var lifetime: Lifetime?
        /// Set where the read begins the row's own time to live anew. Another process may have changed that since it was read here, so
        /// the row says what it is.
        var renewedAt: Timestamp?
        /// The key that was asked for, when the index does not know it.
        var key: String?
        /// Which image it is, when somebody has said and the index may not know it.
        var origin: KeyOrigin?
        /// Of the key, where that may be kept; comes with ``origin``.
        var host: String?
        /// Reads.
        var hits: Int64 = 1

        /// What an earlier read has made of the expiration stands, unless this one moves it.
        fileprivate mutating func follow(_ last: Note) {
            if lifetime == nil {
                (lifetime, renewedAt) = (last.lifetime, last.renewedAt)
            } else if last.lifetime != nil, last.renewedAt == nil {
                // It begins a time to live anew that the row does not have yet.
                renewedAt = nil
            }
        }
    }

    /// What this process has done so far.
    private(set) var counts = Counts()
    /// Part of it that the index knows.
    private var flushedCounts = Counts()

    /// Not yet being written.
    private var pending: [Int64: Note] = [:]
    /// Being written, and valid until that has succeeded.
    private var flushing: [Int64: Note] = [:]
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    var count: Int { pending.count }

    /// What is known of an entry beyond its row.
    func note(for id: Int64) -> Note? { pending[id] ?? flushing[id] }

    /// Adds a read, or merges it with the one that is there. Beyond the limit a new entry's read is forgotten.
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
            // Readers look at the pending note first: it has to carry what the one being written says.
            note.follow(last)
        } else if pending.count >= limit {
            return
        }
        pending[id] = note
    }

    /// Takes all notes out for writing; they stay visible until ``didFlush(_:)`` or ``flushFailed()``.
    mutating func beginFlush() -> [(id: Int64, note: Note)] {
        flushing = pending
        pending = [:]
        return flushing.sorted { $0.key < $1.key }.map { (id: $0.key, note: $0.value) }
    }

    /// Some of them are written: each hit counts once, also when the rest fails.
    mutating func didFlush(_ ids: some Sequence<Int64>) { for id in ids { flushing[id] = nil } }

    /// Keeps the notes that were not written for the next try; newer ones win.
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

    /// What the index does not know yet.
    var unflushedCounts: Counts { counts - flushedCounts }

    /// The index knows these too by now.
    mutating func countsFlushed(_ counts: Counts) { flushedCounts = flushedCounts + counts }

    /// What was counted so far is to be forgotten, by the index too.
    mutating func resetCounts() {
        counts = Counts()
        flushedCounts = Counts()
    }

    /// All notes. What was counted has happened all the same.
    mutating func forgetAll() {
        pending = [:]
        flushing = [:]
    }

    mutating func forget(_ id: Int64) {
        pending[id] = nil
        flushing[id] = nil
    }
}
