public import Foundation

/// Options for making an image from data.
public struct ImageCreatingOptions: Equatable, Sendable {
    /// Pixels per point. Default 1. Not on macOS, where the file decides.
    public var scale: CGFloat
    /// The duration of an animation in seconds; 0 for the one in its data. Not on macOS, where the data decides.
    public var duration: TimeInterval
    /// Whether all frames of an animation are decoded at once. Not on macOS, which decodes what it displays.
    public var preloadAll: Bool
    /// Whether an animation becomes a still image of its first frame.
    public var onlyFirstFrame: Bool

    /// By default: one pixel per point, an animation's own duration, and all frames, each decoded when needed.
    public init(
        scale: CGFloat = 1.0, duration: TimeInterval = 0.0, preloadAll: Bool = false, onlyFirstFrame: Bool = false
    ) {
        self.scale = scale
        self.duration = duration
        self.preloadAll = preloadAll
        self.onlyFirstFrame = onlyFirstFrame
    }
}
