#if canImport(UIKit)
    public import UIKit

    /// The platform's image type: `UIImage`, `NSImage`, or on Linux ``HalcyonImage``.
    public typealias KFCrossPlatformImage = UIImage
#elseif canImport(AppKit)
    public import AppKit

    /// The platform's image type: `UIImage`, `NSImage`, or on Linux ``HalcyonImage``.
    public typealias KFCrossPlatformImage = NSImage
#else
    /// The platform's image type: `UIImage`, `NSImage`, or on Linux ``HalcyonImage``.
    public typealias KFCrossPlatformImage = HalcyonImage
#endif

extension KFCrossPlatformImage: KingfisherCompatible {}

extension KFCrossPlatformImage: CacheCostCalculable {
    /// Bytes of the decoded bitmaps, the same before and after decoding. On Linux, identical pixels that pictures of an animation
    /// share count once.
    public var cacheCost: Int { kf.cost }
}
