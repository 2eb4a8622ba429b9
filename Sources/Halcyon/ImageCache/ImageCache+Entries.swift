public import Foundation

/// What Kingfisher's cache has no functions for: variants, filters, attributes. The storage has more:
/// ``DiskStorage/Backend/entries(matching:sortedBy:descending:limit:)``, ``DiskStorage/Backend/statistics``.
extension ImageCache {
    // MARK: Removing many

    /// Removes an image and all its variants, whichever processors have made them, also in an earlier launch.
    ///
    /// - Parameters:
    ///   - key: of the image, without a processor's identifier.
    ///   - fromMemory: false leaves them in memory.
    ///   - fromDisk: false leaves them on disk.
    ///   - callbackQueue: where the handler is called; by default on whatever thread did the work.
    ///   - completionHandler: called on `callbackQueue` with what went from the disk. A failure is that nothing could be removed
    ///     although something should have been.
    /// - Complexity: O(entries on disk), some 0.1 µs each: the index is read once. For several images use
    ///   ``removeImagesAndVariants(forKeys:fromMemory:fromDisk:callbackQueue:completionHandler:)``, which reads it once too.
    public func removeImageAndVariants(
        forKey key: String, fromMemory: Bool = true, fromDisk: Bool = true,
        callbackQueue: CallbackQueue = .untouch,
        completionHandler: (@Sendable (Result<[DiskStorage.EntryInfo], KingfisherError>) -> Void)? = nil
    ) {
        removeImagesAndVariants(
            forKeys: [key], fromMemory: fromMemory, fromDisk: fromDisk, callbackQueue: callbackQueue,
            completionHandler: completionHandler)
    }

    /// Removes images and all their variants. As
    /// ``removeImageAndVariants(forKey:fromMemory:fromDisk:callbackQueue:completionHandler:)``, with any number of keys at the cost
    /// of one.
    public func removeImagesAndVariants(
        forKeys keys: [String], fromMemory: Bool = true, fromDisk: Bool = true,
        callbackQueue: CallbackQueue = .untouch,
        completionHandler: (@Sendable (Result<[DiskStorage.EntryInfo], KingfisherError>) -> Void)? = nil
    ) {
        let filter = DiskStorage.EntryFilter(baseKeys: keys)
        let removal = FilteredRemoval(filter: filter, isFromMemory: fromMemory, isFromDisk: fromDisk, progress: nil)
        remove(removal) { result in callbackQueue.execute { completionHandler?(result) } }
    }

    /// Removes the images that meet a filter: what is on disk, and under the same keys in memory. Of images in memory alone those
    /// go whose keys meet it, if it is about keys alone (prefix, text, base keys, host).
    ///
    /// Runs in its turn among the cache's calls, and lets others in between its batches; what is stored by later calls stays.
    ///
    /// - Parameters:
    ///   - filter: which; ``DiskStorage/EntryFilter/all`` for all that are on disk, and everything in memory.
    ///   - progress: as in ``DiskStorage/Backend/removeEntries(matching:progress:)``.
    ///   - callbackQueue: where the handler is called; by default on whatever thread did the work.
    ///   - completionHandler: called on `callbackQueue` with what went from the disk. A failure is that nothing could be removed
    ///     although something should have been, or a filter that says nothing.
    public func removeImages(
        matching filter: DiskStorage.EntryFilter, progress: Progress? = nil,
        callbackQueue: CallbackQueue = .untouch,
        completionHandler: (@Sendable (Result<[DiskStorage.EntryInfo], KingfisherError>) -> Void)? = nil
    ) {
        let removal = FilteredRemoval(filter: filter, isFromMemory: true, isFromDisk: true, progress: progress)
        remove(removal) { result in callbackQueue.execute { completionHandler?(result) } }
    }

    /// As ``removeImageAndVariants(forKey:fromMemory:fromDisk:callbackQueue:completionHandler:)``; returns what went.
    @discardableResult
    public func removeImageAndVariants(
        forKey key: String, fromMemory: Bool = true, fromDisk: Bool = true
    ) async throws -> [DiskStorage.EntryInfo] {
        try await withCheckedThrowingContinuation { continuation in
            removeImageAndVariants(forKey: key, fromMemory: fromMemory, fromDisk: fromDisk) {
                continuation.resume(with: $0)
            }
        }
    }

