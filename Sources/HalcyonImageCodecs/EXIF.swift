/// The only EXIF tag that changes how an image looks.
enum EXIF {
    private static let orientationTag = 0x0112
    /// The sizes of the integer types: 8, 16 and 32 bits, unsigned and signed. The specification requires 16-bit unsigned, but
    /// programs write all of them.
    private static let byteCounts = [1: 1, 3: 2, 4: 4, 6: 1, 8: 2, 9: 4]

    /// The orientation in a JPEG's APP1 segment; `nil` if it has none or an invalid one.
    static func orientation(inSegment segment: ByteReader) -> ImageOrientation? {
        var reader = segment
        guard reader.expect("Exif".utf8), reader.expect([0, 0]), let tiff = reader.part(ofBytes: reader.left) else {
            return nil
        }
        return orientation(inTIFF: tiff)
    }

    /// The orientation in data that begins like a TIFF, such as a PNG's `eXIf` chunk.
    static func orientation(inTIFF content: ByteReader) -> ImageOrientation? {
        var tiff = content
        guard let isBigEndian = byteOrder(&tiff), tiff.number(ofBytes: 2, isBigEndian: isBigEndian) == 42,
            let start = tiff.number(ofBytes: 4, isBigEndian: isBigEndian)
        else { return nil }
        tiff.skip(start - tiff.position)
        return orientation(inDirectory: &tiff, isBigEndian: isBigEndian)
    }

    private static func byteOrder(_ tiff: inout ByteReader) -> Bool? {
        switch tiff.number(ofBytes: 2, isBigEndian: true) {
        case 0x4D4D: true
        case 0x4949: false
        default: nil
        }
    }

    /// Each entry has twelve bytes: tag, type, count, value.
    private static func orientation(inDirectory tiff: inout ByteReader, isBigEndian: Bool) -> ImageOrientation? {
        guard let count = tiff.number(ofBytes: 2, isBigEndian: isBigEndian) else { return nil }
        for _ in 0..<count {
            guard var entry = tiff.part(ofBytes: 12) else { return nil }
            guard entry.number(ofBytes: 2, isBigEndian: isBigEndian) == orientationTag else { continue }
            return value(of: &entry, isBigEndian: isBigEndian).flatMap(ImageOrientation.init)
        }
        return nil
    }

    /// Reads the value after the tag. Up to four bytes of values are in the entry itself, the first value first.
    private static func value(of entry: inout ByteReader, isBigEndian: Bool) -> Int? {
        guard let type = entry.number(ofBytes: 2, isBigEndian: isBigEndian), let byteCount = byteCounts[type],
            let count = entry.number(ofBytes: 4, isBigEndian: isBigEndian), count <= 4 / byteCount
        else { return nil }
        return entry.number(ofBytes: byteCount, isBigEndian: isBigEndian)
    }
}
