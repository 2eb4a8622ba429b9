public import Foundation

public typealias PrefetcherCompletionHandler =
    @Sendable (
        _ skippedResources: [any Resource], _ failedResources: [any Resource], _ completedResources: [any Resource]
    ) -> Void

/// A fake that prefetches sequentially. As in Kingfisher, it uses the cache in the options or else the default cache, and ignores
/// the shared manager and its options.
public class ImagePrefetcher: @unchecked Sendable {
    private let urls: [URL]
    private let options: KingfisherParsedOptionsInfo
    private let manager: KingfisherManager
    private let handler: PrefetcherCompletionHandler?
    private var (skipped, failed, completed): ([URL], [URL], [URL]) = ([], [], [])

    public init(
        urls: [URL], options: KingfisherOptionsInfo? = nil, completionHandler: PrefetcherCompletionHandler? = nil
    ) {
        self.urls = urls
        var options = KingfisherParsedOptionsInfo(options)
        options.callbackQueue = .untouch
        self.options = options
        manager = KingfisherManager(downloader: options.downloader ?? .default, cache: options.targetCache ?? .default)
        handler = completionHandler
    }

    public func start() { prefetch(urls[...]) }

    private func prefetch(_ rest: ArraySlice<URL>) {
        guard let url = rest.first else { return CallbackQueue.mainAsync.execute { [self] in finish() } }
        let type = manager.cache.imageCachedType(
            forKey: url.cacheKey, processorIdentifier: options.processor.identifier)
        guard options.forceRefresh || !type.cached else {
            skipped.append(url)
            return prefetch(rest.dropFirst())
        }
        let request = Request(manager: manager, resource: url, options: options) { [self] result in
            if case .success = result { completed.append(url) } else { failed.append(url) }
            prefetch(rest.dropFirst())
        }
        request.download()
    }

    private func finish() { handler?(skipped, failed, completed) }
}
