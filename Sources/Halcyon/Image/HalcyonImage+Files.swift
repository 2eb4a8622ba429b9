#if !canImport(UIKit) && !canImport(AppKit)
    public import Foundation
    internal import HalcyonImageCodecs

    extension HalcyonImage {
        /// A PNG of the first picture; nil if its pixels cannot be decoded. An image made of a PNG gives that file.
        public func pngData() -> Data? {
            file(in: .png) ?? bitmap.flatMap { try? ImageCodecs.png($0) }
        }

        /// A JPEG of the first picture, transparent pixels laid on white; nil if its pixels cannot be decoded, or are more
        /// than 65 500 in one direction.
        ///
        /// - Parameter compressionQuality: 0 to 1. With 1 an image made of a JPEG gives that file: coding it once more would
        ///   only lose.
        public func jpegData(compressionQuality: CGFloat) -> Data? {
            if compressionQuality >= 1, let file = file(in: .jpeg) { return file }
            return bitmap.flatMap { try? ImageCodecs.jpeg($0, quality: Double(compressionQuality)) }
        }

        /// A GIF of all pictures; nil if their pixels cannot be decoded. An image made of a GIF gives that file.
        public func gifData() -> Data? {
            if !content.isFirstFrameOnly, let file = file(in: .gif) { return file }
            return (try? content.decoded()).flatMap { try? ImageCodecs.gif($0) }
        }

        /// The file it was made of, if it is of that format and its pixels are what it says: half a download must not be
        /// stored again as the whole. Without codecs nobody can say, and the file is all there is.
        private func file(in format: ImageFileFormat) -> Data? {
            guard content.format == format else { return nil }
            return ImageCodecs.areAvailable && (try? content.decoded()) == nil ? nil : content.file
        }

    }
#endif
