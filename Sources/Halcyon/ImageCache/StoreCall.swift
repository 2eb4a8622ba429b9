internal import Foundation

/// One call to a function of the cache that stores.
struct StoreCall: Sendable {
    enum Content: Sendable {
        case bytes(Data)
        /// The closure that serializes the image, which may take CPU time.
        case image(@Sendable () -> Result<Data, KingfisherError>)
    }

    /// Receives the result of the disk.
    typealias Report = @Sendable (Result<(), KingfisherError>) -> Void

    let content: Content
    let blob: DiskLoad.Blob
    let expiration: StorageExpiration?
    var writeOptions: Data.WritingOptions = []
    let attributes: DiskStorage.EntryAttributes
    /// Whether the image was fetched, so that it overtakes no other fetch.
    var isFetched = false
    let report: Report
}
