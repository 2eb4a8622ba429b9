#if ImageCodecs && os(Linux)
    import Foundation
    import HalcyonImageCodecs
    import Testing

    @Suite struct GIFTests {
        /// One letter for each pixel: `k` black, `r` red, `g` green, `b` blue, `.` transparent, anything else `?`.
        private func letters(_ bitmap: Bitmap) -> [String] {
            let names: [[UInt8]: Character] = [
                [0, 0, 0, 255]: "k", [255, 0, 0, 255]: "r", [0, 255, 0, 255]: "g", [0, 0, 255, 255]: "b",
                [0, 0, 0, 0]: ".",
            ]
            return (0..<bitmap.height).map { y in String((0..<bitmap.width).map { names[bitmap[$0, y]] ?? "?" }) }
        }

        private func decode(_ gif: TinyGIF) throws -> [[String]] {
            try ImageDecoder.decode(gif.data).frames.map { letters($0.bitmap) }
        }

        /// A red frame, then one green pixel in the middle with some disposal, then a blue one in a corner.
        private func gif(disposal: Int) -> TinyGIF {
            var middle = TinyGIF.Frame(left: 1, top: 1, width: 1, height: 1, indexes: [2])
            middle.disposal = disposal
            return TinyGIF(
                width: 3, height: 3,
                frames: [
                    .init(width: 3, height: 3, indexes: [UInt8](repeating: 1, count: 9), disposal: 1), middle,
                    .init(width: 1, height: 1, indexes: [3]),
                ])
        }

        @Test func `the older name of the loop extension counts too`() throws {
            let frame = TinyGIF.Frame(width: 2, height: 2, indexes: [1, 1, 1, 1])
            var data = TinyGIF(width: 2, height: 2, loopCount: 3, frames: [frame, frame]).data
            data.replaceSubrange(try #require(data.range(of: Data("NETSCAPE2.0".utf8))), with: Data("ANIMEXTS1.0".utf8))
            let found = try ImageDecoder.decode(data).loopCount
            #expect(found == 4)
        }

        @Test(arguments: [(0, "rgr"), (1, "rgr"), (2, "r.r"), (3, "rrr"), (4, "rrr"), (6, "rgr")])
        func `each disposal method leaves the right pixels`(disposal: Int, middle: String) throws {
            let frames = try decode(gif(disposal: disposal))
            #expect(frames == [["rrr", "rrr", "rrr"], ["rrr", "rgr", "rrr"], ["brr", middle, "rrr"]])
        }

        @Test func `other bytes after the last frame end the file like its last byte`() throws {
            let whole = gif(disposal: 1)
            for end in [[0], [0xFF, 0x3B], [0x2D, 0x2C]] as [[UInt8]] {
                let data = whole.data.dropLast() + Data(end)
                #expect(try ImageHeader(data: data).frameCount == 3)
                #expect(try ImageDecoder.decode(data).frames.count == 3)
            }
        }

        @Test func `in an encoded animation, transparent pixels show nothing of the frame before`()
            throws
        {
            let transparent = TinyGIF.Frame(width: 2, height: 1, indexes: [2, 0], transparent: 0)
            let hole = TinyGIF(width: 2, height: 1, frames: [transparent])
            let red = TinyGIF(width: 2, height: 1, frames: [.init(width: 2, height: 1, indexes: [1, 1])])
            let frames = try [red, hole, red, hole].map { try ImageDecoder.decode($0.data).frames[0] }
            let again = try ImageDecoder.decode(ImageEncoder.gif(frames)).frames.map { letters($0.bitmap) }
            #expect(again == [["rr"], ["g."], ["rr"], ["g."]])
        }

        @Test func `disposal to previous twice in a row restores the same picture`() throws {
            var gif = gif(disposal: 3)
            gif.frames.insert(gif.frames[1], at: 2)
            gif.frames[2].left = 2
            #expect(try decode(gif)[2] == ["rrr", "rrg", "rrr"])
            #expect(try decode(gif)[3] == ["brr", "rrr", "rrr"])
        }

        @Test func `the transparent color shows the frame underneath`() throws {
            let second = TinyGIF.Frame(width: 3, height: 1, indexes: [2, 0, 3], transparent: 0)
            let gif = TinyGIF(width: 3, height: 1, frames: [.init(width: 3, height: 1, indexes: [1, 1, 0]), second])
            #expect(try decode(gif) == [["rrk"], ["grb"]])
        }

        /// Larger than a tile in both directions, with edges that are not edges of tiles.
        @Test(arguments: [0, 2, 3])
        func `frames across tiles look the same as on an undivided canvas`(disposal: Int) throws {
            let rects = [
                (0, 0, 70, 50), (5, 7, 60, 40), (31, 31, 2, 2), (64, 0, 6, 50), (33, 3, 1, 45), (40, 40, 90, 90),
            ]
            let frames = rects.enumerated().map { number, rect in
                let indexes = (0..<rect.2 * rect.3).map { UInt8(($0 + number) % 4) }
                return TinyGIF.Frame(
                    left: rect.0, top: rect.1, width: rect.2, height: rect.3, indexes: indexes, disposal: disposal,
                    transparent: 0)
            }
            let decoded = try ImageDecoder.decode(TinyGIF(width: 70, height: 50, frames: frames).data).frames
            var canvas = [[UInt8]](repeating: [0, 0, 0, 0], count: 70 * 50)
            for (frame, shown) in zip(frames, decoded) {
                let before = canvas
                frame.forEachPixel(width: 70, height: 50) { place, index in
                    if index != 0 { canvas[place] = TinyGIF.fourColours[Int(index)] + [255] }
                }
                #expect(shown.bitmap.bytes == canvas.flatMap { $0 })
                if disposal == 3 { canvas = before }
                if disposal == 2 {
                    frame.forEachPixel(width: 70, height: 50) { place, _ in canvas[place] = [0, 0, 0, 0] }
                }
            }
        }

        @Test func `pixels that no frame covers are transparent`() throws {
            let gif = TinyGIF(width: 3, height: 2, frames: [.init(left: 1, width: 1, height: 1, indexes: [1])])
            #expect(try decode(gif) == [[".r.", "..."]])
        }

        @Test func `a local palette applies to its frame only`() throws {
            let own = TinyGIF.Frame(width: 1, height: 1, indexes: [0], palette: [[0, 255, 0], [1, 1, 1]])
            let gif = TinyGIF(
                width: 2, height: 1, frames: [own, .init(left: 1, width: 1, height: 1, indexes: [0])])
            #expect(try decode(gif) == [["g."], ["gk"]])
        }

        @Test func `a color index outside the palette is not drawn`() throws {
            let gif = TinyGIF(width: 2, height: 1, frames: [.init(width: 2, height: 1, indexes: [1, 200])])
            #expect(try decode(gif) == [["r."]])
        }

        @Test func `the loop count may follow the last frame`() throws {
            let frame = TinyGIF.Frame(width: 1, height: 1, indexes: [1])
            var gif = TinyGIF(width: 1, height: 1, frames: [frame, frame], hasTrailer: false)
            #expect(try ImageDecoder.decode(gif.data).loopCount == 1)
            let start = gif.data.count
            gif.loopCount = 0
            let header = gif.data.count - start
            // Behind the signature, the size and a palette of four colors.
            var data = gif.data
            let place = data.startIndex + 13 + 12
            let block = data[place..<place + header]
            data.removeSubrange(place..<place + header)
            #expect(try ImageDecoder.decode(data + block + [0x3B]).loopCount == 0)
        }

        @Test func `frames are clipped to the canvas`() throws {
            let big = TinyGIF.Frame(left: 1, top: 1, width: 4, height: 4, indexes: [UInt8](repeating: 1, count: 16))
            let outside = TinyGIF.Frame(left: 7, top: 9, width: 2, height: 2, indexes: [2, 2, 2, 2], disposal: 2)
            let gif = TinyGIF(width: 2, height: 2, frames: [.init(width: 1, height: 1, indexes: [3]), big, outside])
            #expect(try decode(gif) == [["b.", ".."], ["b.", ".r"], ["b.", ".r"]])
            #expect(try ImageDecoder.decode(gif.data).size == PixelSize(width: 2, height: 2))
        }

        @Test(arguments: [(0, 0), (1, 3), (3, 1)])
        func `the canvas contains the first frame`(width: Int, height: Int) throws {
            let frame = TinyGIF.Frame(left: 1, top: 0, width: 1, height: 2, indexes: [1, 3])
            let gif = TinyGIF(width: width, height: height, frames: [frame])
            let rows = [".r", ".b"].map { $0 + String(repeating: ".", count: max(0, width - 2)) }
            let rest = Array(repeating: "..", count: max(0, height - 2))
            #expect(try decode(gif) == [rows + rest])
        }

        @Test func `frames keep no memory for what the animation has cleared`() throws {
            let dot = { TinyGIF.Frame(left: $0, top: $0, width: 1, height: 1, indexes: [1], disposal: 2) }
            let gif = TinyGIF(width: 200, height: 200, frames: [dot(0), dot(100)])
            let last = try #require(try ImageDecoder.decode(gif.data).frames.last?.bitmap)
            #expect(last.isUntouched(row: 0) && !last.isUntouched(row: 100))
        }

        @Test(arguments: 1...17)
        func `interlaced rows are put in order`(height: Int) throws {
            let rows = [(0, 8), (4, 8), (2, 4), (1, 2)].flatMap { Array(stride(from: $0, to: height, by: $1)) }
            var frame = TinyGIF.Frame(width: 2, height: height, indexes: rows.flatMap { [UInt8($0), UInt8($0)] })
            frame.isInterlaced = true
            let greys = (0..<32).map { [UInt8](repeating: $0, count: 3) }
            let image = try ImageDecoder.decode(
                TinyGIF(width: 2, height: height, palette: greys, frames: [frame]).data)
            #expect(image.frames[0].bitmap == Bitmap(width: 2, height: height) { _, y in [y, y, y, 255] })
        }

        @Test func `delays are hundredths of a second, and a delay below two of them becomes a tenth`() throws {
            let frames = [nil, 0, 1, 2, 10, 65_535].map { delay in
                TinyGIF.Frame(width: 1, height: 1, indexes: [1], delay: delay)
            }
            let image = try ImageDecoder.decode(TinyGIF(width: 1, height: 1, frames: frames).data)
            #expect(image.frames.map(\.durationInSeconds) == [0.1, 0.1, 0.1, 0.02, 0.1, 655.35])
        }

        @Test(arguments: [(nil, 1), (0, 0), (1, 2), (3, 4), (65_534, 65_535), (65_535, 65_535)])
        func `an animation plays once more than the file repeats it`(count: Int?, expected: Int) throws {
            let gif = TinyGIF(width: 1, height: 1, loopCount: count, frames: [.init(width: 1, height: 1, indexes: [1])])
            #expect(try ImageDecoder.decode(gif.data).loopCount == expected)
        }

        @Test func `on request only the first frame is read`() throws {
            var options = DecodingOptions()
            options.firstFrameOnly = true
            let data = gif(disposal: 1).data
            let broken = data.prefix(data.count - 20)
            #expect(throws: ImageCodecError.self) { try ImageDecoder.decode(broken) }
            #expect(try ImageDecoder.decode(broken, options: options).frames.count == 1)
        }

        @Test func `the header counts frames`() throws {
            let header = try ImageHeader(data: gif(disposal: 1).data)
            #expect(header.frameCount == 3)
            #expect(header.size == PixelSize(width: 3, height: 3))
        }

        @Test(arguments: [9, 11, 12, 255])
        func `LZW codes that begin with too many bits are malformed`(codeSize: Int) throws {
            var bytes = Array(TinyGIF(width: 1, height: 1, frames: [.init(width: 1, height: 1, indexes: [1])]).data)
            // After the palette, the delay and the ten bytes of the frame.
            let place = 13 + 12 + 8 + 10
            #expect(bytes[place] == 8)
            bytes[place] = UInt8(codeSize)
            let reason = "LZW codes that begin with more than 8 bits"
            #expect(throws: ImageCodecError.malformed(.gif, reason: reason)) { try ImageDecoder.decode(Data(bytes)) }
        }

        @Test func `a GIF that ends before its pixels do is an error; only the trailer may be missing`() throws {
            let whole = gif(disposal: 1).data
            let frame = try ImageDecoder.decode(whole).frames[0]
            for count in 6..<whole.count - 1 {
                let image = try? ImageDecoder.decode(whole.prefix(count))
                // Between two frames, the decoder cannot know that another one is missing.
                #expect(image == nil || image?.frames.first == frame, "\(count) bytes")
            }
            #expect(try ImageDecoder.decode(whole.dropLast(1)) == ImageDecoder.decode(whole))
        }

        @Test func `an animation from another program is decoded`() throws {
            let image = try ImageDecoder.decode(Samples.data("moving.gif"))
            #expect(image.frames.count == 4 && image.loopCount == 4)
            #expect(image.frames.map(\.durationInSeconds) == [0.1, 0.05, 0.1, 0.2])
            for (index, frame) in image.frames.enumerated() {
                let rows = letters(frame.bitmap)
                #expect(rows.joined().filter { $0 != "." }.count == 36)
                #expect(rows[index * 3].dropFirst(index * 5).first == ["r", "g", "b", "r"][index])
            }
        }
    }

    @Suite struct GIFEncodingTests {
        private let frames = (0..<3).map { index in
            let bitmap = Bitmap(width: 16, height: 15) { x, y in
                (x + y) % 5 == index ? [0, 0, 0, 0] : [x * 16, y * 17, index * 100, 255]
            }
            return DecodedImage.Frame(bitmap: bitmap, durationInSeconds: Double(index + 2) / 10)
        }

        @Test func `few colors and transparency round-trip exactly`() throws {
            let image = try ImageDecoder.decode(ImageEncoder.gif(frames, loopCount: 4))
            #expect(image == DecodedImage(frames: frames, loopCount: 4))
        }

        /// More colors than a palette holds, and a square that moves.
        @Test func `what stays in an opaque animation is not written again`() throws {
            let frames = (0..<6).map { index in
                let bitmap = Bitmap(width: 96, height: 64) { x, y in
                    let isSquare = (index * 8..<index * 8 + 8).contains(x) && (9..<20).contains(y)
                    return isSquare ? [255, 0, 0, 255] : [x * 2, y * 4, x * y % 251, 255]
                }
                return DecodedImage.Frame(bitmap: bitmap, durationInSeconds: 0.1)
            }
            let data = try ImageEncoder.gif(frames)
            let still = try ImageEncoder.gif([frames[0]])
            #expect(data.count < still.count * 2, "\(data.count) bytes, one picture \(still.count)")
            let decoded = try ImageDecoder.decode(data).frames
            #expect(decoded.map(\.durationInSeconds) == frames.map(\.durationInSeconds))
            for (shown, frame) in zip(decoded, frames) {
                #expect(shown.bitmap.differs(from: frame.bitmap) <= 60)
                let rest = (0..<64).map { shown.bitmap[70, $0] }
                #expect(rest == (0..<64).map { decoded[0].bitmap[70, $0] }, "flickers")
            }
            #expect(try ImageDecoder.decode(ImageEncoder.gif([frames[1], frames[1]])).frames.count == 2)
        }

        @Test(arguments: [0, 1, 2, 65_535]) func `how often an animation plays round-trips`(count: Int) throws {
            #expect(try ImageDecoder.decode(ImageEncoder.gif(frames, loopCount: count)).loopCount == count)
        }

        @Test func `a short delay does not become one that browsers prolong`() throws {
            let frames = frames.map { DecodedImage.Frame(bitmap: $0.bitmap, durationInSeconds: 0.012) }
            let image = try ImageDecoder.decode(ImageEncoder.gif(frames))
            #expect(image.frames.map(\.durationInSeconds) == [0.02, 0.02, 0.02])
        }

        @Test func `many colors round-trip approximately`() throws {
            let bitmap = Bitmap(width: 64, height: 64) { x, y in [x * 4, y * 4, (x + y) * 2, 255] }
            let decoded = try ImageDecoder.decode(ImageEncoder.gif([.init(bitmap: bitmap)])).frames[0].bitmap
            let errors = zip(bitmap.bytes, decoded.bytes).map { abs(Int($0) - Int($1)) }
            #expect(errors.reduce(0, +) / errors.count <= 5)
            #expect(decoded.isOpaque && Set((0..<4_096).map { decoded[$0 % 64, $0 / 64] }).count > 200)
        }

        @Test(arguments: [0, 1, 2, 3, 4, 255, 256])
        func `images with any number of colors can be encoded`(count: Int) throws {
            let bitmap = Bitmap(width: 16, height: 16) { x, y in
                y * 16 + x < count ? [y * 16 + x, x, y, 255] : [0, 0, 0, 0]
            }
            let decoded = try ImageDecoder.decode(ImageEncoder.gif([.init(bitmap: bitmap)])).frames[0].bitmap
            #expect(decoded == bitmap)
        }

        /// The grays, with transparency and other colors if there are more than fit.
        @Test(arguments: [0, 1, 300]) func `grays and dark colors keep their shades`(others: Int) throws {
            let bitmap = Bitmap(width: 32, height: 32) { x, y in
                let index = y * 32 + x
                if index < 256 { return [index, index, index, 255] }
                return index < 256 + others ? [index % 32, index / 32, 7, 255] : [0, 0, 0, others == 0 ? 255 : 0]
            }
            let decoded = try ImageDecoder.decode(ImageEncoder.gif([.init(bitmap: bitmap)])).frames[0].bitmap
            let errors = zip(bitmap.bytes, decoded.bytes).map { abs(Int($0) - Int($1)) }
            #expect(errors.max() ?? 0 <= [0: 0, 1: 1, 300: 6][others, default: 0], "\(errors.max() ?? 0)")
        }

        @Test func `the encoder refuses frames of different sizes, and no frames`() throws {
            let other = DecodedImage.Frame(bitmap: Bitmap(width: 1, height: 1) { _, _ in [1, 2, 3, 255] })
            for frames in [[], frames + [other]] {
                #expect(throws: ImageCodecError.self) { try ImageEncoder.gif(frames) }
            }
        }

        @Test func `each encoder refuses an empty bitmap`() throws {
            let empty = Bitmap(width: 0, height: 0) { _, _ in [] }
            #expect(throws: ImageCodecError.self) { try ImageEncoder.png(empty) }
            #expect(throws: ImageCodecError.self) { try ImageEncoder.jpeg(empty) }
            #expect(throws: ImageCodecError.self) { try ImageEncoder.gif([.init(bitmap: empty)]) }
            let long = Bitmap(width: 70_000, height: 1) { _, _ in [1, 2, 3, 255] }
            #expect(throws: ImageCodecError.self) { try ImageEncoder.jpeg(long) }
            #expect(throws: ImageCodecError.self) { try ImageEncoder.gif([.init(bitmap: long)]) }
            #expect(try ImageDecoder.decode(ImageEncoder.png(long)).frames[0].bitmap == long)
        }
    }
#endif
