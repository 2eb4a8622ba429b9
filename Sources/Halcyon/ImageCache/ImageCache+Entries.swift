public import Foundation

/// Functions that Kingfisher's cache does not have: variants, filters, attributes. The disk storage has more, such as
/// ``DiskStorage/Backend/entries(matching:sortedBy:descending:limit:)`` and ``DiskStorage/Backend/statistics``.
extension ImageCache {
    // MARK: Removing many

    /// Removes an image and all its variants, of any processor, including those of earlier launches. It waits for earlier removals by
    /// filter.
    ///
    /// - Parameters:
    ///   - key: the image's key, without a processor's identifier.
    ///   - fromMemory: false leaves them in memory. There, an image whose key begins with `key` and an `@` counts as a variant.
    ///   - fromDisk: false leaves them on disk.
    ///   - callbackQueue: calls the handler; by default on the thread that did the work.
    ///   - completionHandler: receives the entries removed from the disk, or an error if there were matches and none could be
    ///     removed.
    /// - Complexity: O(entries on disk), about 0.1 µs each, for one pass over the index. For several images, use
    ///   ``removeImagesAndVariants(forKeys:fromMemory:fromDisk:callbackQueue:completionHandler:)``, which makes one pass too.
    public func removeImageAndVariants(
        forKey key: String, fromMemory: Bool = true, fromDisk: Bool = true,
        callbackQueue: CallbackQueue = .untouch,
        completionHandler: (@Sendable (Result<[DiskStorage.EntryInfo], KingfisherError>) -> Void)? = nil
    ) {
        removeImagesAndVariants(
            forKeys: [key], fromMemory: fromMemory, fromDisk: fromDisk, callbackQueue: callbackQueue,
            completionHandler: completionHandler)
    }

    /// Removes images and all their variants, at the cost of one key. See
    /// ``removeImageAndVariants(forKey:fromMemory:fromDisk:callbackQueue:completionHandler:)``.
    public func removeImagesAndVariants(
        forKeys keys: [String], fromMemory: Bool = true, fromDisk: Bool = true,
        callbackQueue: CallbackQueue = .untouch,
        completionHandler: (@Sendable (Result<[DiskStorage.EntryInfo], KingfisherError>) -> Void)? = nil
    ) {
        let filter = DiskStorage.EntryFilter(baseKeys: keys)
        removeByKeys(filter, fromMemory: fromMemory, fromDisk: fromDisk) { result in
            callbackQueue.execute { completionHandler?(result) }
        }
    }

    /// Removes the images that match a filter from disk, and the same keys from memory. If the filter uses only keys (prefix,
    /// text, base keys, host), also removes matching images that are in memory only.
    ///
    /// Takes its turn among the cache's calls, after earlier removals by filter, and lets others run between its batches. Images
    /// stored by later calls remain. Conditions on attributes apply to those that an entry has when the removal reaches it.
    ///
    /// - Parameters:
    ///   - filter: ``DiskStorage/EntryFilter/all`` matches everything on disk and in memory.
    ///   - progress: as in ``DiskStorage/Backend/removeEntries(matching:progress:)``.
    ///   - callbackQueue: calls the handler; by default on the thread that did the work.
    ///   - completionHandler: receives the entries removed from the disk, or an error if there were matches and none could be
    ///     removed, or if the text or key prefix of the filter is empty.
    public func removeImages(
        matching filter: DiskStorage.EntryFilter, progress: Progress? = nil,
        callbackQueue: CallbackQueue = .untouch,
        completionHandler: (@Sendable (Result<[DiskStorage.EntryInfo], KingfisherError>) -> Void)? = nil
    ) {
        let handler = { @Sendable result in callbackQueue.execute { completionHandler?(result) } }
        // A filter that is refused must not empty memory.
        if case .failure(let error) = diskResult({ try diskStorage.mappingErrors(filter.validateForRemoval) }) {
            return handler(.failure(error))
        }
        filter == .all || filter.isAboutKeysAlone
            ? removeByKeys(filter, progress: progress, then: handler)
            : removeByEntries(filter, progress: progress, then: handler)
    }

    /// Like ``removeImageAndVariants(forKey:fromMemory:fromDisk:callbackQueue:completionHandler:)``; returns the removed entries.
    @discardableResult
    public func removeImageAndVariants(
        forKey key: String, fromMemory: Bool = true, fromDisk: Bool = true
    ) async throws -> [DiskStorage.EntryInfo] {
        try await removeImagesAndVariants(forKeys: [key], fromMemory: fromMemory, fromDisk: fromDisk)
    }

