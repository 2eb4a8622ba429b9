extension Bitmap {
    /// The picture at another size, each axis on its own.
    ///
    /// Made smaller, a pixel is the mean of the area it covers, exact at the edges, so nothing is skipped and nothing
    /// rings. Made larger, it is interpolated linearly. Colours count by their alpha: transparent pixels lend no colour.
    /// - Precondition: neither this nor the result is empty.
    package func scaled(to target: PixelSize) -> Bitmap {
        precondition(!pixels.isEmpty && target.width > 0 && target.height > 0)
        guard target != size else { return self }
        let columns = AxisWeights(from: width, to: target.width)
        let rows = AxisWeights(from: height, to: target.height)
        return pixels.withUnsafeBufferPointer { source in
            Bitmap(size: target) { result in
                var scaler = RowScaler(source: source, width: width, columns: columns)
                for y in 0..<target.height {
                    let start = y * target.width * 4
                    scaler.write(rows.spans[y], of: rows, to: result.baseAddress.map { $0 + start })
                }
            }
        }
    }
}

/// Which pixels of one axis make each pixel of the result, and with how much weight. The weights of each sum to one.
private struct AxisWeights {
    struct Span {
        var first: Int
        var weights: Range<Int>
    }

    private(set) var spans: [Span] = []
    private(set) var weights: [Float] = []

    init(from source: Int, to target: Int) {
        spans.reserveCapacity(target)
        let step = Double(source) / Double(target)
        for index in 0..<target {
            if target < source {
                appendArea(from: Double(index) * step, to: min(Double(index + 1) * step, Double(source)))
            } else {
                appendNeighbours(of: (Double(index) + 0.5) * step - 0.5, last: source - 1)
            }
        }
    }

    private mutating func appendArea(from start: Double, to end: Double) {
        let first = Int(start)
        let last = max(first, Int(end.rounded(.up)) - 1)
        let begin = weights.count
        for pixel in first...last {
            let covered = min(end, Double(pixel + 1)) - max(start, Double(pixel))
            weights.append(Float(covered / (end - start)))
        }
        spans.append(Span(first: first, weights: begin..<weights.count))
    }

    private mutating func appendNeighbours(of centre: Double, last: Int) {
        let clamped = min(max(centre, 0), Double(last))
        let first = min(Int(clamped), max(last - 1, 0))
        let share = Float(clamped - Double(first))
        let begin = weights.count
        weights.append(contentsOf: last == 0 ? [1] : [1 - share, share])
        spans.append(Span(first: first, weights: begin..<weights.count))
    }
}

/// Sums source rows into one row of the source's width, colours multiplied by alpha, then that row into the result's.
private struct RowScaler {
    let source: UnsafeBufferPointer<UInt8>
    let width: Int
    let columns: AxisWeights
    private var sums: [SIMD4<Float>]

    init(source: UnsafeBufferPointer<UInt8>, width: Int, columns: AxisWeights) {
        self.source = source
        self.width = width
        self.columns = columns
        sums = Array(repeating: .zero, count: width)
    }

    mutating func write(_ span: AxisWeights.Span, of rows: AxisWeights, to result: UnsafeMutablePointer<UInt8>?) {
        guard let result else { return }
        for (offset, index) in span.weights.enumerated() {
            add(row: span.first + offset, weight: rows.weights[index], isFirst: offset == 0)
        }
        for (x, column) in columns.spans.enumerated() { store(mean(of: column), to: result + x * 4) }
    }

    private mutating func add(row: Int, weight: Float, isFirst: Bool) {
        let pixels = UnsafeBufferPointer(rebasing: source[(row * width * 4)...])
        sums.withUnsafeMutableBufferPointer { sums in
            for x in 0..<sums.count {
                let pixel = Self.weighed(pixels, at: x * 4, by: weight)
                sums[x] = isFirst ? pixel : sums[x] + pixel
            }
        }
    }

    private static func weighed(
        _ pixels: UnsafeBufferPointer<UInt8>, at start: Int, by weight: Float
    ) -> SIMD4<Float> {
        let alpha = Float(pixels[start + 3]) * weight
        return SIMD4(Float(pixels[start]), Float(pixels[start + 1]), Float(pixels[start + 2]), 1) * alpha
    }

    private func mean(of column: AxisWeights.Span) -> SIMD4<Float> {
        sums.withUnsafeBufferPointer { sums in
            columns.weights.withUnsafeBufferPointer { weights in
                var mean = SIMD4<Float>.zero
                var x = column.first
                for index in column.weights {
                    mean += sums[x] * weights[index]
                    x += 1
                }
                return mean
            }
        }
    }

    private func store(_ mean: SIMD4<Float>, to pixel: UnsafeMutablePointer<UInt8>) {
        let alpha = mean.w
        var straight = alpha > 0 ? mean / alpha : .zero
        straight.w = alpha
        let rounded = (straight + 0.5).clamped(lowerBound: .zero, upperBound: SIMD4(repeating: 255))
        for part in 0..<4 { pixel[part] = UInt8(rounded[part]) }
    }
}
