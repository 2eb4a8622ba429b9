public import Foundation

/// A fake that gets and stores images through its cache in the order in which Kingfisher's does, with a closure as its server.
public final class KingfisherManager: @unchecked Sendable {
    public static let shared = KingfisherManager(cache: .default)
    public var cache: ImageCache

    public init(cache: ImageCache) { self.cache = cache }

    /// From memory or disk; else what is downloaded, processed and stored, together with its original.
    public func retrieveImage(
        forKey key: String, options: KingfisherParsedOptionsInfo, download: @escaping @Sendable () -> Data,
        completionHandler: @escaping @Sendable (Result<ImageCacheResult, KingfisherError>) -> Void
    ) {
        let type = cache.imageCachedType(
            forKey: key, processorIdentifier: options.processor.identifier, forcedExtension: options.forcedExtension)
        guard !type.cached else {
            return cache.retrieveImage(
                forKey: key, options: options, callbackQueue: .untouch, completionHandler: completionHandler)
        }
        let data = download()
        guard let image = options.processor.process(item: .data(data), options: options) else {
            return completionHandler(.success(.none))
        }
        cache.store(image, original: data, forKey: key, options: options, toDisk: true) { [cache] _ in
            guard !options.processor.identifier.isEmpty else { return completionHandler(.success(.none)) }
            cache.storeToDisk(
                data, forKey: key, processorIdentifier: DefaultImageProcessor.default.identifier,
                expiration: options.diskCacheExpiration
            ) { _ in completionHandler(.success(.none)) }
        }
    }
}
