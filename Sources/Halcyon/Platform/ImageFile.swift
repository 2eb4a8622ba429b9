#if canImport(ImageIO)
    internal import CoreGraphics
    internal import Foundation
    internal import ImageIO

    /// A picture's file, as the system's decoders see it.
    struct ImageFile {
        /// A picture of an animation, and how long it is shown.
        struct Frame {
            let picture: CGImage
            /// Hundredths of a second, as GIF has them.
            let delay: Int
        }

        private let source: CGImageSource

        /// nil if the data is no picture.
        init?(_ data: Data) {
            // Decoded pixels belong to the images that are made of it, not to the file.
            let options = [kCGImageSourceShouldCache: false] as CFDictionary
            guard let source = CGImageSourceCreateWithData(data as CFData, options), CGImageSourceGetCount(source) > 0
            else { return nil }
            self.source = source
        }

        var frameCount: Int { CGImageSourceGetCount(source) }

        /// Whether the pixels have to be turned to be seen as they are meant.
        var isTurned: Bool {
            guard let orientation = properties(at: 0)[kCGImagePropertyOrientation] as? Int else { return false }
            return orientation != 1
        }

        /// - Parameter decodingNow: false leaves it to the first one who shows it.
        func picture(at index: Int, decodingNow: Bool = false) -> CGImage? {
            CGImageSourceCreateImageAtIndex(
                source, index, [kCGImageSourceShouldCacheImmediately: decodingNow] as CFDictionary)
        }

        /// All frames that can be read.
        func frames(decodingNow: Bool = false) -> [Frame] {
            (0..<frameCount).compactMap { index in
                picture(at: index, decodingNow: decodingNow).map { Frame(picture: $0, delay: delay(at: index)) }
            }
        }

        /// The first picture, upright, with so many pixels in its longer direction; never larger than it is.
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

        /// As it is said, and a tenth of a second for what is too short to be meant: what browsers do.
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
        /// A GIF that is played for ever; nil without frames, or if it cannot be made.
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

    extension CGContext {
        /// A bitmap of the kind that the screen takes, in the colours of the picture if they are red, green and blue.
        static func bitmap(width: Int, height: Int, inColorsOf picture: CGImage) -> CGContext? {
            let own = picture.colorSpace
            let candidates = BitmapColors.candidates(
                isRGB: own?.model == .rgb, canBeDrawnInto: own?.supportsOutput ?? false,
                isWide: own?.isWideGamutRGB ?? false)
            for candidate in candidates {
                let space: CGColorSpace? =
                    switch candidate {
                    case .own: own
                    case .displayP3: CGColorSpace(name: CGColorSpace.displayP3)
                    case .sRGB: CGColorSpace(name: CGColorSpace.sRGB)
                    }
                // Eight bits refuse a space of extended range, for which the next one does.
                if let space, let context = bitmap(width: width, height: height, in: space) { return context }
            }
            return nil
        }

        private static func bitmap(width: Int, height: Int, in space: CGColorSpace) -> CGContext? {
            CGContext(
                data: nil, width: width, height: height, bitsPerComponent: 8, bytesPerRow: 0, space: space,
                bitmapInfo: CGImageAlphaInfo.premultipliedFirst.rawValue | CGBitmapInfo.byteOrder32Little.rawValue)
        }
    }
#endif
