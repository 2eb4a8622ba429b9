/// The one tag of EXIF that changes what a picture looks like.
enum EXIF {
    private static let orientationTag = 0x0112
    private static let shortType = 3

    /// From the content of a JPEG's APP1 segment; `nil` if there is none or it is none of the eight.
    static func orientation(in segment: ByteReader) -> ImageOrientation? {
        var reader = segment
        guard reader.expect("Exif".utf8), reader.expect([0, 0]), var tiff = reader.part(ofBytes: reader.left),
            let isBigEndian = byteOrder(&tiff), tiff.number(ofBytes: 2, isBigEndian: isBigEndian) == 42,
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
            guard entry.number(ofBytes: 2, isBigEndian: isBigEndian) == shortType else { return nil }
            entry.skip(4)
            return entry.number(ofBytes: 2, isBigEndian: isBigEndian).flatMap(ImageOrientation.init)
        }
        return nil
    }
}
