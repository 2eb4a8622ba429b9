import Foundation
import HalcyonTestSupport
import Testing

@testable import Halcyon

@Suite struct CacheSerializerTests {
    private let options = KingfisherParsedOptionsInfo(nil)

    @Test func `the default serializer keeps the file that an image was created from`() throws {
        for name in ["horse-silhouette.png", "flower.jpg", "night-city.gif", "terminal-intro.gif"] {
            let file = try Pictures.demo(name)
            let image = try Pictures.image(of: file)
            #expect(DefaultCacheSerializer.default.data(with: image, original: file) == file)
        }
    }

    @Test func `an animation keeps its GIF without an original, too`() throws {
        let file = try Pictures.fixture("moving.gif")
        let image = try Pictures.image(of: file)
        #expect(DefaultCacheSerializer.default.data(with: image, original: nil) == file)
        #expect(DefaultCacheSerializer.default.data(with: image, original: .blob(1)) == file)
        let again = DefaultCacheSerializer.default.image(with: file, options: options)
        #expect(again?.kf.imageFrameCount == image.kf.imageFrameCount)
    }

    @Test func `with preferCacheOriginalData, the original is stored`() throws {
        var serializer = DefaultCacheSerializer()
        #expect(!serializer.preferCacheOriginalData && !serializer.originalDataUsed)
        #expect(serializer.compressionQuality == 1)
        serializer.preferCacheOriginalData = true
        #expect(serializer.originalDataUsed)
        let image = try Pictures.image(1)
        #expect(serializer.data(with: image, original: .blob(7)) == .blob(7))
        #expect(serializer.data(with: image, original: nil) == Pictures.small[1])
    }

    @Test func `by default, a serializer does not use originals`() {
        #expect(!NoSerializer().originalDataUsed)
        #expect(!FormatIndicatedCacheSerializer.png.originalDataUsed)
    }

    @Test func `data that is not an image decodes to nil`() {
        for data in [Data(), .blob(1), Pictures.small[0].prefix(20)] {
            #expect(DefaultCacheSerializer.default.image(with: data, options: options) == nil)
            #expect(FormatIndicatedCacheSerializer.jpeg.image(with: data, options: options) == nil)
        }
    }

    @Test func `the options decide about scale and frames`() throws {
        let file = try Pictures.fixture("moving.gif")
        let still = KingfisherParsedOptionsInfo([.onlyLoadFirstFrame, .scaleFactor(2)])
        for serializer: any CacheSerializer in [DefaultCacheSerializer.default, FormatIndicatedCacheSerializer.gif] {
            let image = try #require(serializer.image(with: file, options: still))
            #expect(image.hasScale2 && !image.isAnimation)
        }
    }

    #if !ImageCodecs
        @Test func `without codecs, an image is stored as its file in any format`() throws {
            for name in ["flower.jpg", "desert.gif", "cell.png"] {
                let file = try Pictures.demo(name)
                let image = try Pictures.image(of: file)
                #expect(DefaultCacheSerializer.default.data(with: image, original: nil) == file)
            }
        }
    #endif

    #if ImageCodecs && os(Linux)
        private func painted() throws -> KFCrossPlatformImage {
            let pixels = (0..<64 * 48).flatMap { place -> [UInt8] in
                [UInt8(place % 64) * 4, UInt8(place / 64) * 5, 99, 255]
            }
            return try #require(KFCrossPlatformImage(rgba: pixels, width: 64, height: 48))
        }

        @Test func `the format of the original decides, and PNG is the default`() throws {
            let image = try painted()
            let originals: [(Data?, ImageFormat)] = [
                (try Pictures.fixture("alpha.png"), .PNG), (try Pictures.fixture("baseline.jpg"), .JPEG),
                (try Pictures.fixture("moving.gif"), .GIF), (.blob(1), .PNG), (nil, .PNG),
            ]
            for (original, format) in originals {
                let data = try #require(DefaultCacheSerializer.default.data(with: image, original: original))
                #expect(data.kf.imageFormat == format)
                // It stores the image, not the original.
                #expect(DefaultCacheSerializer.default.image(with: data, options: options)?.size == image.size)
            }
        }

