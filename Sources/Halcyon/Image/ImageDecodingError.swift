#if !canImport(UIKit) && !canImport(AppKit)
    public import Foundation
    internal import HalcyonImageCodecs

    /// The reason why data is not an image, or why an image has no pixels. Contains nothing from a key or path.
    public struct ImageDecodingError: LocalizedError, CustomStringConvertible, Sendable {
        /// The reason in a sentence, and how to raise the limit if that is the reason.
        public let description: String
        public var errorDescription: String? { description }

        init(_ error: any Error) {
            var text = "The image cannot be decoded: \(error)."
            if case ImageCodecError.tooManyPixels = error {
                text +=
                    " If you expect such images, raise HalcyonImage.pixelLimit, or "
                    + "HalcyonImage.animationPixelLimit for animations."
            }
            description = text
        }

        /// Decodes data and returns the error, or nil if its pixels can be decoded.
        public init?(decoding data: Data) {
            do {
                _ = try ImageContent(file: data, options: HalcyonImage.limits.withLock { $0 }).decoded()
                return nil
            } catch {
                self.init(error)
            }
        }
    }
#endif
