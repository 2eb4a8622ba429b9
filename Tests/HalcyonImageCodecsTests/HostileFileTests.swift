#if ImageCodecs && os(Linux)
    import Foundation
    import HalcyonImageCodecs
    import HalcyonTestSupport
    import Testing

    @Suite struct HostileFileTests {
        private func png(width: Int, height: Int) -> Data {
            var png = TinyPNG(width: 1, height: 1, colourType: 6) { _, _ in [1, 2, 3, 4] }
            png.width = width
            png.height = height
            return png.data(withPixels: TinyPNG.zlib([0, 1, 2, 3, 4]))
        }

        /// A JPEG whose frame segment states this size.
        private func jpeg(width: Int, height: Int, name: String = "baseline.jpg") throws -> Data {
            var data = try Samples.data(name)
            let size = 32.bytes(2) + 48.bytes(2)
            let place = try #require(data.firstRange(of: Data(size)))
            data.replaceSubrange(place, with: height.bytes(2) + width.bytes(2))
            return data
        }

        private func gif(width: Int, height: Int, frames: Int = 1) -> TinyGIF {
            let frame = TinyGIF.Frame(width: 1, height: 1, indexes: [1])
            return TinyGIF(width: width, height: height, frames: Array(repeating: frame, count: frames))
        }

        private func error(_ data: Data, _ options: DecodingOptions = DecodingOptions()) -> ImageCodecError? {
            do {
                _ = try ImageDecoder.decode(data, options: options)
                return nil
            } catch {
                return error as? ImageCodecError
            }
        }

        @Test func `the limit for all pictures does not concern the only one`() throws {
            var options = DecodingOptions()
            options.totalPixelLimit = 1_000
            #expect(try ImageDecoder.decode(Samples.data("baseline.jpg"), options: options).size.pixelCount == 1_536)
            let gif = TinyGIF(
                width: 40, height: 40,
                frames: [.init(width: 40, height: 40, indexes: Array(repeating: 1, count: 1_600))])
            #expect(try ImageDecoder.decode(gif.data, options: options).frames.count == 1)
            options.totalPixelLimit = .min
            #expect(try ImageDecoder.decode(gif.data, options: options).frames.count == 1)
            options.totalPixelLimit = 500
            options.firstFrameOnly = true
            for name in ["moving.gif", "moving.webp"] {
                #expect(try ImageDecoder.decode(Samples.data(name), options: options).frames.count == 1)
            }
        }

        @Test func `data that is not a picture has an unknown format`() {
            let samples = [
                [], [0x89], Array("GIF88a".utf8), Array("<svg/>".utf8), [0xFF, 0xD8], Array("RIFF....WAVE".utf8),
            ]
            for sample in samples { #expect(error(Data(sample)) == .unknownFormat) }
        }

        @Test func `a slice of other data is read from its own beginning`() throws {
            let data = try Data("noise".utf8) + Samples.data("alpha.png")
            #expect(error(data.dropFirst(5)) == nil)
        }

        @Test func `ten thousand million pixels are refused before anything is allocated`() throws {
            #expect(
                error(png(width: 100_000, height: 100_000)) == .tooManyPixels(count: 10_000_000_000, limit: 100_000_000)
            )
            #expect(error(png(width: 0x7FFF_FFFF, height: 0x7FFF_FFFF)) != nil)
            #expect(error(png(width: 0xFFFF_FFFF, height: 0xFFFF_FFFF)) != nil)
            #expect(try error(jpeg(width: 65_500, height: 65_500)) != nil)
            #expect(error(gif(width: 65_535, height: 65_535).data) != nil)
        }

        @Test func `a PNG of more than a million pixels in a row is refused before anything is allocated`() {
            let reason = "more than 1000000 pixels in a row"
            #expect(error(png(width: 1_000_001, height: 1)) == .unsupported(.png, reason: reason))
            #expect(error(png(width: 1_000_000, height: 1)) == .truncated(.png))
        }

        @Test func `a header alone refuses as many small frames as decoding does`() throws {
            var options = DecodingOptions()
            options.totalPixelLimit = 10_240
            try ImageHeader(data: gif(width: 1, height: 1, frames: 10).data).check(options)
            #expect(throws: ImageCodecError.tooManyPixels(count: 11_264, limit: 10_240)) {
                try ImageHeader(data: gif(width: 1, height: 1, frames: 11).data).check(options)
            }
        }

        @Test func `a size that a file so short cannot have is refused before anything is allocated`() throws {
            #expect(error(png(width: 10_000, height: 9_999)) == .truncated(.png))
            #expect(try error(jpeg(width: 10_000, height: 9_999)) == .truncated(.jpeg))
            #expect(try error(jpeg(width: 10_000, height: 9_999, name: "progressive.jpg")) == .truncated(.jpeg))
        }

        @Test func `a size of zero is malformed`() throws {
            for (width, height) in [(0, 1), (1, 0), (0, 0)] {
                #expect(error(png(width: width, height: height)) != nil)
                #expect(try error(jpeg(width: width, height: height)) != nil)
                let frame = TinyGIF.Frame(width: width, height: height, indexes: [1])
                #expect(error(TinyGIF(width: 1, height: 1, frames: [frame]).data) != nil)
                #expect(error(TinyGIF(width: width, height: height, frames: [frame]).data) != nil)
            }
        }

        @Test func `one limit counts the pixels of a frame, another those of all frames`() throws {
            var options = DecodingOptions()
            options.pixelLimit = 48 * 32 - 1
            #expect(try error(Samples.data("baseline.jpg"), options) == .tooManyPixels(count: 1_536, limit: 1_535))
            options.pixelLimit = 48 * 32
            #expect(try error(Samples.data("baseline.jpg"), options) == nil)
            options.totalPixelLimit = 1_000_000
            options.pixelLimit = 1_000_000
            #expect(error(gif(width: 500, height: 500, frames: 4).data, options) == nil)
            #expect(
                error(gif(width: 500, height: 500, frames: 5).data, options)
                    == .tooManyPixels(count: 1_250_000, limit: 1_000_000))
            options.firstFrameOnly = true
            #expect(error(gif(width: 500, height: 500, frames: 5).data, options) == nil)
        }

        @Test func `a later frame larger than its canvas counts with its own size too`() {
            let small = TinyGIF.Frame(width: 10, height: 10, indexes: [UInt8](repeating: 1, count: 100))
            let large = TinyGIF.Frame(width: 100, height: 100, indexes: [UInt8](repeating: 1, count: 10_000))
            let data = TinyGIF(width: 10, height: 10, frames: [small, large]).data
            var options = DecodingOptions()
            options.pixelLimit = 5_000
            #expect(error(data, options) == .tooManyPixels(count: 10_000, limit: 5_000))
            options.pixelLimit = 10_000
            #expect(error(data, options) == nil)
            options.totalPixelLimit = 5_000
            #expect(error(data, options) == .tooManyPixels(count: 11_024, limit: 5_000))
        }

        @Test func `a GIF without colors is refused`() {
            let frame = TinyGIF.Frame(width: 2, height: 2, indexes: [1, 1, 1, 1])
            #expect(
                error(TinyGIF(width: 2, height: 2, palette: [], frames: [frame]).data)
                    == .malformed(.gif, reason: "a frame without colors"))
        }

        @Test func `a frame far larger than its canvas counts with its own size`() {
            var options = DecodingOptions()
            options.pixelLimit = 10_000
            let frame = TinyGIF.Frame(width: 200, height: 100, indexes: [UInt8](repeating: 1, count: 20_000))
            #expect(
                error(TinyGIF(width: 1, height: 1, frames: [frame]).data, options)
                    == .tooManyPixels(count: 20_000, limit: 10_000))
        }

        @Test func `bytes that encode no pixels do not make a size possible`() throws {
            let junk = [UInt8](repeating: 0, count: 1_000_000)
            var png = TinyPNG(width: 1, height: 1, colourType: 6) { _, _ in [1, 2, 3, 4] }
            (png.width, png.height, png.extraChunks) = (10_000, 9_999, [("juNK", junk)])
            #expect(error(png.data(withPixels: TinyPNG.zlib([0, 1, 2, 3, 4]))) == .truncated(.png))
            let segment = Data([0xFF, 0xE2, 0xFF, 0xFF] + junk.prefix(65_533))
            let jpeg = try jpeg(width: 10_000, height: 9_999)
            let padding = (0..<20).reduce(into: Data()) { padding, _ in padding += segment }
            #expect(error(jpeg.prefix(2) + padding + jpeg.dropFirst(2)) == .truncated(.jpeg))
            let frame = TinyGIF.Frame(width: 2_000, height: 2_000, indexes: [1])
            var gif = TinyGIF(width: 2_000, height: 2_000, frames: [frame])
            gif.palette = TinyGIF.fourColours + [[UInt8]](repeating: [0, 0, 0], count: 252)
            #expect(error(gif.data) == .truncated(.gif))
        }

        @Test func `the smallest files of their formats are not called too short`() throws {
            let white = Bitmap(width: 512, height: 512) { _, _ in [255, 255, 255, 255] }
            for data in try [
                ImageEncoder.png(white), ImageEncoder.jpeg(white, quality: 0), ImageEncoder.gif([.init(bitmap: white)]),
                ImageEncoder.webp([.init(bitmap: white)], quality: 0),
                ImageEncoder.webp([.init(bitmap: white)], quality: 1),
            ] {
                #expect(error(data) == nil)
            }
        }

        @Test func `a later frame that is too short does not spoil the first`() throws {
            var gif = gif(width: 2_000, height: 2_000, frames: 2)
            (gif.frames[1].width, gif.frames[1].height) = (2_000, 2_000)
            #expect(error(gif.data) == .truncated(.gif))
            var options = DecodingOptions()
            options.firstFrameOnly = true
            #expect(error(gif.data, options) == nil)
        }

        @Test func `a progressive JPEG with a component without DC values is refused`() throws {
            let whole = try Samples.data("progressive.jpg")
            let starts = whole.ranges(of: Data([0xFF, 0xDA])).map(\.lowerBound)
            var data = whole.prefix(starts[0])
            for (start, end) in zip(starts, starts.dropFirst() + [whole.count]) {
                let scan = whole[start..<end]
                // A scan of three components has the DC values; the tables for the next scan stay.
                let tables = scan.firstRange(of: Data([0xFF, 0xC4]))?.lowerBound ?? end
                data += scan[start + 4] == 3 ? whole[tables..<end] : scan
            }
            #expect(error(data) == .malformed(.jpeg, reason: "a component without pixels"))
        }

        @Test func `a hundred thousand frames of one pixel exceed the limit`() {
            var options = DecodingOptions()
            options.totalPixelLimit = 20_000_000
            guard case .tooManyPixels = error(gif(width: 1, height: 1, frames: 100_000).data, options) else {
                Issue.record("no limit was met")
                return
            }
        }

        @Test func `a progressive JPEG of a thousand scans is refused`() throws {
            let whole = try Samples.data("progressive.jpg")
            let lastScan = try #require(whole.range(of: Data([0xFF, 0xDA]), options: .backwards)).lowerBound
            let scan = whole[lastScan..<whole.count - 2]
            let data = (0..<1_000).reduce(into: whole.prefix(lastScan)) { data, _ in data += scan } + [0xFF, 0xD9]
            #expect(error(data) == .unsupported(.jpeg, reason: "too many scans"))
        }

        @Test func `unsupported kinds of files are reported as unsupported`() throws {
            for marker in [0xC3, 0xC5, 0xC9, 0xCA] as [UInt8] {
                var data = try Samples.data("baseline.jpg")
                let frame = try #require(data.firstRange(of: Data([0xFF, 0xC0])))
                data[frame.lowerBound + 1] = marker
                guard case .unsupported(.jpeg, _) = error(data) else {
                    Issue.record("marker \(marker) was not refused")
                    continue
                }
            }
        }

        @Test func `invalid color types and depths are malformed`() {
            for (colourType, depth) in [(1, 8), (5, 8), (7, 8), (2, 4), (3, 16), (0, 3), (6, 1)] {
                var png = TinyPNG(width: 1, height: 1, colourType: 6) { _, _ in [1, 2, 3, 4] }
                let pixels = TinyPNG.zlib([0, 1, 2, 3, 4, 5, 6, 7, 8])
                png.colourType = colourType
                png.depth = depth
                #expect(error(png.data(withPixels: pixels)) != nil)
            }
        }

        @Test func `texts that unpack to most of a gigabyte are not unpacked`() throws {
            let png = TinyPNG(width: 1, height: 1, colourType: 6) { _, _ in [1, 2, 3, 4] }
            // Just below the size at which libpng itself refuses.
            let text = TinyPNG.chunk("zTXt", Array("x".utf8) + [0, 0] + Deflate.repeated(7_500_000))
            var bytes = Array(png.data)
            bytes.insert(contentsOf: (0..<100).flatMap { _ in text }, at: 33)
            let memory = try PeakMemory()
            #expect(try ImageDecoder.decode(Data(bytes)) == ImageDecoder.decode(png.data))
            #expect(try memory.hasGrown(byLessThan: 512_000_000))
        }
    }

    /// The worst case of a compressed stream: one letter, then "repeat it 258 times" in thirteen bits.
    private enum Deflate {
        static func repeated(_ count: Int) -> [UInt8] {
            var bits = BitWriter()
            bits.append([1, 1, 0])
            bits.append([1, 0, 0, 1, 0, 0, 0, 1])
            for _ in 0..<count / 258 { bits.append([1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0]) }
            bits.append([0, 0, 0, 0, 0, 0, 0])
            let letters = 1 + count / 258 * 258
            let sum = (1 + 97 * letters) % 65_521
            let sumOfSums = (letters + 97 * (letters * (letters + 1) / 2)) % 65_521
            return [0x78, 0x01] + bits.bytes + (sumOfSums << 16 | sum).bytes(4)
        }

        private struct BitWriter {
            private(set) var bytes: [UInt8] = []
            private var count = 0

            mutating func append(_ bits: [UInt8]) {
                for bit in bits {
                    if count % 8 == 0 { bytes.append(0) }
                    bytes[bytes.count - 1] |= bit << UInt8(count % 8)
                    count += 1
                }
            }
        }
    }
#endif
