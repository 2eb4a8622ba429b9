#if !canImport(UIKit) && !canImport(AppKit)
    public import Foundation
    internal import HalcyonImageCodecs

    // What the functions of `kf` need of each platform's image. The same names for UIImage and NSImage are in Platform/.
    extension HalcyonImage {
        var bitmapCost: Int { content.cost }

        /// Width and height in pixels.
        @_spi(HalcyonTool) public var pixelSize: CGSize {
            CGSize(width: size.width * scale, height: size.height * scale)
        }

        /// Seconds; 0 for a still.
        @_spi(HalcyonTool) public var playingTime: TimeInterval { duration }

        var isAnimation: Bool { content.frameCount > 1 }

        /// The GIF of an animation, without making one of a still image. Without codecs, which make no PNG either, the file.
        var animationData: Data? {
            guard ImageCodecs.areAvailable else { return content.file }
            return isAnimation ? gifData() : nil
        }

        var upright: HalcyonImage { self }

        /// What a format with one picture can hold of it.
        var still: HalcyonImage { self }

        /// The same pixels at another number of them per point.
        func withScale(_ scale: CGFloat) -> HalcyonImage {
            guard scale != self.scale else { return self }
            let copy = HalcyonImage(content: content, scale: scale, duration: isAnimation ? 0 : duration)
            copyState(to: copy)
            return copy
        }

        /// This image with its pixels in memory; nil if they cannot be had. Without codecs an image is its file.
        func decodedForDisplay() -> HalcyonImage? {
            guard ImageCodecs.areAvailable else { return self }
            return (try? decode()) == nil ? nil : self
        }

        func copyState(to other: HalcyonImage) { other.frameCount = givenFrameCount }

        static func make(data: Data, options: ImageCreatingOptions) -> HalcyonImage? {
            guard let image = HalcyonImage(data: data, options: options) else { return nil }
            return options.preloadAll && image.isAnimation ? image.decodedForDisplay() : image
        }

        /// The first picture of a file, made smaller so that neither direction has more than so many pixels. A JPEG is decoded
        /// at the eighth of its size that is just large enough.
        static func thumbnail(of data: Data, mostPixels: CGFloat, scale: CGFloat) -> HalcyonImage? {
            var options = limits.withLock { $0 }
            // Before the header is judged: an animation over the limit for all its pictures has a first one.
            options.firstFrameOnly = true
            guard mostPixels >= 1, let size = (try? ImageCodecs.header(of: data, options: options))?.size else {
                return nil
            }
            let target = size.fitting(Int(clamping: min(Double(mostPixels), Double(Int32.max))))
            options.targetSize = target
            guard let bitmap = (try? ImageCodecs.decode(data, options: options))?.frames.first?.bitmap,
                let small = try? bitmap.scaled(to: target)
            else { return nil }
            return HalcyonImage(content: ImageContent(bitmap: small), scale: scale)
        }
    }

    extension PixelSize {
        /// The largest size of this shape with no more pixels than that in either direction, and never a larger one than this.
        fileprivate func fitting(_ most: Int) -> PixelSize {
            guard max(width, height) > most else { return self }
            let ratio = Double(most) / Double(max(width, height))
            func shrunk(_ length: Int) -> Int { max(1, Int((Double(length) * ratio).rounded())) }
            return PixelSize(width: shrunk(width), height: shrunk(height))
        }
    }
#endif
