/// Does something to a cache's folder, and calls its parts by their names.
package protocol FolderWork: Sendable {
    var folder: CacheFolder { get }
}

extension FolderWork {
    package var blobs: BlobStore { folder.blobs }
    package var index: EntryIndex { folder.index }
    var environment: StorageEnvironment { folder.environment }
    var condition: FolderCondition { folder.condition }
    var now: Timestamp { folder.environment.now() }

    /// What the index may know of a key.
    func storable(_ key: String) -> String? { condition.settings.storesKeys ? key : nil }

    /// Ends a long walk when the store is being closed.
    func stopIfClosing() throws {
        if folder.isClosing.withLock({ $0 }) { throw IndexSuspended() }
    }

    // MARK: Rows and files

    /// Whether a file is the entry's blob.
    func isBlob(of entry: Entry, _ file: FileStatus) -> Bool {
        condition.isBlob(of: entry, file, hasStableInodes: index.hasStableInodes)
    }

    /// The inode number to note for a file; nil where the volume's numbers do not last.
    func lastingInode(of file: FileStatus) -> UInt64? { index.hasStableInodes ? file.inode : nil }

    /// Whether what is under a name may go with its row. Where the volume folds names it may be another row's blob.
    func isOwn(_ file: FileStatus, _ name: BlobName, of entry: Entry?) throws -> Bool {
        guard blobs.isAmbiguous(name) else { return true }
        guard let entry else { return try condition.adopts(file, named: name) && blobs.isListed(name) }
        return isBlob(of: entry, file)
    }

    /// Whether a file that was listed has a row: under its name, or under the one that the volume takes for the same. A store over a
    /// file leaves it the name that it was made with.
    func hasRow(_ name: BlobName, in session: IndexSession) throws -> Bool {
        if try session.entry(named: name) != nil { return true }
        guard let folded = name.folded, blobs.foldsNames, let entry = try session.entry(named: folded) else {
            return false
        }
        return try blobs.status(of: name).map { isBlob(of: entry, $0) } ?? false
    }
}
