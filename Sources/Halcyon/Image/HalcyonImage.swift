#if !canImport(UIKit) && !canImport(AppKit)
    public import Foundation
    internal import HalcyonImageCodecs

    /// An image where the system has none: PNG, JPEG, or GIF with its frames; upright, 8 bits a channel, in sRGB's numbers as
    /// they are in the file.
    ///
    /// Making one of a file reads what the file says of its picture, and refuses what is over ``pixelLimit``, too short for
    /// the size it states, or of another format. The pixels are decoded by whoever needs them first, on that thread, once;
    /// ``decode()`` does it when it suits, and says what is wrong with a file whose pixels are damaged.
    ///
    /// Safe from any thread. Two images are equal if they are the same object.
    public final class HalcyonImage: Sendable {
        /// Pixels per point.
        public let scale: CGFloat
        let content: ImageContent
        private let givenDuration: TimeInterval
        private let state = Locked(State())

        private struct State {
            var givenFrameCount: Int?
            /// Made at first use and kept, so that each frame is the same object every time.
            var frames: [HalcyonImage]?
        }

        /// An image of a file's bytes, with one pixel per point. Decodes nothing yet.
        ///
        /// - Returns: nil if the data is no picture that can be decoded, or one over the limits.
        public convenience init?(data: Data) { self.init(data: data, scale: 1) }

        /// As ``init(data:)``, with another number of pixels per point.
        ///
        /// - Parameters:
        ///   - data: a PNG, JPEG or GIF file.
        ///   - scale: pixels per point; what is not positive counts as 1.
        public convenience init?(data: Data, scale: CGFloat) {
            self.init(data: data, options: ImageCreatingOptions(scale: scale))
        }

        /// An image of pixels: red, green, blue and alpha, a byte each, not multiplied by alpha, rows from the top without
        /// gaps.
        ///
        /// - Returns: nil unless there are `width * height * 4` bytes, a pixel at least, and memory for a copy.
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
            // Why it is none is not asked here; ImageDecodingError(decoding:) tells.
            guard let content = try? ImageContent(file: data, options: decoding) else { return nil }
            self.init(content: content, scale: options.scale, duration: options.duration)
        }

        init(content: ImageContent, scale: CGFloat, duration: TimeInterval = 0) {
            self.content = content
            self.scale = scale > 0 && scale.isFinite ? scale : 1
            givenDuration = duration > 0 && duration.isFinite ? duration : 0
        }

        // MARK: What it shows

        /// In points: pixels divided by ``scale``.
        public var size: CGSize {
            CGSize(width: CGFloat(content.pixelSize.width) / scale, height: CGFloat(content.pixelSize.height) / scale)
        }

        /// The pictures of an animation, each as it looks on the screen; one for a GIF with a single picture. nil for a still
        /// image, or if the pixels cannot be decoded. Decodes.
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

        /// Seconds an animation takes once; 0 for a still image. A picture of ``images`` has the time for which it is shown.
        /// Decodes, unless it was given when the image was made.
        public var duration: TimeInterval {
            guard givenDuration == 0, content.frameCount > 1, let decoded = try? content.decoded() else {
                return givenDuration
            }
            return decoded.frames.reduce(0) { $0 + $1.durationInSeconds }
        }

        /// How often an animation is played: 0, for ever. 1 for a still image. Decodes.
        public var loopCount: Int { (try? content.decoded())?.loopCount ?? 1 }

        /// The pixels of the first picture, as ``init(rgba:width:height:scale:)`` takes them; nil if they cannot be decoded, or
        /// there is no memory for them. Decodes, and copies.
        public var rgba: [UInt8]? { try? bitmap?.pixels }

        var bitmap: Bitmap? { (try? content.decoded())?.frames.first?.bitmap }

        // MARK: Decoding

        /// Decodes the pixels now, unless that has been done.
        ///
        /// - Throws: ``ImageDecodingError``; then every use of the pixels fails, unless there was only no memory: the next one
        ///   tries again.
        public func decode() throws {
            do throws(ImageCodecError) {
                _ = try content.decoded()
            } catch {
                throw ImageDecodingError(error)
            }
        }

        /// Whether the pixels are in memory.
        public var isDecoded: Bool { content.isDecoded }

        /// Pixels of one picture that are decoded at most: 100 million. A file that states more is no image. Applies to images
        /// made later.
        ///
        /// A file that states fewer takes no memory for pixels that its compressed bytes cannot encode, nor for those of a canvas
        /// that none of its frames touches.
        public static var pixelLimit: Int {
            get { limits.withLock { $0.pixelLimit } }
            set { limits.withLock { $0.pixelLimit = newValue } }
        }

        /// Pixels of all pictures of an animation together, each as big as the whole: 250 million. One that has more is no
        /// image. Applies to images made later.
        public static var animationPixelLimit: Int {
            get { limits.withLock { $0.totalPixelLimit } }
            set { limits.withLock { $0.totalPixelLimit = newValue } }
        }

        static let limits = Locked(DecodingOptions())

        // MARK: State that is not the picture's

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
