#if ImageCodecs && os(Linux)
    import Foundation
    import HalcyonImageCodecs
    import Testing

    @Suite struct WebPTests {
        private func decode(_ data: Data, _ change: (inout DecodingOptions) -> Void = { _ in }) throws -> DecodedImage {
            var options = DecodingOptions()
            change(&options)
            return try ImageDecoder.decode(data, options: options)
        }

        private func error(_ data: Data) -> ImageCodecError? {
            do {
                _ = try ImageDecoder.decode(data)
                return nil
            } catch {
                return error as? ImageCodecError
            }
        }

        /// Noise with all alpha values.
        private func noise(_ width: Int, _ height: Int) -> Bitmap {
            Bitmap(width: width, height: height) { x, y in [x * 7 + y, x * y, y * 13, x * 31 + y * 17] }
        }

        private func plain(_ width: Int, _ height: Int, _ colour: [Int]) -> Bitmap {
            Bitmap(width: width, height: height) { _, _ in colour }
        }

        // MARK: Files of another encoder

        @Test func `lossy and rotated files decode to the right colors`() throws {
            for name in ["lossy.webp", "lossy-alpha.webp", "turned.webp"] {
                let image = try decode(Samples.data(name))
                #expect(image.size == PixelSize(width: 48, height: 32), "\(name)")
                #expect(image.frames[0].bitmap.shows(Samples.fields, within: 12), "\(name)")
            }
            let alpha = try decode(Samples.data("lossy-alpha.webp")).frames[0].bitmap
            #expect(alpha[2, 2][3] == 255 && alpha[45, 30][3] == 128)
            #expect(try ImageHeader(data: Samples.data("lossy-alpha.webp")).frameCount == 1)
        }

        @Test func `a lossless file decodes to the original pixels`() throws {
            let image = try decode(Samples.data("lossless.webp"))
            #expect(try image.frames[0].bitmap == decode(Samples.data("alpha.png")).frames[0].bitmap)
        }

        @Test func `the frames of an animation are composed`() throws {
            let image = try decode(Samples.data("moving.webp"))
            #expect(image.frames.count == 4 && image.loopCount == 3)
            #expect(image.frames.map(\.durationInSeconds) == [0.05, 0.07, 0.09, 0.11])
            for (number, frame) in image.frames.enumerated() {
                let expected = Bitmap(width: 24, height: 16) { x, y in
                    if y < 4 { return [30, 60, 200, 255] }
                    return y < 12 && (number * 4..<number * 4 + 8).contains(x) ? [220, 40, 30, 255] : [0, 0, 0, 0]
                }
                #expect(frame.bitmap == expected, "frame \(number)")
            }
            let first = try decode(Samples.data("moving.webp")) { $0.firstFrameOnly = true }
            #expect(first.frames.count == 1 && first.frames[0].bitmap == image.frames[0].bitmap)
        }

        // MARK: Round trips

        @Test(arguments: [(1, 1), (1, 40), (33, 1), (16, 16), (67, 45)])
        func `the best quality is lossless, even under transparent pixels`(width: Int, height: Int) throws {
            let bitmap = noise(width, height)
            let image = try decode(ImageEncoder.webp([.init(bitmap: bitmap)], quality: 1))
            #expect(image.frames.count == 1 && image.frames[0].bitmap == bitmap)
            #expect(try decode(ImageEncoder.webp([.init(bitmap: bitmap)], quality: .nan)).frames[0].bitmap == bitmap)
        }

        @Test func `lower quality makes smaller files that look alike`() throws {
            let bitmap = Bitmap(width: 96, height: 64) { x, y in
                Samples.fields[(x < 48 ? 0 : 1) + (y < 32 ? 0 : 2)].map { $0 + (x ^ y) % 8 } + [255]
            }
            let sizes = try [0.99, 0.75, 0.2, -1].map { quality in
                let data = try ImageEncoder.webp([.init(bitmap: bitmap)], quality: quality)
                #expect(try decode(data).frames[0].bitmap.shows(Samples.fields, within: 24))
                return data.count
            }
            #expect(sizes == sizes.sorted(by: >) && sizes[0] > sizes[3])
        }

        @Test(arguments: [1.0, 0.8]) func `an animation round-trips with its durations`(quality: Double) throws {
            let frames = (0..<3).map {
                DecodedImage.Frame(bitmap: noise(21 + 0 * $0, 13), durationInSeconds: 0.05 * Double($0 + 1))
            }
            let image = try decode(ImageEncoder.webp(frames, quality: quality, loopCount: 7))
            #expect(image.loopCount == 7 && image.frames.map(\.durationInSeconds) == [0.05, 0.1, 0.15])
            if quality == 1 { #expect(image.frames.map(\.bitmap) == frames.map(\.bitmap)) }
        }

        @Test func `a file that its decoder would take for truncated is not made`() throws {
            let white = Bitmap(width: 5_000, height: 5_000) { _, _ in [255, 255, 255, 255] }
            #expect(throws: ImageCodecError.self) { try ImageEncoder.webp([.init(bitmap: white)], quality: 1) }
        }

        @Test func `only the changed part of a frame is encoded`() throws {
            let first = noise(70, 50)
            let changed = Bitmap(width: 70, height: 50) { x, y in
                x == 33 && (7...9).contains(y) ? [1, 2, 3, 255] : first[x, y].map(Int.init)
            }
            let frames = [first, first, changed, noise(70, 50)].map { DecodedImage.Frame(bitmap: $0) }
            let data = try ImageEncoder.webp(frames, quality: 1)
            #expect(try decode(data).frames.map(\.bitmap) == frames.map(\.bitmap))
            let still = try ImageEncoder.webp([frames[0]], quality: 1)
            #expect(data.count < still.count + 600, "three of them take next to nothing")
        }

        @Test func `the encoder refuses sizes and frames that WebP cannot hold`() throws {
            let long = plain(16_384, 1, red)
            #expect(throws: ImageCodecError.self) { try ImageEncoder.webp([.init(bitmap: long)], quality: 1) }
            #expect(throws: ImageCodecError.self) { try ImageEncoder.webp([], quality: 1) }
            let frames = [noise(2, 2), noise(3, 2)].map { DecodedImage.Frame(bitmap: $0) }
            #expect(throws: ImageCodecError.self) { try ImageEncoder.webp(frames, quality: 1) }
        }

        // MARK: Composing

        private let red = [255, 0, 0, 255]
        private let green = [0, 255, 0, 255]
        private let blue = [0, 0, 255, 255]

        @Test func `frames are blended or replace what was there`() throws {
            let half = [0, 0, 255, 128]
            var webp = TinyWebP(width: 8, height: 6, loopCount: 2)
            webp.frames = [
                .init(bitmap: plain(8, 6, red)), .init(left: 2, top: 2, bitmap: plain(4, 2, half)),
                .init(left: 2, top: 2, bitmap: plain(2, 2, half), replaces: true),
                .init(left: 0, top: 0, bitmap: plain(2, 2, [9, 9, 9, 0])),
            ]
            let image = try decode(webp.data)
            #expect(image.loopCount == 2 && image.frames.count == 4)
            #expect(
                image.frames[1].bitmap[3, 3] == [127, 0, 128, 255] && image.frames[1].bitmap[0, 0] == [255, 0, 0, 255])
            #expect(
                image.frames[2].bitmap[2, 2] == [0, 0, 255, 128] && image.frames[2].bitmap[4, 2] == [127, 0, 128, 255])
            #expect(image.frames[3].bitmap[0, 0] == [255, 0, 0, 255], "nothing of what is transparent")
        }

        @Test func `a disposed frame leaves a transparent hole`() throws {
            var webp = TinyWebP(width: 8, height: 6)
            webp.frames = [
                .init(bitmap: plain(8, 6, red)), .init(left: 2, top: 2, bitmap: plain(4, 2, green), isDisposed: true),
                .init(left: 6, top: 4, bitmap: plain(2, 2, blue)),
            ]
            let frames = try decode(webp.data).frames.map(\.bitmap)
            #expect(frames[1][3, 3] == [0, 255, 0, 255] && frames[2][3, 3] == [0, 0, 0, 0])
            #expect(frames[2][7, 5] == [0, 0, 255, 255] && frames[2][0, 0] == [255, 0, 0, 255])
        }

        /// Larger than a tile in both directions, with edges that are not edges of tiles.
        @Test func `frames across tiles look the same as on an undivided canvas`() throws {
            let parts = [(0, 0, 70, 50), (4, 6, 60, 40), (30, 30, 2, 2), (64, 0, 6, 50), (34, 4, 2, 44)]
            var webp = TinyWebP(width: 70, height: 50)
            webp.frames = parts.map { .init(left: $0.0, top: $0.1, bitmap: noise($0.2, $0.3), replaces: true) }
            var expected = [[UInt8]](repeating: [0, 0, 0, 0], count: 70 * 50)
            for (part, frame) in zip(parts, try decode(webp.data).frames) {
                let bitmap = noise(part.2, part.3)
                for y in 0..<part.3 {
                    for x in 0..<part.2 { expected[(part.1 + y) * 70 + part.0 + x] = bitmap[x, y] }
                }
                #expect(frame.bitmap.bytes == expected.flatMap { $0 })
            }
        }

        @Test func `an implausibly short duration becomes a tenth of a second`() throws {
            var webp = TinyWebP(width: 2, height: 2)
            webp.frames = [0, 10, 11].map { .init(bitmap: plain(2, 2, red), milliseconds: $0) }
            #expect(try decode(webp.data).frames.map(\.durationInSeconds) == [0.1, 0.1, 0.011])
        }

        // MARK: What a file says

        @Test func `the header has the number of frames and the pixels they keep in memory`() throws {
            var webp = TinyWebP(width: 640, height: 640)
            webp.frames = [.init(left: 2, top: 2, bitmap: plain(2, 2, red)), .init(bitmap: plain(2, 2, red))]
            let header = try ImageHeader(data: webp.data)
            #expect(header.frameCount == 2)
            #expect(header.size == PixelSize(width: 640, height: 640))
            #expect(header.keptPixels == (first: 1_024, all: 2_048))
        }

        @Test func `a scaled decode has the target size, but never enlarges`() throws {
            let bitmap = Bitmap(width: 64, height: 40) { x, y in
                Samples.fields[(x < 32 ? 0 : 1) + (y < 20 ? 0 : 2)] + [255]
            }
            for quality in [1, 0.9] {
                let data = try ImageEncoder.webp([.init(bitmap: bitmap)], quality: quality)
                let small = try decode(data) { $0.targetSize = PixelSize(width: 16, height: 10) }.frames[0].bitmap
                #expect(small.size == PixelSize(width: 16, height: 10) && small.shows(Samples.fields, within: 12))
                let large = try decode(data) { $0.targetSize = PixelSize(width: 65, height: 40) }
                #expect(large.size == bitmap.size)
            }
            let turned = try decode(Samples.data("turned.webp")) { $0.targetSize = PixelSize(width: 24, height: 16) }
            #expect(
                turned.size == PixelSize(width: 24, height: 16)
                    && turned.frames[0].bitmap.shows(Samples.fields, within: 16))
        }

        @Test(arguments: [1, 2, 3]) func `a narrow image keeps its color when it is scaled`(width: Int) throws {
            let color = [200, 60, 60, 255]
            let bitmap = Bitmap(width: width, height: 600) { _, _ in color }
            let data = try ImageEncoder.webp([.init(bitmap: bitmap)], quality: 0.8)
            let target = PixelSize(width: 1, height: 400)
            let small = try decode(data) { $0.targetSize = target }.frames[0].bitmap.scaled(to: target)
            let isAlike = zip(small.bytes, color + color).allSatisfy { abs(Int($0) - $1) <= 4 }
            #expect(small.size == target && isAlike, "\(small.bytes.prefix(4))")
        }

        @Test func `a large bright image stays bright at a few pixels`() throws {
            let size = PixelSize(width: 8_000, height: 2_400)
            let bitmap = try Bitmap(size: size, pixels: Array(repeating: 255, count: size.pixelCount * 4))
            let data = try ImageEncoder.webp([.init(bitmap: bitmap)], quality: 0.5)
            let target = PixelSize(width: 4, height: 1)
            let small = try decode(data) { $0.targetSize = target }.frames[0].bitmap.scaled(to: target)
            #expect(small.bytes.allSatisfy { $0 >= 250 })
        }

        /// White under every alpha that is not 0, black under the rest.
        @Test func `a scaled decode shows no color of transparent pixels`() throws {
            let disc = Bitmap(width: 512, height: 512) { x, y in
                let distance = Double((x - 256) * (x - 256) + (y - 256) * (y - 256)).squareRoot()
                let alpha = Int(min(max(200.5 - distance, 0), 1) * 255)
                return alpha == 0 ? [0, 0, 0, 0] : [255, 255, 255, alpha]
            }
            for quality in [1, 0.8] {
                let data = try ImageEncoder.webp([.init(bitmap: disc)], quality: quality)
                for side in [96, 100] {
                    let target = PixelSize(width: side, height: side)
                    let small = try decode(data) { $0.targetSize = target }.frames[0].bitmap.scaled(to: target)
                    let dark = (0..<side * side).filter { place in
                        let pixel = small[place % side, place / side]
                        return pixel[3] >= 48 && pixel[0] < 215
                    }
                    #expect(dark.isEmpty, "quality \(quality), \(side) pixels")
                }
            }
        }

        @Test func `the first frame of an animation is decoded at the target size if it covers the canvas`()
            throws
        {
            let fields = Bitmap(width: 64, height: 40) { x, y in
                Samples.fields[(x < 32 ? 0 : 1) + (y < 20 ? 0 : 2)] + [255]
            }
            var webp = TinyWebP(width: 64, height: 40)
            webp.frames = [.init(bitmap: fields, milliseconds: 70), .init(bitmap: plain(64, 40, red))]
            let small = PixelSize(width: 16, height: 10)
            func first() throws -> DecodedImage {
                try decode(webp.data) { ($0.firstFrameOnly, $0.targetSize) = (true, small) }
            }
            #expect(try first().size == small && first().frames[0].bitmap.shows(Samples.fields, within: 12))
            #expect(try first().frames.count == 1 && first().frames[0].durationInSeconds == 0.07)
            #expect(try decode(webp.data) { $0.targetSize = small }.size == fields.size, "all frames")
            webp.frames[0].left = 2
            webp.frames[0].bitmap = plain(62, 40, green)
            #expect(try first().size == fields.size && first().frames[0].bitmap[0, 0] == [0, 0, 0, 0])
        }

        @Test(arguments: 1...8) func `an animation ignores the orientation`(
            orientation: Int
        ) throws {
            let exif = TinyWebP.chunk("EXIF", EXIFSample(orientation: orientation, isBigEndian: true).tiff)
            let moving = try Samples.data("moving.webp")
            let data = TinyWebP.file(moving.dropFirst(12) + exif)
            let size = try decode(data).size
            #expect(try ImageHeader(data: data).size == size && size == PixelSize(width: 24, height: 16))
            #expect(try decode(data).frames == decode(moving).frames)
            // A still is turned.
            let still = try ImageEncoder.webp([.init(bitmap: noise(6, 4))], quality: 1)
            let turned = TinyWebP.turned(still, size: PixelSize(width: 6, height: 4), orientation: orientation)
            #expect(try decode(turned).frames[0].bitmap == noise(6, 4).turned(by: orientation))
        }

        // MARK: Hostile files

        @Test func `a file truncated anywhere decodes to an error or the whole picture`() throws {
            for name in Samples.names where name.hasSuffix("webp") {
                let data = try Samples.data(name)
                let whole = try decode(data)
                for length in 0..<data.count {
                    if let image = try? decode(data.prefix(length)) { #expect(image == whole, "\(name), \(length)") }
                }
                #expect(error(data.prefix(data.count / 2)) == .truncated(.webp), "\(name)")
            }
        }

        @Test func `an animation without its last frames is truncated, but its first frame can be decoded`() throws {
            var webp = TinyWebP(width: 4, height: 4)
            webp.frames = [.init(bitmap: plain(4, 4, red)), .init(bitmap: plain(4, 4, green))]
            let data = try webp.data
            webp.frames.removeLast()
            let short = try data.prefix(webp.data.count)
            #expect(error(short) == .truncated(.webp))
            #expect(try decode(short) { $0.firstFrameOnly = true }.frames[0].bitmap[1, 1] == [255, 0, 0, 255])
        }

        @Test func `sizes beyond the limits are refused before anything is allocated`() throws {
            let huge = TinyWebP.file(TinyWebP.chunk("VP8L", [0x2F] + 0x0FFF_FFFF.littleBytes(4)))
            #expect(error(huge) == .tooManyPixels(count: 16_384 * 16_384, limit: 100_000_000))
            var webp = TinyWebP(width: 16_777_216, height: 16_777_216)
            webp.frames = [.init(bitmap: plain(2, 2, red))]
            #expect(try error(webp.data) == .tooManyPixels(count: 1 << 48, limit: 100_000_000))
            // Prediction needs at least three bits per block.
            let lossy = TinyWebP.chunk(
                "VP8 ", [0, 0, 0, 0x9D, 0x01, 0x2A] + 9_000.littleBytes(2) + 9_000.littleBytes(2))
            #expect(error(TinyWebP.file(lossy)) == .truncated(.webp))
        }

        @Test func `a number of pixels that overflows is refused`() throws {
            let side = 1 << 24
            let frame = TinyWebP.frame(width: side, height: side)
            let frames = Data(repeatElement(frame, count: 1 << 15).joined())
            let data = TinyWebP.animation(width: side, height: side, frames)
            #expect(error(data) == .tooManyPixels(count: 1 << 48, limit: 100_000_000))
            #expect(try ImageHeader(data: data).keptPixels == (first: 1 << 48, all: .max))
        }

        @Test func `one color may fill a small image, not a large one in a few bytes`() throws {
            let small = TinyWebP.file(TinyWebP.plain(width: 4_096, height: 4_096))
            #expect(try ImageHeader(data: small).size == PixelSize(width: 4_096, height: 4_096) && error(small) == nil)
            #expect(error(TinyWebP.file(TinyWebP.plain(width: 8_192, height: 4_096))) == .truncated(.webp))
            let frame = TinyWebP.frame(width: 2_048, height: 2_048, TinyWebP.plain(width: 2_048, height: 2_048))
            #expect(error(TinyWebP.animation(width: 2_048, height: 2_048, frame)) == nil)
            let five = Data(repeatElement(frame, count: 5).joined())
            #expect(error(TinyWebP.animation(width: 2_048, height: 2_048, five)) == .truncated(.webp), "all together")
        }

        @Test func `contradictory chunks are malformed`() throws {
            var webp = TinyWebP(width: 4, height: 4)
            webp.frames = [.init(left: 2, top: 2, bitmap: plain(4, 4, red))]
            #expect(try error(webp.data) == .malformed(.webp, reason: "a frame outside of the canvas"))
            webp.frames = []
            #expect(try error(webp.data) == .malformed(.webp, reason: "it has no picture"))
            var lying = TinyWebP(width: 4, height: 4)
            lying.frames = [.init(bitmap: plain(2, 2, red))]
            var data = try lying.data
            // The frame states a larger width than its image has.
            let place = try #require(data.firstRange(of: Data("ANMF".utf8))).lowerBound + 8 + 6
            data[place] = 3
            #expect(error(data) == .malformed(.webp, reason: "its parts have different sizes"))
            #expect(
                error(TinyWebP.file(TinyWebP.chunk("ICCP", [1, 2, 3])))
                    == .malformed(.webp, reason: "it does not begin with a picture"))
        }

        @Test func `an animation with very many frames exceeds the limit`() throws {
            var webp = TinyWebP(width: 1_000, height: 1_000)
            webp.frames = Array(repeating: .init(bitmap: plain(2, 2, red)), count: 300)
            #expect(try error(webp.data) == .tooManyPixels(count: 300_000_000, limit: 250_000_000))
        }
    }
#endif
