import Foundation
import HalcyonTestSupport
import Testing

@testable import Halcyon

/// What `kf` adds to images, data and text.
@Suite struct ImageFunctionTests {
    typealias Wrapper = KingfisherWrapper<KFCrossPlatformImage>

    @Test func `the format of data is detected`() throws {
        #expect(try Pictures.demo("flower.jpg").kf.imageFormat == .JPEG)
        #expect(try Pictures.demo("astronaut.png").kf.imageFormat == .PNG)
        #expect(try Pictures.demo("desert.gif").kf.imageFormat == .GIF)
        #expect(Data.blob(1).kf.imageFormat == .unknown && Data().kf.imageFormat == .unknown)
        #expect(Pictures.small[0].prefix(8).kf.imageFormat == .unknown)
        #expect(Pictures.small[0].prefix(9).kf.imageFormat == .PNG)
        #expect((Data([1, 2, 3]) + Pictures.small[0]).dropFirst(3).kf.imageFormat == .PNG)
    }

    @Test func `a string has a hash and an extension`() {
        #expect("".kf.sha256 == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect("abc".kf.sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect("https://a.b/photo.jpeg@processor".kf.ext == "jpeg")
        #expect("image.jpg?v=2".kf.ext == nil && "image".kf.ext == nil)
    }

    @Test func `images are created from data, with a scale`() throws {
        let image = try #require(Wrapper.image(data: Pictures.small[3], options: ImageCreatingOptions(scale: 2)))
        #if !canImport(AppKit)
            #expect(image.scale == 2 && image.size == CGSize(width: 2, height: 1) && image.kf.size == image.size)
        #endif
        #expect(Wrapper.image(data: .blob(1), options: .init()) == nil)
        #expect(Wrapper.image(data: Data(), options: .init()) == nil)
    }

