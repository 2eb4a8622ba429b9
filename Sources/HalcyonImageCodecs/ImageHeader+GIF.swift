extension ImageHeader {
    /// Reads the blocks of the file, frame by frame.
    static func ofGIF(_ bytes: UnsafeRawBufferPointer) throws -> ImageHeader {
        var reader = ByteReader(bytes)
        reader.skip(6)
        guard let width = reader.number(ofBytes: 2, isBigEndian: false),
            let height = reader.number(ofBytes: 2, isBigEndian: false), let flags = reader.byte()
        else { throw ImageCodecError.truncated(.gif) }
        reader.skip(2 + GIFBlocks.paletteByteCount(flags))
        var blocks = GIFBlocks(reader: reader, canvas: PixelSize(width: width, height: height))
        blocks.readAll()
        guard blocks.frameCount > 0 else {
            throw blocks.reader.left == 0
                ? ImageCodecError.truncated(.gif) : .malformed(.gif, reason: "it has no picture")
        }
        var header = ImageHeader(format: .gif, storedSize: blocks.canvas)
        header.frameCount = blocks.frameCount
        header.hasAlpha = blocks.hasAlpha
        header.shortFrame = blocks.shortFrame
        header.firstKeptPixelCount = blocks.firstKeptPixelCount
        header.keptPixelCount = blocks.keptPixelCount
        return header
    }
}

/// Counts frames without decompressing them.
private struct GIFBlocks {
    /// A code represents at most as many pixels as there are codes before it, and there are at most 4096 codes, of 12 bits.
    /// Shorter codes represent even fewer pixels per bit.
    private static let mostPixelsPerByte = 4096 * 8 / 12 + 1

    var reader: ByteReader
    let canvas: PixelSize
    private(set) var frameCount = 0
    private(set) var hasAlpha = false
    private(set) var shortFrame: Int?
    private(set) var firstKeptPixelCount = 0
    private(set) var keptPixelCount = 0

    init(reader: ByteReader, canvas: PixelSize) {
        self.reader = reader
        self.canvas = canvas
    }

    static func paletteByteCount(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1) }

    /// Reads up to the trailer, the end of the file, or a byte that begins no GIF block.
    mutating func readAll() {
        while let introducer = reader.byte() {
            switch introducer {
            case 0x21: readExtension()
            case 0x2C: readFrame()
            default: return
            }
        }
    }

    private mutating func readExtension() {
        let label = reader.byte()
        var first = reader
        if label == 0xF9, first.byte() == 4, let flags = first.byte(), flags & 1 == 1 { hasAlpha = true }
        skipSubBlocks()
    }

    private mutating func readFrame() {
        let edges = (0..<4).compactMap { _ in reader.number(ofBytes: 2, isBigEndian: false) }
        guard edges.count == 4, let flags = reader.byte() else { return }
        let size = PixelSize(width: edges[2], height: edges[3])
        note(PixelRect(left: edges[0], top: edges[1], size: size, in: canvas))
        reader.skip(Self.paletteByteCount(flags) + 1)
        let packedByteCount = skipSubBlocks()
        if shortFrame == nil, size.pixelCount > packedByteCount * Self.mostPixelsPerByte { shortFrame = frameCount }
        frameCount += 1
    }

    private mutating func note(_ part: PixelRect) {
        keptPixelCount += TileGrid(tiled: canvas).pixelCount(touching: part)
        guard frameCount == 0 else { return }
        firstKeptPixelCount = keptPixelCount
        // Pixels outside the first frame stay transparent.
        if part.size != canvas { hasAlpha = true }
    }

    /// Returns the number of bytes in the sub-blocks.
    @discardableResult private mutating func skipSubBlocks() -> Int {
        var count = 0
        while let length = reader.byte(), length > 0 {
            count += min(Int(length), reader.left)
            reader.skip(Int(length))
        }
        return count
    }
}
