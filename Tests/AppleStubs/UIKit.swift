// swift-format-ignore-file: AlwaysUseLowerCamelCase

@_exported public import AppleFoundation
@_exported public import CoreGraphics

// Not isolated to the main actor, and Sendable.
open class UIImage: NSObject, @unchecked Sendable {
    public enum Orientation: Int, Sendable {
        case up, down, left, right, upMirrored, downMirrored, leftMirrored, rightMirrored
    }

    public init?(data: Data) {}
    public init?(data: Data, scale: CGFloat) {}
    public init(cgImage: CGImage) {}
    public init(cgImage: CGImage, scale: CGFloat, orientation: UIImage.Orientation) {}

    open class func animatedImage(with images: [UIImage], duration: TimeInterval) -> UIImage? { nil }

    open var size: CGSize { .zero }
    open var scale: CGFloat { 1 }
    open var imageOrientation: UIImage.Orientation { .up }
    open var cgImage: CGImage? { nil }
    open var images: [UIImage]? { nil }
    open var duration: TimeInterval { 0 }

    open func draw(in rect: CGRect) {}
    open func preparingForDisplay() -> UIImage? { nil }
}

extension UIImage {
    public func pngData() -> Data? { nil }
    public func jpegData(compressionQuality: CGFloat) -> Data? { nil }
}

public func UIGraphicsPushContext(_ context: CGContext) {}
public func UIGraphicsPopContext() {}

#if !OS_watchOS
    public struct UIBackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
    }

    @MainActor open class UIApplication: NSObject {
        // `shared` is left out: it must not be used, because app extensions cannot have it.
        open func beginBackgroundTask(
            withName name: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
        ) -> UIBackgroundTaskIdentifier { .invalid }
        open func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {}
    }
#endif
