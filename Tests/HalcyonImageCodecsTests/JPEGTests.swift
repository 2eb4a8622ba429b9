#if ImageCodecs && os(Linux)
    import Foundation
    import HalcyonImageCodecs
    import Testing

    @Suite struct JPEGTests {
        @Test(arguments: ["baseline.jpg", "progressive.jpg", "restart.jpg"])
        func `colors round-trip approximately`(name: String) throws {
            let image = try ImageDecoder.decode(Samples.data(name))
            #expect(image.size == PixelSize(width: 48, height: 32))
            #expect(image.frames[0].bitmap.shows(Samples.fields, within: 4))
            #expect(image.frames[0].bitmap.isOpaque)
        }

        @Test func `grey stays grey`() throws {
            let bitmap = try ImageDecoder.decode(Samples.data("grey.jpg")).frames[0].bitmap
            let greys = Samples.fields.map { field in
                let grey = (field[0] * 299 + field[1] * 587 + field[2] * 114) / 1_000
                return [grey, grey, grey]
            }
            #expect(bitmap.shows(greys, within: 3))
            #expect(bitmap.fields.allSatisfy { Set($0).count == 1 })
        }

        @Test(arguments: ["inks.jpg", "inks-ycck.jpg", "inks-upright.jpg"])
        func `CMYK is converted to the colors it prints`(name: String) throws {
            let bitmap = try ImageDecoder.decode(Samples.data(name)).frames[0].bitmap
            let printed = Samples.fields.map { field in field.map { $0 * (255 - 40) / 255 } }
            #expect(bitmap.shows(printed, within: 5))
            #expect(bitmap.isOpaque)
        }

        /// The order of the fields, row by row, after the stored picture is turned upright.
        private static let turned: [(orientation: Int, fields: [Int])] = [
            (1, [0, 1, 2, 3]), (2, [1, 0, 3, 2]), (3, [3, 2, 1, 0]), (4, [2, 3, 0, 1]),
            (5, [0, 2, 1, 3]), (6, [2, 0, 3, 1]), (7, [3, 1, 2, 0]), (8, [1, 3, 0, 2]),
        ]

        @Test(arguments: 1...8, [true, false])
        func `a picture is turned upright as its orientation says`(orientation: Int, isBigEndian: Bool) throws {
            let data = EXIFSample(orientation: orientation, isBigEndian: isBigEndian).inserted(
                into: try Samples.data("baseline.jpg"))
            let image = try ImageDecoder.decode(data)
            let size = orientation < 5 ? PixelSize(width: 48, height: 32) : PixelSize(width: 32, height: 48)
            #expect(image.size == size)
            #expect(
                image.frames[0].bitmap.shows(Self.turned[orientation - 1].fields.map { Samples.fields[$0] }, within: 4))
            let header = try ImageHeader(data: data)
            #expect(header.size == size && header.storedSize == PixelSize(width: 48, height: 32))
            #expect(header.orientation.rawValue == orientation)
        }

        @Test func `the orientation that another program writes is read`() throws {
            let image = try ImageDecoder.decode(Samples.data("turned.jpg"))
            #expect(image.size == PixelSize(width: 32, height: 48))
            #expect(image.frames[0].bitmap.shows([2, 0, 3, 1].map { Samples.fields[$0] }, within: 4))
        }

        @Test(arguments: [1, 3, 4, 6, 8, 9], 1...8)
        func `an orientation of any integer type is read`(type: Int, orientation: Int) throws {
            for isBigEndian in [true, false] {
                for count in 0...1 {
                    let sample = EXIFSample(
                        orientation: orientation, isBigEndian: isBigEndian, type: type, count: count)
                    let header = try ImageHeader(data: sample.inserted(into: Samples.data("baseline.jpg")))
                    #expect(header.orientation.rawValue == orientation)
                }
            }
        }

        @Test func `values of other types, negative ones and ones stored elsewhere are not an orientation`() throws {
            var samples = [0, 2, 5, 7, 10, 11, 12, 13, 65_535].map {
                EXIFSample(orientation: 6, isBigEndian: false, type: $0)
            }
            samples += [6, 8, 9].map { EXIFSample(orientation: -6, isBigEndian: true, type: $0) }
            samples += [(1, 5), (3, 3), (4, 2), (9, 0x7FFF_FFFF), (6, 0xFFFF_FFFF)].map { type, count in
                EXIFSample(orientation: 6, isBigEndian: true, type: type, count: count)
            }
            for sample in samples {
                let header = try ImageHeader(data: sample.inserted(into: Samples.data("baseline.jpg")))
                #expect(header.orientation == .up, "type \(sample.type), count \(sample.count)")
            }
        }

        @Test(arguments: 1...8)
        func `turning while decoding moves pixels, and changes none`(orientation: Int) throws {
            let plain = try [(61, 47), (33, 70), (1, 40), (40, 1)].map { width, height in
                try ImageEncoder.jpeg(Bitmap(width: width, height: height) { x, y in [x * 4, y * 3, x * y, 255] })
            }
            let files = try plain + ["inks.jpg", "progressive.jpg", "grey.jpg"].map(Samples.data)
            for file in files {
                for eighths in [8, 3] {
                    var options = DecodingOptions()
                    let size = try ImageHeader(data: file).size
                    let target = PixelSize(
                        width: max(1, size.width * eighths / 8), height: max(1, size.height * eighths / 8))
                    options.targetSize = target
                    let stored = try ImageDecoder.decode(file, options: options).frames[0].bitmap
                    options.targetSize =
                        orientation < 5 ? target : PixelSize(width: target.height, height: target.width)
                    let data = EXIFSample(orientation: orientation, isBigEndian: true).inserted(into: file)
                    let turned = try ImageDecoder.decode(data, options: options).frames[0].bitmap
                    // The sums of the scaled one are in another order.
                    #expect(turned.differs(from: stored.turned(by: orientation)) <= (eighths == 8 ? 0 : 1))
                }
            }
        }

        @Test func `an invalid orientation is ignored`() throws {
            let whole = EXIFSample(orientation: 6, isBigEndian: true)
            var cut = whole
            cut.directoryOffset = 4_000_000_000
            var crowded = whole
            crowded.entryCount = 65_535
            crowded.tag = 0x0110
            let samples = [
                cut, crowded, EXIFSample(orientation: 0, isBigEndian: true),
                EXIFSample(orientation: 9, isBigEndian: false),
            ]
            for sample in samples {
                let header = try ImageHeader(data: sample.inserted(into: Samples.data("baseline.jpg")))
                #expect(header.size == PixelSize(width: 48, height: 32))
            }
        }

        @Test(arguments: [
            (PixelSize(width: 6, height: 4), PixelSize(width: 6, height: 4)),
            (PixelSize(width: 7, height: 4), PixelSize(width: 7, height: 4)),
            (PixelSize(width: 20, height: 12), PixelSize(width: 20, height: 12)),
            (PixelSize(width: 20, height: 20), PixelSize(width: 48, height: 32)),
            (PixelSize(width: 500, height: 1), PixelSize(width: 48, height: 32)),
        ])
        func `a scaled decode has the target size, or the full one`(target: PixelSize, size: PixelSize) throws {
            var options = DecodingOptions()
            options.targetSize = target
            for name in ["baseline.jpg", "progressive.jpg", "inks.jpg"] {
                let image = try ImageDecoder.decode(Samples.data(name), options: options)
                #expect(image.size == size)
            }
            options.targetSize = PixelSize(width: target.height, height: target.width)
            let turned = try ImageDecoder.decode(Samples.data("turned.jpg"), options: options)
            #expect(turned.size == PixelSize(width: size.height, height: size.width))
            #expect(turned.frames[0].bitmap.shows([2, 0, 3, 1].map { Samples.fields[$0] }, within: 20))
        }

        /// A scaled decode rounds the size up.
        @Test(arguments: [
            (9, 9, 1), (17, 90, 2), (90, 9, 3), (76, 61, 4), (513, 121, 5), (1_601, 33, 6), (601, 49, 7), (49, 61, 8),
        ])
        func `a scaled JPEG is not stretched`(width: Int, height: Int, orientation: Int) throws {
            let picture = Bitmap(width: width, height: height) { x, y in
                // Among few pixels libjpeg blurs stripes.
                [x * 255 / width, y * 255 / height, width > 500 ? x * 8 / width % 2 * 255 : 0, 255]
            }
            let file = try EXIFSample(orientation: orientation, isBigEndian: true)
                .inserted(into: ImageEncoder.jpeg(picture, quality: 1))
            for divisor in [8, 5, 3] {
                var options = DecodingOptions()
                let target = PixelSize(width: max(1, width / divisor), height: max(1, height / divisor))
                let upright = orientation < 5 ? target : PixelSize(width: target.height, height: target.width)
                options.targetSize = upright
                let small = try ImageDecoder.decode(file, options: options).frames[0].bitmap.scaled(to: upright)
                let error = try small.differs(from: picture.scaled(to: target).turned(by: orientation))
                #expect(error <= 60, "by \(error), a \(divisor)th")
            }
        }

        @Test func `a small JPEG at its own size is decoded as it is, and one of a few columns is not stretched`()
            throws
        {
            for (width, height) in [(1, 1), (2, 2), (3, 5), (4, 4), (7, 7), (7, 3), (1, 7), (6, 40)] {
                let picture = Bitmap(width: width, height: height) { x, y in [(x + y) % 2 * 200, x * 30, y * 6, 255] }
                let file = try ImageEncoder.jpeg(picture, quality: 1)
                var options = DecodingOptions()
                let plain = try ImageDecoder.decode(file)
                options.targetSize = picture.size
                #expect(try ImageDecoder.decode(file, options: options) == plain)
                options.targetSize = PixelSize(width: max(1, width / 4), height: max(1, height / 4))
                let target = try #require(options.targetSize)
                let small = try ImageDecoder.decode(file, options: options).frames[0].bitmap.scaled(to: target)
                #expect(try small.differs(from: plain.frames[0].bitmap.scaled(to: target)) <= 24)
            }
        }

        @Test func `quality determines accuracy and file size`() throws {
            let bitmap = Bitmap(width: 61, height: 47) { x, y in [128 + x * 2, 250 - y * 5, (x * y) % 50 * 5, 255] }
            var lengths: [Int] = []
            var errors: [Double] = []
            for quality in [1, 0.8, 0.3, 0] {
                let data = try ImageEncoder.jpeg(bitmap, quality: quality)
                let decoded = try ImageDecoder.decode(data).frames[0].bitmap
                #expect(decoded.size == bitmap.size)
                lengths.append(data.count)
                errors.append(meanError(decoded, bitmap))
            }
            #expect(lengths == lengths.sorted(by: >))
            #expect(errors == errors.sorted() && errors[0] < 1)
            #expect(try ImageEncoder.jpeg(bitmap, quality: 7) == ImageEncoder.jpeg(bitmap, quality: 1))
            #expect(try ImageEncoder.jpeg(bitmap, quality: -7) == ImageEncoder.jpeg(bitmap, quality: 0))
        }

        private func meanError(_ left: Bitmap, _ right: Bitmap) -> Double {
            let sum = zip(left.bytes, right.bytes).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
            return Double(sum) / Double(left.bytes.count)
        }

        @Test func `transparent pixels are laid on white`() throws {
            let bitmap = Bitmap(width: 32, height: 16) { x, _ in x < 16 ? [0, 0, 0, 0] : [255, 0, 0, 128] }
            let decoded = try ImageDecoder.decode(ImageEncoder.jpeg(bitmap)).frames[0].bitmap
            #expect(decoded.shows([[255, 255, 255], [255, 127, 127], [255, 255, 255], [255, 127, 127]], within: 3))
        }

        @Test(arguments: ["baseline.jpg", "progressive.jpg", "grey.jpg", "inks.jpg"])
        func `a JPEG that ends before its pixels do is an error, wherever it ends`(name: String) throws {
            let whole = try Samples.data(name)
            for count in 3..<whole.count - 8 {
                #expect(throws: ImageCodecError.self, "\(count) bytes") { try ImageDecoder.decode(whole.prefix(count)) }
            }
        }

        @Test(arguments: ["baseline.jpg", "grey.jpg", "restart.jpg"])
        func `only the end marker may be missing`(name: String) throws {
            let whole = try Samples.data(name)
            #expect(try ImageDecoder.decode(whole.dropLast(2)) == ImageDecoder.decode(whole))
        }
    }

    /// An APP1 segment with one tag.
    struct EXIFSample {
        var orientation: Int
        var isBigEndian: Bool
        var type = 3
        var count = 1
        var tag = 0x0112
        var directoryOffset = 8
        var entryCount = 1

        private func number(_ value: Int, _ count: Int) -> [UInt8] {
            isBigEndian ? value.bytes(count) : value.littleBytes(count)
        }

        /// The value is in the first of its four bytes; the others mean nothing.
        var tiff: [UInt8] {
            let byteCount = [1: 1, 2: 1, 3: 2, 6: 1, 7: 1, 8: 2][type] ?? 4
            var tiff = Array((isBigEndian ? "MM" : "II").utf8) + number(42, 2) + number(directoryOffset, 4)
            tiff += number(entryCount, 2) + number(tag, 2) + number(type, 2) + number(count, 4)
            return tiff + number(orientation, byteCount) + [UInt8](repeating: 0xEE, count: 4 - byteCount) + number(0, 4)
        }

        func inserted(into jpeg: Data) -> Data {
            let content: [UInt8] = Array("Exif".utf8) + [0, 0] + tiff
            var segment: [UInt8] = [0xFF, 0xE1]
            segment += (content.count + 2).bytes(2)
            return jpeg.prefix(2) + Data(segment + content) + jpeg.dropFirst(2)
        }
    }
#endif
