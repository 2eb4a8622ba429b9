/// A chunk of a WebP file (https://developers.google.com/speed/webp/docs/riff_container).
struct WebPChunk {
    /// Chunk types: four bytes, big-endian.
    static let still = fourCC("VP8 ")
    static let losslessStill = fourCC("VP8L")
    static let extended = fourCC("VP8X")
    static let animation = fourCC("ANIM")
    static let frame = fourCC("ANMF")
    static let alpha = fourCC("ALPH")
    static let exif = fourCC("EXIF")

    let type: Int
    /// The content, as far as the file has it.
    let content: ByteReader
    let isComplete: Bool

    /// Returns nil at the end.
    init?(_ reader: inout ByteReader) {
        guard let type = reader.number(ofBytes: 4, isBigEndian: true),
            let length = reader.number(ofBytes: 4, isBigEndian: false)
        else { return nil }
        self.type = type
        isComplete = length <= reader.left
        guard let content = reader.part(ofBytes: min(length, reader.left)) else { return nil }
        self.content = content
        // Chunks begin at even offsets.
        reader.skip(length & 1)
    }

    static func contains(_ type: Int, _ chunks: ByteReader) -> Bool {
        var reader = chunks
        while let chunk = WebPChunk(&reader) { if chunk.type == type { return true } }
        return false
    }

    private static func fourCC(_ text: StaticString) -> Int {
        text.withUTF8Buffer { $0.reduce(0) { $0 << 8 | Int($1) } }
    }
}

/// The header of a WebP bitstream.
struct WebPBitstream {
    let size: PixelSize
    let isLossless: Bool

    /// See RFC 6386, 9.1, and the WebP lossless specification, 3. Returns nil if the bytes begin differently.
    init?(_ chunk: WebPChunk) {
        var reader = chunk.content
        switch chunk.type {
        case WebPChunk.still:
            reader.skip(3)
            guard reader.expect([0x9D, 0x01, 0x2A]), let width = reader.number(ofBytes: 2, isBigEndian: false),
                let height = reader.number(ofBytes: 2, isBigEndian: false)
            else { return nil }
            size = PixelSize(width: width & 0x3FFF, height: height & 0x3FFF)
            isLossless = false
        case WebPChunk.losslessStill:
            guard reader.expect([0x2F]), let bits = reader.number(ofBytes: 4, isBigEndian: false) else { return nil }
            size = PixelSize(width: bits & 0x3FFF + 1, height: bits >> 14 & 0x3FFF + 1)
            isLossless = true
        default: return nil
        }
    }

    /// Whether this many bytes are too few for an image of this size. In a lossy one each 16 × 16 pixels take at least three bits
    /// for their prediction mode.
    func isTooLarge(forByteCount count: Int) -> Bool {
        guard !isLossless else { return Self.isImplausible(pixelCount: size.pixelCount, byteCount: count) }
        let blocks = PixelSize(width: (size.width + 15) / 16, height: (size.height + 15) / 16).pixelCount
        return blocks * 3 / 8 > count
    }

    /// Whether no picture with anything on it has so few bytes. A lossless image of one color may state any size in eight bytes,
    /// so the format itself sets no bound. With two colors or more, a byte encodes some 3,000 pixels at best, unless the
    /// colors are so few that pixels are packed; PNG and GIF have similar bounds. Small images may be of one color.
    static func isImplausible(pixelCount: Int, byteCount: Int) -> Bool {
        pixelCount > 1 << 24 && (pixelCount - 1 << 24) / 4_000 > byteCount
    }
}

/// One frame of an animation, as its chunk describes it.
struct WebPFrame {
    let left, top: Int
    let size: PixelSize
    let milliseconds: Int
    /// Whether the frame replaces the pixels under it; otherwise it is blended over them by its alpha.
    let replaces: Bool
    /// Whether the frame's part of the canvas becomes transparent before the next frame.
    let isDisposed: Bool
    /// The chunks of the frame, in the form that a still-image decoder reads.
    let content: ByteReader
    let bitstream: WebPBitstream?

    init?(_ chunk: WebPChunk) {
        var reader = chunk.content
        let numbers = (0..<5).compactMap { _ in reader.number(ofBytes: 3, isBigEndian: false) }
        guard numbers.count == 5, let flags = reader.byte(), let content = reader.part(ofBytes: reader.left) else {
            return nil
        }
        (left, top) = (numbers[0] * 2, numbers[1] * 2)
        size = PixelSize(width: numbers[2] + 1, height: numbers[3] + 1)
        milliseconds = numbers[4]
        (replaces, isDisposed) = (flags & 2 != 0, flags & 1 != 0)
        self.content = content
        var parts = content
        var found: WebPBitstream?
        while found == nil, let part = WebPChunk(&parts) { found = WebPBitstream(part) }
        bitstream = found
    }

    func part(of canvas: PixelSize) -> PixelRect { PixelRect(left: left, top: top, size: size, in: canvas) }

    /// Like browsers, shows frames of at most 10 ms for 0.1 s.
    var durationInSeconds: Double { milliseconds <= 10 ? 0.1 : Double(milliseconds) / 1000 }
}
