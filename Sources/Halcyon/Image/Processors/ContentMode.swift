internal import Foundation

/// How an image fits a size of another shape.
public enum ContentMode: Sendable {
    /// Takes the target size, and with it another shape.
    case none
    /// Keeps its shape, and fits inside the target.
    case aspectFit
    /// Keeps its shape, and covers the target.
    case aspectFill
}

extension CGSize {
    /// The size of an image of this size in the target, with the computed side rounded to whole points.
    func fitted(to target: CGSize, _ mode: ContentMode) -> CGSize {
        guard mode != .none, width > 0, height > 0, target.width > 0, target.height > 0 else { return target }
        let byWidth = CGSize(width: target.width, height: (target.width * height / width).rounded())
        let byHeight = CGSize(width: (target.height * width / height).rounded(), height: target.height)
        let fillsByWidth = byHeight.width < target.width
        let isByWidth = mode == .aspectFill ? fillsByWidth : byHeight.width > target.width
        return isByWidth ? byWidth : byHeight
    }
}
