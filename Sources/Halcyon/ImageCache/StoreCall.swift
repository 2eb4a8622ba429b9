internal import Foundation

/// One call of a cache's functions that store.
struct StoreCall: Sendable {
    /// On the I/O queue: it may take a processor's time.
    let makeData: @Sendable () -> Result<Data, KingfisherError>
    let baseKey: String
    let processorIdentifier: String
    let expiration: StorageExpiration?
    var writeOptions: Data.WritingOptions = []
    let forcedExtension: String?
    let attributes: DiskStorage.EntryAttributes
    let report: StoreReport

    var key: String { baseKey.computedKey(with: processorIdentifier) }
}
