package import Foundation

/// What a file says of its picture, read without decoding anything: no allocation, and at most one pass over the file.
///
/// It is a promise of the file, not a fact: decoding checks it.
package struct ImageHeader: Equatable, Sendable {
    package let format: ImageFileFormat
    /// Of the picture upright, after EXIF's orientation.
    package var size: PixelSize { orientation.upright(storedSize) }
    /// Complete and incomplete ones, as far as the file is whole; at least one.
    package var frameCount = 1
    package var hasAlpha = false
    package var isAnimated: Bool { frameCount > 1 }

    package let storedSize: PixelSize
    package var orientation = ImageOrientation.up

    /// The first frame that has more pixels than its compressed bytes can encode, however well they are packed: the file is
    /// truncated, or lies about its size.
    var shortFrame: Int?

    /// The pixels that are in memory once the first frame is decoded, or all of them: those that no frame draws on are not, nor
    /// those that look as they did in the frame before.
    package var keptPixels: (first: Int, all: Int) { (firstKeptPixelCount, keptPixelCount) }
    var firstKeptPixelCount: Int
    var keptPixelCount: Int

    init(format: ImageFileFormat, storedSize: PixelSize) {
        self.format = format
        self.storedSize = storedSize
        firstKeptPixelCount = storedSize.pixelCount
        keptPixelCount = storedSize.pixelCount
    }

    /// - Throws: ``ImageCodecError`` if the file is of no known format, of a kind that is not read, empty in one
    ///   direction, or ends before it has told its size.
    package init(data: Data) throws {
        self = try data.withUnsafeBytes { try ImageHeader(bytes: $0) }
    }

    init(bytes: UnsafeRawBufferPointer) throws {
        guard let format = ImageFileFormat(signatureOf: bytes) else { throw ImageCodecError.unknownFormat }
        switch format {
        case .png: self = try Self.ofPNG(bytes)
        case .jpeg: self = try Self.ofJPEG(bytes)
        case .gif: self = try Self.ofGIF(bytes)
        }
        guard storedSize.width > 0, storedSize.height > 0 else {
            throw ImageCodecError.malformed(format, reason: "a size of \(storedSize)")
        }
    }

    /// Throws if the picture is larger than the limits, or than its compressed bytes can encode.
    package func check(_ options: DecodingOptions) throws {
        let limit = min(options.pixelLimit, options.totalPixelLimit)
        let count = storedSize.pixelCount
        guard count <= limit else { throw ImageCodecError.tooManyPixels(count: count, limit: limit) }
        let (all, overflow) = count.multipliedReportingOverflow(by: options.firstFrameOnly ? 1 : frameCount)
        guard !overflow, all <= options.totalPixelLimit else {
            throw ImageCodecError.tooManyPixels(count: overflow ? .max : all, limit: options.totalPixelLimit)
        }
        guard let shortFrame, shortFrame == 0 || !options.firstFrameOnly else { return }
        throw ImageCodecError.truncated(format)
    }
}
