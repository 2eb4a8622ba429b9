/// Work on a cache's directory, with short names for its parts.
package protocol FolderWork: Sendable {
    var folder: CacheFolder { get }
}

extension FolderWork {
    package var blobs: BlobStore { folder.blobs }
    package var index: EntryIndex { folder.index }
    var environment: StorageEnvironment { folder.environment }
    var condition: FolderCondition { folder.condition }
    var housekeeping: Housekeeping { folder.housekeeping }
    var observers: Observers { folder.observers }
    var now: Timestamp { folder.environment.now() }

    /// The key if the index may store keys, otherwise nil.
    func storable(_ key: String) -> String? { condition.settings.storesKeys ? key : nil }

    /// Throws if the store is being closed or suspended, to end a long walk.
    func stopIfClosing() throws {
        // In one step, because a suspension may end between two.
        let isRunning = folder.closingCount.withLock { count in
            count > 0 ? index.service.withLock { $0 == .running } : nil
        }
        guard let isRunning else { return }
        guard isRunning else { throw IndexSuspended() }
        throw CacheStorageError(
            .indexUnavailable, "The cache is being closed.", remedy: "Call again after close() has returned.")
    }

    // MARK: Rows and files

    /// Whether a file is the entry's blob; false for nil.
    func isBlob(of entry: Entry, _ file: FileStatus?) -> Bool {
        guard let file else { return false }
        return condition.isBlob(of: entry, file, hasStableInodes: index.hasStableInodes)
    }

    /// The inode number to note for a file; nil if the volume's numbers do not last.
    func lastingInode(of file: FileStatus) -> UInt64? { index.hasStableInodes ? file.inode : nil }

    /// Whether the file under a name may be removed with its row. On a volume that folds names, it may be another row's blob.
    func isOwn(_ file: FileStatus, _ name: BlobName, of entry: Entry?) throws -> Bool {
        guard blobs.isAmbiguous(name) else { return true }
        guard let entry else { return try condition.adopts(file, named: name) && blobs.isListed(name) }
        return isBlob(of: entry, file)
    }

    /// Whether a listed file has a row: under its name, or under the name that the volume treats as the same. A file that is
    /// replaced by a store keeps the name that it was created with.
    func hasRow(_ name: BlobName, in session: IndexSession) throws -> Bool {
        if try session.entry(named: name) != nil { return true }
        guard let folded = name.folded, blobs.foldsNames, let entry = try session.entry(named: folded) else {
            return false
        }
        return try isBlob(of: entry, blobs.status(of: name))
    }
}
