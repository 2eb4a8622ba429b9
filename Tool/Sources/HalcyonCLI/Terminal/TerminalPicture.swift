internal import Foundation
@_spi(HalcyonTool) package import Halcyon

/// An image as characters: upper half blocks, with the color of one pixel in the foreground and that of the pixel below it in the
/// background (24-bit colors, ISO 8613-6 "38;2" and "48;2", which current terminals support).
package struct TerminalPicture {
    package let text: String

    /// Returns nil if the pixels cannot be read.
    ///
    /// - Parameters:
    ///   - width: the maximum width in pixels, one per column.
    ///   - height: the maximum height in pixels, two per line.
    package init?(_ image: KFCrossPlatformImage, width: Int, height: Int) {
        #if os(Linux)
            let size = CGSize(width: image.size.width * image.scale, height: image.size.height * image.scale)
            let ratio = min(1, Double(width) / size.width, Double(height) / size.height)
            let longest = (max(size.width, size.height) * ratio).rounded(.down)
            guard let file = image.pngData(),
                let small = KingfisherWrapper.downsampledImage(
                    data: file, to: CGSize(width: longest, height: longest), scale: 1),
                let pixels = small.rgba
            else { return nil }
            text = Self.text(of: pixels, width: Int(small.size.width), height: Int(small.size.height))
        #else
            return nil
        #endif
    }

    /// - Parameter pixels: RGBA bytes, row by row.
    package static func text(of pixels: [UInt8], width: Int, height: Int) -> String {
        func colour(_ x: Int, _ y: Int) -> String {
            guard y < height else { return "0;0;0" }
            let start = (y * width + x) * 4
            let alpha = Int(pixels[start + 3])
            // Gray squares under transparent pixels, as in image editors: both black and white stay visible on them.
            let behind = (x / 4 + y / 4).isMultiple(of: 2) ? 153 : 102
            return (0..<3).map { String((Int(pixels[start + $0]) * alpha + behind * (255 - alpha)) / 255) }
                .joined(separator: ";")
        }
        return stride(from: 0, to: height, by: 2).map { y in
            (0..<width).map { "\u{1B}[38;2;\(colour($0, y));48;2;\(colour($0, y + 1))m▀" }.joined() + "\u{1B}[0m"
        }.joined(separator: "\n")
    }
}
