#if ImageCodecs && os(Linux)
    import Foundation
    import HalcyonImageCodecs
    import HalcyonTestSupport
    import Testing

    /// The memory that decoding takes, and its failure without memory. Each test runs in its own process.
    @Suite struct MemoryTests {
        @Test func `a decode takes the pixels that frames touch and bytes encode, whatever the header says`() async {
            ChildLeaks.areNotCounted()
            await #expect(processExitsWith: .success) {
                for sample in try HostileSample.all {
                    let memory = try PeakMemory(forgettingEarlierPeaks: ())
                    let image = try? ImageDecoder.decode(sample.data)
                    #expect((image == nil) == (sample.touchedPixels == 0), "\(sample.name)")
                    _ = try image?.frames[0].bitmap.scaled(to: PixelSize(width: 100, height: 100))
                    // Four bytes per pixel, and as many again because the edges of a cleared part cross tiles.
                    let limit = sample.touchedPixels * 8 + 8_000_000
                    #expect(try memory.hasGrown(byLessThan: limit), "\(sample.name)")
                }
            }
        }

        @Test func `encoding takes no memory for transparent pixels`() async {
            ChildLeaks.areNotCounted()
            await #expect(processExitsWith: .success) {
                let bitmap = try ImageDecoder.decode(HostileSample.gif(side: 3_000, places: [1_500])).frames[0].bitmap
                for encode in [
                    { try ImageEncoder.png($0) }, { try ImageEncoder.jpeg($0) },
                    { try ImageEncoder.gif([.init(bitmap: $0)]) },
                ]
                    as [(Bitmap) throws -> Data]
                {
                    let memory = try PeakMemory(forgettingEarlierPeaks: ())
                    #expect(try ImageHeader(data: encode(bitmap)).size == bitmap.size)
                    #expect(try memory.hasGrown(byLessThan: 8_000_000))
                }
            }
        }

        @Test func `the header tells how many pixels a decode keeps`() throws {
            for sample in try HostileSample.all where sample.touchedPixels > 0 {
                #expect(try ImageHeader(data: sample.data).keptPixels.all <= sample.touchedPixels, "\(sample.name)")
            }
            let header = try ImageHeader(data: Samples.data("baseline.jpg"))
            #expect(header.keptPixels == (48 * 32, 48 * 32))
        }

        @Test(.enabled(if: !isSanitized)) func `with too little memory, decoding and encoding throw`() async {
            await #expect(processExitsWith: .success) {
                for work in try Work.all {
                    // Bytes of address space beyond what the process has.
                    let outcomes = try [0, 18, 19, 20, 21, 22, 23, 27].map { power in
                        try MemoryLimit.during(beside: power == 0 ? 0 : 1 << power) { work.outcome }
                    }
                    #expect(outcomes.first == .some(.noMemory) || work.takesLittle, "\(work.name)")
                    #expect(outcomes.allSatisfy { $0 == nil || $0 == .noMemory }, "\(work.name): \(outcomes)")
                    #expect(outcomes.last == .some(nil), "\(work.name)")
                }
            }
        }
    }

    /// Limits the address space of the process during `body`.
    enum MemoryLimit {
        static func during<Result>(beside more: Int, _ body: () -> Result) throws -> Result {
            let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
            let used = try #require(pages.first.flatMap { rlim_t($0) }) * 4_096
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
            let before = limit
            limit.rlim_cur = used + rlim_t(more)
            setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
            let result = body()
            limit = before
            setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
            return result
        }
    }

    /// Work that allocates memory for pixels.
    private struct Work {
        let name: String
        /// It needs only rows, or blocks that an allocator has kept, which may be available when memory for whole pictures is not.
        var takesLittle = false
        let body: () throws -> Void

        /// The reason for its failure.
        var outcome: ImageCodecError? {
            do {
                try body()
                return nil
            } catch {
                return error as? ImageCodecError ?? .unknownFormat
            }
        }

        static var all: [Work] {
            get throws {
                let tile = Bitmap(width: 2, height: 2) { x, y in [x * 255, y * 255, 9, 255 - x] }
                let bitmap = try tile.scaled(to: PixelSize(width: 512, height: 512))
                let (pixels, png, jpeg) = try (bitmap.pixels, ImageEncoder.png(bitmap), ImageEncoder.jpeg(bitmap))
                let gif = try ImageEncoder.gif([.init(bitmap: bitmap), .init(bitmap: bitmap)])
                let webp = try ImageEncoder.webp([.init(bitmap: bitmap)], quality: 1)
                let animation = try webpAnimation(of: bitmap)
                let turnedWebP = TinyWebP.turned(webp, size: bitmap.size, orientation: 6)
                let turned = EXIFSample(orientation: 6, isBigEndian: true).inserted(into: jpeg)
                return [
                    Work(name: "PNG") { _ = try ImageDecoder.decode(png) },
                    Work(name: "JPEG") { _ = try ImageDecoder.decode(jpeg) },
                    Work(name: "turned JPEG") { _ = try ImageDecoder.decode(turned) },
                    Work(name: "GIF") { _ = try ImageDecoder.decode(gif) },
                    Work(name: "WebP") { _ = try ImageDecoder.decode(webp) },
                    Work(name: "turned WebP") { _ = try ImageDecoder.decode(turnedWebP) },
                    Work(name: "animated WebP") { _ = try ImageDecoder.decode(animation) },
                    Work(name: "pixels") { _ = try bitmap.pixels },
                    Work(name: "bitmap") { _ = try Bitmap(size: bitmap.size, pixels: pixels) },
                    Work(name: "larger") { _ = try bitmap.scaled(to: PixelSize(width: 600, height: 600)) },
                    Work(name: "smaller", takesLittle: true) {
                        _ = try bitmap.scaled(to: PixelSize(width: 9, height: 9))
                    },
                    Work(name: "PNG file", takesLittle: true) { _ = try ImageEncoder.png(bitmap) },
                    Work(name: "JPEG file", takesLittle: true) { _ = try ImageEncoder.jpeg(bitmap) },
                    Work(name: "GIF file", takesLittle: true) { _ = try ImageEncoder.gif([.init(bitmap: bitmap)]) },
                    Work(name: "WebP file", takesLittle: true) {
                        _ = try ImageEncoder.webp([.init(bitmap: bitmap)], quality: 1)
                    },
                    Work(name: "lossy WebP file", takesLittle: true) {
                        _ = try ImageEncoder.webp([.init(bitmap: bitmap)], quality: 0.5)
                    },
                ]
            }
        }

        /// Its first frame leaves a hole with edges in the middle of tiles.
        private static func webpAnimation(of bitmap: Bitmap) throws -> Data {
            var webp = TinyWebP(width: 520, height: 520)
            webp.frames = [
                .init(left: 4, top: 4, bitmap: bitmap, isDisposed: true), .init(left: 2, top: 2, bitmap: bitmap),
            ]
            return try webp.data
        }
    }

    /// A file that states more pixels than it has.
    struct HostileSample {
        let name: String
        let data: Data
        /// In whole tiles; 0 if it must be refused.
        let touchedPixels: Int

        /// A square with frames of one pixel, down its diagonal.
        static func gif(side: Int, places: [Int], disposal: Int = 0) -> Data {
            let frames = places.map {
                TinyGIF.Frame(left: $0, top: $0, width: 1, height: 1, indexes: [1], disposal: disposal)
            }
            return TinyGIF(width: side, height: side, frames: frames).data
        }

        private static let tile = 32 * 32

        static var all: [HostileSample] {
            get throws {
                let many = Array(stride(from: 0, to: 1_000, by: 5))
                var samples = (0...3).map { disposal in
                    HostileSample(
                        name: "200 pixels, disposal \(disposal)",
                        data: gif(side: 1_000, places: many, disposal: disposal), touchedPixels: 200 * tile)
                }
                samples += [
                    HostileSample(name: "one pixel", data: gif(side: 10_000, places: [0]), touchedPixels: tile),
                    HostileSample(
                        name: "two corners", data: gif(side: 10_000, places: [0, 9_999]), touchedPixels: 2 * tile),
                    lines, HostileSample(name: "no such frame", data: frame, touchedPixels: 0),
                    HostileSample(name: "no such PNG", data: png, touchedPixels: 0),
                    HostileSample(name: "no such JPEG", data: try jpeg("baseline.jpg"), touchedPixels: 0),
                    HostileSample(name: "no such scans", data: try jpeg("progressive.jpg"), touchedPixels: 0),
                ]
                return samples + webps
            }
        }

        private static var lines: HostileSample {
            let indexes = [UInt8](repeating: 1, count: 1_000)
            let frames = (0..<50).map { TinyGIF.Frame(left: $0 * 20, width: 1, height: 1_000, indexes: indexes) }
            let gif = TinyGIF(width: 1_000, height: 1_000, frames: frames)
            return HostileSample(name: "50 lines", data: gif.data, touchedPixels: 50 * 32 * tile)
        }

        private static var webps: [HostileSample] {
            let (large, most) = (10_000, 4_096)
            let lossy = [0, 0, 0, 0x9D, 0x01, 0x2A] + large.littleBytes(2) + large.littleBytes(2)
            let many = Array(stride(from: 0, to: 1_000, by: 8))
            let whole = TinyWebP.frame(width: most, height: most, TinyWebP.plain(width: most, height: most))
            return [
                HostileSample(
                    name: "125 WebP pixels", data: webp(side: 1_000, places: many, flags: 1),
                    touchedPixels: many.count * tile),
                HostileSample(name: "one WebP pixel", data: webp(side: large, places: [0]), touchedPixels: tile),
                HostileSample(
                    name: "two WebP corners", data: webp(side: large, places: [0, 9_998]), touchedPixels: 2 * tile),
                HostileSample(
                    name: "one color", data: TinyWebP.file(TinyWebP.plain(width: most, height: most)),
                    touchedPixels: most * most),
                HostileSample(
                    name: "too much of one color", data: TinyWebP.file(TinyWebP.plain(width: large, height: large)),
                    touchedPixels: 0),
                HostileSample(
                    name: "one color in each frame",
                    data: TinyWebP.animation(width: most, height: most, Data(repeatElement(whole, count: 14).joined())),
                    touchedPixels: 0),
                HostileSample(
                    name: "no such lossy WebP", data: TinyWebP.file(TinyWebP.chunk("VP8 ", lossy)), touchedPixels: 0),
            ]
        }

        /// A square with frames of four pixels, down its diagonal.
        private static func webp(side: Int, places: [Int], flags: UInt8 = 0) -> Data {
            let frames = places.map {
                TinyWebP.frame(
                    left: $0, top: $0, width: 2, height: 2, flags: flags, TinyWebP.plain(width: 2, height: 2))
            }
            return TinyWebP.animation(width: side, height: side, frames.reduce(Data(), +))
        }

        private static var frame: Data {
            TinyGIF(width: 10_000, height: 10_000, frames: [.init(width: 10_000, height: 10_000, indexes: [1])]).data
        }

        private static var png: Data {
            var png = TinyPNG(width: 1, height: 1, colourType: 6) { _, _ in [1, 2, 3, 4] }
            (png.width, png.height) = (10_000, 9_999)
            return png.data(withPixels: TinyPNG.zlib([UInt8](repeating: 0, count: 100_000)))
        }

        /// With a hundred thousand bytes that could encode pixels.
        private static func jpeg(_ name: String) throws -> Data {
            var data = try Samples.data(name)
            let place = try #require(data.firstRange(of: Data(32.bytes(2) + 48.bytes(2))))
            data.replaceSubrange(place, with: 10_000.bytes(2) + 9_999.bytes(2))
            return data.dropLast(2) + Data(count: 100_000) + [0xFF, 0xD9]
        }
    }
#endif
