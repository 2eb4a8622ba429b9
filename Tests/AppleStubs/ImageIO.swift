// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import AppleFoundation
public import CoreGraphics

// https://developer.apple.com/documentation/imageio/cgimagesource
@available(iOS 4, macOS 10.8, tvOS 9, watchOS 2, visionOS 1, *)
public final class CGImageSource {}

// https://developer.apple.com/documentation/imageio/cgimagesourcecreatewithdata(_:_:)
@available(iOS 4, macOS 10.4, tvOS 9, watchOS 2, visionOS 1, *)
public func CGImageSourceCreateWithData(_ data: CFData, _ options: CFDictionary?) -> CGImageSource? { nil }
// https://developer.apple.com/documentation/imageio/cgimagesourcegetcount(_:)
@available(iOS 4, macOS 10.4, tvOS 9, watchOS 2, visionOS 1, *)
public func CGImageSourceGetCount(_ source: CGImageSource) -> Int { 0 }
// https://developer.apple.com/documentation/imageio/cgimagesourcecopypropertiesatindex(_:_:_:)
@available(iOS 4, macOS 10.4, tvOS 9, watchOS 2, visionOS 1, *)
public func CGImageSourceCopyPropertiesAtIndex(
    _ source: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CFDictionary? { nil }
// https://developer.apple.com/documentation/imageio/cgimagesourcecreateimageatindex(_:_:_:)
@available(iOS 4, macOS 10.4, tvOS 9, watchOS 2, visionOS 1, *)
public func CGImageSourceCreateImageAtIndex(
    _ source: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CGImage? { nil }
// https://developer.apple.com/documentation/imageio/cgimagesourcecreatethumbnailatindex(_:_:_:)
@available(iOS 4, macOS 10.4, tvOS 9, watchOS 2, visionOS 1, *)
public func CGImageSourceCreateThumbnailAtIndex(
    _ source: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CGImage? { nil }

// https://developer.apple.com/documentation/imageio/cgimagedestination
@available(iOS 4, macOS 10.8, tvOS 9, watchOS 2, visionOS 1, *)
public final class CGImageDestination {}

// https://developer.apple.com/documentation/imageio/cgimagedestinationcreatewithdata(_:_:_:_:)
@available(iOS 4, macOS 10.4, tvOS 9, watchOS 2, visionOS 1, *)
public func CGImageDestinationCreateWithData(
    _ data: CFMutableData, _ type: CFString, _ count: Int, _ options: CFDictionary?
) -> CGImageDestination? { nil }
// https://developer.apple.com/documentation/imageio/cgimagedestinationsetproperties(_:_:)
@available(iOS 4, macOS 10.4, tvOS 9, watchOS 2, visionOS 1, *)
public func CGImageDestinationSetProperties(_ destination: CGImageDestination, _ properties: CFDictionary?) {}
// https://developer.apple.com/documentation/imageio/cgimagedestinationaddimage(_:_:_:)
@available(iOS 4, macOS 10.4, tvOS 9, watchOS 2, visionOS 1, *)
public func CGImageDestinationAddImage(
    _ destination: CGImageDestination, _ image: CGImage, _ properties: CFDictionary?
) {}
// https://developer.apple.com/documentation/imageio/cgimagedestinationfinalize(_:)
@available(iOS 4, macOS 10.4, tvOS 9, watchOS 2, visionOS 1, *)
public func CGImageDestinationFinalize(_ destination: CGImageDestination) -> Bool { false }

// Constants of C. They cannot be set.
// https://developer.apple.com/documentation/imageio/kcgimagesourceshouldcache
@available(iOS 4, macOS 10.4, tvOS 9, watchOS 2, visionOS 1, *)
nonisolated(unsafe) public let kCGImageSourceShouldCache: CFString = ""
// https://developer.apple.com/documentation/imageio/kcgimagesourceshouldcacheimmediately
@available(iOS 7, macOS 10.9, tvOS 9, watchOS 2, visionOS 1, *)
nonisolated(unsafe) public let kCGImageSourceShouldCacheImmediately: CFString = ""
// https://developer.apple.com/documentation/imageio/kcgimagesourcecreatethumbnailfromimagealways
@available(iOS 4, macOS 10.4, tvOS 9, watchOS 2, visionOS 1, *)
nonisolated(unsafe) public let kCGImageSourceCreateThumbnailFromImageAlways: CFString = ""
// https://developer.apple.com/documentation/imageio/kcgimagesourcecreatethumbnailwithtransform
@available(iOS 4, macOS 10.4, tvOS 9, watchOS 2, visionOS 1, *)
nonisolated(unsafe) public let kCGImageSourceCreateThumbnailWithTransform: CFString = ""
// https://developer.apple.com/documentation/imageio/kcgimagesourcethumbnailmaxpixelsize
@available(iOS 4, macOS 10.4, tvOS 9, watchOS 2, visionOS 1, *)
nonisolated(unsafe) public let kCGImageSourceThumbnailMaxPixelSize: CFString = ""
// https://developer.apple.com/documentation/imageio/kcgimagepropertyorientation
@available(iOS 4, macOS 10.4, tvOS 9, watchOS 2, visionOS 1, *)
nonisolated(unsafe) public let kCGImagePropertyOrientation: CFString = ""
// https://developer.apple.com/documentation/imageio/kcgimagepropertygifdictionary
@available(iOS 4, macOS 10.4, tvOS 9, watchOS 2, visionOS 1, *)
nonisolated(unsafe) public let kCGImagePropertyGIFDictionary: CFString = ""
// https://developer.apple.com/documentation/imageio/kcgimagepropertygifdelaytime
@available(iOS 4, macOS 10.4, tvOS 9, watchOS 2, visionOS 1, *)
nonisolated(unsafe) public let kCGImagePropertyGIFDelayTime: CFString = ""
// https://developer.apple.com/documentation/imageio/kcgimagepropertygifunclampeddelaytime
@available(iOS 4, macOS 10.7, tvOS 9, watchOS 2, visionOS 1, *)
nonisolated(unsafe) public let kCGImagePropertyGIFUnclampedDelayTime: CFString = ""
// https://developer.apple.com/documentation/imageio/kcgimagepropertygifloopcount
@available(iOS 4, macOS 10.4, tvOS 9, watchOS 2, visionOS 1, *)
nonisolated(unsafe) public let kCGImagePropertyGIFLoopCount: CFString = ""
