import Foundation
import Halcyon
import HalcyonKingfisher
import Kingfisher
import Testing

/// A folder for the caches of a test, which all have the same name. Deleted with this object.
final class Fixture: Sendable {
    let parent = FileManager.default.temporaryDirectory.appendingPathComponent("halcyon-\(UUID().uuidString)")

    /// Where Kingfisher keeps its files.
    var stockFolder: URL { parent.appendingPathComponent("com.onevcat.Kingfisher.ImageCache.images") }
    /// Where the adapter keeps its files.
    var folder: URL { parent.appendingPathComponent("com.onevcat.Kingfisher.ImageCache.images.halcyon") }

    deinit { try? FileManager.default.removeItem(at: parent) }

    func makeCache(name: String = "images") throws -> HalcyonCache {
        try HalcyonCache(name: name, cacheDirectoryURL: parent)
    }

    /// Leaves a file as Kingfisher would.
    func leave(_ data: Data, as name: String) throws {
        try FileManager.default.createDirectory(at: stockFolder, withIntermediateDirectories: true)
        let file = stockFolder.appendingPathComponent(name)
        try data.write(to: file)
        // Kingfisher stores the expiration there.
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: 86_400)], ofItemAtPath: file.path)
    }

    func names(in folder: URL) -> Set<String> {
        Set((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).subtracting([".halcyon"])
    }
}

/// An image with a unique color, and its file.
struct Picture {
    let image: Kingfisher.KFCrossPlatformImage
    let data: Data

    init(red: UInt8 = 200) throws {
        let pixel = Kingfisher.KFCrossPlatformImage(rgba: [red, 0, 0, 255], width: 1, height: 1)
        image = try #require(pixel)
        data = try #require(Kingfisher.DefaultCacheSerializer.default.data(with: image, original: nil))
    }
}

extension Kingfisher.KFCrossPlatformImage {
    /// Identifies an image of the tests.
    var red: UInt8? { rgba?.first }
}

/// A processor that has only an identifier.
struct Thumbnail: Kingfisher.ImageProcessor {
    let identifier = "thumb"

    func process(
        item: Kingfisher.ImageProcessItem, options: Kingfisher.KingfisherParsedOptionsInfo
    ) -> Kingfisher.KFCrossPlatformImage? {
        Kingfisher.DefaultImageProcessor.default.process(item: item, options: options)
    }
}

extension Kingfisher.KingfisherParsedOptionsInfo {
    static var thumbnail: Self { Self([.processor(Thumbnail()), .callbackQueue(.untouch)]) }
}

extension Kingfisher.ImageCache {
    /// The calls to the superclass's disk storage.
    var stockCalls: [String] { diskStorage.calls }
}

/// Counts from any thread.
final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var counts: [String: Int] = [:]

    func count(_ name: String) { lock.withLock { counts[name, default: 0] += 1 } }
    var all: [String: Int] { lock.withLock { counts } }
}
