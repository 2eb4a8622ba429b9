// swift-format-ignore-file: AlwaysUseLowerCamelCase
// https://developer.apple.com/documentation/uikit

@_exported public import AppleFoundation
@_exported public import CoreGraphics

// Not isolated to the main actor, and Sendable.
// https://developer.apple.com/documentation/uikit/uiimage
@available(iOS 2, tvOS 9, watchOS 2, visionOS 1, *)
open class UIImage: NSObject, @unchecked Sendable {
    // https://developer.apple.com/documentation/uikit/uiimage/orientation
    public enum Orientation: Int, Sendable {
        case up, down, left, right, upMirrored, downMirrored, leftMirrored, rightMirrored
    }

    // https://developer.apple.com/documentation/objectivec/nsobject-swift.class/init()
    public override init() {}
    // https://developer.apple.com/documentation/uikit/uiimage/init(data:)
    public init?(data: Data) {}
    // https://developer.apple.com/documentation/uikit/uiimage/init(data:scale:)
    @available(iOS 6, tvOS 9, watchOS 2, visionOS 1, *)
    public init?(data: Data, scale: CGFloat) {}
    // https://developer.apple.com/documentation/uikit/uiimage/init(cgimage:)-14qlb
    public init(cgImage: CGImage) {}
    // https://developer.apple.com/documentation/uikit/uiimage/init(cgimage:scale:orientation:)-3xlco
    @available(iOS 4, tvOS 9, watchOS 2, visionOS 1, *)
    public init(cgImage: CGImage, scale: CGFloat, orientation: UIImage.Orientation) {}

    // https://developer.apple.com/documentation/uikit/uiimage/animatedimage(with:duration:)
    @available(iOS 5, tvOS 9, watchOS 2, visionOS 1, *)
    open class func animatedImage(with images: [UIImage], duration: TimeInterval) -> UIImage? { nil }

    // https://developer.apple.com/documentation/uikit/uiimage/size
    open var size: CGSize { .zero }
    // https://developer.apple.com/documentation/uikit/uiimage/scale
    @available(iOS 4, tvOS 9, watchOS 2, visionOS 1, *)
    open var scale: CGFloat { 1 }
    // https://developer.apple.com/documentation/uikit/uiimage/imageorientation
    open var imageOrientation: UIImage.Orientation { .up }
    // https://developer.apple.com/documentation/uikit/uiimage/cgimage
    open var cgImage: CGImage? { nil }
    // https://developer.apple.com/documentation/uikit/uiimage/images
    @available(iOS 5, tvOS 9, watchOS 2, visionOS 1, *)
    open var images: [UIImage]? { nil }
    // https://developer.apple.com/documentation/uikit/uiimage/duration
    @available(iOS 5, tvOS 9, watchOS 2, visionOS 1, *)
    open var duration: TimeInterval { 0 }

    // https://developer.apple.com/documentation/uikit/uiimage/draw(in:)
    open func draw(in rect: CGRect) {}

    #if !OS_watchOS
        // https://developer.apple.com/documentation/uikit/uiimage/preparingfordisplay(): not on watchOS.
        @available(iOS 15, tvOS 15, visionOS 1, *)
        open func preparingForDisplay() -> UIImage? { nil }
    #endif
}

@available(iOS 2, tvOS 9, watchOS 2, visionOS 1, *)
extension UIImage {
    // https://developer.apple.com/documentation/uikit/uiimage/pngdata()
    public func pngData() -> Data? { nil }
    // https://developer.apple.com/documentation/uikit/uiimage/jpegdata(compressionquality:)
    public func jpegData(compressionQuality: CGFloat) -> Data? { nil }
}

// https://developer.apple.com/documentation/uikit/uigraphicspushcontext(_:)
@available(iOS 2, tvOS 9, watchOS 2, visionOS 1, *)
public func UIGraphicsPushContext(_ context: CGContext) {}
// https://developer.apple.com/documentation/uikit/uigraphicspopcontext()
@available(iOS 2, tvOS 9, watchOS 2, visionOS 1, *)
public func UIGraphicsPopContext() {}

#if !OS_watchOS
    // https://developer.apple.com/documentation/uikit/uibackgroundtaskidentifier
    @available(iOS 2, tvOS 9, visionOS 1, *)
    public struct UIBackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        // https://developer.apple.com/documentation/uikit/uibackgroundtaskidentifier/invalid
        @available(iOS 4, tvOS 9, visionOS 1, *)
        public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
    }

    // https://developer.apple.com/documentation/uikit/uiapplication
    @available(iOS 2, tvOS 9, visionOS 1, *)
    @MainActor open class UIApplication: NSObject {
        // `shared` is left out: it must not be used, because app extensions cannot have it.
        // https://developer.apple.com/documentation/uikit/uiapplication/beginbackgroundtask(withname:expirationhandler:)
        @available(iOS 7, tvOS 9, visionOS 1, *)
        nonisolated open func beginBackgroundTask(
            withName name: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
        ) -> UIBackgroundTaskIdentifier { .invalid }
        // https://developer.apple.com/documentation/uikit/uiapplication/endbackgroundtask(_:)
        @available(iOS 4, tvOS 9, visionOS 1, *)
        nonisolated open func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {}
    }
#endif
