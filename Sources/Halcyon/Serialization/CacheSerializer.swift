public import Foundation

/// Turns images into the bytes that are stored, and bytes into images.
public protocol CacheSerializer: Sendable {
    /// The bytes to store for an image; nil makes the store fail with
    /// ``KingfisherError/CacheErrorReason/cannotSerializeImage(image:original:serializer:)``.
    ///
    /// Called once for each store, on the cache's queue or, if the key is asked for before that, where loads are decoded. What takes
    /// long here holds up the stores behind it. Several threads may call it at the same time, for different stores.
    ///
    /// - Parameters:
    ///   - image: what is to be stored.
    ///   - original: the file the image was made of, if the one who stores has it.
    func data(with image: KFCrossPlatformImage, original: Data?) -> Data?

    /// The image of stored bytes; nil makes the load a miss. Called on a queue for loading, by several threads at the same time, or on the
    /// caller's thread, as the options say. By default it makes an image of a file that the system, or on Linux this package, can decode.
    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?

    /// Whether it stores the original bytes where there are any. For those who manage downloads; false if nothing is said.
    var originalDataUsed: Bool { get }
}

extension CacheSerializer {
    public var originalDataUsed: Bool { false }

    public func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        KingfisherWrapper.image(data: data, options: options.imageCreatingOptions)
    }
}

/// Stores an image in the format of its original: PNG, JPEG or GIF. Without an original, or with another format, an
/// animation is stored as GIF and anything else as PNG.
public struct DefaultCacheSerializer: CacheSerializer {
    /// The one that is used where nobody names another one: original bytes are not preferred, JPEG in the best quality.
    public static let `default` = DefaultCacheSerializer()

    /// For JPEG, 0 to 1; 1.
    public var compressionQuality: CGFloat = 1.0
    /// Whether the original's bytes are stored as they are, if there are any; they are not.
    ///
    /// With a processor the original is not what is shown: then leave it off.
    public var preferCacheOriginalData: Bool = false

    public var originalDataUsed: Bool { preferCacheOriginalData }

    /// Begins with the settings of ``default``.
    public init() {}

    public func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
        if preferCacheOriginalData, let original { return original }
        return image.kf.data(format: original?.kf.imageFormat ?? .unknown, compressionQuality: compressionQuality)
    }
}

/// Stores all images in one format, so that what is cached under a key is always of it.
///
/// An image that the format cannot hold is stored in its original's format instead, or as PNG.
public struct FormatIndicatedCacheSerializer: CacheSerializer {
    /// Without loss, with transparency.
    public static let png = FormatIndicatedCacheSerializer(format: .PNG)
    /// In the best quality.
    public static let jpeg = FormatIndicatedCacheSerializer(format: .JPEG)
    /// With all pictures of an animation, in 256 colours each.
    public static let gif = FormatIndicatedCacheSerializer(format: .GIF)

    /// - Parameter compressionQuality: 0 to 1, the best and largest.
    public static func jpeg(compressionQuality: CGFloat) -> FormatIndicatedCacheSerializer {
        FormatIndicatedCacheSerializer(format: .JPEG, compressionQuality: compressionQuality)
    }

    private let format: ImageFormat
    private let compressionQuality: CGFloat

    private init(format: ImageFormat, compressionQuality: CGFloat = 1) {
        self.format = format
        self.compressionQuality = compressionQuality
    }

    public func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
        let formats = [format, original?.kf.imageFormat ?? .unknown, .unknown]
        return formats.lazy.compactMap { image.kf.data(format: $0, compressionQuality: compressionQuality) }.first
    }
}
