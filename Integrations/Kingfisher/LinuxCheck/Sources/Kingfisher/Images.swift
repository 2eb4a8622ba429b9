public import Foundation
public import Halcyon

// As on Apple's systems, where both modules mean UIImage or NSImage.
public typealias KFCrossPlatformImage = Halcyon.KFCrossPlatformImage

#if !canImport(UIKit) && !canImport(AppKit)
    extension KFCrossPlatformImage {
        /// An image of nothing, as UIImage and NSImage have one.
        public convenience init() {
            // One transparent pixel is always an image.
            // swift-format-ignore: NeverForceUnwrap
            self.init(rgba: [0, 0, 0, 0], width: 1, height: 1)!
        }
    }
#endif

extension KFCrossPlatformImage: CacheCostCalculable {}

public struct KingfisherWrapper<Base> {
    public let base: Base
    public init(_ base: Base) { self.base = base }
}

extension KingfisherWrapper where Base == KFCrossPlatformImage {
    /// A fake: another image of the same pixels.
    public func decoded(scale: CGFloat) -> KFCrossPlatformImage {
        KFCrossPlatformImage(
            rgba: base.rgba ?? [], width: Int(base.size.width), height: Int(base.size.height), scale: scale) ?? base
    }
}

// Both modules give `kf` to data and strings, so that using it where both are imported would be ambiguous here too.
extension Data { public var kf: KingfisherWrapper<Data> { KingfisherWrapper(self) } }
extension String { public var kf: KingfisherWrapper<String> { KingfisherWrapper(self) } }

public protocol CacheSerializer: Sendable {
    func data(with image: KFCrossPlatformImage, original: Data?) -> Data?
    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    var originalDataUsed: Bool { get }
}

extension CacheSerializer { public var originalDataUsed: Bool { false } }

/// A fake: the original data, or a PNG.
public struct DefaultCacheSerializer: CacheSerializer {
    public static let `default` = DefaultCacheSerializer()
    public init() {}

    public func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
        original ?? Halcyon.DefaultCacheSerializer.default.data(with: image, original: nil)
    }

    public func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        KFCrossPlatformImage(data: data, scale: options.scaleFactor)
    }
}

public protocol ImageProcessor: Sendable {
    var identifier: String { get }
    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
}

public enum ImageProcessItem: Sendable { case image(KFCrossPlatformImage), data(Data) }

public struct DefaultImageProcessor: ImageProcessor {
    public static let `default` = DefaultImageProcessor()
    public let identifier = ""
    public init() {}

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        switch item {
        case .image(let image): image
        case .data(let data): KFCrossPlatformImage(data: data, scale: options.scaleFactor)
        }
    }
}
