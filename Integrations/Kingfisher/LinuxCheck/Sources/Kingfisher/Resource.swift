public import Foundation

public protocol Resource: Sendable {
    var cacheKey: String { get }
    var downloadURL: URL { get }
}

extension URL: Resource {
    public var cacheKey: String { absoluteString }
    public var downloadURL: URL { self }
}

public enum KF {
    public struct ImageResource: Resource {
        public let cacheKey: String
        public let downloadURL: URL

        public init(downloadURL: URL, cacheKey: String? = nil) {
            self.downloadURL = downloadURL
            self.cacheKey = cacheKey ?? downloadURL.cacheKey
        }
    }
}

/// A fake, with a closure as its server.
open class ImageDownloader: @unchecked Sendable {
    public static let `default` = ImageDownloader(name: "default")
    public init(name: String) {}

    /// Exists only in the fake: the server's response; nil if it is unreachable.
    public var server: @Sendable (URL) -> Data? = { _ in nil }
}
