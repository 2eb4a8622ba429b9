internal import Foundation

/// Calls the handler of a store.
struct StoreReport: Sendable {
    let queue: CallbackQueue
    let handler: (@Sendable (CacheStoreResult) -> Void)?

    func callAsFunction(_ disk: Result<(), KingfisherError>) {
        guard let handler else { return }
        queue.execute { handler(CacheStoreResult(disk: disk)) }
    }
}

extension ImageCache {
    func storeInMemory(_ image: KFCrossPlatformImage, forKey key: String, options: KingfisherParsedOptionsInfo) {
        let computedKey = key.computedKey(with: options.processor.identifier)
        refills.change(computedKey) {
            keepInMemory(image, forKey: computedKey, expiration: options.memoryCacheExpiration)
        }
    }

    func storeOnDisk(
        _ image: KFCrossPlatformImage, original: Data?, forKey key: String, options: KingfisherParsedOptionsInfo,
        attributes: DiskStorage.EntryAttributes, report: StoreReport
    ) {
        let serializer = options.cacheSerializer
        store(
            StoreCall(
                makeData: {
                    serializer.data(with: image, original: original).map(Result.success)
                        ?? .failure(
                            .cacheError(
                                reason: .cannotSerializeImage(
                                    image: image, original: original, serializer: serializer)))
                },
                baseKey: key, processorIdentifier: options.processor.identifier,
                expiration: options.diskCacheExpiration, writeOptions: options.diskStoreWriteOptions,
                forcedExtension: options.forcedExtension, attributes: attributes, report: report))
    }

    func store(_ call: StoreCall) { ioQueue.async(store: call) { [self] in write($0) } }

    /// An image that is to expire at once is not kept; the one it was to replace goes all the same.
    func keepInMemory(_ image: KFCrossPlatformImage, forKey key: String, expiration: StorageExpiration?) {
        if (expiration ?? memoryStorage.config.expiration).isExpired { memoryStorage.remove(forKey: key) }
        memoryStorage.storeNoThrow(value: image, forKey: key, expiration: expiration)
    }
}

// On the I/O queue.
extension ImageCache {
    /// What is put into one batch at most: so long the first of them waits for its handler.
    private static let (bytesTogether, timeTogether) = (1 << 20, Duration.milliseconds(5))

    private func write(_ calls: [StoreCall]) {
        var rest = calls[...]
        while !rest.isEmpty {
            for (call, result) in store(&rest) { call.report(result) }
        }
    }

    /// Takes as many of the calls as make one batch.
    private func store(_ calls: inout ArraySlice<StoreCall>) -> [(StoreCall, Result<(), KingfisherError>)] {
        let begin = ContinuousClock.now
        var batch: [(call: StoreCall, request: Result<EntryStore.StoreRequest?, KingfisherError>)] = []
        var bytes = 0
        repeat {
            let call = calls.removeFirst()
            let request = request(for: call)
            batch.append((call, request))
            bytes += (try? request.get())?.data.count ?? 0
        } while !calls.isEmpty && bytes < Self.bytesTogether && ContinuousClock.now - begin < Self.timeTogether
        var results = diskStorage.store(batch.compactMap { try? $0.request.get() })[...]
        let outcomes = batch.map { call, request in
            (call, request.flatMap { $0 == nil ? .success(()) : results.removeFirst() })
        }
        keepLimits(
            afterStoring: zip(batch, outcomes).compactMap { stored, outcome in
                guard case (.success(let request?), .success) = (stored.request, outcome.1) else { return nil }
                return Stored(key: request.key, forcedExtension: stored.call.forcedExtension, bytes: request.data.count)
            })
        return outcomes
    }

    /// nil for what has expired already, which is not stored.
    private func request(for call: StoreCall) -> Result<EntryStore.StoreRequest?, KingfisherError> {
        call.makeData().flatMap { data in
            diskResult {
                try diskStorage.request(
                    toStore: data, forKey: call.key, origin: KeyOrigin(baseKey: call.baseKey),
                    expiration: call.expiration, writeOptions: call.writeOptions,
                    forcedExtension: call.forcedExtension, attributes: call.attributes)
            }
        }
    }

    func diskResult<Success>(_ body: () throws -> Success) -> Result<Success, KingfisherError> {
        Result(catching: body).mapError { error in
            // The disk storage throws nothing else.
            (error as? KingfisherError)
                ?? .cacheError(reason: .invalidURLResource(error: error, key: "", url: diskStorage.directoryURL))
        }
    }

    func measureDisk(then handler: @escaping @Sendable (Result<UInt, KingfisherError>) -> Void) {
        onceAdopted { [self] in handler(diskResult { try diskStorage.totalSize() }) }
    }
}
