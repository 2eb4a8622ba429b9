public import Foundation
public import Halcyon

// As on Apple platforms, where both modules use UIImage or NSImage.
public typealias KFCrossPlatformImage = Halcyon.KFCrossPlatformImage

#if !canImport(UIKit) && !canImport(AppKit)
    extension KFCrossPlatformImage {
        /// An empty image, as UIImage and NSImage have.
        public convenience init() {
            // One transparent pixel is always a valid image.
            // swift-format-ignore: NeverForceUnwrap
            self.init(rgba: [0, 0, 0, 0], width: 1, height: 1)!
        }
    }
#endif

extension KFCrossPlatformImage: CacheCostCalculable {
    public var cacheCost: Int { Int(size.width * size.height) * 4 }
}

public struct KingfisherWrapper<Base>: @unchecked Sendable {
    public let base: Base
    public init(_ base: Base) { self.base = base }
}

// `kf` is declared as in Kingfisher, in protocols with the same names as Halcyon's, so that it can be ambiguous here as in an
// app.

public protocol KingfisherCompatible: AnyObject {}
public protocol KingfisherCompatibleValue {}

extension KingfisherCompatible {
    public var kf: KingfisherWrapper<Self> {
        get { KingfisherWrapper(self) }
        set {}
    }
}

extension KingfisherCompatibleValue {
    public var kf: KingfisherWrapper<Self> {
        get { KingfisherWrapper(self) }
        set {}
    }
}

extension KFCrossPlatformImage: KingfisherCompatible {}
extension Data: KingfisherCompatibleValue {}
extension String: KingfisherCompatibleValue {}

extension KingfisherWrapper where Base == Data {
    /// A fake: detects only PNG.
    public var imageFormat: ImageFormat { base.starts(with: [0x89, 0x50, 0x4E, 0x47]) ? .PNG : .unknown }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
public enum ImageFormat: Sendable { case unknown, PNG, JPEG, GIF }

extension KingfisherWrapper where Base == KFCrossPlatformImage {
    /// In Kingfisher, nil for images that are not animated; none of the fake's images are.
    public var imageFrameCount: Int? { nil }

    /// A fake: a new image with the same pixels.
    public func decoded(scale: CGFloat) -> KFCrossPlatformImage {
        KFCrossPlatformImage(
            rgba: base.rgba ?? [], width: Int(base.size.width), height: Int(base.size.height), scale: scale) ?? base
    }
}

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

extension ImageProcessor {
    public func append(another: any ImageProcessor) -> any ImageProcessor {
        Both(identifier: "\(identifier)|>\(another.identifier)", first: self, second: another)
    }
}

private struct Both: ImageProcessor {
    let identifier: String
    let first: any ImageProcessor
    let second: any ImageProcessor

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        first.process(item: item, options: options).flatMap { second.process(item: .image($0), options: options) }
    }
}

infix operator |> : AdditionPrecedence

public func |> (left: any ImageProcessor, right: any ImageProcessor) -> any ImageProcessor {
    left.append(another: right)
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
