/// A cache's directory: its blobs, its index, and what is known about both. All parts of the store work on it.
package final class CacheFolder: Sendable {
    package let blobs: BlobStore
    package let index: EntryIndex
    let environment: StorageEnvironment
    let condition = FolderCondition()
    let housekeeping = Housekeeping()
    let observers = Observers()
    /// The closes and suspensions that wait for housekeeping. Meanwhile, work in batches stops before its next batch.
    let closingCount = Locked(0)

    init(directory: String, environment: StorageEnvironment) {
        self.environment = environment
        blobs = BlobStore(directory: directory, fileSystem: environment.fileSystem)
        index = EntryIndex(
            of: blobs, environment: environment, condition: condition, housekeeping: housekeeping, observers: observers)
    }
}
