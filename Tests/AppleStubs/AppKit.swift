@_exported public import AppleFoundation
@_exported public import CoreGraphics

// Not isolated to the main actor. What it says of Sendable differs between SDKs: here nothing, as the oldest one.
open class NSImage: NSObject {
    public init?(data: Data) {}
    public init(cgImage: CGImage, size: NSSize) {}
    open var size: NSSize { .zero }
    open var representations: [NSImageRep] { [] }
    open func cgImage(
        forProposedRect rect: UnsafeMutablePointer<NSRect>?, context: NSGraphicsContext?,
        hints: [NSImageRep.HintKey: Any]?
    ) -> CGImage? { nil }
}

open class NSGraphicsContext: NSObject {}

open class NSImageRep: NSObject {
    public struct HintKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    open var pixelsWide: Int { 0 }
    open var pixelsHigh: Int { 0 }
}

open class NSBitmapImageRep: NSImageRep {
    public enum FileType: UInt, Sendable { case tiff, bmp, gif, jpeg, png, jpeg2000 }

    public struct PropertyKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let compressionFactor = PropertyKey(rawValue: "")
        public static let frameCount = PropertyKey(rawValue: "")
        public static let currentFrame = PropertyKey(rawValue: "")
        public static let currentFrameDuration = PropertyKey(rawValue: "")
    }

    public init(cgImage: CGImage) {}
    open var cgImage: CGImage? { nil }
    open func value(forProperty property: NSBitmapImageRep.PropertyKey) -> Any? { nil }
    open func setProperty(_ property: NSBitmapImageRep.PropertyKey, withValue value: Any?) {}
    open func representation(
        using type: NSBitmapImageRep.FileType, properties: [NSBitmapImageRep.PropertyKey: Any]
    ) -> Data? { nil }
}
