#if !canImport(UIKit) && !canImport(AppKit)
    public import Foundation
    internal import HalcyonImageCodecs

    /// Why data is no image, or an image has no pixels. Nothing in it comes from a key or a path.
    public struct ImageDecodingError: LocalizedError, CustomStringConvertible, Sendable {
        /// What is wrong, in a sentence, and what to do about it if that is a limit.
        public let description: String
        public var errorDescription: String? { description }

        init(_ error: ImageCodecError) {
            var text = "The image cannot be decoded: \(error)."
            if case .tooManyPixels = error {
                text += " Raise HalcyonImage.pixelLimit, or for an animation HalcyonImage.animationPixelLimit, if such"
                text += " images are expected."
            }
            description = text
        }

        /// What is wrong with data of which no image can be made; nil if its pixels can be decoded, which is tried.
        public init?(decoding data: Data) {
            do throws(ImageCodecError) {
                _ = try ImageContent(file: data, options: HalcyonImage.limits.withLock { $0 }).decoded()
                return nil
            } catch {
                self.init(error)
            }
        }
    }
#endif
