// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import AppleFoundation

public final class CGImage: @unchecked Sendable {
    public var width: Int { 0 }
    public var height: Int { 0 }
    public var colorSpace: CGColorSpace? { nil }
}

public final class CGColorSpace: @unchecked Sendable {
    nonisolated(unsafe) public static let sRGB: CFString = ""
    public init?(name: CFString) {}
    public var model: CGColorSpaceModel { .rgb }
    public var supportsOutput: Bool { true }
    // https://developer.apple.com/documentation/coregraphics/cgcolorspace/iswidegamutrgb
    @available(iOS 9.3, macOS 10.12, tvOS 9.2, watchOS 2.2, visionOS 1, *)
    public var isWideGamutRGB: Bool { false }
    // https://developer.apple.com/documentation/coregraphics/cgcolorspace/displayp3
    @available(iOS 9.3, macOS 10.11.2, tvOS 9.2, watchOS 2.2, visionOS 1, *)
    nonisolated(unsafe) public static let displayP3: CFString = ""
}

public enum CGColorSpaceModel: Int32, Sendable { case unknown = -1, monochrome, rgb }

public enum CGImageAlphaInfo: UInt32, Sendable {
    case none, premultipliedLast, premultipliedFirst, last, first, noneSkipLast, noneSkipFirst, alphaOnly
}

public struct CGBitmapInfo: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public static let byteOrder32Little = CGBitmapInfo(rawValue: 2 << 12)
}

public final class CGContext {
    public init?(
        data: UnsafeMutableRawPointer?, width: Int, height: Int, bitsPerComponent: Int, bytesPerRow: Int,
        space: CGColorSpace, bitmapInfo: UInt32
    ) {}
    public func translateBy(x: CGFloat, y: CGFloat) {}
    public func scaleBy(x: CGFloat, y: CGFloat) {}
    public func draw(_ image: CGImage, in rect: CGRect, byTiling: Bool = false) {}
    public func makeImage() -> CGImage? { nil }
}
