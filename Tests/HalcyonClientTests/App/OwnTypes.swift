import Foundation
import Halcyon

// The minimum that an app's own types need to work with the cache.

/// Makes the files unreadable for other readers of the directory.
struct ScramblingSerializer: CacheSerializer {
    let key: UInt8

    func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
        DefaultCacheSerializer.default.data(with: image, original: original).map(scrambled)
    }

    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        DefaultCacheSerializer.default.image(with: scrambled(data), options: options)
    }

    func scrambled(_ data: Data) -> Data { Data(data.map { $0 ^ key }) }
}

/// Implements no more than it must.
struct MinimalSerializer: CacheSerializer {
    func data(with image: KFCrossPlatformImage, original: Data?) -> Data? { original }
    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? { nil }
}

/// Returns no data for any image.
struct RefusingSerializer: CacheSerializer {
    func data(with image: KFCrossPlatformImage, original: Data?) -> Data? { nil }
    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? { nil }
    var originalDataUsed: Bool { true }
}

/// Its parameters are part of its identifier. It draws nothing, because the cache does not depend on what a processor draws.
struct RoundedCorners: ImageProcessor {
    let identifier: String

    init(radius: CGFloat) { identifier = "com.example.rounded(\(radius))" }

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        switch item {
        case .image(let image): image.kf.scaled(to: options.scaleFactor)
        case .data(let data): DefaultImageProcessor.default.process(item: .data(data), options: options)
        }
    }
}

struct RefusingProcessor: ImageProcessor {
    let identifier = "com.example.refusing"
    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? { nil }
}

/// The same picture under all addresses that a server signs.
struct SignedPicture: Resource {
    let downloadURL: URL
    var cacheKey: String { downloadURL.path }
}

/// A value that is not an image.
struct Profile: DataTransformable, CacheCostCalculable, Equatable, Sendable {
    struct Damaged: Error {}

    var name: String

    func toData() throws -> Data {
        guard !name.isEmpty else { throw Damaged() }
        return Data(name.utf8)
    }

    static func fromData(_ data: Data) throws -> Profile {
        guard let name = String(data: data, encoding: .utf8) else { throw Damaged() }
        return Profile(name: name)
    }

    static var empty: Profile { Profile(name: "") }

    var cacheCost: Int { name.utf8.count }
}

/// An operation queue that holds its blocks.
final class HeldOperations: CallbackOperationQueue, @unchecked Sendable {
    private let lock = NSLock()
    private var blocks: [@Sendable () -> Void] = []

    var underlyingQueue: DispatchQueue? { nil }

    func addOperation(_ block: @Sendable @escaping () -> Void) {
        lock.withLock { blocks.append(block) }
    }

    var count: Int { lock.withLock { blocks.count } }

    func runAll() { lock.withLock { blocks }.forEach { $0() } }
}

// An object and a value that get `kf`.
final class Theme: KingfisherCompatible {
    var color = 1
}

struct Palette: KingfisherCompatibleValue {
    var colors = [1, 2]
}

extension KingfisherWrapper where Base == Theme {
    var color: Int {
        get { base.color }
        nonmutating set { base.color = newValue }
    }
}

extension KingfisherWrapper where Base == Palette {
    var count: Int { base.colors.count }
}
