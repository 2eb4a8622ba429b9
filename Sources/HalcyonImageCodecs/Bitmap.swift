/// A size in pixels.
package struct PixelSize: Hashable, Sendable, CustomStringConvertible {
    package var width: Int
    package var height: Int

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    package var description: String { "\(width) × \(height)" }

    /// Saturates: the product of two sizes read from a file may overflow.
    package var pixelCount: Int {
        let (product, overflow) = width.multipliedReportingOverflow(by: height)
        return overflow ? .max : product
    }

    var transposed: PixelSize { PixelSize(width: height, height: width) }
}

/// Decoded pixels: RGBA, 8 bits per channel, rows from the top.
///
/// Alpha is straight, not premultiplied: a PNG's transparent pixels keep their colors through a round trip. Code that blends
/// pixels must weight them by alpha, as ``scaled(to:)`` does.
///
/// The pixels are in one block or in tiles. A tile that was never drawn on takes no memory, and the frames of an animation share
/// the tiles in which they do not differ.
package struct Bitmap: Sendable {
    package let size: PixelSize
    let grid: TileGrid
    /// `nil` for a tile that is entirely transparent black.
    private var tiles: [PixelMemory?]

    package var width: Int { size.width }
    package var height: Int { size.height }

    /// - Precondition: `pixels` has four bytes for each pixel.
    /// - Throws: ``ImageCodecError/noMemory``, as does each function here that creates a bitmap.
    package init(size: PixelSize, pixels: [UInt8]) throws {
        precondition(size.width >= 0 && size.height >= 0 && pixels.count == size.pixelCount * 4)
        try self.init(size: size) { UnsafeMutableRawPointer($0).copyMemory(from: pixels, byteCount: pixels.count) }
    }

    /// Creates a bitmap in one block. `fill` must write every pixel: the memory is not zeroed.
    init(size: PixelSize, fill: (UnsafeMutablePointer<UInt32>) throws -> Void) throws {
        let (bytes, overflow) = size.pixelCount.multipliedReportingOverflow(by: 4)
        try PixelMemory.expect(byteCount: overflow ? .max : bytes)
        let memory = try PixelMemory(count: size.pixelCount)
        try fill(memory.start)
        self.size = size
        grid = TileGrid(whole: size)
        tiles = Array(repeating: memory, count: grid.count)
    }

    /// Creates a transparent black bitmap in tiles. Takes no memory for pixels yet.
    init(transparent size: PixelSize) throws {
        self.size = size
        grid = TileGrid(tiled: size)
        try PixelMemory.expect(byteCount: grid.count * MemoryLayout<PixelMemory?>.stride)
        tiles = Array(repeating: nil, count: grid.count)
    }

    // MARK: Reading

    /// Calls `body` with the pixels of a row in `columns`, tile by tile; with `nil` where they are transparent black.
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

    /// Copies a row to `row`, which must have room for it.
    func copyRow(_ y: Int, to row: UnsafeMutablePointer<UInt32>) {
        forEachPart(ofRow: y, in: 0..<width) { columns, pixels in
            if let pixels {
                (row + columns.lowerBound).update(from: pixels, count: columns.count)
            } else {
                (row + columns.lowerBound).update(repeating: 0, count: columns.count)
            }
        }
    }

    /// Calls `body` with each row in turn, as contiguous pixels.
    func forEachRow(_ body: (Int, UnsafeBufferPointer<UInt32>) throws -> Void) throws {
        let row = try PixelMemory(count: width)
        try withExtendedLifetime(row) {
            for y in 0..<height {
                copyRow(y, to: row.start)
                try body(y, UnsafeBufferPointer(start: row.start, count: width))
            }
        }
    }

    /// Whether all tiles of a row are untouched.
    package func isUntouched(row y: Int) -> Bool {
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

    /// Whether all pixels are in one block of memory.
    var isInOnePiece: Bool { grid == TileGrid(whole: size) }

    /// Whether every pixel is opaque. Reads all pixels.
    package var isOpaque: Bool {
        let opaque = UInt32(bigEndian: 0x0000_00FF)
        return tiles.allSatisfy { tile in
            guard let tile else { return false }
            return UnsafeBufferPointer(start: tile.start, count: tile.count).allSatisfy { $0 & opaque == opaque }
        }
    }

    // MARK: Drawing

    /// Replaces the tiles that touch `part` with copies, because other bitmaps may share the old ones.
    mutating func renewTiles(touching part: PixelRect) throws {
        try expectTiles(touching: part)
        for index in grid.tiles(touching: part) { try renewTile(index) }
    }

    /// Throws unless there is memory for new tiles: arrays and objects would end the process later.
    private func expectTiles(touching part: PixelRect) throws {
        // The array of tiles is copied; each tile is an object, and its number is listed.
        let objects = tiles.count * MemoryLayout<PixelMemory?>.stride + grid.tileCount(touching: part) * 160
        try PixelMemory.expect(byteCount: grid.pixelCount(touching: part) * 4 + objects)
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

    /// Calls `body` to write the pixels of a row. Call ``renewTiles(touching:)`` for its tiles first.
    mutating func draw(row y: Int, in columns: Range<Int>, _ body: (Range<Int>, UnsafeMutablePointer<UInt32>) -> Void) {
        forEachPart(ofRow: y, in: columns) { columns, pixels in
            if let pixels { body(columns, pixels) }
        }
    }

    /// Makes a part transparent. Frees the tiles that have no other content.
    mutating func clear(_ part: PixelRect) throws {
        try expectTiles(touching: part)
        let touched = grid.tiles(touching: part)
        for index in touched where part.contains(grid.rect(of: index)) { tiles[index] = nil }
        for index in touched where tiles[index] != nil { try renewTile(index) }
        for y in part.rows { draw(row: y, in: part.columns) { $1.update(repeating: 0, count: $0.count) } }
        for index in touched where tiles[index]?.isZero == true { tiles[index] = nil }
    }
}
