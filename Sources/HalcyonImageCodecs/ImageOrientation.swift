/// How stored pixels are turned upright: the values of the EXIF orientation tag.
package enum ImageOrientation: Int, CaseIterable, Sendable {
    case up = 1
    case upMirrored, down, downMirrored, leftMirrored, right, rightMirrored, left

    /// Whether the stored rows are columns of the upright image.
    var swapsAxes: Bool { rawValue >= 5 }

    /// Whether the last stored pixels of the upright image's columns, and of its rows, are the first ones.
    var isReversed: (columns: Bool, rows: Bool) {
        (
            [.upMirrored, .down, .right, .rightMirrored].contains(self),
            [.down, .downMirrored, .rightMirrored, .left].contains(self)
        )
    }

    func upright(_ stored: PixelSize) -> PixelSize { swapsAxes ? stored.transposed : stored }

    /// Where the first stored pixel is in an upright image of this size, and the distances from it to the next pixel of its
    /// stored row and to the next stored row.
    func walk(upright size: PixelSize) -> (start: Int, column: Int, row: Int) {
        let (right, down) = (isReversed.columns ? -1 : 1, isReversed.rows ? -size.width : size.width)
        let start = (right < 0 ? size.width - 1 : 0) + (down < 0 ? (size.height - 1) * size.width : 0)
        return swapsAxes ? (start, down, right) : (start, right, down)
    }
}
