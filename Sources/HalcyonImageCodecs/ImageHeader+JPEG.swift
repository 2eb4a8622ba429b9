extension ImageHeader {
    static func ofJPEG(_ bytes: UnsafeRawBufferPointer) throws -> ImageHeader {
        var reader = ByteReader(bytes)
        reader.skip(2)
        var frame: JPEGFrame?
        var orientation: ImageOrientation?
        // Until the pixels begin: a segment with the orientation may follow the one with the size.
        while let segment = JPEGSegment(&reader), !segment.beginsPixels {
            if frame == nil, segment.isFrame { frame = try JPEGFrame(segment) }
            if orientation == nil, segment.marker == 0xE1 { orientation = EXIF.orientation(in: segment.content) }
        }
        guard let frame else { throw ImageCodecError.truncated(.jpeg) }
        var header = ImageHeader(format: .jpeg, storedSize: frame.size)
        header.orientation = orientation ?? .up
        header.leastByteCount = frame.size.pixelCount / JPEGFrame.mostPixelsPerByte
        return header
    }
}

/// A marker and what belongs to it.
private struct JPEGSegment {
    let marker: UInt8
    let content: ByteReader

    /// The next one that has a length; `nil` at the end.
    init?(_ reader: inout ByteReader) {
        guard let marker = Self.nextMarker(&reader), let length = reader.number(ofBytes: 2, isBigEndian: true),
            let content = reader.part(ofBytes: length - 2)
        else { return nil }
        self.marker = marker
        self.content = content
    }

    /// Passes over fill bytes, rubbish between segments, and markers that stand alone.
    private static func nextMarker(_ reader: inout ByteReader) -> UInt8? {
        var previous: UInt8 = 0
        while let byte = reader.byte() {
            let isAlone = byte <= 0x01 || (0xD0...0xD8).contains(byte) || byte == 0xFF
            if previous == 0xFF, !isAlone { return byte }
            previous = byte
        }
        return nil
    }

    /// Start of scan, or the end of the picture.
    var beginsPixels: Bool { marker == 0xDA || marker == 0xD9 }

    /// The markers from C0 to CF that are neither tables nor reserved.
    var isFrame: Bool { (0xC0...0xCF).contains(marker) && ![0xC4, 0xC8, 0xCC].contains(marker) }
}

private struct JPEGFrame {
    /// Each block of 8 × 8 samples takes a bit at least, and the coarsest sampling has eight blocks for 32 × 32 pixels.
    static let mostPixelsPerByte = 1024

    let size: PixelSize

    init(_ segment: JPEGSegment) throws {
        // Baseline, extended and progressive with Huffman codes. Arithmetic coding would void the bound above.
        guard (0xC0...0xC2).contains(segment.marker) else {
            throw ImageCodecError.unsupported(.jpeg, reason: "lossless, hierarchical or arithmetic coding")
        }
        var content = segment.content
        guard let bits = content.byte(), let height = content.number(ofBytes: 2, isBigEndian: true),
            let width = content.number(ofBytes: 2, isBigEndian: true)
        else { throw ImageCodecError.malformed(.jpeg, reason: "a short header") }
        guard bits == 8 else { throw ImageCodecError.unsupported(.jpeg, reason: "\(bits) bits per sample") }
        size = PixelSize(width: width, height: height)
    }
}
