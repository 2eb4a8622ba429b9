extension Bitmap {
    /// The bitmap scaled to another size, each axis independently.
    ///
    /// When shrinking, a pixel is the mean of the area it covers, exact at the edges: no pixel is skipped and there is no
    /// ringing. When enlarging, it is interpolated linearly. Colors are weighted by alpha: transparent pixels add no color.
    /// - Precondition: neither this bitmap nor the result is empty.
    package func scaled(to target: PixelSize) throws -> Bitmap {
        precondition(size.pixelCount > 0 && target.width > 0 && target.height > 0)
        guard target != size else { return self }
        return try scaled(to: target, columns: 0...Double(width), rows: 0...Double(height))
    }

    /// A part of the bitmap scaled to another size. The pixels at its edges may be in it in part.
    func scaled(to target: PixelSize, columns: ClosedRange<Double>, rows: ClosedRange<Double>) throws -> Bitmap {
        let scaler = try RowScaler(bitmap: self, AxisWeights(source: columns, target: target.width))
        let rows = AxisWeights(source: rows, target: target.height)
        return try Bitmap(size: target) { pixels in
            for y in 0..<target.height { scaler.write(rows[y], to: pixels + y * target.width) }
        }
    }
}

/// The source pixels along one axis that make up each result pixel, and their weights, which add up to one.
private struct AxisWeights {
    let source: ClosedRange<Double>
    let target: Int

    /// All pixels between the first and the last have the same weight.
    struct Span: BitwiseCopyable {
        let first, last: Int
        let firstWeight, middleWeight, lastWeight: Float

        func weight(of pixel: Int) -> Float {
            if pixel == first { return firstWeight }
            return pixel == last ? lastWeight : middleWeight
        }
    }

    subscript(index: Int) -> Span {
        let step = (source.upperBound - source.lowerBound) / Double(target)
        func place(_ index: Double) -> Double { source.lowerBound + index * step }
        return step > 1
            ? area(from: place(Double(index)), to: min(place(Double(index + 1)), source.upperBound))
            : neighbours(of: place(Double(index) + 0.5) - 0.5)
    }

    private func area(from start: Double, to end: Double) -> Span {
        let (first, whole) = (Int(start), end - start)
        let last = max(first, Int(end.rounded(.up)) - 1)
        return Span(
            first: first, last: last, firstWeight: Float((min(end, Double(first + 1)) - start) / whole),
            middleWeight: Float(1 / whole), lastWeight: Float((end - Double(last)) / whole))
    }

    private func neighbours(of centre: Double) -> Span {
        let count = Int(source.upperBound.rounded(.up))
        guard count > 1 else { return Span(first: 0, last: 0, firstWeight: 1, middleWeight: 0, lastWeight: 0) }
        let clamped = min(max(centre, 0), Double(count - 1))
        let first = min(Int(clamped), count - 2)
        let share = Float(clamped - Double(first))
        return Span(first: first, last: first + 1, firstWeight: 1 - share, middleWeight: 0, lastWeight: share)
    }
}

/// Scales source rows to the result's width, with colors multiplied by alpha, and adds them to the result's rows. Besides the two
/// bitmaps, only a few rows are in memory.
private struct RowScaler {
    private let bitmap: Bitmap
    private let columns: RefusableMemory<AxisWeights.Span>
    private let row: PixelMemory
    private let sums: RefusableMemory<SIMD4<Float>>

    init(bitmap: Bitmap, _ weights: AxisWeights) throws {
        self.bitmap = bitmap
        row = try PixelMemory(count: bitmap.width)
        sums = try RefusableMemory(count: weights.target)
        columns = try RefusableMemory(count: weights.target)
        for x in 0..<weights.target { columns[x] = weights[x] }
    }

    func write(_ rows: AxisWeights.Span, to result: UnsafeMutablePointer<UInt32>) {
        sums.start.update(repeating: .zero, count: sums.count)
        for y in rows.first...rows.last where !bitmap.isUntouched(row: y) { add(row: y, weight: rows.weight(of: y)) }
        for x in 0..<sums.count { result[x] = Self.pixel(sums[x]) }
    }

    private func add(row y: Int, weight: Float) {
        bitmap.copyRow(y, to: row.start)
        for x in 0..<sums.count { sums.start[x] += mean(of: columns[x]) * weight }
    }

    private func mean(of span: AxisWeights.Span) -> SIMD4<Float> {
        var middle = SIMD4<Float>.zero
        var x = span.first + 1
        while x < span.last {
            middle += Self.weighed(row.start[x])
            x += 1
        }
        let first = Self.weighed(row.start[span.first]) * span.firstWeight
        guard span.last > span.first else { return first }
        return first + middle * span.middleWeight + Self.weighed(row.start[span.last]) * span.lastWeight
    }

    private static func weighed(_ pixel: UInt32) -> SIMD4<Float> {
        let parts = unsafeBitCast(pixel, to: SIMD4<UInt8>.self)
        let alpha = Float(parts.w)
        return SIMD4(Float(parts.x), Float(parts.y), Float(parts.z), 1) * alpha
    }

    private static func pixel(_ mean: SIMD4<Float>) -> UInt32 {
        let alpha = mean.w
        var straight = alpha > 0 ? mean / alpha : .zero
        straight.w = alpha
        let rounded = (straight + 0.5).clamped(lowerBound: .zero, upperBound: SIMD4(repeating: 255))
        let parts = SIMD4(UInt8(rounded.x), UInt8(rounded.y), UInt8(rounded.z), UInt8(rounded.w))
        return unsafeBitCast(parts, to: UInt32.self)
    }
}