    /// Like ``removeImagesAndVariants(forKeys:fromMemory:fromDisk:callbackQueue:completionHandler:)``; returns the removed
    /// entries.
    @discardableResult
    public func removeImagesAndVariants(
        forKeys keys: [String], fromMemory: Bool = true, fromDisk: Bool = true
    ) async throws -> [DiskStorage.EntryInfo] {
        try await awaitResult {
            removeImagesAndVariants(
                forKeys: keys, fromMemory: fromMemory, fromDisk: fromDisk, completionHandler: $0)
        }
    }

    /// Like ``removeImages(matching:progress:callbackQueue:completionHandler:)``; returns the removed entries. If the task is
    /// cancelled, the removal continues. To end it, cancel the progress.
    @discardableResult
    public func removeImages(
        matching filter: DiskStorage.EntryFilter, progress: Progress? = nil
    ) async throws -> [DiskStorage.EntryInfo] {
        try await awaitResult { removeImages(matching: filter, progress: progress, completionHandler: $0) }
    }

    // MARK: Attributes

    /// Like ``store(_:original:forKey:options:toDisk:completionHandler:)``, with attributes for the entry on disk.
    public func store(
        _ image: KFCrossPlatformImage, original: Data? = nil, forKey key: String,
        options: KingfisherParsedOptionsInfo = .init(nil), attributes: DiskStorage.EntryAttributes,
        completionHandler: (@Sendable (CacheStoreResult) -> Void)? = nil
    ) {
        storeInBoth(
            image, original: original, as: blob(of: key, options), options: options, attributes: attributes,
            report: options.callbackQueue.report(to: completionHandler))
    }

    /// Like ``storeToDisk(_:forKey:processorIdentifier:forcedExtension:expiration:callbackQueue:completionHandler:)``, with
    /// attributes for the entry.
    public func storeToDisk(
        _ data: Data, forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        expiration: StorageExpiration? = nil, attributes: DiskStorage.EntryAttributes,
        callbackQueue: CallbackQueue = .untouch, completionHandler: (@Sendable (CacheStoreResult) -> Void)? = nil
    ) {
        store(
            StoreCall(
                content: .serialized(.success(data)), blob: blob(of: key, identifier, forcedExtension),
                expiration: expiration, attributes: attributes, report: callbackQueue.report(to: completionHandler)))
    }

    /// Like ``store(_:original:forKey:options:attributes:completionHandler:)``; returns when the image is on disk.
    public func store(
        _ image: KFCrossPlatformImage, original: Data? = nil, forKey key: String,
        options: KingfisherParsedOptionsInfo = .init(nil), attributes: DiskStorage.EntryAttributes
    ) async throws {
        try await awaitResult {
            storeInBoth(
                image, original: original, as: blob(of: key, options), options: options, attributes: attributes,
                report: $0)
        }
    }

    /// Like ``storeToDisk(_:forKey:processorIdentifier:forcedExtension:expiration:attributes:callbackQueue:completionHandler:)``;
    /// returns when the bytes are on disk.
    public func storeToDisk(
        _ data: Data, forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        expiration: StorageExpiration? = nil, attributes: DiskStorage.EntryAttributes
    ) async throws {
        try await awaitResult { resume in
            storeToDisk(
                data, forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension,
                expiration: expiration, attributes: attributes
            ) { resume($0.diskCacheResult) }
        }
    }

    /// Pins or unpins an image on disk, tags it, or changes its other attributes.
    ///
    /// Takes its turn among the cache's calls, so it sees earlier stores. Does not rewrite the blob.
    ///
    /// - Parameters:
    ///   - attributes: the changes; members that are nil change nothing.
    ///   - key: the image's key, without a processor's identifier.
    ///   - identifier: the processor's identifier; empty for none.
    ///   - forcedExtension: the extension it was stored with; nil for none.
    ///   - callbackQueue: calls the handler; by default on the cache's own queue.
    ///   - completionHandler: receives false if there is no such entry. After an error nothing has changed.
    public func update(
        _ attributes: DiskStorage.EntryAttributes, forKey key: String, processorIdentifier identifier: String = "",
        forcedExtension: String? = nil, callbackQueue: CallbackQueue = .untouch,
        completionHandler: (@Sendable (Result<Bool, KingfisherError>) -> Void)? = nil
    ) {
        let blob = blob(of: key, identifier, forcedExtension)
        ioQueue.async { [self] in
            let result = diskResult { try diskStorage.update(blob.name, forKey: blob.key.text) { _ in attributes } }
            callbackQueue.execute { completionHandler?(result) }
        }
    }

