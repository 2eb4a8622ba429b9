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
        ioQueue.async { [self] in
            report(
                serializeAndWrite(image, original: original, forKey: key, options: options, attributes: attributes))
        }
    }

    /// An image that is to expire at once is not kept; the one it was to replace goes all the same.
    func keepInMemory(_ image: KFCrossPlatformImage, forKey key: String, expiration: StorageExpiration?) {
        if (expiration ?? memoryStorage.config.expiration).isExpired { memoryStorage.remove(forKey: key) }
        memoryStorage.storeNoThrow(value: image, forKey: key, expiration: expiration)
    }
}

// On the I/O queue.
extension ImageCache {
    func serializeAndWrite(
        _ image: KFCrossPlatformImage, original: Data?, forKey key: String, options: KingfisherParsedOptionsInfo,
        attributes: DiskStorage.EntryAttributes
    ) -> Result<(), KingfisherError> {
        guard let data = options.cacheSerializer.data(with: image, original: original) else {
            return .failure(
                .cacheError(
                    reason: .cannotSerializeImage(
                        image: image, original: original, serializer: options.cacheSerializer)))
        }
        return write(
            data, forKey: key, processorIdentifier: options.processor.identifier,
            expiration: options.diskCacheExpiration,
            writeOptions: options.diskStoreWriteOptions, forcedExtension: options.forcedExtension,
            attributes: attributes)
    }

    func write(
        _ data: Data, forKey baseKey: String, processorIdentifier: String, expiration: StorageExpiration?,
        writeOptions: Data.WritingOptions, forcedExtension: String?, attributes: DiskStorage.EntryAttributes
    ) -> Result<(), KingfisherError> {
        let key = baseKey.computedKey(with: processorIdentifier)
        let result = diskResult {
            try diskStorage.store(
                value: data, forKey: key, origin: KeyOrigin(baseKey: baseKey), expiration: expiration,
                writeOptions: writeOptions, forcedExtension: forcedExtension, attributes: attributes)
        }
        // What has expired already was not stored.
        if case .success = result, !(expiration ?? diskStorage.config.expiration).isExpired {
            keepLimits(afterStoring: data.count, forKey: key, forcedExtension: forcedExtension)
        }
        return result
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
