/// A cache's directory: its blobs, its index, and what is known about both. All parts of the store work on it.
package final class CacheFolder: Sendable {
    package let blobs: BlobStore
    package let index: EntryIndex
    let environment: StorageEnvironment
    let condition: FolderCondition
    /// The closes and suspensions that wait for housekeeping. Meanwhile, work in batches stops before its next batch.
    let closingCount = Locked(0)

    init(blobs: BlobStore, index: EntryIndex, environment: StorageEnvironment, condition: FolderCondition) {
        self.blobs = blobs
        self.index = index
        self.environment = environment
        self.condition = condition
    }
}
