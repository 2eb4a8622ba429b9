extension ImageHeader {
    /// Passes over the blocks of the file, frame by frame.
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
        return header
    }
}

/// Counts frames without unpacking them.
private struct GIFBlocks {
    var reader: ByteReader
    let canvas: PixelSize
    private(set) var frameCount = 0
    private(set) var hasAlpha = false

    init(reader: ByteReader, canvas: PixelSize) {
        self.reader = reader
        self.canvas = canvas
    }

    static func paletteByteCount(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1) }

    /// Up to the trailer, the end of the file, or what is none of GIF's blocks.
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
        frameCount += 1
        let coversCanvas = edges[0] == 0 && edges[1] == 0 && edges[2] >= canvas.width && edges[3] >= canvas.height
        // What the first frame leaves out stays transparent.
        if frameCount == 1, !coversCanvas { hasAlpha = true }
        reader.skip(Self.paletteByteCount(flags) + 1)
        skipSubBlocks()
    }

    private mutating func skipSubBlocks() {
        while let length = reader.byte(), length > 0 { reader.skip(Int(length)) }
    }
}
