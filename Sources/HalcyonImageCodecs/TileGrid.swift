/// A rectangle of pixels.
struct PixelRect: Hashable, Sendable {
    var columns: Range<Int>
    var rows: Range<Int>

    var size: PixelSize { PixelSize(width: columns.count, height: rows.count) }

    /// The part of a rectangle that is inside an image.
    init(left: Int, top: Int, size: PixelSize, in picture: PixelSize) {
        columns = (left..<left + size.width).clamped(to: 0..<picture.width)
        rows = (top..<top + size.height).clamped(to: 0..<picture.height)
    }

    init(columns: Range<Int>, rows: Range<Int>) {
        self.columns = columns
        self.rows = rows
    }

    func contains(_ other: PixelRect) -> Bool {
        columns.lowerBound <= other.columns.lowerBound && other.columns.upperBound <= columns.upperBound
            && rows.lowerBound <= other.rows.lowerBound && other.rows.upperBound <= rows.upperBound
    }
}

/// An image divided into tiles, numbered row by row. The last tiles of each row and column may be smaller.
struct TileGrid: Hashable, Sendable {
    /// The side of a tile in pixels. A tile of this size takes one memory page.
    static let side = 32

    let size: PixelSize
    let tile: PixelSize

    /// One tile for the whole image.
    init(whole size: PixelSize) { self.init(size, tile: size) }

    init(tiled size: PixelSize) { self.init(size, tile: PixelSize(width: Self.side, height: Self.side)) }

    private init(_ size: PixelSize, tile: PixelSize) {
        self.size = size
        self.tile = PixelSize(width: max(tile.width, 1), height: max(tile.height, 1))
    }

    var columnCount: Int { (size.width + tile.width - 1) / tile.width }
    var count: Int { columnCount * ((size.height + tile.height - 1) / tile.height) }

    /// The columns of the tiles that hold these columns of pixels.
    func tileColumns(of columns: Range<Int>) -> Range<Int> { Self.indexes(of: columns, length: tile.width) }

    func columns(ofTileColumn index: Int) -> Range<Int> {
        index * tile.width..<min((index + 1) * tile.width, size.width)
    }

    func rect(of index: Int) -> PixelRect {
        let (row, column) = index.quotientAndRemainder(dividingBy: columnCount)
        return PixelRect(
            columns: columns(ofTileColumn: column), rows: row * tile.height..<min((row + 1) * tile.height, size.height))
    }

    func tiles(touching part: PixelRect) -> [Int] {
        Self.indexes(of: part.rows, length: tile.height).flatMap { row in
            tileColumns(of: part.columns).map { row * columnCount + $0 }
        }
    }

    func tileCount(touching part: PixelRect) -> Int {
        tileColumns(of: part.columns).count * Self.indexes(of: part.rows, length: tile.height).count
    }

    /// The number of pixels in the tiles that a rectangle touches.
    func pixelCount(touching part: PixelRect) -> Int {
        let columns = tileColumns(of: part.columns)
        let rows = Self.indexes(of: part.rows, length: tile.height)
        let width = min(columns.upperBound * tile.width, size.width) - columns.lowerBound * tile.width
        let height = min(rows.upperBound * tile.height, size.height) - rows.lowerBound * tile.height
        return PixelSize(width: width, height: height).pixelCount
    }

    private static func indexes(of pixels: Range<Int>, length: Int) -> Range<Int> {
        pixels.isEmpty ? 0..<0 : pixels.lowerBound / length..<(pixels.upperBound - 1) / length + 1
    }
}
