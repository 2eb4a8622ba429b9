/// A picture with its pixels.
package struct DecodedImage: Sendable {
    /// One picture of an animation, as it looks on the screen: what was under it is already there.
    package struct Frame: Sendable {
        package let bitmap: Bitmap
        /// How long it is shown, in seconds; 0 for a still picture.
        package let durationInSeconds: Double

        package init(bitmap: Bitmap, durationInSeconds: Double = 0) {
            self.bitmap = bitmap
            self.durationInSeconds = durationInSeconds
        }
    }

    package let format: ImageFileFormat
    /// One at least, all of the same size.
    package let frames: [Frame]
    /// How often an animation is played: 0 is for ever. As in the file; 1 if it does not say.
    package let loopCount: Int

    package init(format: ImageFileFormat, frames: [Frame], loopCount: Int = 1) {
        self.format = format
        self.frames = frames
        self.loopCount = loopCount
    }

    package var size: PixelSize { frames.first?.bitmap.size ?? PixelSize(width: 0, height: 0) }
}
