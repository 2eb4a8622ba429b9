#if os(Linux)
    import Foundation
    import HalcyonTestLimits
    import HalcyonTestSupport
    import Testing

    @testable import Halcyon

    @Suite(.endsEvenIfItHangs) struct HalcyonImageTests {
        @Test func `an image can be created from pixels of exactly its size`() throws {
            let image = try #require(HalcyonImage(rgba: [1, 2, 3, 4, 5, 6, 7, 8], width: 2, height: 1, scale: 2))
            #expect(image.size == CGSize(width: 1, height: 0.5) && image.scale == 2)
            #expect(image.rgba == [1, 2, 3, 4, 5, 6, 7, 8] && image.isDecoded && image.cacheCost == 8)
            #expect(image.images == nil && image.duration == 0 && image.kf.imageFrameCount == nil)
            for (width, height) in [(0, 1), (1, 0), (-1, -2), (1, 1), (2, 2), (Int.max, 2), (Int.max, Int.max)] {
                #expect(HalcyonImage(rgba: [1, 2, 3, 4, 5, 6, 7, 8], width: width, height: height) == nil)
            }
            #expect(HalcyonImage(rgba: [], width: 0, height: 0) == nil)
        }

        @Test func `an image equals only itself`() throws {
            let (one, two) = (try Pictures.image(), try Pictures.image())
            #expect(one == one && one != two && Set([one, two, one]).count == 2)
        }

        @Test(arguments: [0, -1, CGFloat.nan, .infinity]) func `an invalid scale counts as one`(scale: CGFloat)
            throws
        {
            let image = try #require(HalcyonImage(data: Pictures.small[3], scale: scale))
            #expect(image.scale == 1 && image.size == CGSize(width: 4, height: 2))
        }

        @Test func `the size of a file is known without decoding`() throws {
            let image = try #require(HalcyonImage(data: Pictures.demo("dogs-at-window.jpg"), scale: 2))
            #expect(image.size == CGSize(width: 1_028, height: 1_544) && !image.isDecoded)
        }

        @Test func `data that is not a picture is not an image, and the reason is available`() throws {
            let half = try Pictures.demo("horse-silhouette.png")
            for data in [Data(), .blob(1), half.prefix(40), try Pictures.demo("flower.jpg").prefix(100)] {
                #expect(HalcyonImage(data: data) == nil)
                #expect(ImageDecodingError(decoding: data) != nil)
            }
            #expect((ImageDecodingError(decoding: half) == nil) == codecsAreAvailable)
        }

        #if ImageCodecs
            @Test func `pixels are decoded at first use, once, and cost the same before and after`() throws {
                for name in ["flower.jpg", "horse-silhouette.png", "terminal-intro.gif"] {
                    let image = try #require(HalcyonImage(data: Pictures.demo(name)))
                    let cost = image.cacheCost
                    #expect(!image.isDecoded && image.kf.cost == cost)
                    let frames = image.kf.imageFrameCount ?? 1
                    // Frames share the tiles that did not change.
                    let whole = Int(image.size.width * image.size.height) * 4
                    #expect(frames == 1 ? cost == whole : (whole...whole * frames).contains(cost))
                    try image.decode()
                    #expect(image.isDecoded && image.cacheCost == cost && (image.kf.imageFrameCount ?? 1) == frames)
                }
                let image = try Pictures.image(3)
                #expect(image.rgba?.prefix(4) == [240, 240, 230, 255])
                #expect(image.isDecoded)
            }

            @Test func `images that differ in scale share their pixels`() throws {
                let image = try Pictures.image(3)
                let scaled = image.kf.scaled(to: 2)
                try scaled.decode()
                #expect(image.isDecoded)
            }

            @Test func `an animation has frames with durations, each the same object every time`() throws {
                let image = try #require(HalcyonImage(data: Pictures.demo("terminal-examples.gif"), scale: 2))
                let frames = try #require(image.images)
                #expect(frames.count == 21 && image.kf.imageFrameCount == 21)
                #expect(image.images == frames)
                #expect(!frames.contains { $0.size != image.size || $0.scale != 2 || $0.images != nil })
                #expect(frames[0].rgba == image.rgba)
                #expect(image.duration > 0)
                #expect(abs(image.duration - frames.reduce(0) { $0 + $1.duration }) < 0.001)
            }

            @Test func `creation options can set a duration`() throws {
                let gif = try Pictures.fixture("moving.gif")
                let image = HalcyonImage(data: gif, options: ImageCreatingOptions(duration: 7))
                #expect(image?.duration == 7 && image?.isDecoded == false)
                #expect(image?.kf.scaled(to: 2).duration == 7)
                #expect(try Pictures.image().duration == 0)
            }

            @Test func `with onlyFirstFrame, an animation is a still image`() throws {
                let gif = try Pictures.fixture("moving.gif")
                let still = try #require(HalcyonImage(data: gif, options: ImageCreatingOptions(onlyFirstFrame: true)))
                let moving = try #require(HalcyonImage(data: gif))
                #expect(still.images == nil && still.duration == 0)
                #expect(still.kf.imageFrameCount == moving.kf.imageFrameCount)
                #expect(still.rgba == moving.rgba && still.cacheCost * (moving.images?.count ?? 0) == moving.cacheCost)
                // As in Kingfisher: the file has the animation for a later load.
                #expect(still.kf.gifRepresentation() == gif)
                #expect(DefaultCacheSerializer.default.data(with: still, original: gif) == gif)
                let webp = try Pictures.fixture("moving.webp")
                let first = HalcyonImage(data: webp, options: ImageCreatingOptions(onlyFirstFrame: true))
                #expect(first.flatMap { DefaultCacheSerializer.default.data(with: $0, original: webp) } == webp)
                // A partial file is not stored as a whole one.
                let partial = webp.dropLast(20)
                let shown = try #require(
                    HalcyonImage(data: partial, options: ImageCreatingOptions(onlyFirstFrame: true)))
                let kept = DefaultCacheSerializer.default.data(with: shown, original: partial)
                #expect(kept?.kf.imageFormat == .PNG)
                let file = try Pictures.demo("terminal-intro.gif")
                for count in [file.count / 2, file.count - 20] {
                    let cut = file.prefix(count)
                    let first = HalcyonImage(data: cut, options: ImageCreatingOptions(onlyFirstFrame: true))
                    let kept = try #require(first?.kf.data(format: .GIF))
                    #expect(kept != cut && HalcyonImage(data: kept)?.kf.imageFrameCount == 1)
                    #expect(HalcyonImage(data: cut) == nil)
                }
                for count in gif.indices.dropFirst(20) {
                    let cut = gif.prefix(count)
                    let first = HalcyonImage(data: cut, options: ImageCreatingOptions(onlyFirstFrame: true))
                    guard first?.kf.data(format: .GIF) == cut else { continue }
                    #expect(HalcyonImage(data: cut)?.rgba != nil, "\(count)")
                }
                // A GIF of one picture is an animation, too.
                let single = try #require(Pictures.image().kf.data(format: .GIF).flatMap { HalcyonImage(data: $0) })
                #expect(single.kf.imageFrameCount == 1)
                #expect(single.images?.map(\.rgba) == [single.rgba] && single.duration == 0)
            }

            @Test func `an animation and its frames can be encoded again`() throws {
                let moving = try #require(HalcyonImage(data: Pictures.demo("terminal-examples.gif")))
                #expect(try moving.kf.gifRepresentation() == Pictures.demo("terminal-examples.gif"))
                let frame = try #require(moving.images?[3])
                let png = try #require(frame.kf.pngRepresentation())
                #expect(HalcyonImage(data: png)?.rgba == frame.rgba)
            }

            @Test func `a PNG truncated anywhere has no pixels`() throws {
                let file = try Pictures.demo("horse-silhouette.png")
                #expect(HalcyonImage(data: file.prefix(file.count * 3 / 4)) == nil)
                for count in stride(from: 0, to: file.count - 12, by: 997) {
                    // Between two chunks only the decoder can find the truncation.
                    #expect(HalcyonImage(data: file.prefix(count))?.kf.decoded.rgba == nil)
                    #expect(ImageDecodingError(decoding: file.prefix(count)) != nil)
                }
            }

            @Test func `damaged pixels are missing, and each decode throws the reason`() throws {
                var png = try Pictures.demo("horse-silhouette.png")
                png.replaceSubrange(2_000..<6_000, with: Data(count: 4_000))
                let jpeg = try Pictures.demo("flower.jpg")
                for file in [png, jpeg.prefix(jpeg.count / 2)] {
                    let image = try #require(HalcyonImage(data: file))
                    let cost = image.cacheCost
                    for _ in 0..<2 { #expect(throws: ImageDecodingError.self) { try image.decode() } }
                    #expect(image.rgba == nil && image.kf.pngRepresentation() == nil && !image.isDecoded)
                    #expect(image.kf.jpegRepresentation(compressionQuality: 1) == nil)
                    #expect(image.cacheCost == cost)
                    #expect(ImageDecodingError(decoding: file) != nil)
                }
            }

            @Test func `lying headers are refused and take no memory`() async {
                ChildLeaks.areNotCounted()
                await #expect(processExitsWith: .success) {
                    // Enough for the process; allocating the pixels of such a header would end it.
                    limitMemory(toBytes: 4 << 30)
                    for side: UInt32 in [0, 100_000, 0x7FFF_FFFF, 0xFFFF_FFFF] {
                        let data = HostileHeaders.png(side: side)
                        #expect(HalcyonImage(data: data) == nil)
                        #expect(KingfisherWrapper<HalcyonImage>.image(data: data, options: .init()) == nil)
                        #expect(ImageDecodingError(decoding: data) != nil)
                    }
                    for data in [HostileHeaders.gif, HostileHeaders.jpeg] { #expect(HalcyonImage(data: data) == nil) }
                }
            }

            @Test func `a canvas larger than its frames has its size, and costs only what the frames touch`() throws {
                let image = try #require(HalcyonImage(data: HostileHeaders.canvas))
                #expect(image.size == CGSize(width: 300, height: 200) && image.cacheCost == (32 * 32 + 12 * 8) * 4)
                let frames = try #require(image.images)
                #expect(frames.map(\.size) == [image.size, image.size])
                let rgba = try #require(frames[1].rgba)
                let last = 300 * 200 * 4 - 4
                #expect(rgba.count == last + 4 && rgba[..<4] == [255, 255, 255, 255] && rgba[last...] == rgba[..<4])
                #expect(rgba[4..<last].allSatisfy { $0 == 0 })
                let small = KingfisherWrapper<HalcyonImage>.downsampledImage(
                    data: HostileHeaders.canvas, to: CGSize(width: 30, height: 30), scale: 1)
                #expect(small?.size == CGSize(width: 30, height: 20))
            }

            @Test func `a PNG is turned as its eXIf chunk says, and its size is known before decoding`() throws {
                let data = try Pictures.fixture("turned.png")
                let image = try #require(HalcyonImage(data: data))
                #expect(image.size == CGSize(width: 32, height: 48) && !image.isDecoded)
                #expect(image.rgba?.prefix(3) == [30, 60, 200])
                let small = try #require(
                    KingfisherWrapper<HalcyonImage>.downsampledImage(
                        data: data, to: CGSize(width: 12, height: 12), scale: 1))
                #expect(small.size == CGSize(width: 8, height: 12) && small.rgba?.prefix(3) == [30, 60, 200])
            }

            @Test func `a decode that failed for lack of memory succeeds when there is enough`() async {
                ChildLeaks.areNotCounted()
                await #expect(processExitsWith: .success) {
                    let image = try #require(HalcyonImage(data: Pictures.demo("dogs-at-window.jpg")))
                    let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
                    // Enough memory for everything but the pixels.
                    limitMemory(toBytes: try #require(pages.first.flatMap { rlim_t($0) }) * 4_096 + (16 << 20))
                    let isLimited = dlsym(nil, "__asan_init") == nil && dlsym(nil, "__tsan_init") == nil
                    let error = isLimited ? #expect(throws: ImageDecodingError.self) { try image.decode() } : nil
                    let rgba = isLimited ? image.rgba : nil
                    limitMemory(toBytes: .max)
                    #expect(rgba == nil && error?.description.contains("memory") != false)
                    try image.decode()
                    #expect(image.rgba?.count == 2_056 * 3_088 * 4)
                }
            }

            @Test func `the pixel limit can be set for images created later`() async {
                // In its own process, because the limit is global.
                ChildLeaks.areNotCounted()
                await #expect(processExitsWith: .success) {
                    #expect(HalcyonImage.pixelLimit == 100_000_000)
                    #expect(HalcyonImage.animationPixelLimit == 250_000_000)
                    let earlier = try #require(HalcyonImage(data: Pictures.demo("flower.jpg")))
                    HalcyonImage.pixelLimit = 8
                    #expect(HalcyonImage(data: Pictures.small[3]) != nil)
                    #expect(try HalcyonImage(data: Pictures.demo("flower.jpg")) == nil)
                    let error = try ImageDecodingError(decoding: Pictures.demo("flower.jpg"))
                    #expect(error?.description.contains("HalcyonImage.pixelLimit") == true)
                    try earlier.decode()
                    HalcyonImage.pixelLimit = 100_000_000
                    HalcyonImage.animationPixelLimit = 1_000_000
                    #expect(try HalcyonImage(data: Pictures.demo("terminal-intro.gif")) == nil)
                }
            }

            @Test func `eight threads that need the pixels decode them once`() async throws {
                let image = try #require(HalcyonImage(data: Pictures.demo("flower.jpg")))
                let found = await withTaskGroup(of: [UInt8]?.self) { group in
                    for _ in 0..<8 { group.addTask { image.rgba } }
                    return await group.reduce(into: Set<[UInt8]?>()) { $0.insert($1) }
                }
                #expect(found.count == 1 && found != [nil])
            }
        #else
            @Test func `without codecs, the file is kept and decoding throws`() throws {
                let image = try Pictures.image(3)
                #expect(image.size == CGSize(width: 4, height: 2) && image.cacheCost == Pictures.small[3].count)
                #expect(image.kf.pngRepresentation() == Pictures.small[3])
                #expect(image.rgba == nil && image.kf.jpegRepresentation(compressionQuality: 1) == nil)
                let error = #expect(throws: ImageDecodingError.self) { try image.decode() }
                #expect(error?.description.contains("ImageCodecs") == true)
            }
        #endif
    }

    enum HostileHeaders {
        /// A short PNG whose header states a square of that size.
        static func png(side: UInt32) -> Data {
            var data = Pictures.small[0]
            let bytes = withUnsafeBytes(of: side.bigEndian, Array.init)
            data.replaceSubrange(16..<24, with: bytes + bytes)
            return data
        }

        /// An animation of 300 × 200 with two frames of one pixel, in opposite corners.
        static var canvas: Data {
            let frames = [[0, 0, 0, 0], [0x2B, 0x01, 0xC7, 0]].flatMap { place in
                [0x2C] + place + [1, 0, 1, 0, 0, 2, 2, 0x4C, 0x01, 0] as [UInt8]
            }
            let head: [UInt8] = "GIF89a".utf8 + [0x2C, 0x01, 0xC8, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
            return Data(head + frames + [0x3B])
        }

        /// Images of 65 535 × 65 535 pixels in a few bytes.
        static var gif: Data {
            Data("GIF89a".utf8 + [255, 255, 255, 255, 0, 0, 0, 0x2C, 0, 0, 0, 0, 255, 255, 255, 255, 0, 2, 0, 0x3B])
        }
        static var jpeg: Data {
            Data([0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8, 255, 255, 255, 255, 1, 1, 0x11, 0, 0xFF, 0xD9])
        }
    }

    /// Not under a sanitizer, which reserves more address space than any machine has.
    private func limitMemory(toBytes bytes: rlim_t) {
        guard dlsym(nil, "__asan_init") == nil, dlsym(nil, "__tsan_init") == nil else { return }
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
        limit.rlim_cur = min(bytes, limit.rlim_max)
        #expect(setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0)
    }
#endif
