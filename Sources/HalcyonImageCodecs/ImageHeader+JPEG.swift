extension ImageHeader {
    static func ofJPEG(_ bytes: UnsafeRawBufferPointer) throws -> ImageHeader {
        var reader = ByteReader(bytes)
        reader.skip(2)
        var frame: JPEGFrame?
        var orientation: ImageOrientation?
        // Read until the pixels begin: the segment with the orientation may follow the one with the size.
        while let segment = JPEGSegment(&reader), !segment.beginsPixels {
            if frame == nil, segment.isFrame { frame = try JPEGFrame(segment) }
            if orientation == nil, segment.marker == 0xE1 { orientation = EXIF.orientation(inSegment: segment.content) }
        }
        guard let frame else { throw ImageCodecError.truncated(.jpeg) }
        var header = ImageHeader(format: .jpeg, storedSize: frame.size)
        header.orientation = orientation ?? .up
        header.shortFrame = frame.leastByteCount > reader.left ? 0 : nil
        return header
    }
}

/// A marker and its segment.
private struct JPEGSegment {
    let marker: UInt8
    let content: ByteReader

    /// Reads the next segment that has a length; `nil` at the end.
    init?(_ reader: inout ByteReader) {
        guard let marker = Self.nextMarker(&reader), let length = reader.number(ofBytes: 2, isBigEndian: true),
            let content = reader.part(ofBytes: length - 2)
        else { return nil }
        self.marker = marker
        self.content = content
    }

    /// Skips fill bytes, garbage between segments, and markers without a length.
    private static func nextMarker(_ reader: inout ByteReader) -> UInt8? {
        var previous: UInt8 = 0
        while let byte = reader.byte() {
            let isAlone = byte <= 0x01 || (0xD0...0xD8).contains(byte) || byte == 0xFF
            if previous == 0xFF, !isAlone { return byte }
            previous = byte
        }
        return nil
    }

    /// Whether this is the start of scan or the end of the image.
    var beginsPixels: Bool { marker == 0xDA || marker == 0xD9 }

    /// Markers C0 to CF, except tables and reserved markers.
    var isFrame: Bool { (0xC0...0xCF).contains(marker) && ![0xC4, 0xC8, 0xCC].contains(marker) }
}

private struct JPEGFrame {
    let size: PixelSize
    private let isProgressive: Bool
    /// For each component, its number of samples in each direction relative to the others.
    private var sampling: [PixelSize] = []

    init(_ segment: JPEGSegment) throws {
        // Baseline, extended and progressive with Huffman codes. The bound below does not hold for arithmetic coding.
        guard (0xC0...0xC2).contains(segment.marker) else {
            throw ImageCodecError.unsupported(.jpeg, reason: "lossless, hierarchical or arithmetic coding")
        }
        var content = segment.content
        guard let bits = content.byte(), let height = content.number(ofBytes: 2, isBigEndian: true),
            let width = content.number(ofBytes: 2, isBigEndian: true), let count = content.byte()
        else { throw ImageCodecError.malformed(.jpeg, reason: "a short header") }
        guard bits == 8 else { throw ImageCodecError.unsupported(.jpeg, reason: "\(bits) bits per sample") }
        size = PixelSize(width: width, height: height)
        isProgressive = segment.marker == 0xC2
        for _ in 0..<count { sampling.append(try Self.sampling(&content)) }
    }

    /// Each component has three bytes: its id, two 4-bit sampling factors, its table.
    private static func sampling(_ content: inout ByteReader) throws -> PixelSize {
        guard content.byte() != nil, let factors = content.byte(), content.byte() != nil else {
            throw ImageCodecError.malformed(.jpeg, reason: "a short header")
        }
        let sampling = PixelSize(width: Int(factors >> 4), height: Int(factors & 15))
        guard (1...4).contains(sampling.width), (1...4).contains(sampling.height) else {
            throw ImageCodecError.malformed(.jpeg, reason: "a sampling of \(sampling)")
        }
        return sampling
    }

    /// The least number of bytes that any compressor can produce: each block of 8 × 8 samples takes at least one bit for the code
    /// of its mean, and one for the code that ends the block (ITU-T T.81, F.1.2). A progressive file may omit the second (G.1.2).
    var leastByteCount: Int {
        let most = PixelSize(width: sampling.map(\.width).max() ?? 1, height: sampling.map(\.height).max() ?? 1)
        let blocks = sampling.reduce(0) { sum, own in
            let across = Self.blocks(size.width * own.width, per: most.width)
            return sum + across * Self.blocks(size.height * own.height, per: most.height)
        }
        return blocks * (isProgressive ? 1 : 2) / 8
    }

    private static func blocks(_ samples: Int, per most: Int) -> Int {
        ((samples + most - 1) / most + 7) / 8
    }
}
