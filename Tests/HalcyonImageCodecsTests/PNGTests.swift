#if ImageCodecs && os(Linux)
    import Foundation
    import HalcyonImageCodecs
    import Testing

    @Suite struct PNGTests {
        /// Every pair of color type and depth in the format.
        struct Kind: CustomStringConvertible {
            let colourType: Int
            let depth: Int
            let isInterlaced: Bool

            static let all = [(0, [1, 2, 4, 8, 16]), (2, [8, 16]), (3, [1, 2, 4, 8]), (4, [8, 16]), (6, [8, 16])]
                .flatMap { colourType, depths in
                    depths.flatMap { depth in
                        [false, true].map { Kind(colourType: colourType, depth: depth, isInterlaced: $0) }
                    }
                }

            var description: String { "colour type \(colourType), \(depth) bits\(isInterlaced ? ", interlaced" : "")" }

            var channels: Int { [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][colourType] ?? 0 }
            var most: Int { 1 << depth - 1 }

            func png(width: Int, height: Int) -> TinyPNG {
                var png = TinyPNG(width: width, height: height, depth: depth, colourType: colourType, samples: samples)
                png.isInterlaced = isInterlaced
                if colourType == 3 {
                    png.palette = palette
                    png.transparency = [0, 77]
                }
                return png
            }

            var palette: [[UInt8]] { (0...UInt8(most)).map { [$0, 255 - $0, $0 &* 7] } }

            func samples(x: Int, y: Int) -> [Int] {
                (0..<channels).map { (x * 8_191 + y * 4_093 + $0 * 17 + x * y) & most }
            }

            /// The expected pixel.
            func pixel(x: Int, y: Int) -> [Int] {
                let samples = samples(x: x, y: y)
                let scaled = samples.map { ($0 * 255 + most / 2) / most }
                switch colourType {
                case 0: return [scaled[0], scaled[0], scaled[0], 255]
                case 2: return scaled + [255]
                case 3: return palette[samples[0]].map(Int.init) + [[0, 77, 255][min(samples[0], 2)]]
                case 4: return [scaled[0], scaled[0], scaled[0], scaled[1]]
                default: return scaled
                }
            }
        }

        @Test func `a PNG may be higher than libpng's own limit`() throws {
            let rows = [UInt8](repeating: 0, count: 2 * 1_000_001)
            let png = TinyPNG(width: 1, height: 1_000_001, colourType: 0) { _, _ in [] }
            #expect(try ImageDecoder.decode(png.data(withPixels: TinyPNG.zlib(rows))).size.height == 1_000_001)
        }

        @Test(arguments: Kind.all)
        func `pixels of each kind decode exactly`(kind: Kind) throws {
            for (width, height) in [(1, 1), (3, 2), (13, 11), (33, 9)] {
                let image = try ImageDecoder.decode(kind.png(width: width, height: height).data)
                #expect(image.frames.map(\.bitmap) == [Bitmap(width: width, height: height, kind.pixel)])
                #expect(image.loopCount == 1)
            }
        }

        @Test(arguments: Kind.all)
        func `the header has the size`(kind: Kind) throws {
            let header = try ImageHeader(data: kind.png(width: 13, height: 11).data)
            #expect(header.format == .png && header.size == PixelSize(width: 13, height: 11))
            #expect(header.frameCount == 1)
        }

        @Test func `each of the 65 536 values of sixteen bits is scaled to the nearest of eight`() throws {
            let png = TinyPNG(width: 256, height: 256, depth: 16, colourType: 0) { x, y in [y << 8 | x] }
            let expected = Bitmap(width: 256, height: 256) { x, y in
                let grey = ((y << 8 | x) * 255 + 32_767) / 65_535
                return [grey, grey, grey, 255]
            }
            #expect(try ImageDecoder.decode(png.data).frames[0].bitmap == expected)
        }

        @Test(arguments: [1, 2, 4, 8, 16])
        func `one gray level can be transparent`(depth: Int) throws {
            let most = 1 << depth - 1
            var png = TinyPNG(width: 5, height: 1, depth: depth, colourType: 0) { x, _ in [x % 2 == 0 ? most : 0] }
            png.transparency = most.bytes(2)
            let alphas = try ImageDecoder.decode(png.data).frames[0].bitmap.bytes.enumerated().filter {
                $0.offset % 4 == 3
            }
            #expect(alphas.map(\.element) == [0, 255, 0, 255, 0])
        }

        @Test(arguments: [8, 16])
        func `one color can be transparent, compared with all of its bits`(depth: Int) throws {
            let most = 1 << depth - 1
            // The second differs from the transparent one only in its lowest bit.
            let colours = [[most, 1, most / 2], [most, 0, most / 2], [0, 1, most / 2]]
            var png = TinyPNG(width: 3, height: 1, depth: depth, colourType: 2) { x, _ in colours[x] }
            png.transparency = colours[0].flatMap { $0.bytes(2) }
            let bitmap = try ImageDecoder.decode(png.data).frames[0].bitmap
            #expect((0..<3).map { bitmap[$0, 0][3] } == [0, 255, 255])
        }

        @Test func `gamma, background and color profiles are ignored`() throws {
            var png = TinyPNG(width: 7, height: 5, colourType: 6) { x, y in [x * 36, y * 51, 99, x * 40] }
            let plain = try ImageDecoder.decode(png.data)
            png.extraChunks = [
                ("gAMA", 220_000.bytes(4)), ("sBIT", [5, 5, 5, 5]), ("bKGD", [0, 9, 0, 9, 0, 9]),
                ("iCCP", Array("x".utf8) + [0, 0] + TinyPNG.zlib([UInt8](repeating: 7, count: 300))),
            ]
            #expect(try ImageDecoder.decode(png.data) == plain)
        }

        @Test func `bitmaps with and without alpha round-trip exactly`() throws {
            let clear = Bitmap(width: 31, height: 17) { x, y in [x * 8, y * 15, x * y, x * y * 3] }
            let opaque = Bitmap(width: 31, height: 17) { x, y in [x * 8, y * 15, x * y, 255] }
            for bitmap in [clear, opaque] {
                let data = try ImageEncoder.png(bitmap)
                #expect(try ImageDecoder.decode(data).frames[0].bitmap == bitmap)
                // The color type, the byte after those of the size and the depth.
                #expect(data[25] == (bitmap.isOpaque ? 2 : 6))
            }
        }

        @Test func `rows that the decoder refuses are not encoded`() throws {
            let longest = Bitmap(width: 1_000_000, height: 1) { _, _ in [1, 2, 3, 255] }
            #expect(try ImageDecoder.decode(ImageEncoder.png(longest)).size == longest.size)
            let longer = Bitmap(width: 1_000_001, height: 1) { _, _ in [1, 2, 3, 255] }
            #expect(throws: ImageCodecError.self) { try ImageEncoder.png(longer) }
        }

        @Test func `files of another program are read`() throws {
            let alpha = Bitmap(width: 20, height: 14) { x, y in [x * 12, y * 18, x * y % 256, (x * 13 + y * 7) % 256] }
            #expect(try ImageDecoder.decode(Samples.data("alpha.png")).frames[0].bitmap == alpha)
            #expect(
                try ImageDecoder.decode(Samples.data("palette.png")).frames[0].bitmap.shows(Samples.fields, within: 2))
        }

        @Test(arguments: 1...8, [false, true])
        func `a PNG is turned upright as its eXIf chunk says`(orientation: Int, isInterlaced: Bool) throws {
            let tiff = EXIFSample(orientation: orientation, isBigEndian: isInterlaced).tiff
            for (width, height) in [(1, 1), (3, 2), (33, 9), (5, 40)] {
                var png = TinyPNG(width: width, height: height, colourType: 6) { x, y in [x, y, (x * y) % 256, x + y] }
                png.isInterlaced = isInterlaced
                let plain = try ImageDecoder.decode(png.data).frames[0].bitmap
                let end = png.data.count - 12
                let behind = png.data.prefix(end) + TinyPNG.chunk("eXIf", tiff) + png.data.suffix(12)
                png.extraChunks = [("eXIf", tiff)]
                for data in [png.data, behind] {
                    let image = try ImageDecoder.decode(data)
                    #expect(image.frames[0].bitmap == plain.turned(by: orientation))
                    #expect(try ImageHeader(data: data).size == image.size)
                }
            }
        }

        @Test func `the first of two eXIf chunks counts, and a truncated or empty one is ignored`() throws {
            var png = TinyPNG(width: 3, height: 2, colourType: 6) { x, y in [x, y, x, y] }
            let tiff = EXIFSample(orientation: 6, isBigEndian: true).tiff
            for (chunks, orientation) in [([tiff, Array(tiff.dropLast(12)) + [0, 3]], 6), ([[]], 1), ([[0x4D]], 1)] {
                png.extraChunks = chunks.map { ("eXIf", $0) }
                #expect(try ImageHeader(data: png.data).orientation.rawValue == orientation)
            }
            // No chunk follows the last one.
            png.extraChunks = []
            let appended = png.data + Data(TinyPNG.chunk("eXIf", tiff))
            #expect(try ImageHeader(data: appended).orientation == .up)
            png.extraChunks = [("eXIf", Array(tiff.prefix(21)))]
            #expect(try ImageDecoder.decode(png.data).size == PixelSize(width: 3, height: 2))
        }

        @Test func `a PNG that ends in its eXIf chunk is truncated`() throws {
            let whole = TinyPNG(width: 3, height: 2, colourType: 6) { x, y in [x, y, x, y] }.data
            let tiff = EXIFSample(orientation: 6, isBigEndian: true).tiff
            let late = whole.dropLast(12) + Data(TinyPNG.chunk("eXIf", tiff))
            #expect(try ImageHeader(data: late).orientation.rawValue == 6)
            for count in [5, 10, tiff.count + 3] {
                #expect(throws: ImageCodecError.truncated(.png)) { try ImageHeader(data: late.dropLast(count)) }
            }
        }

        @Test func `the orientation that another program writes into a PNG is read`() throws {
            let image = try ImageDecoder.decode(Samples.data("turned.png"))
            #expect(image.size == PixelSize(width: 32, height: 48))
            #expect(image.frames[0].bitmap.shows([2, 0, 3, 1].map { Samples.fields[$0] }, within: 0))
        }

        @Test func `a PNG that ends before its pixels do is truncated, wherever it ends`() throws {
            let png = TinyPNG(width: 9, height: 7, colourType: 6) { x, y in [x, y, x, y] }
            let whole = png.data
            let pixelsEnd = whole.count - 12
            for count in 8..<pixelsEnd {
                #expect(throws: ImageCodecError.self, "\(count) bytes") { try ImageDecoder.decode(whole.prefix(count)) }
            }
            #expect(try ImageDecoder.decode(whole.prefix(pixelsEnd)) == ImageDecoder.decode(whole))
            #expect(throws: ImageCodecError.truncated(.png)) { try ImageDecoder.decode(whole.prefix(100)) }
        }
    }
#endif
