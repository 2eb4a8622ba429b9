public import Foundation

/// Converts images to the bytes that are stored, and bytes to images.
public protocol CacheSerializer: Sendable {
    /// Returns the bytes to store for an image. If it returns nil, the store fails with
    /// ``KingfisherError/CacheErrorReason/cannotSerializeImage(image:original:serializer:)``.
    ///
    /// Called once for each store, on the cache's queue, or on the loading queue if a load needs the key earlier. Slow work here
    /// delays the stores after it. Several threads may call it at the same time, for different stores.
    ///
    /// - Parameters:
    ///   - image: the image to store.
    ///   - original: the file that the image was made from, if the caller has it.
    func data(with image: KFCrossPlatformImage, original: Data?) -> Data?

    /// Returns the image of stored bytes; nil makes the load a miss. Called on a queue for loading, by several threads at the
    /// same time, or on the caller's thread, depending on the options. ``DefaultCacheSerializer`` decodes a file that the system,
    /// or on Linux this package, supports.
    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?

    /// Whether it stores the original bytes if there are any. For your download code; false by default.
    var originalDataUsed: Bool { get }
}

extension CacheSerializer {
    public var originalDataUsed: Bool { false }
}

/// Stores an image in the format of its original: PNG, JPEG or GIF. Without an original, or with one in another format, stores an
/// animation as GIF and anything else as PNG. An image made from a GIF, and on Linux from a WebP, is then stored as that file.
public struct DefaultCacheSerializer: CacheSerializer {
    /// The default serializer: does not prefer original bytes, and encodes JPEG in the best quality.
    public static let `default` = DefaultCacheSerializer()

    /// The quality of a JPEG, 0 to 1; 1 by default.
    public var compressionQuality: CGFloat = 1.0
    /// Whether to store the original's bytes unchanged if there are any; false by default.
    ///
    /// Leave it false with a processor, because then the original is not the image that is shown.
    public var preferCacheOriginalData: Bool = false

    public var originalDataUsed: Bool { preferCacheOriginalData }

    /// Creates a serializer with the settings of ``default``.
    public init() {}

    public func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
        if preferCacheOriginalData, let original { return original }
        return image.kf.data(format: original?.kf.imageFormat ?? .unknown, compressionQuality: compressionQuality)
    }

    public func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        KingfisherWrapper.image(data: data, options: options.imageCreatingOptions)
    }
}

/// Stores all images in one format, so that all entries under a key have that format.
///
/// If the format cannot hold an image, the image is stored in its original's format, or as `data(format: .unknown)` encodes it: as PNG,
/// an animation as GIF, and on Linux a WebP unchanged.
public struct FormatIndicatedCacheSerializer: CacheSerializer {
    /// Lossless, with transparency.
    public static let png = FormatIndicatedCacheSerializer(format: .PNG)
    /// JPEG in the best quality.
    public static let jpeg = FormatIndicatedCacheSerializer(format: .JPEG)
    /// All pictures of an animation, with 256 colors each. It cannot hold any other image, unless that was made from a GIF.
    public static let gif = FormatIndicatedCacheSerializer(format: .GIF)

    /// JPEG in a given quality.
    ///
    /// - Parameter compressionQuality: 0 to 1; 1 is the best and largest.
    public static func jpeg(compressionQuality: CGFloat) -> FormatIndicatedCacheSerializer {
        FormatIndicatedCacheSerializer(format: .JPEG, compressionQuality: compressionQuality)
    }

    /// WebP, with transparency and all pictures of an animation. Apple platforms have no encoder; there, an image is stored as if
    /// WebP could not hold it.
    ///
    /// - Parameter compressionQuality: 0 to 1; 1 is lossless.
    public static func webp(compressionQuality: CGFloat) -> FormatIndicatedCacheSerializer {
        FormatIndicatedCacheSerializer(format: nil, compressionQuality: compressionQuality)
    }

    /// nil for WebP.
    private let format: ImageFormat?
    private let compressionQuality: CGFloat

    private init(format: ImageFormat?, compressionQuality: CGFloat = 1) {
        self.format = format
        self.compressionQuality = compressionQuality
    }

    public func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
        if format == nil, let data = image.kf.webpRepresentation(compressionQuality: compressionQuality) { return data }
        let holdsImage = format != .GIF || image.kf.imageFrameCount != nil
        let formats = [holdsImage ? format : nil, original?.kf.imageFormat, .unknown].compactMap(\.self)
        for format in formats {
            if let data = image.kf.data(format: format, compressionQuality: compressionQuality) { return data }
        }
        return nil
    }

    public func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        DefaultCacheSerializer.default.image(with: data, options: options)
    }
}
