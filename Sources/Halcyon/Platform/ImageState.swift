#if canImport(UIKit) || canImport(AppKit)
    internal import Foundation
    internal import ObjectiveC

    // The state that a system image carries beside its pixels, as associated objects, which are thread-safe.
    extension KFCrossPlatformImage {
        /// The GIF that the image was made from.
        var animationFile: Data? {
            get { objc_getAssociatedObject(self, animationFileKey) as? Data }
            set { objc_setAssociatedObject(self, animationFileKey, newValue, .OBJC_ASSOCIATION_RETAIN) }
        }

        /// The frame count that was set; nil if none was.
        private var givenFrameCount: Int? {
            get { objc_getAssociatedObject(self, frameCountKey) as? Int }
            set { objc_setAssociatedObject(self, frameCountKey, newValue, .OBJC_ASSOCIATION_RETAIN) }
        }

        var frameCount: Int? {
            get { givenFrameCount ?? (isAnimation ? pictureCount : nil) }
            set { givenFrameCount = newValue }
        }

        /// Notes the file that the image was made from. Of an animation, it may have only the first picture.
        func keep(gif file: Data) { (animationFile, frameCount) = (file, ImageFile(file)?.frameCount) }

        var isAnimation: Bool { pictureCount > 1 }

        /// A GIF of all pictures; the original file if the image was made from a GIF.
        func gifData() -> Data? { animationFile ?? ImageFile.gif(gifFrames) }

        /// The system has no encoder.
        func webpData(compressionQuality: CGFloat) -> Data? { nil }

        var webpFile: Data? { nil }

        var gifFile: Data? { animationFile }

        /// The GIF of an animation; nil for a still image.
        var animationData: Data? { isAnimation ? gifData() : nil }

        func copyState(to other: KFCrossPlatformImage) {
            other.animationFile = animationFile
            other.givenFrameCount = givenFrameCount
        }
    }

    // Unique addresses. Their contents are never read.
    nonisolated(unsafe) private let animationFileKey = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
    nonisolated(unsafe) private let frameCountKey = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
#endif
