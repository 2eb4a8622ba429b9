internal import Foundation

/// One call of a cache's functions that store.
struct StoreCall: Sendable {
    enum Content: Sendable {
        case bytes(Data)
        /// What serializes it. That may take a processor's time.
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
