// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import AppleFoundation
public import CoreGraphics

public final class CGImageSource {}

public func CGImageSourceCreateWithData(_ data: CFData, _ options: CFDictionary?) -> CGImageSource? { nil }
public func CGImageSourceGetCount(_ source: CGImageSource) -> Int { 0 }
public func CGImageSourceCopyPropertiesAtIndex(
    _ source: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CFDictionary? { nil }
public func CGImageSourceCreateImageAtIndex(
    _ source: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CGImage? { nil }
public func CGImageSourceCreateThumbnailAtIndex(
    _ source: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CGImage? { nil }

public final class CGImageDestination {}

public func CGImageDestinationCreateWithData(
    _ data: CFMutableData, _ type: CFString, _ count: Int, _ options: CFDictionary?
) -> CGImageDestination? { nil }
public func CGImageDestinationSetProperties(_ destination: CGImageDestination, _ properties: CFDictionary?) {}
public func CGImageDestinationAddImage(
    _ destination: CGImageDestination, _ image: CGImage, _ properties: CFDictionary?
) {}
public func CGImageDestinationFinalize(_ destination: CGImageDestination) -> Bool { false }

// Constants of C: nobody can set them.
nonisolated(unsafe) public let kCGImageSourceShouldCache: CFString = ""
nonisolated(unsafe) public let kCGImageSourceShouldCacheImmediately: CFString = ""
nonisolated(unsafe) public let kCGImageSourceCreateThumbnailFromImageAlways: CFString = ""
nonisolated(unsafe) public let kCGImageSourceCreateThumbnailWithTransform: CFString = ""
nonisolated(unsafe) public let kCGImageSourceThumbnailMaxPixelSize: CFString = ""
nonisolated(unsafe) public let kCGImagePropertyOrientation: CFString = ""
nonisolated(unsafe) public let kCGImagePropertyGIFDictionary: CFString = ""
nonisolated(unsafe) public let kCGImagePropertyGIFDelayTime: CFString = ""
nonisolated(unsafe) public let kCGImagePropertyGIFUnclampedDelayTime: CFString = ""
nonisolated(unsafe) public let kCGImagePropertyGIFLoopCount: CFString = ""
