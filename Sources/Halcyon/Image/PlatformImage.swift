#if !canImport(UIKit) && !canImport(AppKit)
    public import Foundation
    internal import HalcyonImageCodecs

    // The image functions that `kf` needs on each platform. Those of UIImage and NSImage are in Platform/.
    extension HalcyonImage {
        var bitmapCost: Int { content.cost }

        /// Width and height in pixels.
        @_spi(HalcyonTool) public var pixelSize: CGSize {
            CGSize(width: size.width * scale, height: size.height * scale)
        }

        /// In seconds; 0 for a still image.
        @_spi(HalcyonTool) public var playingTime: TimeInterval { duration }

        var isAnimation: Bool { content.frameCount > 1 }

        /// The GIF of an animation, or nil for a still image. Without codecs, which cannot make a PNG either, the file.
        var animationData: Data? {
            guard ImageCodecs.areAvailable else { return content.file }
            return isAnimation ? gifData() : nil
        }

        var upright: HalcyonImage { self }

        /// The part that a format with a single picture can hold.
        var still: HalcyonImage { self }

        /// The same pixels at another scale.
        func withScale(_ scale: CGFloat) -> HalcyonImage {
            guard scale != self.scale else { return self }
            let copy = HalcyonImage(content: content, scale: scale, duration: givenDuration)
            copyState(to: copy)
            return copy
        }

        /// This image with its pixels in memory; nil if they cannot be decoded. Without codecs, the image itself.
        @_spi(HalcyonTool) public func decodedForDisplay() -> HalcyonImage? {
            guard ImageCodecs.areAvailable else { return self }
            return (try? decode()) == nil ? nil : self
        }

        func copyState(to other: HalcyonImage) { other.frameCount = givenFrameCount }

        static func make(data: Data, options: ImageCreatingOptions) -> HalcyonImage? {
            guard let image = HalcyonImage(data: data, options: options) else { return nil }
            return options.preloadAll && image.isAnimation ? image.decodedForDisplay() : image
        }

        /// All pictures at another size in points, rounded to whole pixels. Returns nil if the result would have no pixels or
        /// exceed the limits, or if there is not enough memory.
        func resized(to size: CGSize) -> HalcyonImage? {
            func pixels(_ length: CGFloat) -> Int { Int(clamping: (Double(length * scale)).rounded()) }
            let target = PixelSize(width: pixels(size.width), height: pixels(size.height))
            let limits = Self.limits.withLock { $0 }
            guard let decoded = try? content.decoded(), target.width > 0, target.height > 0,
                target.pixelCount <= limits.pixelLimit,
                decoded.frames.count == 1 || target.pixelCount <= limits.totalPixelLimit / max(1, decoded.frames.count)
            else { return nil }
            let frames = try? decoded.frames.map {
                DecodedImage.Frame(
                    bitmap: try $0.bitmap.scaled(to: target), durationInSeconds: $0.durationInSeconds)
            }
            guard let frames else { return nil }
            let resized = HalcyonImage(
                content: ImageContent(decoded: DecodedImage(frames: frames, loopCount: decoded.loopCount)),
                scale: scale,
                duration: givenDuration)
            copyState(to: resized)
            return resized
        }

        /// The first picture, scaled down so that neither side exceeds `mostPixels`.
        func thumbnail(mostPixels: CGFloat, scale: CGFloat) -> HalcyonImage? {
            // Decodes less of the file than the image would.
            if let file = content.file, content.format == .jpeg || !content.isDecoded {
                return Self.thumbnail(of: file, mostPixels: mostPixels, scale: scale)
            }
            guard mostPixels >= 1, let bitmap = try? content.decoded().frames.first?.bitmap else { return nil }
            return Self.thumbnail(of: bitmap, size: bitmap.size.fitting(mostPixels), scale: scale)
        }

        private static func thumbnail(of bitmap: Bitmap, size: PixelSize, scale: CGFloat) -> HalcyonImage? {
            (try? bitmap.scaled(to: size)).map { HalcyonImage(content: ImageContent(bitmap: $0), scale: scale) }
        }

        /// The first picture of a file, scaled down so that neither side exceeds `mostPixels`. A JPEG is decoded at the smallest
        /// eighth of its size that is at least twice as large.
        static func thumbnail(of data: Data, mostPixels: CGFloat, scale: CGFloat) -> HalcyonImage? {
            var options = limits.withLock { $0 }
            // Before the header is checked: an animation may exceed the limit for all its pictures and still have a usable first
            // one.
            options.firstFrameOnly = true
            guard mostPixels >= 1, let size = (try? ImageCodecs.header(of: data, options: options))?.size else {
                return nil
            }
            let target = size.fitting(mostPixels)
            options.targetSize = target
            let bitmap = try? ImageCodecs.decode(data, options: options).frames.first?.bitmap
            return bitmap.flatMap { thumbnail(of: $0, size: target, scale: scale) }
        }
    }

    extension PixelSize {
        /// The largest size of the same shape with neither side over `most`; never larger than this one.
        fileprivate func fitting(_ mostPixels: CGFloat) -> PixelSize {
            let most = Int(clamping: min(Double(mostPixels), Double(Int32.max)))
            guard max(width, height) > most else { return self }
            let ratio = Double(most) / Double(max(width, height))
            func shrunk(_ length: Int) -> Int { max(1, Int((Double(length) * ratio).rounded())) }
            return PixelSize(width: shrunk(width), height: shrunk(height))
        }
    }
#endif
