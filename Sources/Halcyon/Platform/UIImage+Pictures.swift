#if canImport(UIKit)
    internal import CoreGraphics
    internal import Foundation
    public import UIKit

    // The image functions that `kf` needs on each platform. Those of Linux are in Image/PlatformImage.swift. UIKit provides
    // `pngData()` and `jpegData(compressionQuality:)`.
    extension UIImage {
        /// Four bytes per pixel of each distinct picture, whatever the file's depth, so it is the same before and after decoding.
        var bitmapCost: Int {
            .bitmapBytes(width: Double(size.width * scale), height: Double(size.height * scale), pictures: pictureCount)
        }

        /// The number of distinct pictures: one with a long duration occurs several times.
        var pictureCount: Int { max(1, Set((images ?? []).map(ObjectIdentifier.init)).count) }

        // MARK: Making

        static func make(data: Data, options: ImageCreatingOptions) -> UIImage? {
            let image = animation(of: data, options: options) ?? UIImage(data: data, scale: options.scale)
            if ImageFormat(data) == .GIF { image?.keep(gif: data) }
            return image
        }

        /// Returns nil for anything but a GIF. One with a single picture has that one in `images`, as on Linux.
        private static func animation(of data: Data, options: ImageCreatingOptions) -> UIImage? {
            guard !options.onlyFirstFrame, ImageFormat(data) == .GIF, let file = ImageFile(data) else { return nil }
            let frames = file.frames(decodingNow: options.preloadAll)
            let pictures = frames.map { UIImage(cgImage: $0.picture, scale: options.scale, orientation: .up) }
            let seconds = frames.reduce(0) { $0 + Double($1.delay) } / 100
            return UIImage.animatedImage(
                with: FrameSequence.places(delays: frames.map(\.delay)).map { pictures[$0] },
                duration: options.duration > 0 ? options.duration : seconds)
        }

        static func thumbnail(of data: Data, mostPixels: CGFloat, scale: CGFloat) -> UIImage? {
            ImageFile(data)?.thumbnail(mostPixels: mostPixels).map {
                UIImage(cgImage: $0, scale: scale, orientation: .up)
            }
        }

        // MARK: Encoding

        var gifFrames: [ImageFile.Frame] {
            guard let images, !images.isEmpty else {
                return upright.cgImage.map { [ImageFile.Frame(picture: $0, delay: 10)] } ?? []
            }
            let delay = max(1, Int(clamping: (duration * 100 / Double(images.count)).rounded()))
            return runs(of: images).compactMap { picture, length in
                picture.upright.cgImage.map {
                    ImageFile.Frame(picture: $0, delay: Int(clamping: min(Double(length) * Double(delay), 65_535)))
                }
            }
        }

        /// The same picture at consecutive places is one frame.
        private func runs(of images: [UIImage]) -> [(picture: UIImage, length: Int)] {
            images.reduce(into: []) { runs, image in
                if let last = runs.last, last.picture === image {
                    runs[runs.count - 1].length += 1
                } else {
                    runs.append((image, 1))
                }
            }
        }

        // MARK: Changing

        /// The same pixels at another scale.
        func withScale(_ scale: CGFloat) -> UIImage {
            guard scale > 0, scale != self.scale else { return self }
            let scaled = changingPictures { picture in
                picture.cgImage.map { UIImage(cgImage: $0, scale: scale, orientation: picture.imageOrientation) }
            }
            return scaled ?? self
        }

        /// This image with its pixels in memory; nil if they cannot be decoded. An animation is returned unchanged, because all its
        /// pictures may not fit into memory, and so is an image without a bitmap.
        @_spi(HalcyonTool) public func decodedForDisplay() -> UIImage? {
            isAnimation || (images ?? [self]).contains { $0.cgImage == nil }
                ? self : changingPictures { $0.preparedForDisplay() }
        }

        #if os(watchOS)
            /// UIKit has this function on all platforms except watchOS.
            private func preparedForDisplay() -> UIImage? {
                cgImage.flatMap { $0.scaled(width: $0.width, height: $0.height) }.map {
                    UIImage(cgImage: $0, scale: scale, orientation: imageOrientation)
                }
            }
        #else
            private func preparedForDisplay() -> UIImage? { preparingForDisplay() }
        #endif

        /// All pictures, upright, at another size in points.
        func resized(to size: CGSize) -> UIImage? {
            let resized = changingPictures { picture in
                picture.upright.cgImage?.scaled(width: pixels(size.width), height: pixels(size.height)).map {
                    UIImage(cgImage: $0, scale: scale, orientation: .up)
                }
            }
            // The file has pictures of the former size.
            resized?.animationFile = nil
            return resized
        }

        /// Returns nil if any of the pictures cannot be changed.
        private func changingPictures(_ change: (UIImage) -> UIImage?) -> UIImage? {
            guard let images, !images.isEmpty else { return handingOnState(to: change(self)) }
            var changed: [ObjectIdentifier: UIImage] = [:]
            for picture in images where changed[ObjectIdentifier(picture)] == nil {
                guard let result = change(picture) else { return nil }
                changed[ObjectIdentifier(picture)] = result
            }
            let pictures = images.compactMap { changed[ObjectIdentifier($0)] }
            return handingOnState(to: UIImage.animatedImage(with: pictures, duration: duration))
        }

        private func handingOnState(to other: UIImage?) -> UIImage? {
            if let other { copyState(to: other) }
            return other
        }

        /// The part that a format with one picture and no orientation can hold.
        var still: UIImage { images?.first?.upright ?? upright }

        /// The image with its pixels rotated to its orientation; an animation unchanged.
        var upright: UIImage {
            guard imageOrientation != .up, images == nil, let picture = cgImage else { return self }
            return handingOnState(to: redrawn(picture)) ?? self
        }

        private func pixels(_ points: CGFloat) -> Int { Int(clamping: Double(points * scale).rounded()) }

        private func redrawn(_ picture: CGImage) -> UIImage? {
            let (width, height) = (pixels(size.width), pixels(size.height))
            guard let context = CGContext.bitmap(width: width, height: height, inColorsOf: picture) else { return nil }
            // UIKit's origin is at the top, and its unit is points.
            context.translateBy(x: 0, y: CGFloat(height))
            context.scaleBy(x: scale, y: -scale)
            UIGraphicsPushContext(context)
            defer { UIGraphicsPopContext() }
            draw(in: CGRect(origin: .zero, size: size))
            return context.makeImage().map { UIImage(cgImage: $0, scale: scale, orientation: .up) }
        }
    }
#endif
