/// Reads waiting to be written to the index, merged for each entry. A pure value: the lock and the index are its owner's.
///
/// Losing notes in a crash is harmless: an entry counts as a little less recently used.
package struct AccessLog {
    package struct Note: Equatable, Sendable {
        /// The store that was read: a note never changes a newer entry.
        var token: Int64
        var accessedAt: Timestamp
        /// nil: the read did not move the expiration.
        var lifetime: Lifetime?
        /// The key that was asked for, when the index does not know it.
        var key: String?
    }

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
            note.lifetime = note.lifetime ?? last.lifetime
            note.key = note.key ?? last.key
            note.accessedAt = max(note.accessedAt, last.accessedAt)
        } else if let last = flushing[id], last.token == note.token {
            // Readers look at the pending note first: it has to carry what the one being written says.
            note.lifetime = note.lifetime ?? last.lifetime
        } else if pending.count >= limit {
            return
        }
        pending[id] = note
    }

    /// Takes all notes out for writing; they stay visible until ``flushSucceeded()`` or ``flushFailed()``.
    mutating func beginFlush() -> [(id: Int64, note: Note)] {
        flushing = pending
        pending = [:]
        return flushing.sorted { $0.key < $1.key }.map { (id: $0.key, note: $0.value) }
    }

    mutating func flushSucceeded() { flushing = [:] }

    /// Keeps the notes for the next try; newer ones win.
    mutating func flushFailed() {
        pending.merge(flushing) { newer, _ in newer }
        flushing = [:]
    }

    /// The entry has got another id. Its token is the same.
    mutating func move(_ id: Int64, to newID: Int64) {
        if let note = note(for: id) { pending[newID] = note }
        forget(id)
    }

    mutating func forget(_ id: Int64) {
        pending[id] = nil
        flushing[id] = nil
    }
}
