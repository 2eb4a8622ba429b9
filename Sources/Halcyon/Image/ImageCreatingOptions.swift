public import Foundation

/// How an image is made of data.
public struct ImageCreatingOptions: Equatable, Sendable {
    /// Pixels per point. 1.
    public var scale: CGFloat
    /// Seconds an animation takes in all; 0, what its data says.
    public var duration: TimeInterval
    /// Whether all frames of an animation are decoded at once.
    public var preloadAll: Bool
    /// Whether an animation becomes a still image of its first frame.
    public var onlyFirstFrame: Bool

    /// By default: one pixel per point, an animation's own duration, frames decoded when they are needed, all of them.
    public init(
        scale: CGFloat = 1.0, duration: TimeInterval = 0.0, preloadAll: Bool = false, onlyFirstFrame: Bool = false
    ) {
        self.scale = scale
        self.duration = duration
        self.preloadAll = preloadAll
        self.onlyFirstFrame = onlyFirstFrame
    }
}
