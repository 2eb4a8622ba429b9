import HalcyonImageCodecs
import Testing

@Suite struct ScalingTests {
    @Test func `halving averages four pixels`() throws {
        let bitmap = Bitmap(width: 4, height: 2) { x, y in [x * 40 + y * 20, 100, x * 10, 255] }
        let expected = Bitmap(width: 2, height: 1) { x, _ in [30 + x * 80, 100, 5 + x * 20, 255] }
        #expect(try bitmap.scaled(to: PixelSize(width: 2, height: 1)) == expected)
    }

    @Test func `a partly covered pixel counts in proportion`() throws {
        let bitmap = Bitmap(width: 3, height: 1) { x, _ in [x * 90, 0, 0, 255] }
        // The second pixel is shared: (0 + 90 / 2) / 1.5 and (90 / 2 + 180) / 1.5.
        let expected = Bitmap(width: 2, height: 1) { x, _ in [[30, 150][x], 0, 0, 255] }
        #expect(try bitmap.scaled(to: PixelSize(width: 2, height: 1)) == expected)
    }

    @Test(arguments: [(1, 1), (7, 5), (100, 3), (3, 100), (101, 67), (333, 222)])
    func `a single color keeps its value at every size`(width: Int, height: Int) throws {
        let bitmap = Bitmap(width: 101, height: 67) { _, _ in [13, 200, 77, 199] }
        let expected = Bitmap(width: width, height: height) { _, _ in [13, 200, 77, 199] }
        #expect(try bitmap.scaled(to: PixelSize(width: width, height: height)) == expected)
    }

    @Test func `transparent pixels contribute no color`() throws {
        let bitmap = Bitmap(width: 2, height: 1) { x, _ in x == 0 ? [200, 100, 50, 255] : [0, 255, 0, 0] }
        let expected = Bitmap(width: 1, height: 1) { _, _ in [200, 100, 50, 128] }
        #expect(try bitmap.scaled(to: PixelSize(width: 1, height: 1)) == expected)
    }

    @Test func `the mean of all pixels stays the mean`() throws {
        let bitmap = Bitmap(width: 97, height: 61) { x, y in [x * 2, y * 4, (x * y) % 256, 255] }
        let small = try bitmap.scaled(to: PixelSize(width: 1, height: 1))
        for part in 0..<3 {
            let bytes = bitmap.bytes
            let sum = stride(from: part, to: bytes.count, by: 4).reduce(0) { $0 + Int(bytes[$1]) }
            #expect(abs(Int(small.bytes[part]) - sum / (97 * 61)) <= 1)
        }
    }

    @Test func `enlarging keeps a gradient monotonic`() throws {
        let bitmap = Bitmap(width: 2, height: 1) { x, _ in [x * 200, 0, 0, 255] }
        let reds = try bitmap.scaled(to: PixelSize(width: 4, height: 1)).bytes.enumerated().filter {
            $0.offset % 4 == 0
        }
        #expect(reds.map(\.element) == [0, 50, 150, 200])
    }
}
