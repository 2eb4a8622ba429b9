internal import Foundation

/// One call to a function of the cache that stores.
struct StoreCall: Sendable {
    /// Receives the result of the disk.
    typealias Report = @Sendable (Result<(), KingfisherError>) -> Void

    let content: PendingStore.Content
    let blob: DiskLoad.Blob
    /// nil for the configuration's expiration.
    var expiration: StorageExpiration?
    var writeOptions: Data.WritingOptions = []
    let attributes: DiskStorage.EntryAttributes
    /// Whether the image was fetched, so that it overtakes no other fetch.
    var isFetched = false
    let report: Report
}