    @Test func `an animation is created only from a GIF`() throws {
        let gif = try Pictures.fixture("moving.gif")
        let moving = try #require(Wrapper.animatedImage(data: gif, options: .init()))
        #expect(moving.kf.imageFrameCount ?? 0 > 1)
        #expect(Wrapper.image(data: gif, options: .init())?.kf.imageFrameCount == moving.kf.imageFrameCount)
        let still = Wrapper.animatedImage(data: gif, options: ImageCreatingOptions(onlyFirstFrame: true))
        // The number of frames of the file, although only one is shown.
        #expect(still?.kf.imageFrameCount == moving.kf.imageFrameCount)
        #expect(Wrapper.animatedImage(data: Pictures.small[0], options: .init()) == nil)
        #expect(
            Wrapper.animatedImage(data: try Pictures.demo("desert.gif"), options: .init())?.kf.imageFrameCount == 1)
    }

    @Test func `creation options can be compared`() {
        let plain = ImageCreatingOptions()
        #expect(plain.scale == 1 && plain.duration == 0 && !plain.preloadAll && !plain.onlyFirstFrame)
        #expect(plain == ImageCreatingOptions(scale: 1) && plain != ImageCreatingOptions(scale: 2))
        #expect(plain != ImageCreatingOptions(preloadAll: true) && plain != ImageCreatingOptions(onlyFirstFrame: true))
    }

    @Test func `the number of frames can be set and handed on`() throws {
        let (image, other) = (try Pictures.image(), try Pictures.image(1))
        #expect(image.kf.imageFrameCount == nil)
        image.kf.imageFrameCount = 7
        #expect(image.kf.imageFrameCount == 7)
        image.kf.copyKingfisherState(to: other)
        #expect(other.kf.imageFrameCount == 7)
        #expect(image.kf.scaled(to: 2).kf.imageFrameCount == 7)
        image.kf.imageFrameCount = nil
        #expect(image.kf.imageFrameCount == nil)
    }

    @Test func `scaling changes points, not pixels`() throws {
        let image = try Pictures.image(3)
        let scaled = image.kf.scaled(to: 2)
        #if !canImport(AppKit)
            #expect(scaled.size == CGSize(width: 2, height: 1) && scaled.scale == 2)
        #endif
        #expect(scaled.kf.cost == image.kf.cost)
        #expect(image.kf.scaled(to: 1) === image)
        #expect(image.kf.normalized === image)
    }

    #if ImageCodecs && os(Linux)
        @Test func `decoding gives the image with its pixels`() throws {
            let image = try Pictures.image(3)
            #expect(!image.isDecoded)
            let decoded = image.kf.decoded
            #expect(decoded.isDecoded && decoded.size == image.size)
            let scaled = try Pictures.image(3).kf.decoded(scale: 2)
            #expect(scaled.isDecoded && scaled.scale == 2)
        }

        @Test func `an image that cannot be decoded is returned unchanged`() throws {
            var data = try Pictures.demo("horse-silhouette.png")
            data.replaceSubrange(2_000..<6_000, with: Data(count: 4_000))
            let image = try #require(KFCrossPlatformImage(data: data))
            #expect(image.kf.decoded === image && !image.isDecoded)
        }

        @Test func `an image can be encoded in each format`() throws {
            let image = try #require(KFCrossPlatformImage(rgba: [9, 8, 7, 255, 1, 2, 3, 255], width: 2, height: 1))
            #expect(image.kf.pngRepresentation()?.kf.imageFormat == .PNG)
            #expect(image.kf.jpegRepresentation(compressionQuality: 1)?.kf.imageFormat == .JPEG)
            #expect(image.kf.gifRepresentation() == nil)
            let made = [ImageFormat.PNG, .JPEG, .GIF, .unknown].map { image.kf.data(format: $0)?.kf.imageFormat }
            #expect(made == [.PNG, .JPEG, .GIF, .PNG])
            let moving = try #require(KFCrossPlatformImage(data: Pictures.fixture("moving.gif")))
            #expect(moving.kf.data(format: .unknown)?.kf.imageFormat == .GIF)
            #expect(moving.kf.data(format: .PNG)?.kf.imageFormat == .PNG)
            #expect(moving.kf.jpegRepresentation(compressionQuality: 0.5)?.kf.imageFormat == .JPEG)
        }

        @Test func `a file can be converted to another format`() throws {
            let image = try #require(KFCrossPlatformImage(data: Pictures.demo("flower.jpg")))
            let png = try #require(image.kf.pngRepresentation())
            let again = try #require(KFCrossPlatformImage(data: png))
            #expect(again.size == image.size && again.rgba == image.rgba)
        }

        @Test func `a downsampled image fits the given size, and is never enlarged`() throws {
            let data = try Pictures.demo("dogs-at-window.jpg")
            let small = try #require(Wrapper.downsampledImage(data: data, to: CGSize(width: 50, height: 100), scale: 2))
            // 2056 × 3088.
            #expect(small.size == CGSize(width: 66.5, height: 100) && small.scale == 2)
            #expect(small.kf.cost == 133 * 200 * 4 && small.isDecoded)
            let whole = Wrapper.downsampledImage(data: Pictures.small[3], to: CGSize(width: 100, height: 100), scale: 1)
            #expect(whole?.size == CGSize(width: 4, height: 2))
            let first = try Wrapper.downsampledImage(
                data: Pictures.fixture("moving.gif"), to: CGSize(width: 4, height: 4), scale: 1)
            #expect(first?.kf.imageFrameCount == nil)
        }

        @Test func `a downsampled image of an animation over the limit shows its first frame`() async {
            // In its own process, because the limit is global.
            await #expect(processExitsWith: .success) {
                HalcyonImage.animationPixelLimit = 24 * 16
                let data = try Pictures.fixture("moving.gif")
                #expect(KFCrossPlatformImage(data: data) == nil)
                let advice = ImageDecodingError(decoding: data)?.description
                #expect(advice?.contains("HalcyonImage.animationPixelLimit") == true)
                let small = Wrapper.downsampledImage(data: data, to: CGSize(width: 12, height: 12), scale: 1)
                #expect(small?.size == CGSize(width: 12, height: 8))
            }
        }

        @Test func `downsampling invalid data or to an invalid size returns nil`() throws {
            let size = CGSize(width: 10, height: 10)
            #expect(Wrapper.downsampledImage(data: .blob(1), to: size, scale: 1) == nil)
            #expect(Wrapper.downsampledImage(data: Pictures.small[0].prefix(30), to: size, scale: 1) == nil)
            for (size, scale) in [(CGSize.zero, 1), (size, 0), (size, -1), (size, CGFloat.nan)] {
                #expect(Wrapper.downsampledImage(data: Pictures.small[0], to: size, scale: scale) == nil)
            }
            let endless = CGSize(width: CGFloat.infinity, height: .infinity)
            #expect(Wrapper.downsampledImage(data: Pictures.small[3], to: endless, scale: 1)?.number == 3)
        }
    #endif
}
