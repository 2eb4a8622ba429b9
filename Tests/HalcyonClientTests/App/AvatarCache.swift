import Foundation
import Halcyon

/// The pictures of an app's users: a typical use of a cache, written as for Kingfisher's.
final class AvatarCache: Sendable {
    let cache: ImageCache

    init(cache: ImageCache = .default, sizeLimit: UInt = 50 * 1024 * 1024) {
        self.cache = cache
        cache.memoryStorage.config.totalCostLimit = 20 * 1024 * 1024
        cache.memoryStorage.config.expiration = .seconds(600)
        cache.diskStorage.config.sizeLimit = sizeLimit
        cache.diskStorage.config.expiration = .days(30)
    }

    // MARK: Showing

    /// Shows a picture from memory at once, and others later on the main queue.
    func show(_ url: URL, in view: AvatarView) {
        if let image = cache.retrieveImageInMemoryCache(forKey: url.cacheKey) {
            return view.display(image)
        }
        cache.retrieveImage(forKey: url.cacheKey, options: [.backgroundDecode]) { result in
            switch result {
            case .success(let value):
                if let image = value.image { view.display(image) } else { view.displayPlaceholder() }
            case .failure(let error):
                view.fail(with: error.localizedDescription)
            }
        }
    }

    func image(for url: URL) async -> KFCrossPlatformImage? {
        try? await cache.retrieveImage(forKey: url.cacheKey).image
    }

    // MARK: Downloading

    func needsDownload(_ resource: Resource) -> Bool {
        !cache.isCached(forKey: resource.cacheKey)
    }

    func didDownload(_ data: Data, from resource: Resource, completion: @escaping @Sendable (Bool) -> Void) {
        guard let image = KingfisherWrapper.image(data: data, options: ImageCreatingOptions(scale: 2)) else {
            return completion(false)
        }
        cache.store(image, original: data, forKey: resource.cacheKey) { result in
            if case .failure = result.diskCacheResult { completion(false) } else { completion(true) }
        }
    }

    /// Stores files that came with another request, before they are needed.
    func prefetch(_ files: [(url: URL, data: Data)]) async throws {
        for file in files where cache.imageCachedType(forKey: file.url.cacheKey) == .none {
            try await cache.storeToDisk(file.data, forKey: file.url.cacheKey, expiration: .days(3))
        }
    }

    // MARK: Settings

    /// For the settings' screen: "1.2 MB".
    func sizeText(completion: @escaping @Sendable (String) -> Void) {
        cache.calculateDiskStorageSize { result in
            switch result {
            case .success(let size): completion(String(format: "%.1f MB", Double(size) / 1024 / 1024))
            case .failure(let error): completion(error.errorDescription ?? "?")
            }
        }
    }

    func logOut(completion: @escaping @Sendable () -> Void) {
        cache.clearMemoryCache()
        cache.clearDiskCache { completion() }
    }

    func forget(_ url: URL) {
        cache.removeImage(forKey: url.cacheKey)
        cache.removeImage(forKey: url.cacheKey, processorIdentifier: RoundedCorners(radius: 8).identifier)
    }

    func tidyUp() { cache.cleanExpiredCache() }
}

/// The view that an app would show them in.
protocol AvatarView: Sendable {
    func display(_ image: KFCrossPlatformImage)
    func displayPlaceholder()
    func fail(with message: String)
}
