import Foundation
import HalcyonImageCodecs
import Testing

/// The fixtures of the tests and the demo pictures.
enum Samples {
    static let names = [
        "alpha.png", "palette.png", "turned.png", "baseline.jpg", "progressive.jpg", "grey.jpg", "restart.jpg",
        "turned.jpg",
        "inks.jpg", "inks-ycck.jpg", "inks-upright.jpg", "moving.gif",
        "lossy.webp", "lossy-alpha.webp", "lossless.webp", "turned.webp", "moving.webp",
    ]

    static func data(_ name: String) throws -> Data {
        let folder = try #require(Bundle.module.resourceURL).appendingPathComponent("Fixtures")
        return try Data(contentsOf: folder.appendingPathComponent(name))
    }

    static func picture(_ name: String) throws -> Data {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
        return try Data(contentsOf: package.appendingPathComponent("Demo/Pictures/\(name)"))
    }

    /// The colors of the fixtures' four fields: red and green, blue and light.
    static let fields: [[Int]] = [[220, 40, 30], [40, 180, 60], [30, 60, 200], [240, 240, 230]]
}

extension Bitmap: Equatable {
    static func == (left: Bitmap, right: Bitmap) -> Bool {
        left.size == right.size && left.bytes == right.bytes
    }

    /// Tests have enough memory for it.
    var bytes: [UInt8] { (try? pixels) ?? [] }

    /// The red, green, blue and alpha of a pixel.
    subscript(x: Int, y: Int) -> [UInt8] {
        let start = (y * width + x) * 4
        return Array(bytes[start..<start + 4])
    }

    /// The middle of each quarter, row by row, without alpha.
    var fields: [[Int]] {
        [(1, 1), (3, 1), (1, 3), (3, 3)].map { x, y in self[width * x / 4, height * y / 4].dropLast().map(Int.init) }
    }

    /// The largest difference of a channel; 255 if the sizes differ.
    func differs(from other: Bitmap) -> Int {
        guard size == other.size else { return 255 }
        return zip(bytes, other.bytes).lazy.map { abs(Int($0) - Int($1)) }.max() ?? 0
    }

    /// The upright picture, from one that is stored with an EXIF orientation.
    func turned(by orientation: Int) -> Bitmap {
        let (right, bottom) = (width - 1, height - 1)
        let stored = bytes
        let swapsAxes = orientation > 4
        return Bitmap(width: swapsAxes ? height : width, height: swapsAxes ? width : height) { x, y in
            let places = [
                (x, y), (right - x, y), (right - x, bottom - y), (x, bottom - y), (y, x), (y, bottom - x),
                (right - y, bottom - x), (right - y, x),
            ]
            let (column, row) = places[orientation - 1]
            return stored[(row * width + column) * 4..<(row * width + column) * 4 + 4].map(Int.init)
        }
    }

    /// Whether every channel of the fields is within `tolerance`.
    func shows(_ expected: [[Int]], within tolerance: Int) -> Bool {
        zip(fields.joined(), expected.joined()).allSatisfy { abs($0 - $1) <= tolerance }
    }

    /// A picture from a formula.
    init(width: Int, height: Int, _ pixel: (_ x: Int, _ y: Int) -> [Int]) {
        let pixels = (0..<height).flatMap { y in
            (0..<width).flatMap { x in pixel(x, y).map { UInt8(truncatingIfNeeded: $0) } }
        }
        do {
            try self.init(size: PixelSize(width: width, height: height), pixels: pixels)
        } catch {
            fatalError("\(error)")
        }
    }
}

extension DecodedImage: Equatable {
    static func == (left: DecodedImage, right: DecodedImage) -> Bool {
        left.loopCount == right.loopCount && left.frames == right.frames
    }
}

extension DecodedImage.Frame: Equatable {
    static func == (left: Self, right: Self) -> Bool {
        left.durationInSeconds == right.durationInSeconds && left.bitmap == right.bitmap
    }
}
