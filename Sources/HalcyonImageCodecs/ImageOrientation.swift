/// How stored pixels are turned to stand upright: the values of EXIF's orientation tag.
package enum ImageOrientation: Int, CaseIterable, Sendable {
    case up = 1
    case upMirrored, down, downMirrored, leftMirrored, right, rightMirrored, left

    /// Rows are stored as columns.
    var swapsAxes: Bool { rawValue >= 5 }

    func upright(_ stored: PixelSize) -> PixelSize { swapsAxes ? stored.transposed : stored }
}

extension Bitmap {
    /// The picture upright, from pixels stored as `orientation` says.
    func upright(from orientation: ImageOrientation) -> Bitmap {
        guard orientation != .up else { return self }
        let walk = StoredWalk(orientation: orientation, width: width, height: height)
        let turned = orientation.upright(size)
        return withWholePixels { stored in
            Bitmap(size: turned) { bytes in
                UnsafeMutableRawBufferPointer(bytes).withMemoryRebound(to: UInt32.self) { upright in
                    walk.copy(from: stored, to: upright, size: turned)
                }
            }
        }
    }
}

/// Where in the stored pixels the upright picture begins, and how far it is to its next column and row.
private struct StoredWalk {
    var start: Int
    var column: Int
    var row: Int

    init(orientation: ImageOrientation, width: Int, height: Int) {
        let right = width - 1
        let bottom = (height - 1) * width
        (start, column, row) =
            switch orientation {
            case .up: (0, 1, width)
            case .upMirrored: (right, -1, width)
            case .down: (bottom + right, -1, -width)
            case .downMirrored: (bottom, 1, -width)
            case .leftMirrored: (0, width, 1)
            case .right: (bottom, -width, 1)
            case .rightMirrored: (bottom + right, -width, -1)
            case .left: (right, width, -1)
            }
    }

    func copy(
        from stored: UnsafeBufferPointer<UInt32>, to upright: UnsafeMutableBufferPointer<UInt32>, size: PixelSize
    ) {
        var written = 0
        for y in 0..<size.height {
            var read = start + y * row
            for _ in 0..<size.width {
                upright[written] = stored[read]
                written += 1
                read += column
            }
        }
    }
}
