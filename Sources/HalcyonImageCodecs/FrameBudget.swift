/// The pixel budget for all frames of an animation. Each frame costs as much as the canvas, or its own pixels if they are more.
struct FrameBudget {
    private let canvas: PixelSize
    private let limit: Int
    private var left: Int
    /// Whether the next frame is probably the only one, which the limit of all frames does not concern.
    private var isOnly: Bool

    init(_ header: ImageHeader, _ options: DecodingOptions) {
        canvas = header.storedSize
        (limit, left) = (options.totalPixelLimit, options.totalPixelLimit)
        isOnly = options.firstFrameOnly || header.frameCount == 1
    }

    /// What a frame costs, however small it is.
    static func leastCost(ofFramesOn canvas: PixelSize, limit: Int) -> Int { max(canvas.pixelCount, min(1024, limit)) }

    mutating func spend(_ frame: PixelSize) throws {
        let cost = max(Self.leastCost(ofFramesOn: canvas, limit: limit), frame.pixelCount)
        guard cost <= left || isOnly else {
            throw ImageCodecError.tooManyPixels(count: limit - left + cost, limit: limit)
        }
        left = left > cost ? left - cost : 0
        isOnly = false
    }
}
