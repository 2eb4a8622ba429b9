/// How much of an image is decoded, and how much memory decoding may take.
package struct DecodingOptions: Sendable {
    /// The pixel limit for one frame, as stored. Decoding takes four bytes per pixel, and temporarily
    /// - up to eight more for a progressive JPEG,
    /// - four more for a lossless WebP, and four more for a WebP that is turned upright,
    /// - four more for the part that a frame of an animated WebP covers, or eight if the frame is lossless,
    /// - one more row for a PNG.
    ///
    /// An animation takes four for the tiles that a frame touches: up to 32 times the pixels of a narrow frame.
    package var pixelLimit = 100_000_000

    /// The pixel limit for all frames together, each as large as the canvas. All frames of an animation are kept, and share tiles.
    package var totalPixelLimit = 250_000_000

    /// Stops after the first frame, without reading the rest of the file.
    package var firstFrameOnly = false

    /// JPEG: decodes at the smallest number of eighths of the stored size that is exactly or at least twice as large in both directions
    /// (of the upright image), and scales the result to this size. This takes a fraction of the memory and, unless the JPEG is
    /// progressive, of the time. If all eighths are needed, the result has the full size: use ``Bitmap/scaled(to:)``.
    ///
    /// WebP: decodes at this size, unless the image is smaller, or is lossy and has alpha. A lossless one still takes four bytes for
    /// each stored pixel. Of an animation only the first frame is scaled, if it alone is decoded and covers the canvas.
    ///
    /// Other formats are decoded at full size.
    package var targetSize: PixelSize?

    package init() {}
}
