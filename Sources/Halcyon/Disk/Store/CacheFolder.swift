/// A cache's folder: its blobs, its index, and what is known of how the two belong together. Everything that the store does, it does
/// to this.
package final class CacheFolder: Sendable {
    package let blobs: BlobStore
    package let index: EntryIndex
    let environment: StorageEnvironment
    let condition: FolderCondition
    /// True while a close waits for housekeeping to end; work in batches stops before the next one.
    let isClosing = Locked(false)

    init(blobs: BlobStore, index: EntryIndex, environment: StorageEnvironment, condition: FolderCondition) {
        self.blobs = blobs
        self.index = index
        self.environment = environment
        self.condition = condition
    }
}
