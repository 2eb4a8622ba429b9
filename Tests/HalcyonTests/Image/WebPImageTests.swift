#if ImageCodecs && os(Linux)
    import Foundation
    import HalcyonTestSupport
    import Testing

    @testable import Halcyon

    /// WebP in the cache: images, serializers, a load.
    @Suite struct WebPImageTests {
        private let options = KingfisherParsedOptionsInfo(nil)

        @Test func `WebP is detected separately from the formats`() throws {
            let file = try Pictures.fixture("lossy.webp")
            #expect(file.kf.isWebP && file.kf.imageFormat == .unknown)
            #expect((Data([1, 2, 3]) + file).dropFirst(3).kf.isWebP)
            #expect(try !Pictures.fixture("moving.gif").kf.isWebP && !Data().kf.isWebP && !file.prefix(12).kf.isWebP)
        }

        @Test func `an image has all frames of its WebP file`() throws {
            let image = try #require(HalcyonImage(data: Pictures.fixture("moving.webp")))
            #expect(image.size == CGSize(width: 24, height: 16) && image.kf.imageFrameCount == 4)
            #expect(image.images?.count == 4 && image.loopCount == 3 && abs(image.duration - 0.32) < 0.001)
            let still = try #require(HalcyonImage(data: Pictures.fixture("lossy.webp")))
            #expect(still.images == nil && still.kf.imageFrameCount == nil && still.duration == 0)
        }

        @Test func `a thumbnail of a large file is decoded small`() throws {
            let small = KingfisherWrapper<HalcyonImage>.downsampledImage(
                data: try Pictures.fixture("turned.webp"), to: CGSize(width: 12, height: 12), scale: 1)
            #expect(small?.size == CGSize(width: 12, height: 8))
        }

        @Test func `the default serializer keeps the file, whatever becomes of the image's scale`() throws {
            for name in ["lossy.webp", "lossless.webp", "moving.webp"] {
                let file = try Pictures.fixture(name)
                let image = try #require(HalcyonImage(data: file))
                #expect(DefaultCacheSerializer.default.data(with: image, original: file) == file, "\(name)")
                #expect(DefaultCacheSerializer.default.data(with: image.kf.scaled(to: 2), original: nil) == file)
                let cut = HalcyonImage(data: file.prefix(file.count - 4)).flatMap {
                    DefaultCacheSerializer.default.data(with: $0, original: nil)
                }
                #expect(cut == nil, "half a download is not stored again")
            }
        }

        @Test func `the WebP serializer stores every image as WebP`() throws {
            let photo = try #require(HalcyonImage(data: Pictures.demo("flower.jpg")))
            let small = try #require(
                FormatIndicatedCacheSerializer.webp(compressionQuality: 0.5).data(with: photo, original: nil))
            let exact = try #require(
                FormatIndicatedCacheSerializer.webp(compressionQuality: 1).data(with: photo, original: nil))
            #expect(small.kf.isWebP && exact.kf.isWebP && small.count < exact.count / 4)
            let again = FormatIndicatedCacheSerializer.webp(compressionQuality: 1).image(with: exact, options: options)
            #expect(again?.rgba == photo.rgba)
            let animation = try #require(HalcyonImage(data: Pictures.fixture("moving.gif")))
            let moving = try #require(animation.kf.webpRepresentation(compressionQuality: 1))
            #expect(HalcyonImage(data: moving)?.images?.map(\.rgba) == animation.images?.map(\.rgba))
            // An image that WebP cannot hold is stored in another format.
            let long = try #require(HalcyonImage(rgba: [UInt8](repeating: 9, count: 65_600), width: 16_400, height: 1))
            let other = FormatIndicatedCacheSerializer.webp(compressionQuality: 1).data(with: long, original: nil)
            #expect(other?.kf.imageFormat == .PNG)
        }

        @Test func `a cache stores and loads WebP`() async throws {
            try await withImageCache { subject in
                let file = try Pictures.fixture("lossy-alpha.webp")
                let image = try #require(HalcyonImage(data: file))
                try await subject.cache.store(image, original: file, forKey: "a")
                #expect(try subject.cache.diskStorage.value(forKey: "a") == file)
                subject.cache.clearMemoryCache()
                let found = try await subject.cache.retrieveImage(forKey: "a")
                #expect(found.cacheType == .disk && found.image?.rgba == image.rgba)
            }
        }
    }
#endif
