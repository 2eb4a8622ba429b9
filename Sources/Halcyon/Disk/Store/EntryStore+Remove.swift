internal import Foundation
internal import HalcyonSQLite

extension EntryStore {
    /// Removes an entry: BEGIN → DELETE → rename into the trash → COMMIT → unlink. Also removes a file of that name without a row.
    /// A missing name is not an error.
    package func remove(_ name: BlobName) throws {
        try index.openForChange()
        // The former name first: lookups prefer the new one, so after a crash between the two they find the value they found before.
        if let former = name.former { try removeExactly(former) }
        try removeExactly(name)
    }

    private func removeExactly(_ name: BlobName) throws {
        let entry = try index.read { try $0.entry(named: name) }
        // Nothing to remove, so do not take the write lock.
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

    /// Removes an entry that is larger than a whole limit, unless it is pinned. Decides under the lock, so it sees every store and
    /// pin made meanwhile.
    ///
    /// - Returns: whether it was removed.
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