        @Test func `compression quality affects only JPEG`() throws {
            let (image, jpeg) = (try painted(), try Pictures.fixture("baseline.jpg"))
            var low = DefaultCacheSerializer()
            low.compressionQuality = 0.1
            let sizes = [low, .default].map { $0.data(with: image, original: jpeg)?.count ?? 0 }
            #expect(0 < sizes[0] && sizes[0] < sizes[1])
            #expect(
                low.data(with: image, original: nil) == DefaultCacheSerializer.default.data(with: image, original: nil))
        }

        @Test func `the indicated format is used, whatever the original's`() throws {
            let image = try painted()
            for original in [nil, try Pictures.fixture("baseline.jpg"), try Pictures.fixture("alpha.png")] {
                let made = [FormatIndicatedCacheSerializer.png, .jpeg, .jpeg(compressionQuality: 0.2)].map {
                    $0.data(with: image, original: original)
                }
                #expect(made.map { $0?.kf.imageFormat } == [.PNG, .JPEG, .JPEG])
                #expect(made[2]?.count ?? 0 < made[1]?.count ?? 0)
                for data in made {
                    let again = FormatIndicatedCacheSerializer.png.image(with: data ?? Data(), options: options)
                    #expect(again?.size == image.size)
                }
            }
        }

        @Test func `GIF holds only what was made from a GIF or moves, as it has 256 colors`() throws {
            let serializer = FormatIndicatedCacheSerializer.gif
            let still = try painted()
            let originals: [(Data?, ImageFormat)] = [(nil, .PNG), (try Pictures.fixture("baseline.jpg"), .JPEG)]
            for (original, format) in originals {
                #expect(serializer.data(with: still, original: original)?.kf.imageFormat == format)
            }
            for file in [try Pictures.fixture("moving.gif"), try Pictures.demo("desert.gif")] {
                let image = try #require(serializer.image(with: file, options: options))
                #expect(serializer.data(with: image, original: nil) == file)
            }
            let moving = try #require(KFCrossPlatformImage(data: Pictures.fixture("moving.webp")))
            #expect(serializer.data(with: moving, original: nil)?.kf.imageFormat == .GIF)
        }

        @Test func `pixels survive a PNG`() throws {
            let image = try painted()
            let data = try #require(FormatIndicatedCacheSerializer.png.data(with: image, original: nil))
            let again = try #require(FormatIndicatedCacheSerializer.png.image(with: data, options: options))
            #expect(again.rgba == image.rgba)
        }

        @Test func `an image that the indicated format cannot hold is stored in another one`() throws {
            // A JPEG has no more than 65 500 pixels in one direction.
            let wide = try #require(
                KFCrossPlatformImage(rgba: [UInt8](repeating: 9, count: 70_000 * 4), width: 70_000, height: 1))
            let data = try #require(FormatIndicatedCacheSerializer.jpeg.data(with: wide, original: nil))
            #expect(data.kf.imageFormat == .PNG)
        }

        @Test func `an image with damaged pixels is not stored as an intact one`() throws {
            var data = try Pictures.demo("horse-silhouette.png")
            data.replaceSubrange(2_000..<6_000, with: Data(count: 4_000))
            let image = try #require(KFCrossPlatformImage(data: data))
            #expect(DefaultCacheSerializer.default.data(with: image, original: nil) == nil)
            #expect(FormatIndicatedCacheSerializer.jpeg.data(with: image, original: nil) == nil)
        }
    #else
        @Test func `without codecs an image of pixels cannot be stored`() throws {
            #if os(Linux)
                let image = try #require(KFCrossPlatformImage(rgba: [1, 2, 3, 4], width: 1, height: 1))
                #expect(DefaultCacheSerializer.default.data(with: image, original: nil) == nil)
            #endif
        }
    #endif
}
