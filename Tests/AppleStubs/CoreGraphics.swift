// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import AppleFoundation

// https://developer.apple.com/documentation/coregraphics/cgimage
@available(iOS 2, macOS 10.0, tvOS 9, watchOS 2, visionOS 1, *)
public final class CGImage: @unchecked Sendable {
    // https://developer.apple.com/documentation/coregraphics/cgimage/width
    public var width: Int { 0 }
    // https://developer.apple.com/documentation/coregraphics/cgimage/height
    public var height: Int { 0 }
    // https://developer.apple.com/documentation/coregraphics/cgimage/colorspace
    public var colorSpace: CGColorSpace? { nil }
}

// https://developer.apple.com/documentation/coregraphics/cgcolorspace
@available(iOS 2, macOS 10.0, tvOS 9, watchOS 2, visionOS 1, *)
public final class CGColorSpace: @unchecked Sendable {
    // https://developer.apple.com/documentation/coregraphics/cgcolorspace/srgb
    @available(iOS 9, macOS 10.5, tvOS 9, watchOS 2, visionOS 1, *)
    nonisolated(unsafe) public static let sRGB: CFString = ""
    // https://developer.apple.com/documentation/coregraphics/cgcolorspace/init(name:)
    @available(iOS 2, macOS 10.2, tvOS 9, watchOS 2, visionOS 1, *)
    public init?(name: CFString) {}
    // https://developer.apple.com/documentation/coregraphics/cgcolorspace/model
    @available(iOS 2, macOS 10.5, tvOS 9, watchOS 2, visionOS 1, *)
    public var model: CGColorSpaceModel { .rgb }
    // https://developer.apple.com/documentation/coregraphics/cgcolorspace/supportsoutput
    @available(iOS 10, macOS 10.12, tvOS 10, watchOS 3, visionOS 1, *)
    public var supportsOutput: Bool { true }
    // https://developer.apple.com/documentation/coregraphics/cgcolorspace/iswidegamutrgb
    @available(iOS 9.3, macOS 10.12, tvOS 9.2, watchOS 2.2, visionOS 1, *)
    public var isWideGamutRGB: Bool { false }
    // https://developer.apple.com/documentation/coregraphics/cgcolorspace/displayp3
    @available(iOS 9.3, macOS 10.11.2, tvOS 9.2, watchOS 2.2, visionOS 1, *)
    nonisolated(unsafe) public static let displayP3: CFString = ""
}

// https://developer.apple.com/documentation/coregraphics/cgcolorspacemodel
@available(iOS 2, macOS 10.0, tvOS 9, watchOS 2, visionOS 1, *)
public enum CGColorSpaceModel: Int32, Sendable { case unknown = -1, monochrome, rgb }

// https://developer.apple.com/documentation/coregraphics/cgimagealphainfo
@available(iOS 2, macOS 10.0, tvOS 9, watchOS 2, visionOS 1, *)
public enum CGImageAlphaInfo: UInt32, Sendable {
    case none, premultipliedLast, premultipliedFirst, last, first, noneSkipLast, noneSkipFirst, alphaOnly
}

// https://developer.apple.com/documentation/coregraphics/cgbitmapinfo
@available(iOS 2, macOS 10.0, tvOS 9, watchOS 2, visionOS 1, *)
public struct CGBitmapInfo: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    // https://developer.apple.com/documentation/coregraphics/cgbitmapinfo/byteorder32little
    public static let byteOrder32Little = CGBitmapInfo(rawValue: 2 << 12)
}

// https://developer.apple.com/documentation/coregraphics/cginterpolationquality
@available(iOS 2, macOS 10.0, tvOS 9, watchOS 2, visionOS 1, *)
public enum CGInterpolationQuality: Int32, Sendable { case `default`, none, low, high, medium }

// https://developer.apple.com/documentation/coregraphics/cgcontext
@available(iOS 2, macOS 10.0, tvOS 9, watchOS 2, visionOS 1, *)
public final class CGContext {
    // https://developer.apple.com/documentation/coregraphics/cgcontext/init(data:width:height:bitspercomponent:bytesperrow:space:bitmapinfo:)
    public init?(
        data: UnsafeMutableRawPointer?, width: Int, height: Int, bitsPerComponent: Int, bytesPerRow: Int,
        space: CGColorSpace, bitmapInfo: UInt32
    ) {}
    // https://developer.apple.com/documentation/coregraphics/cgcontext/translateby(x:y:)
    public func translateBy(x: CGFloat, y: CGFloat) {}
    // https://developer.apple.com/documentation/coregraphics/cgcontext/scaleby(x:y:)
    public func scaleBy(x: CGFloat, y: CGFloat) {}
    // https://developer.apple.com/documentation/coregraphics/cgcontext/draw(_:in:bytiling:)
    @available(iOS 7, macOS 10.9, tvOS 9, watchOS 2, visionOS 1, *)
    public func draw(_ image: CGImage, in rect: CGRect, byTiling: Bool = false) {}
    // https://developer.apple.com/documentation/coregraphics/cgcontext/interpolationquality
    public var interpolationQuality: CGInterpolationQuality = .default
    // https://developer.apple.com/documentation/coregraphics/cgcontext/makeimage()
    @available(iOS 2, macOS 10.4, tvOS 9, watchOS 2, visionOS 1, *)
    public func makeImage() -> CGImage? { nil }
}
