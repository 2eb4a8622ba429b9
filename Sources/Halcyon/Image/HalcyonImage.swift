#if !canImport(UIKit) && !canImport(AppKit)
    public import Foundation
    internal import HalcyonImageCodecs

    /// An image for systems without an image type: PNG, JPEG, GIF or WebP with all frames; upright, 8 bits a channel, with the
    /// file's values taken as sRGB.
    ///
    /// Creating one from a file reads only the header, and fails if it exceeds ``pixelLimit``, is too short for its stated size,
    /// or has another format. The first use of the pixels decodes them, once, on its thread. Call ``decode()`` to decode earlier,
    /// or to learn what is wrong with damaged pixels.
    ///
    /// You may use it from any thread. Two images are equal if they are the same object.
    public final class HalcyonImage: Sendable {
        /// Pixels per point.
        public let scale: CGFloat
        let content: ImageContent
        let givenDuration: TimeInterval
        private let state = Locked(State())

        private struct State {
            var givenFrameCount: Int?
            /// Made on first use and kept, so that each frame is always the same object.
            var frames: [HalcyonImage]?
        }

        /// Creates an image from a file's bytes, with one pixel per point. Does not decode yet.
        ///
        /// - Returns: nil if the data is not a supported image, or exceeds the limits.
        public convenience init?(data: Data) { self.init(data: data, scale: 1) }

        /// Like ``init(data:)``, with a number of pixels per point.
        ///
        /// - Parameters:
        ///   - data: a PNG, JPEG, GIF or WebP file.
        ///   - scale: pixels per point; values that are not positive count as 1.
        public convenience init?(data: Data, scale: CGFloat) {
            self.init(data: data, options: ImageCreatingOptions(scale: scale))
        }

        /// Creates an image from pixels: red, green, blue and alpha, one byte each, not premultiplied, rows from the top without
        /// gaps.
        ///
        /// - Returns: nil unless there are `width * height * 4` bytes, at least one pixel, and memory for a copy.
        public convenience init?(rgba: [UInt8], width: Int, height: Int, scale: CGFloat = 1) {
            let size = PixelSize(width: width, height: height)
            guard width > 0, height > 0, size.pixelCount <= Int.max / 4, rgba.count == size.pixelCount * 4 else {
                return nil
            }
            guard let bitmap = try? Bitmap(size: size, pixels: rgba) else { return nil }
            self.init(content: ImageContent(bitmap: bitmap), scale: scale)
        }

        convenience init?(data: Data, options: ImageCreatingOptions) {
            var decoding = Self.limits.withLock { $0 }
            decoding.firstFrameOnly = options.onlyFirstFrame
            // The reason is dropped here; ImageDecodingError(decoding:) reports it.
            guard let content = try? ImageContent(file: data, options: decoding) else { return nil }
            self.init(
                content: content, scale: options.scale, duration: content.frameCount > 1 ? options.duration : 0)
        }

        init(content: ImageContent, scale: CGFloat, duration: TimeInterval = 0) {
            self.content = content
            self.scale = scale > 0 && scale.isFinite ? scale : 1
            givenDuration = duration > 0 && duration.isFinite ? duration : 0
        }

        // MARK: Content

        /// In points: pixels divided by ``scale``.
        public var size: CGSize {
            CGSize(width: CGFloat(content.pixelSize.width) / scale, height: CGFloat(content.pixelSize.height) / scale)
        }

        /// The pictures of an animation as they appear on screen; one for a GIF with a single picture. nil for a still image, or
        /// if the pixels cannot be decoded. Decodes.
        public var images: [HalcyonImage]? {
            guard content.hasPictures, let decoded = try? content.decoded() else { return nil }
            return state.withLock { state in
                let frames = state.frames ?? decoded.frames.map(image)
                state.frames = frames
                return frames
            }
        }

        private func image(of frame: DecodedImage.Frame) -> HalcyonImage {
            HalcyonImage(content: ImageContent(bitmap: frame.bitmap), scale: scale, duration: frame.durationInSeconds)
        }

        /// The seconds of one pass of an animation; 0 for a still image. For an element of ``images``, the time it is shown.
        /// Decodes, unless the duration was set when the image was made.
        public var duration: TimeInterval {
            guard givenDuration == 0, content.frameCount > 1, let decoded = try? content.decoded() else {
                return givenDuration
            }
            return decoded.frames.reduce(0) { $0 + $1.durationInSeconds }
        }

        /// How often an animation plays; 0 means forever. 1 for a still image. Decodes an animation.
        public var loopCount: Int { content.frameCount > 1 ? (try? content.decoded())?.loopCount ?? 1 : 1 }

        /// The pixels of the first picture, in the format of ``init(rgba:width:height:scale:)``; nil if they cannot be decoded or
        /// copied. Decodes, and copies.
        public var rgba: [UInt8]? { try? bitmap?.pixels }

        var bitmap: Bitmap? { (try? content.decoded())?.frames.first?.bitmap }

        // MARK: Decoding

        /// Decodes the pixels now, unless they are decoded already.
        ///
        /// - Throws: ``ImageDecodingError``. Then every use of the pixels fails, except that running out of memory is retried by
        ///   the next use.
        public func decode() throws {
            do {
                _ = try content.decoded()
            } catch {
                throw ImageDecodingError(error)
            }
        }

        /// Whether the pixels are in memory.
        public var isDecoded: Bool { content.isDecoded }

        /// The most pixels decoded for one picture, by default 100 million. A file that states more is not an image. Applies to
        /// images created later.
        ///
        /// A file within the limit allocates no memory for pixels that its compressed bytes cannot encode, or for a canvas that
        /// none of its frames touches. Decoding takes four bytes for each pixel, and up to eight more while it runs: for a
        /// progressive JPEG, and for a lossless WebP that is turned upright.
        public static var pixelLimit: Int {
            get { limits.withLock { $0.pixelLimit } }
            set { limits.withLock { $0.pixelLimit = newValue } }
        }

        /// The most pixels of all pictures of an animation together, each at full size; by default 250 million. A file with more
        /// is not an image. Applies to images created later.
        public static var animationPixelLimit: Int {
            get { limits.withLock { $0.totalPixelLimit } }
            set { limits.withLock { $0.totalPixelLimit = newValue } }
        }

        /// The number of pictures decoded at the same time, by default the number of processors. Further decodes block their
        /// thread. Takes effect at once; values below 1 count as 1.
        public static var concurrentDecodeLimit: Int {
            get { DecodingSlots.shared.limit }
            set { DecodingSlots.shared.limit = newValue }
        }

        static let limits = Locked(DecodingOptions())

        // MARK: State beside the picture

        var frameCount: Int? {
            get { state.withLock { $0.givenFrameCount } ?? content.statedFrameCount }
            set { state.withLock { $0.givenFrameCount = newValue } }
        }

        var givenFrameCount: Int? { state.withLock { $0.givenFrameCount } }
    }

    extension HalcyonImage: Hashable {
        public static func == (left: HalcyonImage, right: HalcyonImage) -> Bool { left === right }
        public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    extension HalcyonImage: CustomStringConvertible {
        public var description: String {
            let frames = content.frameCount > 1 ? ", \(content.frameCount) frames" : ""
            return "HalcyonImage(\(content.pixelSize)\(frames), scale \(scale))"
        }
    }
#endif