    /// Like ``update(_:forKey:processorIdentifier:forcedExtension:callbackQueue:completionHandler:)``.
    @discardableResult
    public func update(
        _ attributes: DiskStorage.EntryAttributes, forKey key: String, processorIdentifier identifier: String = "",
        forcedExtension: String? = nil
    ) async throws -> Bool {
        try await awaitResult {
            update(
                attributes, forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension,
                completionHandler: $0)
        }
    }
}

extension ImageCache {
    private typealias Gone = Result<[DiskStorage.EntryInfo], KingfisherError>

    /// Keys alone decide, so images in memory are removed at once, whatever is on disk. From now on, a load of a matching key
    /// finds nothing that was there before.
    private func removeByKeys(
        _ filter: DiskStorage.EntryFilter, fromMemory: Bool = true, fromDisk: Bool = true, progress: Progress? = nil,
        then handler: @escaping @Sendable (Gone) -> Void
    ) {
        let conditions = KeyConditions(filter)
        order.changeAll {
            if fromMemory { memoryStorage.removeAll { conditions?.admits(key: $0) ?? true } }
            guard fromDisk else { return }
            let number = order.beginWideRemoval(conditions) { number in
                ioQueue.async { [self] in
                    removeFromDisk(filter, progress: progress) { [order] gone in
                        order.endWideRemoval(number)
                        handler(gone)
                    }
                }
            }
            guard fromMemory else { return }
            removeFromMemory(
                memoryStorage.names.filter { conditions?.admits(key: $0.text) ?? true }, calledBefore: number)
        }
        if !fromDisk { handler(.success([])) }
    }

    /// The entries tell which keys match, so those that were removed leave memory at the end.
    private func removeByEntries(
        _ filter: DiskStorage.EntryFilter, progress: Progress?, then handler: @escaping @Sendable (Gone) -> Void
    ) {
        order.beginChangeOfAll { number in
            ioQueue.async { [self] in
                removeFromDisk(filter, progress: progress) { [self] result in
                    let gone = (try? result.get()) ?? []
                    // Overtakes the loads that have read them, so that none puts one into memory afterwards.
                    order.changeAll {
                        let keys = gone.compactMap { $0.key.map(MemoryKey.init) } + keysInMemory(ofNamesIn: gone)
                        removeFromMemory(keys, calledBefore: number)
                    }
                    order.endChangeOfAll(number)
                    handler(result)
                }
            }
        }
    }

    /// Runs in its turn on the I/O queue. The batches are submitted one by one from another thread, so other calls run in
    /// between.
    private func removeFromDisk(
        _ filter: DiskStorage.EntryFilter, progress: Progress?, then handler: @escaping @Sendable (Gone) -> Void
    ) {
        let moment = diskResult { try diskStorage.mappingErrors { try diskStorage.store.moment(removing: filter) } }
        let number = turns.begin()
        removalQueue.async { [self] in
            let gone = moment.flatMap { moment in
                diskResult {
                    try diskStorage.announce(filter, progress)
                    return try diskStorage.removeEntries(
                        matching: filter, existingAt: moment, progress: progress
                    ) { [ioQueue] batch in try ioQueue.sync(execute: batch) }
                }
            }
            handler(gone)
            ioQueue.async { [self] in endBatches(number) }
        }
    }

    /// Removes what was stored before a removal from the disk was called. Memory must not keep what the disk loses.
    func removeFromMemory(_ keys: some Sequence<MemoryKey>, calledBefore number: Int) {
        for key in keys { order.remove(key, unlessChangedSince: number) { memoryStorage.take(key) } }
    }

    /// If the index does not have an entry's key, finds the key in memory that has the file's name.
    private func keysInMemory(ofNamesIn gone: [DiskStorage.EntryInfo]) -> [MemoryKey] {
        let names = Set(gone.filter { $0.key == nil }.map { BlobName.withoutExtension($0.fileName) })
        guard !names.isEmpty else { return [] }
        return memoryStorage.names.filter {
            names.contains(BlobName.withoutExtension(diskStorage.cacheFileName(forKey: $0.text)))
        }
    }
}
