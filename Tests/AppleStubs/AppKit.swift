@_exported public import AppleFoundation
@_exported public import CoreGraphics

// Not isolated to the main actor. What it says of Sendable differs between SDKs: here nothing, as the oldest one.
// https://developer.apple.com/documentation/appkit/nsimage
@available(macOS 10.0, *)
open class NSImage: NSObject {
    // https://developer.apple.com/documentation/objectivec/nsobject-swift.class/init()
    public override init() {}
    // https://developer.apple.com/documentation/appkit/nsimage/init(data:)
    public init?(data: Data) {}
    // https://developer.apple.com/documentation/appkit/nsimage/init(size:)
    public init(size: NSSize) {}
    // https://developer.apple.com/documentation/appkit/nsimage/addrepresentation(_:)
    open func addRepresentation(_ imageRep: NSImageRep) {}
    // https://developer.apple.com/documentation/appkit/nsimage/size
    open var size: NSSize { .zero }
    // https://developer.apple.com/documentation/appkit/nsimage/representations
    open var representations: [NSImageRep] { [] }
    // https://developer.apple.com/documentation/appkit/nsimage/cgimage(forproposedrect:context:hints:)
    @available(macOS 10.6, *)
    open func cgImage(
        forProposedRect rect: UnsafeMutablePointer<NSRect>?, context: NSGraphicsContext?,
        hints: [NSImageRep.HintKey: Any]?
    ) -> CGImage? { nil }
}

// https://developer.apple.com/documentation/appkit/nsgraphicscontext
@available(macOS 10.0, *)
open class NSGraphicsContext: NSObject {}

// https://developer.apple.com/documentation/appkit/nsimagerep
@available(macOS 10.0, *)
open class NSImageRep: NSObject {
    // https://developer.apple.com/documentation/appkit/nsimagerep/hintkey
    public struct HintKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    // https://developer.apple.com/documentation/appkit/nsimagerep/size
    open var size: NSSize {
        get { .zero }
        set {}
    }
    // https://developer.apple.com/documentation/appkit/nsimagerep/pixelswide
    open var pixelsWide: Int { 0 }
    // https://developer.apple.com/documentation/appkit/nsimagerep/pixelshigh
    open var pixelsHigh: Int { 0 }
}

// https://developer.apple.com/documentation/appkit/nsbitmapimagerep
@available(macOS 10.0, *)
open class NSBitmapImageRep: NSImageRep {
    // https://developer.apple.com/documentation/appkit/nsbitmapimagerep/filetype
    public enum FileType: UInt, Sendable { case tiff, bmp, gif, jpeg, png, jpeg2000 }

    // https://developer.apple.com/documentation/appkit/nsbitmapimagerep/propertykey
    public struct PropertyKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let compressionFactor = PropertyKey(rawValue: "")
        public static let frameCount = PropertyKey(rawValue: "")
        public static let currentFrame = PropertyKey(rawValue: "")
        public static let currentFrameDuration = PropertyKey(rawValue: "")
    }

    // https://developer.apple.com/documentation/appkit/nsbitmapimagerep/init(cgimage:)-7o5tz
    @available(macOS 10.5, *)
    public init(cgImage: CGImage) {}
    // https://developer.apple.com/documentation/appkit/nsbitmapimagerep/cgimage
    @available(macOS 10.5, *)
    open var cgImage: CGImage? { nil }
    // https://developer.apple.com/documentation/appkit/nsbitmapimagerep/value(forproperty:)
    open func value(forProperty property: NSBitmapImageRep.PropertyKey) -> Any? { nil }
    // https://developer.apple.com/documentation/appkit/nsbitmapimagerep/setproperty(_:withvalue:)
    open func setProperty(_ property: NSBitmapImageRep.PropertyKey, withValue value: Any?) {}
    // https://developer.apple.com/documentation/appkit/nsbitmapimagerep/representation(using:properties:)
    open func representation(
        using type: NSBitmapImageRep.FileType, properties: [NSBitmapImageRep.PropertyKey: Any]
    ) -> Data? { nil }
}
