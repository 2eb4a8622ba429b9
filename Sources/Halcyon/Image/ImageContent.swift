#if !canImport(UIKit) && !canImport(AppKit)
    internal import Foundation
    internal import HalcyonImageCodecs

    /// What images that differ only in scale share: a file, its pixels once somebody has asked for them, or pixels alone.
    ///
    /// Decoding happens once, under the lock: whoever comes meanwhile waits for it instead of doing it again.
    final class ImageContent: Sendable {
        /// The file that it was made of; nil for bare pixels.
        let file: Data?
        let format: ImageFileFormat?
        let pixelSize: PixelSize
        /// By what the file says, so that it is the same before and after decoding.
        let frameCount: Int
        /// Of a GIF or an animation, whichever of its pictures are wanted; nil for a still.
        let statedFrameCount: Int?
        /// Whether it has pictures that can be listed: those of an animation that are all wanted, or the one of a GIF.
        var hasPictures: Bool { statedFrameCount != nil && !options.firstFrameOnly }
        private let keptPixelCount: Int
        private let options: DecodingOptions
        private let state: Locked<State>

        private enum State {
            case waiting
            case decoded(DecodedImage)
            case failed(ImageCodecError)
        }

        /// Reads what the file says of its picture, and no pixels.
        ///
        /// - Throws: also when the picture is over the limits or the file too short for it.
        init(file: Data, options: DecodingOptions) throws(ImageCodecError) {
            let header = try ImageCodecs.header(of: file, options: options)
            self.file = file
            self.options = options
            format = header.format
            pixelSize = header.size
            frameCount = options.firstFrameOnly ? 1 : header.frameCount
            statedFrameCount = header.format == .gif || header.frameCount > 1 ? header.frameCount : nil
            keptPixelCount = options.firstFrameOnly ? header.keptPixels.first : header.keptPixels.all
            state = Locked(.waiting)
        }

        init(decoded: DecodedImage) {
            file = nil
            format = nil
            options = DecodingOptions()
            pixelSize = decoded.size
            frameCount = decoded.frames.count
            statedFrameCount = frameCount > 1 ? frameCount : nil
            keptPixelCount = decoded.size.pixelCount
            state = Locked(.decoded(decoded))
        }

        convenience init(bitmap: Bitmap) {
            self.init(decoded: DecodedImage(format: .png, frames: [.init(bitmap: bitmap)]))
        }

        /// The pixels. Takes as long as decoding does the first time, and nothing later; a failure is remembered too, unless
        /// it was for want of memory.
        func decoded() throws(ImageCodecError) -> DecodedImage {
            let outcome = state.withLock { state in
                guard case .waiting = state else { return state }
                let outcome = decode()
                if case .failed(.noMemory) = outcome { return outcome }
                state = outcome
                return outcome
            }
            switch outcome {
            case .decoded(let image): return image
            case .failed(let error): throw error
            case .waiting: throw .unknownFormat
            }
        }

        private func decode() -> State {
            do throws(ImageCodecError) {
                return .decoded(try ImageCodecs.decode(file ?? Data(), options: options))
            } catch {
                return .failed(error)
            }
        }

        var isFirstFrameOnly: Bool { options.firstFrameOnly }

        var isDecoded: Bool {
            state.withLock { state in
                if case .decoded = state { true } else { false }
            }
        }

        /// Bytes of all pixels that are in memory once they are decoded. Without codecs there are none, and the file is what is kept.
        var cost: Int {
            guard ImageCodecs.areAvailable || file == nil else { return file?.count ?? 0 }
            let (bytes, overflow) = keptPixelCount.multipliedReportingOverflow(by: 4)
            return overflow ? .max : bytes
        }
    }
#endif
