public import Foundation

/// A downloadable resource and its cache key.
public protocol Resource: Sendable {
    /// The key in the cache.
    var cacheKey: String { get }
    /// The URL to download from.
    var downloadURL: URL { get }
}

/// A namespace for names that are too general on their own.
public enum KF {
    /// A URL with a cache key of your own, for a URL that changes with every request.
    public struct ImageResource: Resource {
        public let cacheKey: String
        public let downloadURL: URL

        /// - Parameters:
        ///   - downloadURL: the URL to download from.
        ///   - cacheKey: nil for the URL's own key.
        public init(downloadURL: URL, cacheKey: String? = nil) {
            self.downloadURL = downloadURL
            self.cacheKey = cacheKey ?? downloadURL.cacheKey
        }
    }
}

extension URL: Resource {
    /// The absolute URL. A file URL changes with each installation of an app, so its key begins with the last path component that
    /// is an app or app extension.
    public var cacheKey: String { isFileURL ? localFileCacheKey : absoluteString }

    public var downloadURL: URL { self }

    private var localFileCacheKey: String {
        let components = pathComponents
        let bundle = components.lastIndex { $0.hasSuffix(".app") || $0.hasSuffix(".appex") }
        // Outside a bundle, the first one is "/", and the key has three slashes there, as Kingfisher's has.
        let relative = components[(bundle ?? components.startIndex)...].joined(separator: "/")
        let key = "kingfisher.local.cacheKey/" + relative
        return query.map { "\(key)?\($0)" } ?? key
    }
}
