/// At most 256 colors for a bitmap, one of them transparent if needed.
///
/// Counts the colors, by as many of their upper bits as leave few enough to compare. Then splits the box around all of them at the
/// median of its longest side, and repeats (Heckbert 1982). A box's color is the mean of its pixels.
struct GIFPalette {
    let transparentIndex: Int?
    private let colours: [[UInt8]]
    private let histogram: ColourHistogram
    private var indexOfPlace: [UInt8]

    init(of bitmap: Bitmap) throws {
        histogram = try ColourHistogram(of: bitmap)
        let boxes = ColourBox.cut(histogram.entries, into: histogram.hasTransparency ? 255 : 256)
        colours = boxes.map(\.mean)
        transparentIndex = histogram.hasTransparency ? boxes.count : nil
        indexOfPlace = [UInt8](repeating: 0, count: histogram.entries.count)
        for (index, box) in boxes.enumerated() {
            for entry in box.entries { indexOfPlace[entry.place] = UInt8(index) }
        }
    }

    /// Writes the palette index of each pixel of a row.
    func write(_ row: UnsafeBufferPointer<UInt32>, to indexes: inout [UInt8]) {
        var last = (pixel: UInt32(0), index: index(of: 0))
        for x in row.indices {
            if row[x] != last.pixel { last = (row[x], index(of: row[x])) }
            indexes[x] = last.index
        }
    }

    private func index(of pixel: UInt32) -> UInt8 {
        histogram.place(of: pixel).map { indexOfPlace[$0] } ?? UInt8(truncatingIfNeeded: colours.count)
    }

    /// Four bytes per color, padded to a power of two as the format requires.
    var fileColours: [[UInt8]] {
        var count = 2
        while count < colours.count + (transparentIndex == nil ? 0 : 1) { count *= 2 }
        return colours + Array(repeating: [0, 0, 0, 0], count: count - colours.count)
    }
}

/// The colors of a bitmap, each with its number of pixels.
private struct ColourHistogram {
    struct Entry {
        let place: Int
        var count = 0
        var sums = SIMD3<Int>.zero

        func mean(_ part: Int) -> Int { sums[part] / max(count, 1) }
    }

    private(set) var entries: [Entry] = []
    private(set) var hasTransparency = false
    private var placeOfKey: [UInt32: Int] = [:]
    private let keptBits: UInt32

    /// Enough for the most frequent pictures of few colors, and for all grays. More take longer to split than to count.
    private static let most = 4_096

    init(of bitmap: Bitmap) throws {
        for keptBits: UInt32 in [0xFFFFFF, 0xFEFEFE, 0xFCFCFC] {
            do {
                try self.init(of: bitmap, keptBits: keptBits, most: Self.most)
                return
            } catch is TooManyColours {}
        }
        try self.init(of: bitmap, keptBits: 0xF8F8F8, most: .max)
    }

    private struct TooManyColours: Error {}

    private init(of bitmap: Bitmap, keptBits: UInt32, most: Int) throws {
        self.keptBits = keptBits
        try bitmap.forEachRow { _, row in
            for pixel in row { add(pixel) }
            if entries.count > most { throw TooManyColours() }
        }
    }

    private mutating func add(_ pixel: UInt32) {
        guard let key = key(of: pixel) else {
            hasTransparency = true
            return
        }
        let place = placeOfKey[key] ?? entries.count
        if place == entries.count {
            entries.append(Entry(place: place))
            placeOfKey[key] = place
        }
        entries[place].count += 1
        let pixel = UInt32(littleEndian: pixel)
        entries[place].sums &+= SIMD3(Int(pixel & 0xFF), Int(pixel >> 8 & 0xFF), Int(pixel >> 16 & 0xFF))
    }

    /// The place of the entry that counts a pixel; nil if the pixel is less than half opaque.
    func place(of pixel: UInt32) -> Int? { key(of: pixel).flatMap { placeOfKey[$0] } }

    private func key(of pixel: UInt32) -> UInt32? {
        let pixel = UInt32(littleEndian: pixel)
        return pixel >> 24 < 128 ? nil : pixel & keptBits
    }
}

/// Colors that become one color of the palette.
private struct ColourBox {
    let entries: [ColourHistogram.Entry]
    private let longestSide: Int
    private let length: Int
    private let pixelCount: Int

    private init(_ entries: [ColourHistogram.Entry]) {
        self.entries = entries
        pixelCount = entries.reduce(0) { $0 + $1.count }
        let lengths = (0..<3).map { part in
            let values = entries.map { $0.mean(part) }
            return (values.max() ?? 0) - (values.min() ?? 0)
        }
        length = lengths.max() ?? 0
        longestSide = lengths.firstIndex(of: length) ?? 0
    }

    static func cut(_ entries: [ColourHistogram.Entry], into most: Int) -> [ColourBox] {
        var boxes = entries.isEmpty ? [] : [ColourBox(entries)]
        while boxes.count < most {
            let worst = boxes.indices.max { boxes[$0].weight < boxes[$1].weight }
            guard let worst, boxes[worst].weight > 0 else { break }
            let (low, high) = boxes[worst].halves
            boxes[worst] = low
            boxes.append(high)
        }
        return boxes
    }

    /// How much splitting this box improves the image: wide boxes with many pixels first, single colors never.
    private var weight: Int { entries.count > 1 ? max(length, 1) * pixelCount : 0 }

    /// Splits the box into halves with equal numbers of pixels, as far as whole colors allow, and at least one color each.
    private var halves: (ColourBox, ColourBox) {
        let sorted = entries.sorted { ($0.mean(longestSide), $0.place) < ($1.mean(longestSide), $1.place) }
        var middle = 1
        var below = sorted[0].count
        while middle < sorted.count - 1, below + sorted[middle].count <= pixelCount / 2 {
            below += sorted[middle].count
            middle += 1
        }
        return (ColourBox(Array(sorted[..<middle])), ColourBox(Array(sorted[middle...])))
    }

    var mean: [UInt8] {
        let sums = entries.reduce(SIMD3<Int>.zero) { $0 &+ $1.sums }
        return (0..<3).map { UInt8((sums[$0] + pixelCount / 2) / pixelCount) } + [0xFF]
    }
}
