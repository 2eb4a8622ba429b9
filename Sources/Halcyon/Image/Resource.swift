public import Foundation

/// Something that can be downloaded, and the key it is cached under.
public protocol Resource: Sendable {
    /// The key in the cache.
    var cacheKey: String { get }
    /// Where it comes from.
    var downloadURL: URL { get }
}

/// A namespace, for names that would be too general without it.
public enum KF {
    /// An address with a key of your own, for one that changes with every request.
    public struct ImageResource: Resource {
        public let cacheKey: String
        public let downloadURL: URL

        /// - Parameters:
        ///   - downloadURL: where it comes from.
        ///   - cacheKey: nil for the address's own.
        public init(downloadURL: URL, cacheKey: String? = nil) {
            self.downloadURL = downloadURL
            self.cacheKey = cacheKey ?? downloadURL.cacheKey
        }
    }
}

extension URL: Resource {
    /// The absolute address. A file's address changes with each installation of an app, so its key begins with the last
    /// component that names an app or an extension of one.
    public var cacheKey: String { isFileURL ? localFileCacheKey : absoluteString }

    public var downloadURL: URL { self }

    private var localFileCacheKey: String {
        let components = pathComponents
        let bundle = components.lastIndex { $0.hasSuffix(".app") || $0.hasSuffix(".appex") }
        let relative = components[(bundle ?? components.startIndex)...].filter { $0 != "/" }.joined(separator: "/")
        let key = "kingfisher.local.cacheKey/" + relative
        return query.map { "\(key)?\($0)" } ?? key
    }
}
