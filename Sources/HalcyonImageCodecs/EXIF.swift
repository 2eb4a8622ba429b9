/// The one tag of EXIF that changes what a picture looks like.
enum EXIF {
    private static let orientationTag = 0x0112
    /// Of the types of whole numbers: 8, 16 and 32 bits, without and with a sign. The specification wants 16 without; programs
    /// write them all.
    private static let byteCounts = [1: 1, 3: 2, 4: 4, 6: 1, 8: 2, 9: 4]

    /// From the content of a JPEG's APP1 segment; `nil` if there is none or it is none of the eight.
    static func orientation(inSegment segment: ByteReader) -> ImageOrientation? {
        var reader = segment
        guard reader.expect("Exif".utf8), reader.expect([0, 0]), let tiff = reader.part(ofBytes: reader.left) else {
            return nil
        }
        return orientation(inTIFF: tiff)
    }

    /// From what begins as a TIFF does: the content of a PNG's `eXIf` chunk.
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

    /// Twelve bytes for each entry: tag, type, count, value.
    private static func orientation(inDirectory tiff: inout ByteReader, isBigEndian: Bool) -> ImageOrientation? {
        guard let count = tiff.number(ofBytes: 2, isBigEndian: isBigEndian) else { return nil }
        for _ in 0..<count {
            guard var entry = tiff.part(ofBytes: 12) else { return nil }
            guard entry.number(ofBytes: 2, isBigEndian: isBigEndian) == orientationTag else { continue }
            return value(of: &entry, isBigEndian: isBigEndian).flatMap(ImageOrientation.init)
        }
        return nil
    }

    /// Behind the tag. Four bytes or fewer are in the entry itself, the first value in the first of them.
    private static func value(of entry: inout ByteReader, isBigEndian: Bool) -> Int? {
        guard let type = entry.number(ofBytes: 2, isBigEndian: isBigEndian), let byteCount = byteCounts[type],
            let count = entry.number(ofBytes: 4, isBigEndian: isBigEndian), count <= 4 / byteCount
        else { return nil }
        return entry.number(ofBytes: byteCount, isBigEndian: isBigEndian)
    }
}
