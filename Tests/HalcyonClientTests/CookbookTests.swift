import Foundation
import Halcyon
import Testing

/// The recipes of Cookbook.md that define types, as an app would.
@Suite struct CookbookTests {
    private struct Palette: Codable, DataTransformable {
        var colors: [String] = []

        static var empty: Palette { Palette() }
        func toData() throws -> Data { try JSONEncoder().encode(self) }
        static func fromData(_ data: Data) throws -> Palette { try JSONDecoder().decode(Palette.self, from: data) }
    }

    @Test func `values of your own type`() async throws {
        try await withStorage(of: Palette.self) { palettes in
            try palettes.store(value: Palette(colors: ["#0af"]), forKey: "sunset", expiration: .days(30))
            #expect(try palettes.value(forKey: "sunset")?.colors == ["#0af"])
        }
    }

    @Test func `each unit test has a cache of its own`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString, isDirectory: true)
        do {
            let cache = try ImageCache(name: "test", cacheDirectoryURL: folder)
            defer {
                cache.diskStorage.close()
                try? FileManager.default.removeItem(at: folder)
            }
            try await cache.store(Pictures.image(), forKey: "a")
            #expect(cache.isCached(forKey: "a"))
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    #if os(Linux)
        /// Two bytes are width and height, and the rest RGBA, after a name that no other format has.
        private enum AVIFDecoder {
            static let name = Data("picture!".utf8)

            static func recognizes(_ data: Data) -> Bool { data.starts(with: name) }

            static func decode(_ data: Data) -> (bytes: [UInt8], width: Int, height: Int)? {
                let rest = [UInt8](data.dropFirst(name.count))
                guard rest.count > 2 else { return nil }
                return (Array(rest.dropFirst(2)), Int(rest[0]), Int(rest[1]))
            }
        }

        private struct AVIFSerializer: CacheSerializer {
            let originalDataUsed = true

            func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
                original ?? DefaultCacheSerializer.default.data(with: image, original: nil)
            }

            func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
                guard AVIFDecoder.recognizes(data) else {
                    return DefaultCacheSerializer.default.image(with: data, options: options)
                }
                guard let picture = AVIFDecoder.decode(data) else { return nil }
                return HalcyonImage(
                    rgba: picture.bytes, width: picture.width, height: picture.height, scale: options.scaleFactor)
            }
        }

        @Test func `other formats`() async throws {
            try await withCache { cache in
                let data = AVIFDecoder.name + [2, 1, 9, 8, 7, 255, 1, 2, 3, 255]
                let image = try #require(AVIFSerializer().image(with: data, options: .init(nil)))
                try await cache.store(image, original: data, forKey: "a", cacheSerializer: AVIFSerializer())
                try await cache.storeToDisk(AVIFDecoder.name, forKey: "cut")
                cache.clearMemoryCache()
                let options: KingfisherOptionsInfo = [.cacheSerializer(AVIFSerializer()), .scaleFactor(2)]
                let found = try await cache.retrieveImage(forKey: "a", options: options).image
                #expect(found?.size == CGSize(width: 1, height: 0.5) && found?.rgba == image.rgba)
                #expect(try cache.diskStorage.value(forKey: "a") == data)
                #expect(try await cache.retrieveImage(forKey: "cut", options: options).image == nil)
            }
        }
    #endif
}
