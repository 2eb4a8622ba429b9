internal import Foundation

extension ImageCache {
    typealias DiskImage = Result<KFCrossPlatformImage?, KingfisherError>

    /// Reads on the I/O queue, or here if the options say so. What takes a processor's time is done elsewhere, so that others
    /// can read meanwhile.
    func loadFromDisk(
        forKey key: String, options: KingfisherParsedOptionsInfo, then handler: @escaping @Sendable (DiskImage) -> Void
    ) {
        guard !options.loadDiskFileSynchronously else {
            return handler(read(forKey: key, options: options).map { image(of: $0, options: options) })
        }
        ioQueue.async { [self] in
            let data = read(forKey: key, options: options)
            guard options.backgroundDecode || options.preloadAllAnimationData, case .success(_?) = data else {
                return handler(data.map { image(of: $0, options: options) })
            }
            Self.decodeQueue.addOperation { [self] in handler(data.map { image(of: $0, options: options) }) }
        }
    }

    /// As many at a time as there are processors: more would only hold more bitmaps.
    static let decodeQueue: OperationQueue = {
        let queue = OperationQueue()
        queue.name = "com.onevcat.Kingfisher.ImageCache.decodeQueue"
        queue.qualityOfService = .userInitiated
        queue.maxConcurrentOperationCount = ProcessInfo.processInfo.activeProcessorCount
        return queue
    }()

    private func read(
        forKey key: String, options: KingfisherParsedOptionsInfo
    ) -> Result<Data?, KingfisherError> {
        diskResult {
            try diskStorage.value(
                forKey: key.computedKey(with: options.processor.identifier), forcedExtension: options.forcedExtension,
                extendingExpiration: options.diskCacheAccessExtendingExpiration, origin: KeyOrigin(baseKey: key))
        }
    }

    /// nil if the bytes are no image, or if its pixels cannot be decoded although they were asked for.
    private func image(of data: Data?, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        guard let data, let image = options.cacheSerializer.image(with: data, options: options) else { return nil }
        return options.backgroundDecode ? image.withScale(options.scaleFactor).decodedForDisplay() : image
    }

    /// Puts what was read into memory, unless somebody has changed the key there meanwhile.
    func refill(_ ticket: MemoryRefills.Ticket, with result: DiskImage, expiration: StorageExpiration?) {
        refills.end(ticket) {
            guard case .success(let image?) = result else { return nil }
            return memoryStorage.storeNoThrow(value: image, forKey: ticket.key, expiration: expiration)
        }
    }
}
