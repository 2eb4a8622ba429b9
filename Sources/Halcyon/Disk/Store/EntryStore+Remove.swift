extension EntryStore {
    /// Removes an entry: BEGIN → DELETE → rename into the trash → COMMIT → unlink. Also removes a file of that name without a row.
    /// A missing name is not an error.
    ///
    /// - Parameter key: for the observer. The index may not know it.
    /// - Returns: whether there was something to remove.
    @discardableResult
    package func remove(_ name: BlobName, key: String? = nil) throws -> Bool {
        fetches.overtake(name)
        try index.openForChange()
        Reclaimer(folder: folder).finishBeforeChange(adopter)
        // The former name first: lookups prefer the new one, so after a crash between the two they find the value they found before.
        let wasThere = try name.former.map { try removeExactly($0, key) } ?? false
        return try removeExactly(name, key) || wasThere
    }

    private func removeExactly(_ name: BlobName, _ key: String?) throws -> Bool {
        // Nothing to remove, so do not take the write lock.
        let isKnown = try fetches.ids.contains(name.rowID) || index.read { try $0.entry(named: name) } != nil
        if !isKnown, try blobs.status(of: name) == nil, !index.refreshIfMoved() { return false }
        let removed: Entry?
        let wasThere: Bool
        do {
            let (entry, trashed) = try remover.makingRoom {
                try settler.settlingIfRefused([name]) { session in
                    // Also those that began meanwhile, and may have found the value.
                    session.afterCommit { [fetches] in fetches.overtake(name) }
                    return try remover.trash(name, in: session)
                }
            }
            if let trashed { unlinker.add(trashed.blob, size: trashed.size) }
            (removed, wasThere) = (entry, trashed != nil)
        } catch  where error.meansFullDisk {
            (removed, wasThere) = (try remover.removeOnFullDisk(name), true)
            fetches.overtake(name)
        }
        if let removed {
            recorder.log.withLock { $0.count(\.removals) }
            observers.tell(.init(kind: .removal, bytes: removed.size, key: key))
        }
        recorder.requestFlush()
        return wasThere || removed != nil
    }

    /// Removes an entry if it meets a condition. Decides under the lock, so it sees every store and pin made meanwhile.
    ///
    /// - Returns: whether it was removed.
    func remove(
        _ name: BlobName, counting count: WritableKeyPath<Counts, Int64>, if condition: (Entry) -> Bool
    ) throws -> Bool {
        try index.openForChange()
        let names = name.withFormer
        let removal = remover.remove(names.map(\.rowID), counting: count, shouldContinue: { _ in true }) {
            session, _ in
            try names.compactMap { try session.entry(named: $0) }.filter(condition)
        }
        return try !removal.namesOrFailure().isEmpty
    }
}
