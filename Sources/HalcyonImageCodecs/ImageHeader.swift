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

    /// No compressor can make the first frame smaller than this: a shorter file is truncated, or lies about its size.
    var leastByteCount = 0

    init(format: ImageFileFormat, storedSize: PixelSize) {
        self.format = format
        self.storedSize = storedSize
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

    /// Throws if the picture is larger than the limits, or cannot be in a file of that length.
    package func check(byteCount: Int, options: DecodingOptions) throws {
        let limit = min(options.pixelLimit, options.totalPixelLimit)
        let count = storedSize.pixelCount
        guard count <= limit else { throw ImageCodecError.tooManyPixels(count: count, limit: limit) }
        let (all, overflow) = count.multipliedReportingOverflow(by: options.firstFrameOnly ? 1 : frameCount)
        guard !overflow, all <= options.totalPixelLimit else {
            throw ImageCodecError.tooManyPixels(count: overflow ? .max : all, limit: options.totalPixelLimit)
        }
        guard byteCount >= leastByteCount else { throw ImageCodecError.truncated(format) }
    }
}
