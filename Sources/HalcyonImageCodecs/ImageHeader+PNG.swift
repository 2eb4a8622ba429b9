extension ImageHeader {
    static func ofPNG(_ bytes: UnsafeRawBufferPointer) throws -> ImageHeader {
        var reader = ByteReader(bytes)
        reader.skip(8)
        guard let chunk = PNGChunk(&reader), chunk.type == PNGChunk.header, var content = chunk.content else {
            throw reader.left == 0
                ? ImageCodecError.truncated(.png) : .malformed(.png, reason: "it does not begin with a header")
        }
        let layout = try PNGLayout(&content)
        guard layout.size.width <= PNGLayout.widthLimit else {
            throw ImageCodecError.unsupported(.png, reason: "more than \(PNGLayout.widthLimit) pixels in a row")
        }
        var header = ImageHeader(format: .png, storedSize: layout.size)
        let packedByteCount = try header.readChunks(&reader)
        header.shortFrame = layout.unpackedByteCount / PNGLayout.mostCompression > packedByteCount ? 0 : nil
        return header
    }

    /// Reads the chunks up to the last and returns the number of compressed pixel bytes. Throws if the file ends within them,
    /// which is cheap to detect here, long before decoding.
    private mutating func readChunks(_ reader: inout ByteReader) throws -> Int {
        var packedByteCount = 0
        var orientation: ImageOrientation?
        while let chunk = PNGChunk(&reader), chunk.type != PNGChunk.end {
            switch chunk.type {
            case PNGChunk.pixels:
                guard let content = chunk.content else { throw ImageCodecError.truncated(.png) }
                packedByteCount += content.count
            case PNGChunk.exif:
                guard let content = chunk.content else { throw ImageCodecError.truncated(.png) }
                orientation = orientation ?? EXIF.orientation(inTIFF: content)
            default: break
            }
        }
        self.orientation = orientation ?? .up
        return packedByteCount
    }
}

/// One chunk: length, type, content, checksum.
private struct PNGChunk {
    static let header = 0x4948_4452
    static let pixels = 0x4944_4154
    static let exif = 0x6558_4966
    static let end = 0x4945_4E44

    let type: Int
    /// `nil` if the file ends inside the chunk.
    let content: ByteReader?

    init?(_ reader: inout ByteReader) {
        guard let length = reader.number(ofBytes: 4, isBigEndian: true),
            let type = reader.number(ofBytes: 4, isBigEndian: true)
        else { return nil }
        self.type = type
        content = reader.part(ofBytes: length)
        // Skip the checksum. If the content is cut off, nothing is left to read.
        reader.skip(content == nil ? reader.left : 4)
    }
}

struct PNGLayout {
    /// Deflate's best compression ratio: 258 bytes for two bits.
    static let mostCompression = 1032

    /// Libpng's own limit. It has several rows in memory, of up to eight bytes per pixel.
    static let widthLimit = 1_000_000

    let size: PixelSize
    let bitsPerPixel: Int

    init(_ content: inout ByteReader) throws {
        guard let width = content.number(ofBytes: 4, isBigEndian: true),
            let height = content.number(ofBytes: 4, isBigEndian: true),
            let depth = content.byte(), let colourType = content.byte()
        else { throw ImageCodecError.malformed(.png, reason: "a short header") }
        guard let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][colourType], [1, 2, 4, 8, 16].contains(depth) else {
            throw ImageCodecError.malformed(.png, reason: "color type \(colourType) with \(depth) bits")
        }
        size = PixelSize(width: width, height: height)
        bitsPerPixel = channels * Int(depth)
    }

    /// Excludes the byte that begins each row: interlaced files have different rows.
    var unpackedByteCount: Int {
        let (bits, overflow) = size.pixelCount.multipliedReportingOverflow(by: bitsPerPixel)
        return overflow ? .max : bits / 8
    }
}
