/// Parts of a picture, for animations that store only what changes.
extension Bitmap {
    var whole: PixelRect { PixelRect(left: 0, top: 0, size: size, in: size) }

    /// The smallest part, from an even column and row on, outside of which both bitmaps are equal; one pixel if they do not
    /// differ.
    func changedPart(since old: Bitmap) throws -> PixelRect {
        var (columns, rows) = (0..<0, 0..<0)
        let oldRow = try PixelMemory(count: width)
        try forEachRow { y, row in
            old.copyRow(y, to: oldRow.start)
            guard let first = row.indices.first(where: { row[$0] != oldRow[$0] }),
                let last = row.indices.last(where: { row[$0] != oldRow[$0] })
            else { return }
            columns =
                columns.isEmpty
                ? first..<last + 1 : min(first, columns.lowerBound)..<max(last + 1, columns.upperBound)
            rows = (rows.isEmpty ? y : rows.lowerBound)..<y + 1
        }
        guard !rows.isEmpty else { return PixelRect(columns: 0..<1, rows: 0..<1) }
        return PixelRect(
            columns: columns.lowerBound & ~1..<columns.upperBound, rows: rows.lowerBound & ~1..<rows.upperBound)
    }

    func cropped(to part: PixelRect) throws -> Bitmap {
        guard part.size != size else { return self }
        let row = try PixelMemory(count: width)
        return try Bitmap(size: part.size) { pixels in
            for (line, y) in part.rows.enumerated() {
                copyRow(y, to: row.start)
                (pixels + line * part.size.width).update(
                    from: row.start + part.columns.lowerBound, count: part.size.width)
            }
        }
    }
}
