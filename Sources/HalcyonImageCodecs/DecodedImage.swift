/// A decoded image with its pixels.
package struct DecodedImage: Sendable {
    /// One frame of an animation as displayed: already composed with the frames under it.
    package struct Frame: Sendable {
        package let bitmap: Bitmap
        /// How long the frame is shown, in seconds; 0 for a still image.
        package let durationInSeconds: Double

        package init(bitmap: Bitmap, durationInSeconds: Double = 0) {
            self.bitmap = bitmap
            self.durationInSeconds = durationInSeconds
        }
    }

    /// At least one. All have the same size.
    package let frames: [Frame]
    /// How often the animation plays, as stated in the file; 0 means forever. 1 if the file does not say.
    package let loopCount: Int

    package init(frames: [Frame], loopCount: Int = 1) {
        self.frames = frames
        self.loopCount = loopCount
    }

    package var size: PixelSize { frames.first?.bitmap.size ?? PixelSize(width: 0, height: 0) }
}
