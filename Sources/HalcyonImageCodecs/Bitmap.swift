/// A size in pixels.
package struct PixelSize: Hashable, Sendable, CustomStringConvertible {
    package var width: Int
    package var height: Int

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    package var description: String { "\(width) × \(height)" }

    /// Saturates: two wild numbers from a file have no product.
    package var pixelCount: Int {
        let (product, overflow) = width.multipliedReportingOverflow(by: height)
        return overflow ? .max : product
    }

    var transposed: PixelSize { PixelSize(width: height, height: width) }
}

/// Decoded pixels: RGBA, 8 bits each, rows from the top.
///
/// Alpha is straight: colours are not multiplied by it, so what a PNG stores survives a round trip even where it is
/// transparent. What blends pixels has to weigh them by alpha, as ``scaled(to:)`` does.
///
/// The pixels lie in one piece, or in tiles: a tile that nothing was drawn on takes no memory, and pictures of an
/// animation share those in which they do not differ.
package struct Bitmap: Sendable {
    package let size: PixelSize
    let grid: TileGrid
    /// `nil` where all is transparent black.
    private var tiles: [PixelMemory?]

    package var width: Int { size.width }
    package var height: Int { size.height }

    /// - Precondition: `pixels` has four bytes for each pixel.
    /// - Throws: ``ImageCodecError/noMemory``, as each function here that makes a bitmap.
    package init(size: PixelSize, pixels: [UInt8]) throws {
        precondition(size.width >= 0 && size.height >= 0 && pixels.count == size.pixelCount * 4)
        try self.init(size: size) { UnsafeMutableRawPointer($0).copyMemory(from: pixels, byteCount: pixels.count) }
    }

    /// Pixels in one piece that `fill` writes, each of them: they are not zeroed before.
    init(size: PixelSize, fill: (UnsafeMutablePointer<UInt32>) throws -> Void) throws {
        let (bytes, overflow) = size.pixelCount.multipliedReportingOverflow(by: 4)
        try PixelMemory.expect(byteCount: overflow ? .max : bytes)
        let memory = try PixelMemory(count: size.pixelCount)
        try fill(memory.start)
        self.size = size
        grid = TileGrid(whole: size)
        tiles = Array(repeating: memory, count: grid.count)
    }

    /// All pixels transparent black, in tiles. Takes no memory for pixels yet.
    init(transparent size: PixelSize) throws {
        self.size = size
        grid = TileGrid(tiled: size)
        try PixelMemory.expect(byteCount: grid.count * MemoryLayout<PixelMemory?>.stride)
        tiles = Array(repeating: nil, count: grid.count)
    }

    // MARK: Reading

    /// The pixels of a row from `columns`, tile by tile; `nil` where they are transparent black.
    private func forEachPart(
        ofRow y: Int, in columns: Range<Int>, _ body: (Range<Int>, UnsafeMutablePointer<UInt32>?) -> Void
    ) {
        let (tileRow, line) = y.quotientAndRemainder(dividingBy: grid.tile.height)
        for tileColumn in grid.tileColumns(of: columns) {
            let all = grid.columns(ofTileColumn: tileColumn)
            let part = all.clamped(to: columns)
            let pixels = tiles[tileRow * grid.columnCount + tileColumn]?.start
            body(part, pixels.map { $0 + line * all.count + part.lowerBound - all.lowerBound })
        }
    }

    /// Copies a row to where there is room for it.
    func copyRow(_ y: Int, to row: UnsafeMutablePointer<UInt32>) {
        forEachPart(ofRow: y, in: 0..<width) { columns, pixels in
            if let pixels {
                (row + columns.lowerBound).update(from: pixels, count: columns.count)
            } else {
                (row + columns.lowerBound).update(repeating: 0, count: columns.count)
            }
        }
    }

    /// Rows in turn, each in one piece.
    func forEachRow(_ body: (Int, UnsafeBufferPointer<UInt32>) throws -> Void) throws {
        let row = try PixelMemory(count: width)
        try withExtendedLifetime(row) {
            for y in 0..<height {
                copyRow(y, to: row.start)
                try body(y, UnsafeBufferPointer(start: row.start, count: width))
            }
        }
    }

    /// Whether nothing was drawn on the tiles of a row.
    func isUntouched(row y: Int) -> Bool {
        let start = y / grid.tile.height * grid.columnCount
        return tiles[start..<start + grid.columnCount].allSatisfy { $0 == nil }
    }

    /// A copy of all pixels, `width * height * 4` bytes.
    package var pixels: [UInt8] {
        get throws {
            let count = size.pixelCount * 4
            try PixelMemory.expect(byteCount: count)
            return [UInt8](unsafeUninitializedCapacity: count) { bytes, initializedCount in
                bytes.withMemoryRebound(to: UInt32.self) { pixels in
                    guard let start = pixels.baseAddress else { return }
                    for y in 0..<height { copyRow(y, to: start + y * width) }
                }
                initializedCount = count
            }
        }
    }

    /// Whether all pixels are in memory, beside each other.
    var isInOnePiece: Bool { grid == TileGrid(whole: size) }

    /// Whether no pixel shows what is behind it. Reads all pixels.
    package var isOpaque: Bool {
        let opaque = UInt32(bigEndian: 0x0000_00FF)
        return tiles.allSatisfy { tile in
            guard let tile else { return false }
            return UnsafeBufferPointer(start: tile.start, count: tile.count).allSatisfy { $0 & opaque == opaque }
        }
    }

    // MARK: Drawing

    /// Gives a part tiles of its own, with what they showed before: others may see the old ones.
    mutating func renewTiles(touching part: PixelRect) throws {
        let touched = grid.tiles(touching: part)
        // The list of tiles is copied, and each tile is an object.
        let objects = tiles.count * MemoryLayout<PixelMemory?>.stride + touched.count * 128
        try PixelMemory.expect(byteCount: grid.pixelCount(touching: part) * 4 + objects)
        for index in touched { try renewTile(index) }
    }

    private mutating func renewTile(_ index: Int) throws {
        let tile = try PixelMemory(count: grid.rect(of: index).size.pixelCount)
        if let old = tiles[index] {
            tile.start.update(from: old.start, count: tile.count)
        } else {
            tile.start.update(repeating: 0, count: tile.count)
        }
        tiles[index] = tile
    }

    /// Lets `body` write the pixels of a row whose tiles have been renewed.
    mutating func draw(row y: Int, in columns: Range<Int>, _ body: (Range<Int>, UnsafeMutablePointer<UInt32>) -> Void) {
        forEachPart(ofRow: y, in: columns) { columns, pixels in
            if let pixels { body(columns, pixels) }
        }
    }

    /// Makes a part transparent. Tiles that it covers are given back.
    mutating func clear(_ part: PixelRect) throws {
        let touched = grid.tiles(touching: part)
        for index in touched where part.contains(grid.rect(of: index)) { tiles[index] = nil }
        for index in touched where tiles[index] != nil { try renewTile(index) }
        for y in part.rows { draw(row: y, in: part.columns) { $1.update(repeating: 0, count: $0.count) } }
    }
}
