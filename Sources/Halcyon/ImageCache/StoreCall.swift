internal import Foundation

/// One call to a function of the cache that stores.
struct StoreCall: Sendable {
    enum Content: Sendable {
        case bytes(Data)
        /// The closure that serializes the image, which may take CPU time.
        case image(@Sendable () -> Result<Data, KingfisherError>)
    }

    let content: Content
    let baseKey: String
    let processorIdentifier: String
    let expiration: StorageExpiration?
    var writeOptions: Data.WritingOptions = []
    let forcedExtension: String?
    let attributes: DiskStorage.EntryAttributes
    let report: StoreReport

    var key: String { baseKey.computedKey(with: processorIdentifier) }
}
