/// At most 256 colours for a bitmap, one of them transparent if need be.
///
/// Colours are counted, exactly while there are few, else by their five upper bits; then the box around all of them is
/// cut in two at the median of its longest side, and so on (Heckbert 1982). A box's colour is the mean of its pixels.
struct GIFPalette {
    let transparentIndex: Int?
    private let colours: [[UInt8]]
    private let histogram: ColourHistogram
    private var indexOfPlace: [UInt8]

    init(of bitmap: Bitmap) throws {
        histogram = try ColourHistogram(of: bitmap, exactCount: 255)
        let boxes = ColourBox.cut(histogram.entries, into: 255)
        colours = boxes.map(\.mean)
        transparentIndex = histogram.hasTransparency ? boxes.count : nil
        indexOfPlace = [UInt8](repeating: 0, count: histogram.entries.count)
        for (index, box) in boxes.enumerated() {
            for entry in box.entries { indexOfPlace[entry.place] = UInt8(index) }
        }
    }

    /// Which colour each pixel of a row has.
    func write(_ row: UnsafeBufferPointer<UInt32>, to indexes: inout [UInt8]) {
        var last = (pixel: UInt32(0), index: index(of: 0))
        for x in row.indices {
            if row[x] != last.pixel { last = (row[x], index(of: row[x])) }
            indexes[x] = last.index
        }
    }

    private func index(of pixel: UInt32) -> UInt8 {
        histogram.place(of: pixel).map { indexOfPlace[$0] } ?? UInt8(colours.count)
    }

    /// Four bytes each, filled up to a power of two as the format wants.
    var fileColours: [[UInt8]] {
        var count = 2
        while count < colours.count + (transparentIndex == nil ? 0 : 1) { count *= 2 }
        return colours + Array(repeating: [0, 0, 0, 0], count: count - colours.count)
    }
}

/// The colours of a bitmap, each with its number of pixels.
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

    /// More colours than `exactCount` are put together by their upper bits.
    init(of bitmap: Bitmap, exactCount: Int) throws {
        do {
            try self.init(of: bitmap, keptBits: 0xFFFFFF, most: exactCount)
        } catch is TooManyColours {
            try self.init(of: bitmap, keptBits: 0xF8F8F8, most: .max)
        }
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

    /// Of the entry that counts a pixel; nil if it is less than half opaque.
    func place(of pixel: UInt32) -> Int? { key(of: pixel).flatMap { placeOfKey[$0] } }

    private func key(of pixel: UInt32) -> UInt32? {
        let pixel = UInt32(littleEndian: pixel)
        return pixel >> 24 < 128 ? nil : pixel & keptBits
    }
}

/// Some of the colours, to become one of the palette.
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

    /// How much cutting it improves the picture: wide boxes of many pixels go first, single colours never.
    private var weight: Int { entries.count > 1 ? max(length, 1) * pixelCount : 0 }

    /// As many pixels on either side as whole colours allow, and one colour at least.
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
