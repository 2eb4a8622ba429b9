#if !canImport(UIKit) && !canImport(AppKit)
    internal import Foundation
    internal import HalcyonImageCodecs

    /// The content shared by images that differ only in scale: a file and its pixels once decoded, or pixels alone.
    ///
    /// Decoding happens once. Other threads wait for it instead of decoding again.
    final class ImageContent: Sendable {
        /// The original file; nil for bare pixels.
        let file: Data?
        let format: ImageFileFormat?
        let pixelSize: PixelSize
        /// As stated by the file, so it is the same before and after decoding.
        let frameCount: Int
        /// The frame count of a GIF or an animation, whichever pictures are decoded; nil for a still image.
        let statedFrameCount: Int?
        /// Whether it has pictures to list: those of an animation if all are decoded, or the one of a GIF.
        var hasPictures: Bool { statedFrameCount != nil && !options.firstFrameOnly }
        private let keptPixelCount: Int
        private let options: DecodingOptions
        /// The pixels, or why there are none; nil before the first use.
        private let outcome: Locked<Outcome?>
        /// Held while decoding. A lock of its own, so that ``isDecoded`` does not wait for a decode.
        private let turn = Locked(())

        private typealias Outcome = Result<DecodedImage, any Error>

        /// Reads the header of a file, and no pixels.
        ///
        /// - Throws: if it is not a supported image, exceeds the limits, or is too short for its size.
        init(file: Data, options: DecodingOptions) throws {
            let header = try ImageCodecs.header(of: file, options: options)
            self.file = file
            self.options = options
            format = header.format
            pixelSize = header.size
            frameCount = options.firstFrameOnly ? 1 : header.frameCount
            statedFrameCount = header.format == .gif || header.frameCount > 1 ? header.frameCount : nil
            keptPixelCount = options.firstFrameOnly ? header.keptPixels.first : header.keptPixels.all
            outcome = Locked(nil)
        }

        init(decoded: DecodedImage) {
            file = nil
            format = nil
            options = DecodingOptions()
            pixelSize = decoded.size
            frameCount = decoded.frames.count
            statedFrameCount = frameCount > 1 ? frameCount : nil
            let (pixels, overflow) = decoded.size.pixelCount.multipliedReportingOverflow(by: frameCount)
            keptPixelCount = overflow ? .max : pixels
            outcome = Locked(.success(decoded))
        }

        convenience init(bitmap: Bitmap) {
            self.init(decoded: DecodedImage(frames: [.init(bitmap: bitmap)]))
        }

        /// The pixels. Decodes on the first call only. Also remembers a failure, unless memory ran out.
        func decoded() throws -> DecodedImage {
            let outcome = known ?? turn.withLock { _ in known ?? decode() }
            return try outcome.get()
        }

        private var known: Outcome? { outcome.withLock { $0 } }

        private func decode() -> Outcome {
            let new = Outcome { try ImageCodecs.decode(file ?? Data(), options: options) }
            if case .failure(ImageCodecError.noMemory) = new { return new }
            outcome.withLock { $0 = new }
            return new
        }

        /// Whether the header of the file allows to decode all its pictures, also if only the first is decoded here.
        var hasPlausibleFile: Bool {
            var all = options
            all.firstFrameOnly = false
            return !options.firstFrameOnly || (try? ImageCodecs.header(of: file ?? Data(), options: all)) != nil
        }

        var isDecoded: Bool { (try? known?.get()) != nil }

        /// Bytes of all pixels once decoded. Without codecs, the size of the file.
        var cost: Int {
            guard ImageCodecs.areAvailable || file == nil else { return file?.count ?? 0 }
            let (bytes, overflow) = keptPixelCount.multipliedReportingOverflow(by: 4)
            return overflow ? .max : bytes
        }
    }
#endif
