extension ImageHeader {
    static func ofWebP(_ bytes: UnsafeRawBufferPointer) throws -> ImageHeader {
        var reader = ByteReader(bytes)
        reader.skip(4)
        let length = reader.number(ofBytes: 4, isBigEndian: false) ?? 0
        reader.skip(4)
        guard let first = WebPChunk(&reader) else { throw ImageCodecError.truncated(.webp) }
        guard first.type == WebPChunk.extended else {
            if let header = ofWebPStill(first) { return header }
            throw first.isComplete
                ? ImageCodecError.malformed(.webp, reason: "it does not begin with a picture") : .truncated(.webp)
        }
        var layout = try WebPLayout(first.content)
        layout.readAll(&reader)
        return try layout.header(isCutOff: length > bytes.count - 8)
    }

    /// Returns nil if the chunk is not a picture.
    fileprivate static func ofWebPStill(_ chunk: WebPChunk) -> ImageHeader? {
        guard let bitstream = WebPBitstream(chunk) else { return nil }
        var header = ImageHeader(format: .webp, storedSize: bitstream.size)
        header.shortFrame = bitstream.isTooLarge(forByteCount: chunk.content.count) ? 0 : nil
        return header
    }
}

/// The contents of a file with the extended header.
private struct WebPLayout {
    /// The header of an animation, with the frames read so far.
    private var animation: ImageHeader
    private let isAnimated: Bool
    private var orientation: ImageOrientation?
    /// The header of the first picture that is not in a frame.
    private var still: ImageHeader?
    private var frameByteCount = 0

    init(_ content: ByteReader) throws {
        var reader = content
        guard let flags = reader.number(ofBytes: 4, isBigEndian: false),
            let width = reader.number(ofBytes: 3, isBigEndian: false),
            let height = reader.number(ofBytes: 3, isBigEndian: false)
        else { throw ImageCodecError.truncated(.webp) }
        animation = ImageHeader(format: .webp, canvas: PixelSize(width: width + 1, height: height + 1))
        isAnimated = flags & 0x02 != 0
    }

    mutating func readAll(_ reader: inout ByteReader) {
        while let chunk = WebPChunk(&reader) {
            switch chunk.type {
            case WebPChunk.frame where isAnimated: note(chunk)
            case WebPChunk.still, WebPChunk.losslessStill: still = still ?? ImageHeader.ofWebPStill(chunk)
            case WebPChunk.exif: orientation = orientation ?? Self.orientation(in: chunk.content)
            default: break
            }
        }
    }

    /// Some programs write the header of the JPEG segment before the EXIF data.
    private static func orientation(in content: ByteReader) -> ImageOrientation? {
        EXIF.orientation(inTIFF: content) ?? EXIF.orientation(inSegment: content)
    }

    private mutating func note(_ chunk: WebPChunk) {
        let frame = WebPFrame(chunk)
        if let frame { animation.keepPixels(of: frame.part(of: animation.storedSize)) }
        frameByteCount += chunk.content.count
        let isShort = frame?.bitstream?.isTooLarge(forByteCount: chunk.content.count) ?? true
        // Also all frames together, because each of many may state just as much as passes.
        let areShort = WebPBitstream.isImplausible(
            pixelCount: animation.keptPixels.all, byteCount: frameByteCount)
        if animation.shortFrame == nil, isShort || areShort || !chunk.isComplete {
            animation.shortFrame = animation.frameCount
        }
        animation.frameCount += 1
    }

    func header(isCutOff: Bool) throws -> ImageHeader {
        guard var header = isAnimated ? animation : still, header.frameCount > 0 else {
            throw isCutOff ? ImageCodecError.truncated(.webp) : .malformed(.webp, reason: "it has no picture")
        }
        if isAnimated {
            // The missing part may contain whole frames.
            header.shortFrame = header.shortFrame ?? (isCutOff ? header.frameCount : nil)
        } else {
            // Of stills only: browsers do not turn an animation either.
            header.orientation = orientation ?? .up
        }
        return header
    }
}
