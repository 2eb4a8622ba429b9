internal import Foundation
internal import HalcyonSQLite

extension EntryStore {
    /// Removes an entry: BEGIN → DELETE → rename into the trash → COMMIT → unlink. Also a file of that name without a
    /// row. A name that is not there is no error.
    package func remove(_ name: BlobName) throws {
        try index.openForChange()
        // First: what is under the new name is found first, so a crash between the two leaves the value there was.
        if let former = name.former { try removeExactly(former) }
        try removeExactly(name)
    }

    private func removeExactly(_ name: BlobName) throws {
        let entry = try index.read { try $0.entry(named: name) }
        // Nothing there: no reason to take the write lock.
        if entry == nil, try blobs.status(of: name) == nil, !index.refreshIfMoved() { return }
        do {
            let trashed = try remover.makingRoom {
                try settler.settlingIfRefused([name]) { try remover.trash(name, in: $0) }
            }
            if let trashed { unlinker.add(trashed.blob, size: trashed.size) }
            if let entry {
                recorder.log.withLock { $0.count(\.removals) }
                observers.tell(.init(.removal, bytes: Int(clamping: entry.size), key: entry.key))
            }
            recorder.requestFlush()
        } catch  where Remover.isOutOfSpace(error) {
            try remover.removeOnFullDisk(name)
        }
    }

    /// Removes an entry that is larger than a whole limit, unless it is pinned. Judged under the lock: whatever is stored, pinned
    /// or let go of meanwhile counts as it is then.
    ///
    /// - Returns: whether it went.
    func remove(_ name: BlobName, ifLargerThan limit: Int64) throws -> Bool {
        let removed = try remover.removeAndUnlinkBatch { session in
            guard let entry = try session.entry(named: name), !entry.isPinned, entry.size > limit else { return [] }
            try session.delete(id: entry.id)
            return [entry]
        }
        guard !removed.isEmpty else { return false }
        recorder.log.withLock { $0.count(\.evictions) }
        observers.tell(.init(.eviction, bytes: removed.reduce(0) { $0 + Int(clamping: $1.size) }, key: nil))
        recorder.requestFlush()
        return true
    }
}