    /// As ``removeImagesAndVariants(forKeys:fromMemory:fromDisk:callbackQueue:completionHandler:)``; returns what went.
    @discardableResult
    public func removeImagesAndVariants(
        forKeys keys: [String], fromMemory: Bool = true, fromDisk: Bool = true
    ) async throws -> [DiskStorage.EntryInfo] {
        try await withCheckedThrowingContinuation { continuation in
            removeImagesAndVariants(forKeys: keys, fromMemory: fromMemory, fromDisk: fromDisk) {
                continuation.resume(with: $0)
            }
        }
    }

    /// As ``removeImages(matching:progress:callbackQueue:completionHandler:)``; a cancelled task cancels the progress too.
    @discardableResult
    public func removeImages(
        matching filter: DiskStorage.EntryFilter, progress: Progress? = nil
    ) async throws -> [DiskStorage.EntryInfo] {
        let progress = progress ?? Progress.discreteProgress(totalUnitCount: 0)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                removeImages(matching: filter, progress: progress) { continuation.resume(with: $0) }
            }
        } onCancel: {
            progress.cancel()
        }
    }

    // MARK: Remembering

    /// As ``store(_:original:forKey:options:toDisk:completionHandler:)``, with what is to be remembered of the entry on disk.
    public func store(
        _ image: KFCrossPlatformImage, original: Data? = nil, forKey key: String,
        options: KingfisherParsedOptionsInfo = .init(nil), attributes: DiskStorage.EntryAttributes,
        completionHandler: (@Sendable (CacheStoreResult) -> Void)? = nil
    ) {
        storeInMemory(image, forKey: key, options: options)
        storeOnDisk(
            image, original: original, forKey: key, options: options, attributes: attributes,
            report: StoreReport(queue: options.callbackQueue, handler: completionHandler))
    }

    /// As ``storeToDisk(_:forKey:processorIdentifier:forcedExtension:expiration:callbackQueue:completionHandler:)``, with what
    /// is to be remembered of the entry.
    public func storeToDisk(
        _ data: Data, forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        expiration: StorageExpiration? = nil, attributes: DiskStorage.EntryAttributes,
        callbackQueue: CallbackQueue = .untouch, completionHandler: (@Sendable (CacheStoreResult) -> Void)? = nil
    ) {
        store(
            StoreCall(
                content: .bytes(data), baseKey: key, processorIdentifier: identifier, expiration: expiration,
                forcedExtension: forcedExtension, attributes: attributes,
                report: StoreReport(queue: callbackQueue, handler: completionHandler)))
    }

    /// As ``store(_:original:forKey:options:attributes:completionHandler:)``; returns when the image is on disk.
    public func store(
        _ image: KFCrossPlatformImage, original: Data? = nil, forKey key: String,
        options: KingfisherParsedOptionsInfo = .init(nil), attributes: DiskStorage.EntryAttributes
    ) async throws {
        var options = options
        options.callbackQueue = .untouch
        try await withCheckedThrowingContinuation { [options] continuation in
            store(image, original: original, forKey: key, options: options, attributes: attributes) {
                continuation.resume(with: $0.diskCacheResult)
            }
        }
    }

    /// As ``storeToDisk(_:forKey:processorIdentifier:forcedExtension:expiration:attributes:callbackQueue:completionHandler:)``;
    /// returns when the bytes are on disk.
    public func storeToDisk(
        _ data: Data, forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        expiration: StorageExpiration? = nil, attributes: DiskStorage.EntryAttributes
    ) async throws {
        try await withCheckedThrowingContinuation { continuation in
            storeToDisk(
                data, forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension,
                expiration: expiration, attributes: attributes
            ) { continuation.resume(with: $0.diskCacheResult) }
        }
    }

    /// Pins an image on disk or lets go of it, tags it, or notes something of it: what is not nil in `attributes`.
    ///
    /// In its turn among the cache's calls, so that it finds what was stored before. Rewrites no blob.
    ///
    /// - Parameters:
    ///   - attributes: what is to be changed; of each member that is nil, nothing.
    ///   - key: of the image, without a processor's identifier.
    ///   - identifier: of the processor that has made it; empty for none.
    ///   - forcedExtension: the one it was stored with. nil for none.
    ///   - callbackQueue: where the handler is called; by default on the cache's own queue.
    ///   - completionHandler: called on `callbackQueue`; false where there is no such entry. After a failure nothing has changed.
    public func update(
        _ attributes: DiskStorage.EntryAttributes, forKey key: String, processorIdentifier identifier: String = "",
        forcedExtension: String? = nil, callbackQueue: CallbackQueue = .untouch,
        completionHandler: (@Sendable (Result<Bool, KingfisherError>) -> Void)? = nil
    ) {
        ioQueue.async { [self] in
            let result = diskResult {
                try diskStorage.update(
                    attributes, forKey: key.computedKey(with: identifier), forcedExtension: forcedExtension)
            }
            callbackQueue.execute { completionHandler?(result) }
        }
    }

    /// As ``update(_:forKey:processorIdentifier:forcedExtension:callbackQueue:completionHandler:)``.
    @discardableResult
    public func update(
        _ attributes: DiskStorage.EntryAttributes, forKey key: String, processorIdentifier identifier: String = "",
        forcedExtension: String? = nil
    ) async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            update(attributes, forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension) {
                continuation.resume(with: $0)
            }
        }
    }
}

