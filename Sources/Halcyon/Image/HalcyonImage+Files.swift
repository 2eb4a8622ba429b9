#if !canImport(UIKit) && !canImport(AppKit)
    public import Foundation
    internal import HalcyonImageCodecs

    extension HalcyonImage {
        /// Returns a PNG of the first picture; nil if its pixels cannot be decoded. An image made from a PNG returns that file.
        public func pngData() -> Data? { data(in: .png) }

        /// Returns a JPEG of the first picture, with transparent pixels on white; nil if its pixels cannot be decoded, or a side
        /// exceeds 65,500 pixels.
        ///
        /// - Parameter compressionQuality: 0 to 1. With 1, an image made from a JPEG returns that file, because encoding it again
        ///   would only lose quality.
        public func jpegData(compressionQuality: CGFloat) -> Data? {
            data(in: .jpeg, quality: Double(compressionQuality))
        }

        /// Returns a GIF of all pictures; nil if their pixels cannot be decoded. An image made from a GIF returns that file, with all
        /// pictures, as in Kingfisher, even if the image has only the first.
        public func gifData() -> Data? { data(in: .gif) }

        /// Returns a WebP of all pictures; nil if their pixels cannot be decoded, or a side exceeds 16,383 pixels.
        ///
        /// - Parameter compressionQuality: 0 to 1. 1 is lossless, and an image made from a WebP returns that file.
        public func webpData(compressionQuality: CGFloat) -> Data? {
            data(in: .webp, quality: Double(compressionQuality))
        }

        private func data(in format: ImageFileFormat, quality: Double = 1) -> Data? {
            if quality >= 1, let file = file(in: format) { return file }
            return (try? content.decoded()).flatMap { ImageCodecs.encode($0, as: format, quality: quality) }
        }

        /// The file of an image that was made from a WebP.
        var webpFile: Data? { file(in: .webp) }

        /// The file of an image that was made from a GIF, even if the image has only the first picture.
        var gifFile: Data? { file(in: .gif) }

        /// The original file, if it has that format and its pixels can be decoded: a partial download must not be stored again as
        /// a complete file. Without codecs the pixels cannot be checked, and the file is all there is.
        private func file(in format: ImageFileFormat) -> Data? {
            guard content.format == format, content.hasPlausibleFile else { return nil }
            return ImageCodecs.areAvailable && (try? content.decoded()) == nil ? nil : content.file
        }
    }
#endif
