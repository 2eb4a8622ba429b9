#if canImport(UIKit)
    public import UIKit

    /// An image of the platform: `UIImage`, `NSImage`, or on Linux ``HalcyonImage``.
    public typealias KFCrossPlatformImage = UIImage
#elseif canImport(AppKit)
    public import AppKit

    /// An image of the platform: `UIImage`, `NSImage`, or on Linux ``HalcyonImage``.
    public typealias KFCrossPlatformImage = NSImage
#else
    /// An image of the platform: `UIImage`, `NSImage`, or on Linux ``HalcyonImage``.
    public typealias KFCrossPlatformImage = HalcyonImage
#endif

extension KFCrossPlatformImage: KingfisherCompatible {}

extension KFCrossPlatformImage: CacheCostCalculable {
    /// Bytes of the decoded bitmaps, the same before and after decoding. On Linux the pictures of an animation share the pixels
    /// in which they do not differ, and these count once.
    public var cacheCost: Int { kf.cost }
}
