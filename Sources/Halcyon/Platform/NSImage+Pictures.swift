#if canImport(AppKit) && !canImport(UIKit)
    public import AppKit
    internal import CoreGraphics
    public import Foundation

    // Sendable because this package never changes an image that other code can see. AppKit's own annotation varies: none before
    // the macOS 14 SDK, then not Sendable, and since the macOS 26 SDK Sendable on macOS 14 and later.
    extension NSImage: @retroactive @unchecked Sendable {}

    // The image functions that `kf` needs on each platform. Those of Linux are in Image/PlatformImage.swift.
    extension NSImage {
        /// The largest bitmap; nil for images without one, such as a PDF. Holds all frames of an animation.
        private var bitmap: NSBitmapImageRep? {
            representations.compactMap { $0 as? NSBitmapImageRep }.max { $0.pixelsWide < $1.pixelsWide }
        }

        /// Four bytes per pixel of each picture, whatever the file's depth, so it is the same before and after decoding.
        var bitmapCost: Int {
            guard let bitmap else { return .bitmapBytes(width: size.width, height: size.height) }
            return .bitmapBytes(
                width: Double(bitmap.pixelsWide), height: Double(bitmap.pixelsHigh), pictures: pictureCount)
        }

        /// Width and height in pixels. `size` is in points, which depend on the file's resolution.
        @_spi(HalcyonTool) public var pixelSize: CGSize {
            bitmap.map { CGSize(width: $0.pixelsWide, height: $0.pixelsHigh) } ?? size
        }

        /// In seconds; 0 for a still image.
        @_spi(HalcyonTool) public var playingTime: TimeInterval {
            isAnimation ? gifFrames.reduce(0) { $0 + Double($1.delay) } / 100 : 0
        }

        var pictureCount: Int { max(1, bitmap?.value(forProperty: .frameCount) as? Int ?? 1) }

        // MARK: Making

        static func make(data: Data, options: ImageCreatingOptions) -> NSImage? {
            let image = make(data: data, ImageFile(data), options: options)
            if ImageFormat(data) == .GIF { image?.keep(gif: data) }
            return image
        }

        private static func make(data: Data, _ file: ImageFile?, options: ImageCreatingOptions) -> NSImage? {
            if let file, file.isTurned { return turned(file) }
            if options.onlyFirstFrame, let file, file.frameCount > 1 {
                return file.picture(at: 0).map { Self.image($0) }
            }
            return NSImage(data: data)
        }

        /// AppKit does not rotate the bitmaps of a file.
        private static func turned(_ file: ImageFile) -> NSImage? {
            file.thumbnail(mostPixels: CGFloat(Int32.max)).map { Self.image($0) }
        }

        /// An image with a bitmap: the one that `NSImage(cgImage:size:)` makes has a private representation in its place, whose size
        /// in pixels depends on the screen.
        ///
        /// - Parameter size: in points; nil for one point per pixel.
        private static func image(_ picture: CGImage, size: NSSize? = nil) -> NSImage {
            let size = size ?? NSSize(width: picture.width, height: picture.height)
            let (image, bitmap) = (NSImage(size: size), NSBitmapImageRep(cgImage: picture))
            bitmap.size = size
            image.addRepresentation(bitmap)
            return image
        }

        static func thumbnail(of data: Data, mostPixels: CGFloat, scale: CGFloat) -> NSImage? {
            guard let picture = ImageFile(data)?.thumbnail(mostPixels: mostPixels), scale > 0 else { return nil }
            let size = CGSize(width: CGFloat(picture.width) / scale, height: CGFloat(picture.height) / scale)
            return image(picture, size: size)
        }

        // MARK: Encoding

        func pngData() -> Data? {
            firstPicture.flatMap { NSBitmapImageRep(cgImage: $0).representation(using: .png, properties: [:]) }
        }

        func jpegData(compressionQuality: CGFloat) -> Data? {
            firstPicture.flatMap {
                NSBitmapImageRep(cgImage: $0)
                    .representation(using: .jpeg, properties: [.compressionFactor: compressionQuality])
            }
        }

        /// For an animation, read from the file, because its bitmap may be at any frame.
        private var firstPicture: CGImage? {
            if isAnimation, let animationFile { return ImageFile(animationFile)?.picture(at: 0) }
            return bitmap?.cgImage ?? cgImage(forProposedRect: nil, context: nil, hints: nil)
        }

        var gifFrames: [ImageFile.Frame] {
            guard isAnimation, let bitmap = bitmap?.copy() as? NSBitmapImageRep else {
                return firstPicture.map { [ImageFile.Frame(picture: $0, delay: 10)] } ?? []
            }
            return (0..<pictureCount).compactMap { index in
                bitmap.setProperty(.currentFrame, withValue: index)
                let seconds = bitmap.value(forProperty: .currentFrameDuration) as? Double ?? 0.1
                return bitmap.cgImage.map {
                    ImageFile.Frame(picture: $0, delay: Int((min(max(seconds, 0.01), 655) * 100).rounded()))
                }
            }
        }

        // MARK: Changing

        /// Returns the image unchanged: an `NSImage` has no scale, and its size in points comes from the file.
        func withScale(_ scale: CGFloat) -> NSImage { self }

        /// The image unchanged: it was rotated when it was created.
        var upright: NSImage { self }

        /// The image unchanged: ``pngData()`` and ``jpegData(compressionQuality:)`` use its first picture.
        var still: NSImage { self }

        /// The first picture at another size, with one pixel per point.
        func resized(to size: CGSize) -> NSImage? {
            func pixels(_ points: CGFloat) -> Int { Int(clamping: Double(points).rounded()) }
            return firstPicture?.scaled(width: pixels(size.width), height: pixels(size.height)).map {
                Self.image($0, size: size)
            }
        }

        /// This image with its pixels in memory; nil if they cannot be decoded. Animations, images without a bitmap and images of
        /// several sizes are returned unchanged: AppKit decodes what it displays.
        @_spi(HalcyonTool) public func decodedForDisplay() -> NSImage? {
            guard !isAnimation, representations.count == 1, let picture = bitmap?.cgImage else { return self }
            guard let decoded = picture.scaled(width: picture.width, height: picture.height) else { return nil }
            let image = Self.image(decoded, size: size)
            copyState(to: image)
            return image
        }
    }
#endif