/// What is to go, from where.
private struct FilteredRemoval: @unchecked Sendable {
    // Sendable because `Progress` may be used from any thread.
    let filter: DiskStorage.EntryFilter
    let isFromMemory: Bool
    let isFromDisk: Bool
    let progress: Progress?

    /// Whether keys alone decide: then images in memory go at once, whatever is on disk.
    var isAboutKeysAlone: Bool { filter == .all || filter.isAboutKeysAlone }
}

extension ImageCache {
    private typealias Gone = Result<[DiskStorage.EntryInfo], KingfisherError>

    private func remove(_ removal: FilteredRemoval, then handler: @escaping @Sendable (Gone) -> Void) {
        let begin = order.beginBatchedRemoval()
        if removal.isFromMemory, removal.isAboutKeysAlone {
            let conditions = KeyConditions(removal.filter)
            memoryStorage.removeAll { conditions?.admit(key: $0) ?? true }
        }
        guard removal.isFromDisk else {
            order.endBatchedRemoval()
            return handler(.success([]))
        }
        enqueue(removal) { [self] endWideRemoval in
            removeFromDisk(removal, since: begin) { gone in
                endWideRemoval()
                handler(gone)
            }
        }
    }

    /// Where keys alone decide, a load of such a key finds nothing from now on.
    private func enqueue(
        _ removal: FilteredRemoval, _ body: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        guard removal.isAboutKeysAlone else { return ioQueue.async { body {} } }
        order.beginWideRemoval(KeyConditions(removal.filter)) { number in
            ioQueue.async { [order] in body { order.endWideRemoval(number) } }
        }
    }

    /// In its turn. The batches come from elsewhere, one by one: so others get in.
    private func removeFromDisk(
        _ removal: FilteredRemoval, since begin: Int, then handler: @escaping @Sendable (Gone) -> Void
    ) {
        let moment = diskResult { try diskStorage.moment() }
        DispatchQueue.global(qos: .utility).async { [self] in
            let gone = moment.flatMap { moment in
                diskResult {
                    try diskStorage.announce(removal.filter, removal.progress)
                    return try diskStorage.removeEntries(
                        matching: removal.filter, thereAt: moment, progress: removal.progress
                    ) { batch in try ioQueue.sync(execute: batch) }
                }
            }
            if removal.isFromMemory, !removal.isAboutKeysAlone {
                removeFromMemory((try? gone.get()) ?? [], since: begin)
            }
            order.endBatchedRemoval()
            handler(gone)
        }
    }

    private func removeFromMemory(_ gone: [DiskStorage.EntryInfo], since begin: Int) {
        for key in gone.compactMap(\.key) + keysInMemory(ofNamesIn: gone) {
            order.remove(key, unlessChangedSince: begin) { memoryStorage.take(forKey: key) }
        }
    }

    /// Where the index knows no key, the file's name tells which one it was.
    private func keysInMemory(ofNamesIn gone: [DiskStorage.EntryInfo]) -> [String] {
        let names = Set(gone.filter { $0.key == nil }.map { BlobName.withoutExtension($0.fileName) })
        guard !names.isEmpty else { return [] }
        return memoryStorage.keys.filter {
            names.contains(BlobName.withoutExtension(diskStorage.cacheFileName(forKey: $0)))
        }
    }
}
