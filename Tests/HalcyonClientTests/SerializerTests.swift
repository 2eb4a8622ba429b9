import Foundation
import Halcyon
import Testing

@Suite struct SerializerTests {
    private let options = KingfisherParsedOptionsInfo(nil)

    @Test func `the default serializer has two settings`() throws {
        var serializer = DefaultCacheSerializer()
        #expect(serializer.compressionQuality == 1 && !serializer.preferCacheOriginalData)
        #expect(!serializer.originalDataUsed)
        serializer.compressionQuality = 0.5
        serializer.preferCacheOriginalData = true
        let original = Data([1, 2, 3])
        #expect(serializer.data(with: try Pictures.image(), original: original) == original)
        #expect(serializer.originalDataUsed && serializer.compressionQuality == 0.5)
    }

    @Test func `each serializer encodes images and decodes data`() throws {
        let file = try Pictures.data(width: 3)
        let image = try #require(KFCrossPlatformImage(data: file))
        let serializers: [CacheSerializer] = [
            DefaultCacheSerializer.default, FormatIndicatedCacheSerializer.png, FormatIndicatedCacheSerializer.jpeg,
            FormatIndicatedCacheSerializer.jpeg(compressionQuality: 0.5), FormatIndicatedCacheSerializer.gif,
            FormatIndicatedCacheSerializer.webp(compressionQuality: 0.5),
        ]
        for serializer in serializers {
            let data = try #require(serializer.data(with: image, original: file))
            #expect(serializer.image(with: data, options: options)?.width == 3 && !serializer.originalDataUsed)
        }
        #if ImageCodecs && os(Linux)
            let formats = serializers.map { $0.data(with: image, original: nil)?.kf.imageFormat }
            #expect(formats == [.PNG, .PNG, .JPEG, .JPEG, .PNG, .unknown])
            let webp = try #require(image.kf.webpRepresentation(compressionQuality: 1))
            #expect(webp.kf.isWebP && !file.kf.isWebP && webp == image.webpData(compressionQuality: 1))
        #endif
    }

    @Test func `an app's own serializer encodes and decodes`() async throws {
        try await withCache { cache in
            let serializer = ScramblingSerializer(key: 0x55)
            let file = try Pictures.data(width: 3)
            try await cache.store(
                Pictures.image(width: 3), original: file, forKey: "a", cacheSerializer: serializer)
            #expect(try cache.diskStorage.value(forKey: "a") == serializer.scrambled(file))
            cache.clearMemoryCache()
            let found = try await cache.retrieveImage(forKey: "a", options: [.cacheSerializer(serializer)])
            #expect(found.image?.width == 3 && found.cacheType == .disk)
        }
    }

    @Test func `an app's own serializer does not use original bytes by default`() {
        #expect(!MinimalSerializer().originalDataUsed && RefusingSerializer().originalDataUsed)
    }
}
