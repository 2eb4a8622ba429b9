/// How stored pixels are turned to stand upright: the values of EXIF's orientation tag.
package enum ImageOrientation: Int, CaseIterable, Sendable {
    case up = 1
    case upMirrored, down, downMirrored, leftMirrored, right, rightMirrored, left

    /// Rows are stored as columns.
    var swapsAxes: Bool { rawValue >= 5 }

    func upright(_ stored: PixelSize) -> PixelSize { swapsAxes ? stored.transposed : stored }

    /// Where the first stored pixel is in a picture that stands upright and has this size, and how far it is from there to the next
    /// one of its stored row, and to the one below.
    func walk(upright size: PixelSize) -> (start: Int, column: Int, row: Int) {
        let width = size.width
        let right = width - 1
        let bottom = (size.height - 1) * width
        return switch self {
        case .up: (0, 1, width)
        case .upMirrored: (right, -1, width)
        case .down: (bottom + right, -1, -width)
        case .downMirrored: (bottom, 1, -width)
        case .leftMirrored: (0, width, 1)
        case .right: (right, width, -1)
        case .rightMirrored: (bottom + right, -width, -1)
        case .left: (bottom, -width, 1)
        }
    }
}
