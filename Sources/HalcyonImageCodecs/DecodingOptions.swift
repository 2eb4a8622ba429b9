/// How much of a picture is decoded, and how much memory that may take.
package struct DecodingOptions: Sendable {
    /// For one frame, as stored. Decoding takes four bytes for each, and while it runs up to eight more for a progressive
    /// JPEG, or a PNG's row once more. A GIF takes them for the tiles that a frame touches.
    package var pixelLimit = 100_000_000

    /// For all frames together, each as big as the canvas; the frames of a GIF are all kept, with their tiles in common.
    package var totalPixelLimit = 250_000_000

    /// Stops after the first frame; what follows is not even looked at.
    package var firstFrameOnly = false

    /// JPEG only: decode at the fewest eighths of the stored size that are not smaller than this in either direction
    /// (of the picture upright), which takes a fraction of the memory and, unless the JPEG is progressive, of the time.
    /// The result is seldom exactly this size: ``Bitmap/scaled(to:)`` does the rest.
    package var targetSize: PixelSize?

    package init() {}
}
