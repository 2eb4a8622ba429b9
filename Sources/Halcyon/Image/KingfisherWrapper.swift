public import Foundation

/// The type of `kf`: holds the functions that this package adds to another type.
public struct KingfisherWrapper<Base> {
    /// The wrapped value.
    public let base: Base
    /// Creates a wrapper, like `base.kf`.
    public init(_ base: Base) { self.base = base }
}

extension KingfisherWrapper: Sendable where Base: Sendable {}

/// A class that has `kf`.
public protocol KingfisherCompatible: AnyObject {}

/// A value type that has `kf`.
public protocol KingfisherCompatibleValue {}

// The setters do nothing. They allow assigning to a property of the wrapper through `kf`. Disfavored, because Kingfisher has its
// own `kf`. If an app links both modules, members are visible in all files, whatever a file imports, and without this attribute
// each `kf` would be ambiguous.

extension KingfisherCompatible {
    /// The functions that this package adds to the type.
    @_disfavoredOverload
    public var kf: KingfisherWrapper<Self> {
        get { KingfisherWrapper(self) }
        set {}
    }
}

extension KingfisherCompatibleValue {
    /// The functions that this package adds to the type.
    @_disfavoredOverload
    public var kf: KingfisherWrapper<Self> {
        get { KingfisherWrapper(self) }
        set {}
    }
}

extension Data: KingfisherCompatibleValue {}
extension String: KingfisherCompatibleValue {}

extension KingfisherWrapper where Base == Data {
    /// The format, detected from the first bytes. Eight bytes or fewer are not an image.
    public var imageFormat: ImageFormat { ImageFormat(base) }

    /// Whether it is a WebP. ``imageFormat`` is `unknown` for it, because ``ImageFormat`` has Kingfisher's cases.
    public var isWebP: Bool { base.isWebP }
}

extension KingfisherWrapper where Base == String {
    /// The SHA-256 of the UTF-8, as 64 lower-case hexadecimal digits.
    var sha256: String { Digest(of: base).hexadecimal }

    /// The file name extension suggested by a key.
    var ext: String? { BlobName.suggestedExtension(ofKey: base) }
}
