/// The pixel budget for all frames of an animation. Each frame costs as much as the canvas, or its own pixels if they are more.
struct FrameBudget {
    /// The minimum cost of a frame.
    private static let least = 1024

    var left: Int
    let limit: Int

    mutating func spend(canvas: PixelSize, frame: PixelSize) throws {
        let cost = max(canvas.pixelCount, frame.pixelCount, min(Self.least, limit))
        guard cost <= left else { throw ImageCodecError.tooManyPixels(count: limit - left + cost, limit: limit) }
        left -= cost
    }
}
