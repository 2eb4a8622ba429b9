import Foundation
import Halcyon
import Testing

@Suite struct ImageTests {
    @Test func `the first bytes decide between four formats`() throws {
        func name(of format: ImageFormat) -> String {
            switch format {
            case .unknown: "unknown"
            case .PNG: "PNG"
            case .JPEG: "JPEG"
            case .GIF: "GIF"
            }
        }
        let rest = Data(count: 8)
        let files = [rest, try Pictures.data(), Data([0xFF, 0xD8, 0xFF]) + rest, Data("GIF89a".utf8) + rest]
        #expect(files.map { name(of: $0.kf.imageFormat) } == ["unknown", "PNG", "JPEG", "GIF"])
    }

    @Test func `creation options can be set and compared`() {
        let plain = ImageCreatingOptions()
        #expect(plain.scale == 1 && plain.duration == 0 && !plain.preloadAll && !plain.onlyFirstFrame)
        var other = ImageCreatingOptions(scale: 2, duration: 3, preloadAll: true, onlyFirstFrame: true)
        #expect(other != plain)
        (other.scale, other.duration, other.preloadAll, other.onlyFirstFrame) = (1, 0, false, false)
        #expect(other == plain)
    }

    @Test func `images are created from data`() throws {
        let file = try Pictures.data(width: 4)
        let image: KFCrossPlatformImage? = KingfisherWrapper.image(data: file, options: ImageCreatingOptions())
        #expect(image?.width == 4)
        #expect(KingfisherWrapper.image(data: Data([1]), options: .init()) == nil)
        #expect(KingfisherWrapper<KFCrossPlatformImage>.animatedImage(data: file, options: .init()) == nil)
        #if ImageCodecs || !os(Linux)
            let small = KingfisherWrapper<KFCrossPlatformImage>.downsampledImage(
                data: file, to: CGSize(width: 2, height: 2), scale: 1)
            #expect(small?.width == 2)
        #endif
    }

    @Test func `an image is encoded as data`() throws {
        let file = try Pictures.data(width: 4)
        let image = try #require(KFCrossPlatformImage(data: file))
        #expect(image.kf.pngRepresentation()?.kf.imageFormat == .PNG)
        #expect(image.kf.data(format: .PNG)?.kf.imageFormat == .PNG)
        #expect(image.kf.data(format: .unknown, compressionQuality: 0.5)?.kf.imageFormat == .PNG)
        #if ImageCodecs || !os(Linux)
            #expect(image.kf.jpegRepresentation(compressionQuality: 0.5)?.kf.imageFormat == .JPEG)
            #expect(image.kf.data(format: .GIF)?.kf.imageFormat == .GIF)
        #else
            #expect(image.kf.jpegRepresentation(compressionQuality: 0.5) == nil && image.kf.data(format: .GIF) == nil)
        #endif
        #expect(image.kf.gifRepresentation() == nil)
    }

    @Test func `an image can be normalized, decoded and scaled`() throws {
        let image = try Pictures.image(width: 4)
        let all: [KFCrossPlatformImage] = [
            image.kf.normalized, image.kf.decoded, image.kf.decoded(scale: 2), image.kf.scaled(to: 2),
        ]
        #expect(all.allSatisfy { $0.width == 4 })
        #expect(image.cacheCost > 0 && image.cacheCost == image.kf.scaled(to: 2).cacheCost)
        #expect(image.kf.base === image && KingfisherWrapper(image).base === image)
    }

    @Test func `the number of frames can be read, set and copied`() throws {
        let (image, other) = (try Pictures.image(), try Pictures.image(width: 2))
        image.kf.imageFrameCount = 7
        #expect(image.kf.imageFrameCount == 7)
        image.kf.copyKingfisherState(to: other)
        #expect(other.kf.imageFrameCount == 7)
        image.kf.imageFrameCount = nil
        #expect(image.kf.imageFrameCount != 7)
    }

    @Test func `an app's own types can have kf`() {
        let theme = Theme()
        theme.kf.color = 5
        #expect(theme.color == 5 && theme.kf.color == 5)
        #expect(Palette().kf.count == 2 && "text".kf.base == "text")
        func isSendable(_: some Sendable) -> Bool { true }
        #expect(isSendable("text".kf))
    }

    #if os(Linux)
        @Test func `on Linux an image is of the library's own class`() throws {
            let file = try Pictures.data(width: 4)
            let image: HalcyonImage = try #require(HalcyonImage(data: file, scale: 2))
            #expect(image.size == CGSize(width: 2, height: 1) && image.scale == 2)
            #expect(image.images == nil && image.duration == 0)
            #expect(try image == image && image != #require(HalcyonImage(data: file)))
            #expect(Set([image]).contains(image) && image.description == "HalcyonImage(4 × 2, scale 2.0)")
            #expect(HalcyonImage(data: Data([1])) == nil)
        }

        @Test func `an image can be created from pixels and returns them`() throws {
            let pixels: [UInt8] = [9, 8, 7, 255, 1, 2, 3, 255]
            let image = try #require(HalcyonImage(rgba: pixels, width: 2, height: 1, scale: 2))
            try image.decode()
            #expect(image.rgba == pixels && image.isDecoded && image.loopCount == 1 && image.scale == 2)
            #expect(HalcyonImage(rgba: pixels, width: 3, height: 1) == nil)
            #if ImageCodecs
                #expect(image.pngData()?.kf.imageFormat == .PNG && image.gifData()?.kf.imageFormat == .GIF)
                #expect(image.jpegData(compressionQuality: 0.9)?.kf.imageFormat == .JPEG)
            #endif
        }

        @Test func `the decoding error is available, and the pixel limits can be set`() throws {
            let error = try #require(ImageDecodingError(decoding: Data([1, 2, 3])))
            #expect(!error.description.isEmpty && error.errorDescription == error.description)
            #expect(HalcyonImage.pixelLimit == 100_000_000 && HalcyonImage.animationPixelLimit == 250_000_000)
        }
    #endif
}
