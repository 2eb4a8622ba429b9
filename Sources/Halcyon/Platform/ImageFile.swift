#if canImport(ImageIO)
    internal import CoreGraphics
    internal import Foundation
    internal import ImageIO

    /// An image file as read by the system's decoders.
    struct ImageFile {
        /// A picture of an animation and its duration.
        struct Frame {
            let picture: CGImage
            /// In hundredths of a second, as in GIF.
            let delay: Int
        }

        private let source: CGImageSource

        /// Returns nil if the data is not an image.
        init?(_ data: Data) {
            // Images made from the file hold the decoded pixels, not the file.
            let options = [kCGImageSourceShouldCache: false] as CFDictionary
            guard let source = CGImageSourceCreateWithData(data as CFData, options), CGImageSourceGetCount(source) > 0
            else { return nil }
            self.source = source
        }

        var frameCount: Int { CGImageSourceGetCount(source) }

        /// Whether the orientation requires rotating the pixels.
        var isTurned: Bool {
            guard let orientation = properties(at: 0)[kCGImagePropertyOrientation] as? Int else { return false }
            return orientation != 1
        }

        /// - Parameter decodingNow: false decodes on first display.
        func picture(at index: Int, decodingNow: Bool = false) -> CGImage? {
            CGImageSourceCreateImageAtIndex(
                source, index, [kCGImageSourceShouldCacheImmediately: decodingNow] as CFDictionary)
        }

        /// All readable frames.
        func frames(decodingNow: Bool = false) -> [Frame] {
            (0..<frameCount).compactMap { index in
                picture(at: index, decodingNow: decodingNow).map { Frame(picture: $0, delay: delay(at: index)) }
            }
        }

        /// The first picture, upright, with at most `mostPixels` on its longer side; never enlarged.
        func thumbnail(mostPixels: CGFloat) -> CGImage? {
            guard mostPixels >= 1 else { return nil }
            let options: [CFString: Any] = [
                kCGImageSourceCreateThumbnailFromImageAlways: true,
                kCGImageSourceCreateThumbnailWithTransform: true,
                kCGImageSourceShouldCacheImmediately: true,
                kCGImageSourceThumbnailMaxPixelSize: Int(clamping: min(Double(mostPixels), Double(Int32.max))),
            ]
            return CGImageSourceCreateThumbnailAtIndex(source, 0, options as CFDictionary)
        }

        /// As stated in the file, or like browsers a tenth of a second if that is implausibly short.
        private func delay(at index: Int) -> Int {
            let gif = properties(at: index)[kCGImagePropertyGIFDictionary] as? [CFString: Any] ?? [:]
            let seconds = (gif[kCGImagePropertyGIFUnclampedDelayTime] ?? gif[kCGImagePropertyGIFDelayTime]) as? Double
            let delay = ((seconds ?? 0) * 100).rounded()
            return (2...65_535).contains(delay) ? Int(delay) : 10
        }

        private func properties(at index: Int) -> [CFString: Any] {
            CGImageSourceCopyPropertiesAtIndex(source, index, nil) as? [CFString: Any] ?? [:]
        }
    }

    extension ImageFile {
        /// A GIF that plays forever; nil if there are no frames or encoding fails.
        static func gif(_ frames: [Frame]) -> Data? {
            let data = NSMutableData()
            guard !frames.isEmpty,
                let target = CGImageDestinationCreateWithData(
                    data as CFMutableData, "com.compuserve.gif" as CFString, frames.count, nil)
            else { return nil }
            CGImageDestinationSetProperties(target, gifProperties([kCGImagePropertyGIFLoopCount: 0]))
            for frame in frames {
                let delay = Double(frame.delay) / 100
                CGImageDestinationAddImage(target, frame.picture, gifProperties([kCGImagePropertyGIFDelayTime: delay]))
            }
            return CGImageDestinationFinalize(target) ? data as Data : nil
        }

        private static func gifProperties(_ properties: [CFString: Any]) -> CFDictionary {
            [kCGImagePropertyGIFDictionary: properties] as CFDictionary
        }
    }

    extension CGImage {
        /// The same picture at another size in pixels; nil if the size is empty or memory runs out.
        func scaled(width: Int, height: Int) -> CGImage? {
            guard width > 0, height > 0,
                let context = CGContext.bitmap(width: width, height: height, inColorsOf: self)
            else { return nil }
            context.interpolationQuality = .high
            context.draw(self, in: CGRect(x: 0, y: 0, width: width, height: height))
            return context.makeImage()
        }
    }

    extension CGContext {
        /// A bitmap in the format of the screen, in the picture's own color space if that is RGB.
        static func bitmap(width: Int, height: Int, inColorsOf picture: CGImage) -> CGContext? {
            let own = picture.colorSpace
            let spaces = [
                own?.model == .rgb && own?.supportsOutput == true ? own : nil,
                // An image with a wider gamut than sRGB keeps at least Display P3.
                own?.isWideGamutRGB == true ? CGColorSpace(name: CGColorSpace.displayP3) : nil,
                CGColorSpace(name: CGColorSpace.sRGB),
            ]
            for case let space? in spaces {
                let context = CGContext(
                    data: nil, width: width, height: height, bitsPerComponent: 8, bytesPerRow: 0, space: space,
                    bitmapInfo: CGImageAlphaInfo.premultipliedFirst.rawValue | CGBitmapInfo.byteOrder32Little.rawValue)
                // Eight bits do not support an extended-range space; the next one works.
                if let context { return context }
            }
            return nil
        }
    }
#endif
