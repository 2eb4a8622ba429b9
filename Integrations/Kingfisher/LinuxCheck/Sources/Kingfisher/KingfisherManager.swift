import Foundation

public struct RetrieveImageResult: Sendable {
    public let image: KFCrossPlatformImage
    public let cacheType: CacheType
}

/// A fake that reads its caches, downloads, processes and stores in the same order as Kingfisher's manager.
public class KingfisherManager: @unchecked Sendable {
    public static let shared = KingfisherManager()
    public var cache: ImageCache
    public var downloader: ImageDownloader
    public var defaultOptions = KingfisherOptionsInfo.empty

    private convenience init() { self.init(downloader: .default, cache: .default) }

    public init(downloader: ImageDownloader, cache: ImageCache) {
        self.downloader = downloader
        self.cache = cache
    }

    public typealias Handler = @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void

    public func retrieveImage(
        with resource: any Resource, options: KingfisherOptionsInfo? = nil, completionHandler: Handler?
    ) { retrieveImage(with: resource, options: options, isWanted: nil, completionHandler: completionHandler) }

    /// Loads an image as a view does: by the time it is loaded, the view may want another one. Internal in Kingfisher.
    public func retrieveImage(
        with resource: any Resource, options: KingfisherOptionsInfo?, isWanted: (@Sendable () -> Bool)?,
        completionHandler: Handler?
    ) {
        let given = options ?? .empty
        var options = KingfisherParsedOptionsInfo(
            [.downloader(downloader), .targetCache(cache)] + defaultOptions + given)
        options.sourceTaskIdentifierChecker = isWanted
        let request = Request(manager: self, resource: resource, options: options) { completionHandler?($0) }
        guard !options.forceRefresh else { return request.download() }
        request.begin()
    }
}

/// A request to a manager, also made by its prefetcher.
struct Request: Sendable {
    let manager: KingfisherManager
    let resource: any Resource
    let options: KingfisherParsedOptionsInfo
    let handler: KingfisherManager.Handler

    private var target: ImageCache { options.targetCache ?? manager.cache }
    private var original: ImageCache { options.originalCache ?? target }
    private var key: String { resource.cacheKey }
    private var isProcessed: Bool { !options.processor.identifier.isEmpty }

    /// Loads from the cache, or from the original in a cache, or by a download.
    func begin() {
        look(in: target, for: options.processor) { type in
            guard !isUsable(type) else { return deliver() }
            guard isProcessed || original !== target else { return miss() }
            look(in: original, for: DefaultImageProcessor.default) { type in
                isUsable(type) ? makeOfOriginal() : miss()
            }
        }
    }

    private func look(
        in cache: ImageCache, for processor: any ImageProcessor, then body: @escaping @Sendable (CacheType) -> Void
    ) {
        if options.asyncCacheTypeCheck {
            cache.imageCachedTypeAsync(
                forKey: key, processorIdentifier: processor.identifier, forcedExtension: options.forcedExtension,
                callbackQueue: .untouch, completionHandler: body)
        } else {
            body(
                cache.imageCachedType(
                    forKey: key, processorIdentifier: processor.identifier, forcedExtension: options.forcedExtension))
        }
    }

    private func isUsable(_ type: CacheType) -> Bool {
        type == .memory || (type == .disk && !options.fromMemoryCacheOrRefresh)
    }

    private func deliver() {
        target.retrieveImage(forKey: key, options: options) { result in
            finish(
                result.flatMap { found in
                    guard let image = found.image else { return .failure(notExisting) }
                    return .success(RetrieveImageResult(image: image, cacheType: found.cacheType))
                })
        }
    }

    private func makeOfOriginal() {
        var unprocessed = options
        unprocessed.processor = DefaultImageProcessor.default
        original.retrieveImage(forKey: key, options: unprocessed) { result in
            if case .failure(let error) = result { return finish(.failure(error)) }
            guard let image = try? result.get().image else {
                return options.isSourceTaskStale ? finish(.failure(notExisting)) : miss()
            }
            store(options.processor.process(item: .image(image), options: options), data: nil)
        }
    }

    private func miss() { options.onlyFromCache ? finish(.failure(notExisting)) : download() }

    func download() {
        let downloader = options.downloader ?? manager.downloader
        guard let data = downloader.server(resource.downloadURL) else { return finish(.failure(notExisting)) }
        store(options.processor.process(item: .data(data), options: options), data: data)
    }

    private func store(_ image: KFCrossPlatformImage?, data: Data?) {
        guard let image else { return finish(.failure(notExisting)) }
        let result = RetrieveImageResult(image: image, cacheType: .none)
        let stored = Join(options.cacheOriginalImage && isProcessed && data != nil ? 2 : 1) {
            if options.waitForCache { finish(.success(result)) }
        }
        target.store(image, original: data, forKey: key, options: options, toDisk: !options.cacheMemoryOnly) { _ in
            stored.arrive()
        }
        if let data, options.cacheOriginalImage, isProcessed {
            original.storeToDisk(
                data, forKey: key, processorIdentifier: DefaultImageProcessor.default.identifier,
                expiration: options.diskCacheExpiration
            ) { _ in stored.arrive() }
        }
        if !options.waitForCache { finish(.success(result)) }
    }

    private var notExisting: KingfisherError { .cacheError(reason: .imageNotExisting(key: key)) }

    private func finish(_ result: Result<RetrieveImageResult, KingfisherError>) {
        options.callbackQueue.execute { handler(result) }
    }
}

/// Calls a function after a number of arrivals.
private final class Join: @unchecked Sendable {
    // Sendable because the count is accessed only under the lock.
    private let lock = NSLock()
    private var missing: Int
    private let body: @Sendable () -> Void

    init(_ count: Int, _ body: @escaping @Sendable () -> Void) { (missing, self.body) = (count, body) }

    func arrive() {
        let isComplete = lock.withLock {
            missing -= 1
            return missing == 0
        }
        if isComplete { body() }
    }
}
