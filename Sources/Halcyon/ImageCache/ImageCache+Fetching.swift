public import Foundation

/// For servers: bytes without decoding, and one fetch for all tasks that need an image at the same time.
extension ImageCache {
    /// An image to store, with the attributes of its entry on disk.
    public struct NewImage: Sendable {
        /// The image that is stored and returned to all waiting tasks.
        public var image: KFCrossPlatformImage
        /// The bytes that it was decoded from; nil to encode it.
        public var original: Data?
        /// When it expires on disk; nil for the options' expiration. If it has expired, the image is returned to all waiting tasks
        /// and kept neither in memory nor on disk.
        public var expiration: StorageExpiration?
        /// Validators, tags and other metadata.
        public var attributes: DiskStorage.EntryAttributes

        /// Creates an image to store, by default without attributes.
        public init(
            _ image: KFCrossPlatformImage, original: Data? = nil, expiration: StorageExpiration? = nil,
            attributes: DiskStorage.EntryAttributes = .init()
        ) {
            self.image = image
            self.original = original
            self.expiration = expiration
            self.attributes = attributes
        }
    }

    /// Returns the bytes on disk and the metadata of their entry, read together; nil for a miss. Does not decode or touch memory.
    ///
    /// Waits for an earlier store of the same key. After an earlier removal it is a miss. Never blocks a thread of the
    /// cooperative pool.
    ///
    /// - Parameters:
    ///   - key: the image's key, without a processor's identifier.
    ///   - identifier: the processor's identifier; empty for none.
    ///   - forcedExtension: the extension it was stored with; nil for none.
    ///   - extendingExpiration: how the read extends the expiration. It always counts as an access.
    /// - Throws: ``KingfisherError`` if the blob exists and cannot be read; `CancellationError` if the task is cancelled before
    ///   the read begins.
    public func cachedData(
        forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        extendingExpiration: ExpirationExtending = .cacheTime
    ) async throws -> DiskStorage.CachedValue<Data>? {
        let blob = blob(of: key, identifier, forcedExtension)
        var source = order.source(of: blob)
        if case .pending = source {
            try await earlierChanges()
            // If the store has failed, what was called before it decides.
            source = order.source(of: blob)
        }
        if case .nothing = source {
            diskStorage.store.countUse(of: blob.key.text, bytes: nil)
            return nil
        }
        return try await BlockingCalls.reads.run { [diskStorage] in
            try diskStorage.cachedValue(
                blob.name, forKey: blob.key.text, extendingExpiration: extendingExpiration,
                origin: KeyOrigin(baseKey: key))
        }
    }

    /// Returns the image in memory or on disk. If there is none, stores and returns the one that `fetch` returns.
    ///
    /// ```swift
    /// let image = try await cache.retrieveImage(forKey: url.absoluteString) {
    ///     let data = try await download(url)
    ///     guard let image = DefaultCacheSerializer.default.image(with: data, options: .init(nil)) else { throw ImageUnreadable() }
    ///     return .init(image, original: data)
    /// }
    /// ```
    ///
    /// Returns as soon as the image is in memory; it is written to disk later. If that fails, you still get the image.
    ///
    /// If several tasks need a missing image at the same time, with the same processor identifier and file name extension, `fetch`
    /// runs once. Errors, cancellation, priorities and removals work as in
    /// ``DiskStorage/Backend/AsyncCalls/value(forKey:forcedExtension:extendingExpiration:orStore:)``.
    ///
    /// - Parameters:
    ///   - key: the image's key, without a processor's identifier.
    ///   - options: those of ``retrieveImage(forKey:options:)-(_,KingfisherOptionsInfo?)`` and
    ///     ``store(_:original:forKey:options:toDisk:completionHandler:)``. The image is not processed: `fetch` must return the
    ///     processor's result.
    ///   - fetch: called if there is no image.
    public func retrieveImage(
        forKey key: String, options: KingfisherOptionsInfo? = nil,
        orStore fetch: @escaping @Sendable () async throws -> NewImage
    ) async throws -> KFCrossPlatformImage {
        let options = KingfisherParsedOptionsInfo(options)
        if let image = try await readableImage(forKey: key, options: options) { return image }
        let blob = blob(of: key, options)
        // In its turn, a change makes later callers start anew.
        if order.latestChange(of: blob) > 0 { try await earlierChanges() }
        return try await flights.value(for: blob.name) { [self] in
            // What is stored after a removal of many images has begun remains, and so does what others store during the fetch.
            let earlier = order.latestChange(of: blob)
            let fetches = diskStorage.store.fetches
            return try await fetches.during(blob.name, key: blob.key.text, baseKey: key, of: flights) { isWanted in
                // Another task may have stored it between the caller's lookup and this one.
                if await isStored(key, options), let image = try await readableImage(forKey: key, options: options) {
                    return image
                }
                let new = try await fetch()
                if new.expiration?.isExpired != true {
                    store(new, as: blob, options: options) { isWanted() && $0 <= earlier }
                }
                return new.image
            }
        }
    }

    private func store(
        _ new: NewImage, as blob: DiskLoad.Blob, options: KingfisherParsedOptionsInfo,
        ifWanted isWanted: @escaping (Int) -> Bool
    ) {
        var options = options
        options.diskCacheExpiration = new.expiration ?? options.diskCacheExpiration
        storeInBoth(
            new.image, original: new.original, as: blob, options: options, attributes: new.attributes,
            ifWanted: isWanted, report: { _ in })
    }

    /// Waits until earlier stores and removals have had their turn.
    private func earlierChanges() async throws {
        try await Waiter.wait { turn in ioQueue.asyncAfterEarlier { turn.resume {} } }
    }

    private func readableImage(
        forKey key: String, options: KingfisherParsedOptionsInfo
    ) async throws -> KFCrossPlatformImage? {
        try await readable { try await retrieveImage(forKey: key, options: options).image }
    }

    private func isStored(_ key: String, _ options: KingfisherParsedOptionsInfo) async -> Bool {
        await imageCachedTypeAsync(
            forKey: key, processorIdentifier: options.processor.identifier, forcedExtension: options.forcedExtension
        ).cached
    }
}
