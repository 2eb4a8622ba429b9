internal import Foundation
internal import HalcyonSQLite

/// Calls the handler of a store.
struct StoreReport: Sendable {
    let queue: CallbackQueue
    let handler: (@Sendable (CacheStoreResult) -> Void)?

    func callAsFunction(_ disk: Result<(), KingfisherError>) {
        guard let handler else { return }
        queue.execute { handler(CacheStoreResult(diskCacheResult: disk)) }
    }
}
