extension ImageHeader {
    /// Reads the blocks of the file, frame by frame.
    static func ofGIF(_ bytes: UnsafeRawBufferPointer) throws -> ImageHeader {
        var reader = ByteReader(bytes)
        reader.skip(6)
        guard let width = reader.number(ofBytes: 2, isBigEndian: false),
            let height = reader.number(ofBytes: 2, isBigEndian: false), let flags = reader.byte()
        else { throw ImageCodecError.truncated(.gif) }
        reader.skip(2 + GIFBlocks.paletteByteCount(flags))
        let empty = ImageHeader(format: .gif, canvas: PixelSize(width: width, height: height))
        var blocks = GIFBlocks(reader: reader, header: empty)
        blocks.readAll()
        guard blocks.header.frameCount > 0 else {
            throw blocks.reader.left == 0
                ? ImageCodecError.truncated(.gif) : .malformed(.gif, reason: "it has no picture")
        }
        return blocks.header
    }
}

/// Counts frames without decompressing them.
private struct GIFBlocks {
    /// A code represents at most as many pixels as there are codes before it, and there are at most 4096 codes, of 12 bits.
    /// Shorter codes represent even fewer pixels per bit.
    private static let mostPixelsPerByte = 4096 * 8 / 12 + 1

    var reader: ByteReader
    /// The header with the frames read so far.
    var header: ImageHeader

    static func paletteByteCount(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1) }

    /// Reads up to the trailer, the end of the file, or a byte that begins no GIF block.
    mutating func readAll() {
        while let introducer = reader.byte() {
            switch introducer {
            case 0x21:
                reader.skip(1)
                skipSubBlocks()
            case 0x2C: readFrame()
            default: return
            }
        }
    }

    private mutating func readFrame() {
        let edges = (0..<4).compactMap { _ in reader.number(ofBytes: 2, isBigEndian: false) }
        guard edges.count == 4, let flags = reader.byte() else { return noteShortFrame() }
        let size = PixelSize(width: edges[2], height: edges[3])
        // Like browsers: some programs write a screen of 0 × 0 pixels, or one that is too small.
        if header.frameCount == 0 { header.enlargeCanvas(width: edges[0] + edges[2], height: edges[1] + edges[3]) }
        header.keepPixels(of: PixelRect(left: edges[0], top: edges[1], size: size, in: header.storedSize))
        reader.skip(Self.paletteByteCount(flags) + 1)
        let packedByteCount = skipSubBlocks()
        if size.pixelCount > packedByteCount * Self.mostPixelsPerByte { noteShortFrame() }
        header.frameCount += 1
    }

    /// Returns the number of bytes in the sub-blocks. If the file ends in them, a frame is missing, or a part of it.
    @discardableResult private mutating func skipSubBlocks() -> Int {
        var count = 0
        while let length = reader.byte() {
            guard length > 0 else { return count }
            count += min(Int(length), reader.left)
            reader.skip(Int(length))
        }
        noteShortFrame()
        return count
    }

    private mutating func noteShortFrame() { header.shortFrame = header.shortFrame ?? header.frameCount }
}
