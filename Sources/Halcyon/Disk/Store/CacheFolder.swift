/// A cache's folder: its blobs, its index, and what is known of how the two belong together. Everything that the store does, it does
/// to this.
package final class CacheFolder: Sendable {
    package let blobs: BlobStore
    package let index: EntryIndex
    let environment: StorageEnvironment
    let condition: FolderCondition
    /// Waits for housekeeping to end, which may take the whole folder: what works on it in batches ends before the next one.
    let isClosing = Locked(false)

    init(blobs: BlobStore, index: EntryIndex, environment: StorageEnvironment, condition: FolderCondition) {
        self.blobs = blobs
        self.index = index
        self.environment = environment
        self.condition = condition
    }
}

/// Does something to a cache's folder, and calls its parts by their names.
package protocol FolderWork: Sendable {
    var folder: CacheFolder { get }
}

extension FolderWork {
    package var blobs: BlobStore { folder.blobs }
    package var index: EntryIndex { folder.index }
    var environment: StorageEnvironment { folder.environment }
    var tuning: Tuning { folder.environment.tuning }
    var condition: FolderCondition { folder.condition }
    var now: Timestamp { folder.environment.now() }

    /// What the index may know of a key.
    func storable(_ key: String) -> String? { condition.settings.storesKeys ? key : nil }

    /// Before another batch.
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
