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

/// Decoded pixels: RGBA, 8 bits each, rows from the top without gaps.
///
/// Alpha is straight: colours are not multiplied by it, so what a PNG stores survives a round trip even where it is
/// transparent. What blends pixels has to weigh them by alpha, as ``scaled(to:)`` does.
package struct Bitmap: Equatable, Sendable {
    package let size: PixelSize
    /// `width * height * 4` bytes.
    package private(set) var pixels: [UInt8]

    package var width: Int { size.width }
    package var height: Int { size.height }
    package var byteCount: Int { pixels.count }

    /// - Precondition: `pixels` has four bytes for each pixel.
    package init(size: PixelSize, pixels: [UInt8]) {
        precondition(size.width >= 0 && size.height >= 0 && pixels.count == size.pixelCount * 4)
        self.size = size
        self.pixels = pixels
    }

    /// Pixels that `fill` writes, each of them: they are not zeroed before.
    init(size: PixelSize, fill: (UnsafeMutableBufferPointer<UInt8>) throws -> Void) rethrows {
        let count = size.pixelCount * 4
        self.size = size
        pixels = try [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            try fill(UnsafeMutableBufferPointer(rebasing: buffer[..<count]))
            initializedCount = count
        }
    }

    /// All pixels transparent black.
    init(transparent size: PixelSize) {
        self.size = size
        pixels = [UInt8](repeating: 0, count: size.pixelCount * 4)
    }

    /// One pixel as a number whose bytes in memory are red, green, blue and alpha.
    func withWholePixels<Result>(_ body: (UnsafeBufferPointer<UInt32>) throws -> Result) rethrows -> Result {
        try pixels.withUnsafeBytes { try body($0.bindMemory(to: UInt32.self)) }
    }

    mutating func withMutableWholePixels<Result>(
        _ body: (UnsafeMutableBufferPointer<UInt32>) throws -> Result
    ) rethrows -> Result {
        try pixels.withUnsafeMutableBytes { try body($0.bindMemory(to: UInt32.self)) }
    }

    /// The red, green, blue and alpha of a pixel.
    package subscript(x: Int, y: Int) -> [UInt8] {
        let start = (y * width + x) * 4
        return Array(pixels[start..<start + 4])
    }

    /// Whether no pixel shows what is behind it. Reads all pixels.
    package var isOpaque: Bool {
        let opaque = UInt32(bigEndian: 0x0000_00FF)
        return withWholePixels { pixels in pixels.allSatisfy { $0 & opaque == opaque } }
    }
}
