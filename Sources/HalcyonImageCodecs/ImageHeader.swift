package import Foundation

/// What a file states about its image, read without decoding: no allocation, and at most one pass over the file.
///
/// The file may be wrong: decoding checks it.
package struct ImageHeader: Sendable {
    package let format: ImageFileFormat
    /// The size of the upright image, after applying the EXIF orientation.
    package var size: PixelSize { orientation.upright(storedSize) }
    /// The number of frames found, complete or not; at least one.
    package var frameCount = 1
    /// Whether the file is one of an animation, even with a single frame.
    private(set) var isAnimated = false

    package private(set) var storedSize: PixelSize
    package var orientation = ImageOrientation.up

    /// The first frame that has more pixels than its compressed bytes can encode at best: the file is truncated, or states a
    /// wrong size.
    var shortFrame: Int?

    /// The number of pixels in memory after decoding the first frame, or all frames. Excludes pixels that no frame draws on, and
    /// pixels that are unchanged from the previous frame.
    package private(set) var keptPixels: (first: Int, all: Int)

    init(format: ImageFileFormat, storedSize: PixelSize) {
        self.format = format
        self.storedSize = storedSize
        keptPixels = (storedSize.pixelCount, storedSize.pixelCount)
    }

    /// Describes a canvas without frames.
    init(format: ImageFileFormat, canvas: PixelSize) {
        self.init(format: format, storedSize: canvas)
        (frameCount, keptPixels, isAnimated) = (0, (0, 0), true)
    }

    /// Enlarges the canvas so that it contains the first frame.
    mutating func enlargeCanvas(width: Int, height: Int) {
        storedSize = PixelSize(width: max(storedSize.width, width), height: max(storedSize.height, height))
    }

    /// Adds what the next frame keeps in memory. Call it before you count the frame.
    mutating func keepPixels(of part: PixelRect) {
        // Saturates: 32,768 frames of the largest size have more pixels than an Int counts.
        let count = TileGrid(tiled: storedSize).pixelCount(touching: part)
        let (sum, overflow) = keptPixels.all.addingReportingOverflow(count)
        keptPixels.all = overflow ? .max : sum
        if frameCount == 0 { keptPixels.first = keptPixels.all }
    }

    /// - Throws: ``ImageCodecError`` if the format is unknown or unsupported, if the width or height is 0, or if the file ends
    ///   before its size.
    package init(data: Data) throws {
        self = try data.withUnsafeBytes { try ImageHeader(bytes: $0) }
    }

    init(bytes: UnsafeRawBufferPointer) throws {
        guard let format = ImageFileFormat(signatureOf: bytes) else { throw ImageCodecError.unknownFormat }
        switch format {
        case .png: self = try Self.ofPNG(bytes)
        case .jpeg: self = try Self.ofJPEG(bytes)
        case .gif: self = try Self.ofGIF(bytes)
        case .webp: self = try Self.ofWebP(bytes)
        }
        guard storedSize.width > 0, storedSize.height > 0 else {
            throw ImageCodecError.malformed(format, reason: "invalid size \(storedSize)")
        }
    }

    /// Throws if the image is larger than the limits, or than its compressed bytes can encode.
    package func check(_ options: DecodingOptions) throws {
        let count = storedSize.pixelCount
        guard count <= options.pixelLimit else {
            throw ImageCodecError.tooManyPixels(count: count, limit: options.pixelLimit)
        }
        if frameCount > 1, !options.firstFrameOnly {
            let cost = FrameBudget.leastCost(ofFramesOn: storedSize, limit: options.totalPixelLimit)
            let (all, overflow) = cost.multipliedReportingOverflow(by: frameCount)
            guard !overflow, all <= options.totalPixelLimit else {
                throw ImageCodecError.tooManyPixels(count: overflow ? .max : all, limit: options.totalPixelLimit)
            }
        }
        guard let shortFrame, shortFrame == 0 || !options.firstFrameOnly else { return }
        throw ImageCodecError.truncated(format)
    }
}
