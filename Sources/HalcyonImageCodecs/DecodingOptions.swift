/// How much of an image is decoded, and how much memory decoding may take.
package struct DecodingOptions: Sendable {
    /// The pixel limit for one frame, as stored. Decoding takes four bytes per pixel, and temporarily up to eight more for a
    /// progressive JPEG, or one more row for a PNG. A GIF takes them for the tiles that a frame touches.
    package var pixelLimit = 100_000_000

    /// The pixel limit for all frames together, each as large as the canvas. All frames of a GIF are kept, and share tiles.
    package var totalPixelLimit = 250_000_000

    /// Stops after the first frame, without reading the rest of the file.
    package var firstFrameOnly = false

    /// JPEG only: decodes at the smallest number of eighths of the stored size that is at least this large in both directions (of
    /// the upright image). This takes a fraction of the memory and, unless the JPEG is progressive, of the time. The result
    /// rarely has exactly this size: use ``Bitmap/scaled(to:)`` for the rest.
    package var targetSize: PixelSize?

    package init() {}
}
