extension ImageHeader {
    static func ofWebP(_ bytes: UnsafeRawBufferPointer) throws -> ImageHeader {
        var reader = ByteReader(bytes)
        reader.skip(4)
        let length = reader.number(ofBytes: 4, isBigEndian: false) ?? 0
        reader.skip(4)
        guard let first = WebPChunk(&reader) else { throw ImageCodecError.truncated(.webp) }
        guard first.type == WebPChunk.extended else {
            return try ofWebPStill(try Self.bitstream(of: first), byteCount: first.content.count)
        }
        var layout = try WebPLayout(first.content)
        layout.readAll(&reader)
        return try layout.header(isCutOff: length > bytes.count - 8)
    }

    fileprivate static func bitstream(of chunk: WebPChunk) throws -> WebPBitstream {
        if let bitstream = WebPBitstream(chunk) { return bitstream }
        throw chunk.isComplete
            ? ImageCodecError.malformed(.webp, reason: "it does not begin with a picture") : .truncated(.webp)
    }

    fileprivate static func ofWebPStill(_ bitstream: WebPBitstream, byteCount: Int) throws -> ImageHeader {
        var header = ImageHeader(format: .webp, storedSize: bitstream.size)
        header.shortFrame = bitstream.isTooLarge(forByteCount: byteCount) ? 0 : nil
        return header
    }
}

/// The contents of a file with the extended header.
private struct WebPLayout {
    /// The header of an animation, with the frames read so far.
    private var animation: ImageHeader
    private let isAnimated: Bool
    private var orientation: ImageOrientation?
    private var still: (bitstream: WebPBitstream, byteCount: Int)?
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
            case WebPChunk.still, WebPChunk.losslessStill:
                if still == nil, let bitstream = WebPBitstream(chunk) { still = (bitstream, chunk.content.count) }
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
        var header = animation
        if isAnimated {
            guard header.frameCount > 0 else {
                throw isCutOff ? ImageCodecError.truncated(.webp) : .malformed(.webp, reason: "it has no picture")
            }
            // The missing part may contain whole frames.
            header.shortFrame = header.shortFrame ?? (isCutOff ? header.frameCount : nil)
        } else {
            guard let still else {
                throw isCutOff ? ImageCodecError.truncated(.webp) : .malformed(.webp, reason: "it has no picture")
            }
            header = try .ofWebPStill(still.bitstream, byteCount: still.byteCount)
            // Of stills only: browsers do not turn an animation either.
            header.orientation = orientation ?? .up
        }
        return header
    }
}
